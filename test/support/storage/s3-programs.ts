import { type Outcome, runDebianProgram } from '../debian-program.js';
import type { ProcessedItem } from '../media/uploads.js';

/** Operations with the credentials of an item. */
export interface Attempt {
  /** Where, and with which credentials. */
  readonly item: ProcessedItem;
  readonly key: string;
  /** The local file that is sent, or received. */
  readonly file: string;
}

/** A folder of the program's own, also as its home: nothing of a developer's configuration gets in. */
export type InFolder = (attempt: Attempt, folder: string) => Promise<Outcome>;

/** A program from Debian's packages that speaks S3. */
export interface S3Program {
  /** In one request. */
  readonly put: InFolder;
  /** In several parts, of a file of 20 MB; null: it cannot. */
  readonly putInParts: InFolder | null;
  readonly get: InFolder;
  readonly list: InFolder;
  readonly remove: InFolder;
}

const awsCli: S3Program = {
  put: aws('s3api', ({ key, file }) => ['put-object', '--key', key, '--body', file]),
  putInParts: async (attempt, folder) =>
    await runAws(attempt, folder, ['s3', 'cp', '--no-progress', attempt.file, `s3://${attempt.item.bucket}/${attempt.key}`]),
  get: aws('s3api', ({ key, file }) => ['get-object', '--key', key, file]),
  list: aws('s3api', ({ key }) => ['list-objects-v2', '--prefix', key]),
  remove: aws('s3api', ({ key }) => ['delete-object', '--key', key]),
};

function aws(service: string, words: (attempt: Attempt) => string[]): InFolder {
  return async (attempt, folder) => await runAws(attempt, folder, [service, ...words(attempt), '--bucket', attempt.item.bucket]);
}

async function runAws({ item }: Attempt, folder: string, words: readonly string[]): Promise<Outcome> {
  return await runDebianProgram('aws', ['--endpoint-url', item.endpoint ?? '', ...words], {
    cwd: folder,
    env: awsEnvironment(item, folder),
  });
}

const boto3: S3Program = {
  put: python('put'),
  putInParts: python('upload'),
  get: python('get'),
  list: python('list'),
  remove: python('delete'),
};

function python(action: string): InFolder {
  const script = new URL('../../external/clients/boto3_client.py', import.meta.url).pathname;
  return async ({ item, key, file }, folder) =>
    await runDebianProgram('python3', [script, item.endpoint ?? '', action, item.bucket, key, file], {
      cwd: folder,
      env: awsEnvironment(item, folder),
    });
}

/** What the AWS CLI and SDKs read. */
const awsEnvironment = ({ credentials, region }: ProcessedItem, folder: string): Record<string, string> => ({
  HOME: folder,
  AWS_ACCESS_KEY_ID: credentials.AccessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.SecretAccessKey,
  AWS_SESSION_TOKEN: credentials.SessionToken,
  AWS_DEFAULT_REGION: region,
  AWS_REGION: region,
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_MAX_ATTEMPTS: '1',
});

/** It looks before and after it writes, which the credentials do not allow: these options are what users need. */
const UNSEEN = ['--s3-no-check-bucket', '--s3-no-head', '--no-check-dest'];

const rclone: S3Program = {
  put: inRclone(({ file }, remote) => ['copyto', ...UNSEEN, file, remote]),
  putInParts: inRclone(({ file }, remote) => ['copyto', ...UNSEEN, '--s3-upload-cutoff', '5Mi', '--s3-chunk-size', '5Mi', file, remote]),
  get: inRclone(({ file }, remote) => ['copyto', remote, file]),
  list: inRclone((_, remote) => ['lsf', remote.replace(/[^/]*$/, '')]),
  remove: inRclone((_, remote) => ['delete', remote]),
};

function inRclone(words: (attempt: Attempt, remote: string) => string[]): InFolder {
  return async (attempt, folder) => {
    const { item, key } = attempt;
    const env = {
      HOME: folder,
      RCLONE_S3_PROVIDER: 'Other',
      RCLONE_S3_ENDPOINT: item.endpoint ?? '',
      RCLONE_S3_REGION: item.region,
      RCLONE_S3_ACCESS_KEY_ID: item.credentials.AccessKeyId,
      RCLONE_S3_SECRET_ACCESS_KEY: item.credentials.SecretAccessKey,
      RCLONE_S3_SESSION_TOKEN: item.credentials.SessionToken,
    };
    return await runDebianProgram(
      'rclone',
      ['--retries', '1', '--low-level-retries', '1', ...words(attempt, `:s3:${item.bucket}/${key}`)],
      { cwd: folder, env },
    );
  };
}

const s3cmd: S3Program = {
  put: inS3cmd(({ file }, remote) => ['put', '--disable-multipart', file, remote]),
  putInParts: inS3cmd(({ file }, remote) => ['put', '--multipart-chunk-size-mb', '5', file, remote]),
  get: inS3cmd(({ file }, remote) => ['get', remote, file]),
  list: inS3cmd((_, remote) => ['ls', remote]),
  remove: inS3cmd((_, remote) => ['del', remote]),
};

function inS3cmd(words: (attempt: Attempt, remote: string) => string[]): InFolder {
  return async (attempt, folder) => {
    const { item, key } = attempt;
    const { host } = new URL(item.endpoint ?? '');
    const { AccessKeyId, SecretAccessKey, SessionToken } = item.credentials;
    const where = ['--no-ssl', `--host=${host}`, `--host-bucket=${host}`, `--region=${item.region}`];
    const who = [`--access_key=${AccessKeyId}`, `--secret_key=${SecretAccessKey}`, `--access_token=${SessionToken}`];
    const args = ['--config=/dev/null', '--no-progress', ...where, ...who, ...words(attempt, `s3://${item.bucket}/${key}`)];
    return await runDebianProgram('s3cmd', args, { cwd: folder, env: { HOME: folder } });
  };
}

const curl: S3Program = {
  put: inCurl(({ file }, url) => ['--upload-file', file, url]),
  putInParts: null,
  get: inCurl(({ file }, url) => ['--output', file, url]),
  list: inCurl(({ item }) => [`${item.endpoint}/${item.bucket}?list-type=2`]),
  remove: inCurl((_, url) => ['--request', 'DELETE', url]),
};

function inCurl(words: (attempt: Attempt, url: string) => string[]): InFolder {
  return async (attempt, folder) => {
    const { item, key } = attempt;
    const { AccessKeyId, SecretAccessKey, SessionToken } = item.credentials;
    const signed = ['--aws-sigv4', `aws:amz:${item.region}:s3`, '--user', `${AccessKeyId}:${SecretAccessKey}`];
    // S3 requires the second one, which curl 7.88 does not add to uploads.
    const headers = [`x-amz-security-token: ${SessionToken}`, 'x-amz-content-sha256: UNSIGNED-PAYLOAD'].flatMap((one) => ['--header', one]);
    const args = ['--disable', '--silent', '--show-error', '--fail-with-body', ...signed, ...headers];
    return await runDebianProgram('curl', [...args, ...words(attempt, `${item.endpoint}/${item.bucket}/${key}`)], {
      cwd: folder,
      env: { HOME: folder },
    });
  };
}

/** By name. */
export const S3_PROGRAMS = { 'AWS CLI': awsCli, boto3, rclone, s3cmd, curl } as const;
