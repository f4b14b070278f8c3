import { randomUUID } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { CredentialIssuer, type Credentials, sessionPolicy } from '../modules/uploads/index.js';
import { Config } from '../shared/config/index.js';
import { DomainError } from '../shared/errors.js';
import { awsClientOptions, isDenied, ObjectStorage, s3ClientOptions, versioningProblem } from '../shared/storage/index.js';
import type { Call, Work } from './command.js';

/**
 * `admin check storage`: tries every permission on the bucket that the service and uploaders need. Exit code 1 if one is missing; a bucket without
 * versioning is only a warning.
 */
export async function checkStorage(call: Call): Promise<Work> {
  return async (service) => {
    const config = service.get(Config);
    const check = new StorageCheck(config, service.get(CredentialIssuer));
    const { checks, leftBehind } = await check.run().finally(() => check.destroy());
    const wrong = checks.filter(({ result }) => result !== 'ok' && result !== 'not tried');
    const missing = wrong.map(({ by, right, on }) => `${by}: ${right} on ${on}`);
    if (missing.length > 0) call.fail(['Not as it has to be:', ...missing.map((line) => `  - ${line}`)].join('\n'));
    if (leftBehind.length > 0) call.fail(`Left in the bucket: ${leftBehind.join(', ')}`);
    const versioning = await service.get(ObjectStorage).versioning();
    const problem = versioningProblem(versioning, config.s3Bucket);
    const warnings = problem && missing.length === 0 ? [problem] : [];
    return { bucket: config.s3Bucket, role: config.stsRoleArn, versioning: versioning.status, checks, missing, warnings };
  };
}

/** In seconds; the shortest duration that STS accepts. */
const SESSION_SECONDS = 900;
const MISSING = ['NoSuchKey', 'NotFound', 'NoSuchUpload', 'NoSuchVersion'];

/** The version id of an object that was written without versioning; reading it needs the same permission as any other version. */
const NO_VERSION = 'null';

/** One permission and the result of trying it. */
interface TriedRight {
  readonly by: 'service' | 'uploader';
  /** The name of the permission in policies; `only …` and `no …` name what must be refused. */
  readonly right: string;
  readonly on: string;
  /** allowed: the storage permits something that it must refuse; not tried: a permission that it depends on is missing. */
  readonly result: 'ok' | 'denied' | 'allowed' | 'failed' | 'not tried';
  /** The error that the storage returned. */
  readonly reason?: string;
}

interface Target {
  readonly Bucket: string;
  readonly Key: string;
}
interface MultipartUpload extends Target {
  readonly UploadId: string;
}

type Right = Pick<TriedRight, 'by' | 'right' | 'on'>;
type Outcome = Pick<TriedRight, 'result' | 'reason'>;

const service = (right: string, on: string): Right => ({ by: 'service', right, on });
const uploader = (right: string, on: string): Right => ({ by: 'uploader', right, on });

/** Tries each permission with its own object and multipart upload, and removes them afterwards. */
class StorageCheck {
  private readonly checks: TriedRight[] = [];
  private readonly service: S3Client;
  /** By key: the versions that the check itself created in a bucket with versioning. */
  private readonly versions = new Map<string, readonly string[]>();
  private readonly clients: { destroy(): void }[] = [];
  private readonly name = `check/${randomUUID()}`;
  private readonly uploadKey = `uploads/${this.name}`;
  private readonly renditionKey = `renditions/${this.name}`;

  constructor(
    private readonly config: Config,
    private readonly issuer: CredentialIssuer,
  ) {
    this.service = this.open(new S3Client(s3ClientOptions(config)));
  }

  /** Tries every permission; returns the results in that order, and the keys that could not be removed. */
  async run(): Promise<{ readonly checks: readonly TriedRight[]; readonly leftBehind: readonly string[] }> {
    await this.tryLists();
    const credentials = await this.assume();
    if (credentials) await this.tryUploader(credentials);
    else await this.skipUploader();
    const left = [await this.tryUploads(), await this.tryRenditions()];
    return { checks: this.checks, leftBehind: left.filter((key) => key !== null) };
  }

  destroy(): void {
    for (const client of this.clients) client.destroy();
  }

  private async tryLists(): Promise<void> {
    const { s3Bucket: Bucket } = this.config;
    await this.try(service('s3:GetBucketVersioning', Bucket), () => this.service.send(new GetBucketVersioningCommand({ Bucket })));
    for (const Prefix of ['uploads/', 'renditions/']) {
      const [list, uploads] = [
        { ...this.target(), Prefix, MaxKeys: 1 },
        { ...this.target(), Prefix, MaxUploads: 1 },
      ];
      await this.try(service('s3:ListBucket', Prefix), () => this.service.send(new ListObjectsV2Command(list)));
      await this.try(service('s3:ListBucketVersions', Prefix), () => this.service.send(new ListObjectVersionsCommand(list)));
      await this.try(service('s3:ListBucketMultipartUploads', Prefix), () => this.service.send(new ListMultipartUploadsCommand(uploads)));
    }
  }

  /** Requests credentials as an uploader gets them: limited to one key by a session policy. */
  private async assume(): Promise<Credentials | null> {
    let credentials: Credentials | null = null;
    await this.try(service('sts:AssumeRole', this.config.stsRoleArn), async () => {
      const policy = sessionPolicy(this.config.s3Bucket, [this.uploadKey]);
      credentials = await this.issuer.issue({ policy, ttlSeconds: SESSION_SECONDS, sessionName: 'check' });
    });
    return credentials;
  }

  private async tryUploader({ AccessKeyId, SecretAccessKey, SessionToken }: Credentials): Promise<void> {
    const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
    const client = this.open(new S3Client({ ...s3ClientOptions(this.config), credentials }));
    const own = this.target(this.uploadKey);
    await this.try(uploader('s3:PutObject', 'uploads/'), async () =>
      this.note(own, await client.send(new PutObjectCommand({ ...own, Body: 'check' }))),
    );
    const upload = await this.tryParts(uploader('s3:PutObject in parts', 'uploads/'), client, own);
    await this.try(uploader('s3:ListMultipartUploadParts', 'uploads/'), upload && (() => client.send(new ListPartsCommand(upload))));
    await this.try(service('s3:ListMultipartUploadParts', 'uploads/'), upload && (() => this.service.send(new ListPartsCommand(upload))));
    const second = await this.begin(client, own);
    await this.tryAbort('uploader', client, upload);
    await this.tryAbort('service', this.service, second);
    for (const left of [upload, second]) await this.abort(left, [client, this.service]);

    const other = this.target(`${this.uploadKey}-of-another`);
    await this.mustFail(uploader('only the keys of its session policy', 'uploads/'), async () =>
      this.note(other, await client.send(new PutObjectCommand({ ...other, Body: 'check' }))),
    );
    const removal = this.versions.has(other.Key) ? this.deleteVersions(other) : this.service.send(new DeleteObjectCommand(other));
    await removal.catch(() => {}); // the object exists only if the previous check failed, which is already reported
    const endpoint = this.config.stsEndpoint || this.config.s3Endpoint;
    const sts = this.open(new STSClient({ ...awsClientOptions(this.config, endpoint), credentials }));
    const again = { RoleArn: this.config.stsRoleArn, RoleSessionName: 'check', DurationSeconds: SESSION_SECONDS };
    await this.mustFail(uploader('no sts:AssumeRole', this.config.stsRoleArn), () => sts.send(new AssumeRoleCommand(again)));
  }

  private async skipUploader(): Promise<void> {
    for (const right of ['s3:PutObject', 's3:PutObject in parts', 's3:ListMultipartUploadParts', 's3:AbortMultipartUpload']) {
      await this.try(uploader(right, 'uploads/'), null);
    }
    await this.try(service('s3:ListMultipartUploadParts', 'uploads/'), null);
    await this.tryAbort('service', this.service, null);
  }

  /** Tries what the service does with uploaded objects. Returns the key if the object could not be removed. */
  private async tryUploads(): Promise<string | null> {
    const own = this.target(this.uploadKey);
    await this.try(service('s3:GetObject', 'uploads/'), () => this.read(own));
    return await this.tryDelete('uploads/', own);
  }

  /** Tries what the service does with its own objects. Returns the key if the object could not be removed. */
  private async tryRenditions(): Promise<string | null> {
    const own = this.target(this.renditionKey);
    const on = 'renditions/';
    await this.try(service('s3:PutObject', on), async () =>
      this.note(own, await this.service.send(new PutObjectCommand({ ...own, Body: 'check' }))),
    );
    await this.try(service('s3:GetObject', on), () => this.read(own));
    const upload = await this.tryParts(service('s3:PutObject in parts', on), this.service, own);
    await this.tryAbort('service', this.service, upload);
    return await this.tryDelete(on, own);
  }

  /**
   * Deletes the object, then each of its versions, because in a bucket with versioning the first only hides it. Returns the key if something remains.
   */
  private async tryDelete(on: string, own: Target): Promise<string | null> {
    const read = { ...own, VersionId: this.versions.get(own.Key)?.[0] ?? NO_VERSION };
    await this.try(service('s3:GetObjectVersion', on), () => this.service.send(new HeadObjectCommand(read)));
    await this.try(service('s3:DeleteObject', on), async () => this.note(own, await this.service.send(new DeleteObjectCommand(own))));
    const isHidden = this.checks.at(-1)?.result === 'ok';
    const versions = this.versions.get(own.Key) ?? [];
    await this.try(service('s3:DeleteObjectVersion', on), async () => await this.deleteVersions(own));
    const isGone = versions.length === 0 ? isHidden : this.checks.at(-1)?.result === 'ok';
    const wasPut = this.checks.some((one) => one.right === 's3:PutObject' && one.on === on && one.result === 'ok');
    return wasPut && !isGone ? own.Key : null;
  }

  private async deleteVersions(own: Target): Promise<void> {
    const versions = this.versions.get(own.Key) ?? [NO_VERSION];
    for (const VersionId of versions) await this.service.send(new DeleteObjectCommand({ ...own, VersionId }));
  }

  /** Records the version that a change created in a bucket with versioning. */
  private note({ Key }: Target, { VersionId }: { VersionId?: string }): void {
    if (VersionId !== undefined) this.versions.set(Key, [...(this.versions.get(Key) ?? []), VersionId]);
  }

  /** Returns the open multipart upload; null if it could not be created. */
  private async tryParts(right: Right, client: S3Client, own: Target): Promise<MultipartUpload | null> {
    const upload = await this.begin(client, own);
    const begin = () => client.send(new CreateMultipartUploadCommand(own)); // repeated to get the error as the reason
    const put = upload && (() => client.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'check' })));
    await this.try(right, put ?? begin);
    return upload;
  }

  private async begin(client: S3Client, own: Target): Promise<MultipartUpload | null> {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(own)).catch(() => ({ UploadId: undefined }));
    return UploadId === undefined ? null : { ...own, UploadId };
  }

  private async tryAbort(by: TriedRight['by'], client: S3Client, upload: MultipartUpload | null): Promise<void> {
    const on = upload?.Key === this.renditionKey ? 'renditions/' : 'uploads/';
    const right = { by, right: 's3:AbortMultipartUpload', on };
    await this.try(right, upload && (() => client.send(new AbortMultipartUploadCommand(upload))));
  }

  /** Tries each client, because only some credentials may abort it; an upload that no longer exists is not an error. */
  private async abort(upload: MultipartUpload | null, clients: readonly S3Client[]): Promise<void> {
    for (const client of clients) if (upload) await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
  }

  private async read(own: Target): Promise<void> {
    const { Body } = await this.service.send(new GetObjectCommand(own));
    await Body?.transformToByteArray();
  }

  /** `call` is null if something that it depends on could not be created. */
  private async try(right: Right, call: (() => Promise<unknown>) | null): Promise<void> {
    this.checks.push({ ...right, ...(call === null ? { result: 'not tried' } : await outcomeOf(call)) });
  }

  private async mustFail(right: Right, call: () => Promise<unknown>): Promise<void> {
    const outcome = await outcomeOf(call);
    const turned: Partial<Record<TriedRight['result'], Outcome>> = { denied: { result: 'ok' }, ok: { result: 'allowed' } };
    this.checks.push({ ...right, ...(turned[outcome.result] ?? outcome) });
  }

  private target(): { Bucket: string };
  private target(Key: string): Target;
  private target(Key?: string) {
    return { Bucket: this.config.s3Bucket, ...(Key !== undefined && { Key }) };
  }

  private open<Client extends { destroy(): void }>(client: Client): Client {
    this.clients.push(client);
    return client;
  }
}

async function outcomeOf(call: () => Promise<unknown>): Promise<Outcome> {
  try {
    await call();
    return { result: 'ok' };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (MISSING.includes(error.name)) return { result: 'ok' }; // without the permission the storage would return 403
    const denied = isDenied(error) || (error instanceof DomainError && error.code === 'storage_denied');
    return { result: denied ? 'denied' : 'failed', reason: `${error.name}: ${error.message}`.slice(0, 300) };
  }
}
