import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteBucketPolicyCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AcceptedObjectsService, MediaItemsRepository, MediaRemovalService } from '../../src/modules/media/index.js';
import { CredentialIssuer } from '../../src/modules/uploads/credentials/credential-issuer.port.js';
import { UploadReaperJob, UploadReconciliationService } from '../../src/modules/uploads/index.js';
import { ObjectStorage } from '../../src/shared/storage/index.js';
import { S3ObjectStorage } from '../../src/shared/storage/s3-object-storage.adapter.js';
import { aUser } from '../support/accounts/scenario.js';
import { adminProgram } from '../support/app/admin.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import { capturedLog } from '../support/captured-log.js';
import { aFormat } from '../support/converter/formats.js';
import { runDebianProgram } from '../support/debian-program.js';
import { readSnippet } from '../support/documents/document.js';
import { eventually } from '../support/eventually.js';
import { aFile, call, clientFor, type ProcessedItem, tokenOf, type UploadDocument } from '../support/media/uploads.js';
import { s3Client } from '../support/storage/object-storage-clients.js';
import { RADOSGW_TRAITS, type RestrictedRadosGateway, startRestrictedRadosGateway } from '../support/storage/radosgw.js';
import { settingsFor } from '../support/storage/storage.js';

const BUCKET = 'media-example';
const LONG_MS = 120_000; // radosgw starts within 5 s, more when the machine is busy

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string;
}

/** The policies of docs/operations-install.md, on one line each, with radosgw's empty account number. */
function documented(): { service: string; role: string; trust: string } {
  const page = readFileSync('docs/operations-install.md', 'utf8');
  const section = page.slice(page.indexOf('\n## Object storage\n'), page.indexOf('\n## Reverse proxy\n'));
  const [service, role, trust] = [...section.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = '']) =>
    JSON.stringify(JSON.parse(text.replaceAll('123456789012', ''))),
  );
  const [, deny = ''] = /^```\n(\{ "Effect": "Deny".*\})\n```$/m.exec(section) ?? [];
  const { Statement, ...rest } = JSON.parse(trust ?? '');
  return { service: service ?? '', role: role ?? '', trust: JSON.stringify({ ...rest, Statement: [...Statement, JSON.parse(deny)] }) };
}

/** The policy without one right. */
function without(policy: string, action: string, resource: string): string {
  const { Version, Statement } = JSON.parse(policy) as { Version: string; Statement: readonly Statement[] };
  const statements = Statement.map((one) => {
    if (!one.Resource.endsWith(resource)) return one;
    return { ...one, Action: [one.Action].flat().filter((name) => name !== action) };
  }).filter(({ Action }) => Action.length > 0);
  return JSON.stringify({ Version, Statement: statements });
}

interface Checked {
  readonly checks: readonly { by: string; right: string; on: string; result: string }[];
  readonly missing: readonly string[];
}

// One file, because radosgw with these policies is started once.
describe('with the policies of docs/operations-install.md on radosgw', () => {
  const policies = documented();
  const { log, lines } = capturedLog();
  let storage: RestrictedRadosGateway;
  let app: TestApp;
  let folder: string;
  let token: string;

  beforeAll(async () => {
    folder = makeTestFolder();
    storage = await startRestrictedRadosGateway(BUCKET, policies);
    app = await startTestApp({ ...settingsFor(storage), worker: 'inline', log });
    token = await tokenOf(app, await aUser(app));
  }, LONG_MS);
  afterAll(async () => {
    await app?.close();
    await storage?.stop();
    await removeTestFolder(folder);
  });
  afterEach(async () => {
    await storage.allowService(policies.service);
    await storage.allowUploaders(policies.role);
    await storage.trust(policies.trust);
  });

  const check = async () => await adminProgram<Checked>(app, ['check', 'storage']);
  const operator = () => s3Client(storage, storage.operator, RADOSGW_TRAITS);
  /** All that is in the bucket, as its owner sees it. */
  async function everything(): Promise<string[]> {
    const client = operator();
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET }));
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
    client.destroy();
    return [...Contents, ...Uploads].map(({ Key = '' }) => Key).filter((key) => key.includes('/check/'));
  }
  /** Uploads a picture as a client does; answers its container. */
  async function uploadPicture(): Promise<ProcessedItem> {
    await runDebianProgram('convert', ['-size', '600x400', 'xc:red', 'jpeg:photo.jpg'], { cwd: folder });
    const Body = readFileSync(path.join(folder, 'photo.jpg'));
    const { body } = await call<UploadDocument>(`${app.url}/v5/s3/createUpload`, { token, body: { payload: [aFile()] } });
    const [item] = body.processed as [ProcessedItem];
    await clientFor(item, { requestChecksumCalculation: 'WHEN_REQUIRED' }).send(
      new PutObjectCommand({ Bucket: BUCKET, Key: item.s3Key, Body }),
    );
    const { status } = await call(`${app.url}/v5/s3/success`, { token, body: { bucket: BUCKET, key: item.s3Key } });
    expect(status).toBe(200);
    return item;
  }
  const mediaOf = async ({ id }: ProcessedItem) =>
    (await call<{ media: { id: number; formatId: number | null; status: string }[] }>(`${app.url}/v5/mediacontainer/${id}`, { token })).body
      .media;

  it(
    'the service does all of its work: uploads, renditions, removal, reaping, reconciling',
    async () => {
      const format = await aFormat(app, token, { blueprint: 'JPEG', settings: { autoGenerate: ['image'] } });
      const item = await uploadPicture();
      await eventually(async () => (await mediaOf(item)).some(({ formatId }) => formatId === format.id), LONG_MS);
      const objects = app.app.get(ObjectStorage);
      const keys = [];
      for await (const { key } of objects.list('renditions/')) keys.push(key);
      expect(keys).toHaveLength(1);
      for (const key of [...keys, item.s3Key]) {
        const url = await objects.signedUrl({ key, version: null, expiresInSeconds: 60, disposition: 'inline', fileName: 'photo.jpg' });
        expect((await fetch(url)).status).toBe(200);
      }
      // Large ones are written in parts.
      const file = path.join(folder, 'large');
      await writeFile(file, Buffer.alloc(17_000_000));
      await objects.write('renditions/large', { file, contentType: 'video/mp4' });
      await expect(objects.write('renditions/large', { file, contentType: 'video/mp4', signal: AbortSignal.abort() })).rejects.toThrow();
      for await (const upload of objects.listMultipartUploads('renditions/')) await objects.abortMultipartUpload(upload);
      await objects.deleteMany(['renditions/large', ...keys]);
      await objects.delete(item.s3Key);
      const { differences } = await app.app.get(UploadReconciliationService).reconcile({ now: new Date(), mend: false });
      expect(differences).toMatchObject([{ kind: 'lost_object' }, { kind: 'lost_object' }]); // the original and its rendition
      expect(await app.app.get(UploadReaperJob).reap(new Date(Date.now() + 90_000_000))).not.toBeNull();
      expect([await objects.findProblem(), await app.app.get(CredentialIssuer, { strict: false }).findProblem()]).toEqual([null, null]);
      expect(lines.filter(({ msg }) => /storage|token service/.test(String(msg)))).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'what was accepted is what is read, whatever is written over it, and goes with all of its versions',
    async () => {
      const { body } = await call<UploadDocument>(`${app.url}/v5/s3/createUpload`, { token, body: { payload: [aFile(), aFile()] } });
      const [item, inParts] = body.processed as [ProcessedItem, ProcessedItem];
      const where = { Bucket: BUCKET, Key: item.s3Key };
      const sender = clientFor(item, { requestChecksumCalculation: 'WHEN_REQUIRED' });
      await sender.send(new PutObjectCommand({ ...where, Body: 'accepted' }));
      const parts = { ...where, Key: inParts.s3Key };
      const { UploadId } = await sender.send(new CreateMultipartUploadCommand(parts));
      const { ETag } = await sender.send(new UploadPartCommand({ ...parts, UploadId, PartNumber: 1, Body: 'accepted' }));
      const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
      await sender.send(new CompleteMultipartUploadCommand({ ...parts, UploadId, MultipartUpload }));
      const succeed = async (key: string) => await call(`${app.url}/v5/s3/success`, { token, body: { bucket: BUCKET, key } });
      for (const key of [item.s3Key, inParts.s3Key]) expect((await succeed(key)).status).toBe(200);
      for (const Key of [item.s3Key, inParts.s3Key]) await sender.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: 'replaced!' }));
      sender.destroy();
      const [objects, media] = [app.app.get(AcceptedObjectsService), app.app.get(MediaItemsRepository)];
      const originals = await media.findMany([item.mediaId, inParts.mediaId]);
      expect(originals.map(({ version }) => typeof version)).toEqual(['string', 'string']);
      for (const original of originals) {
        const url = await objects.signedUrl(original, { expiresInSeconds: 60, disposition: 'inline', fileName: 'a' });
        expect(await (await fetch(url)).text()).toBe('accepted');
        const found = await objects.read(original);
        expect(found && (await text(found.body))).toBe('accepted');
      }
      await app.app.get(MediaRemovalService).remove({ containerId: item.id });
      await app.app.get(MediaRemovalService).remove({ containerId: inParts.id });
      const client = operator();
      const { Versions, DeleteMarkers } = await client.send(
        new ListObjectVersionsCommand({ Bucket: BUCKET, Prefix: item.s3Key.replace(/[^/]+$/, '') }),
      );
      client.destroy();
      expect([Versions, DeleteMarkers]).toEqual([undefined, undefined]);
    },
    LONG_MS,
  );

  it(
    'with the policy of before, without rights for versions, all goes on with entity tags, and the operator is told',
    async () => {
      const { Version, Statement } = JSON.parse(policies.service) as { Version: string; Statement: readonly Statement[] };
      const before = Statement.map((one) => ({ ...one, Action: [one.Action].flat().filter((name) => !/Version/.test(name)) }));
      await storage.allowService(JSON.stringify({ Version, Statement: before }));
      const { log: silent } = capturedLog();
      const objects = new S3ObjectStorage(app.config, silent);
      expect(await objects.versioning()).toEqual({ status: 'unknown', readable: false });
      expect(objects.readsVersions).toBe(false);
      const file = path.join(folder, 'small');
      await writeFile(file, 'content');
      const { version } = await objects.write('renditions/old-policy', { file, contentType: 'text/plain' });
      const url = await objects.signedUrl({
        ...{ key: 'renditions/old-policy', version, expiresInSeconds: 60 },
        ...{ disposition: 'inline' as const, fileName: 'a' },
      });
      expect([new URL(url).searchParams.has('versionId'), await (await fetch(url)).text()]).toEqual([false, 'content']);
      await objects.deleteMany(['renditions/old-policy']);
      expect(await objects.find('renditions/old-policy')).toBeNull();
      objects.onApplicationShutdown();
    },
    LONG_MS,
  );

  it(
    '`admin check storage` finds every right, and leaves nothing behind',
    async () => {
      const { printed, failures } = await check();
      expect(printed.missing).toEqual([]);
      expect(failures).toEqual([]);
      expect(printed.checks.length).toBeGreaterThan(15);
      expect(await everything()).toEqual([]);
    },
    LONG_MS,
  );

  const granted = (policy: string, by: string) =>
    (JSON.parse(policy) as { Statement: readonly Statement[] }).Statement.flatMap(({ Action, Resource }) =>
      [Action].flat().map((action) => ({ by, action, resource: Resource.replace(/^arn:aws:s3:::/, '') })),
    ).filter(({ action }) => action.startsWith('s3:'));

  it.each([...granted(policies.service, 'service'), ...granted(policies.role, 'uploader')])(
    'it names what is missing without $action of the $by on $resource',
    async ({ by, action, resource }) => {
      if (by === 'service') await storage.allowService(without(policies.service, action, resource));
      else await storage.allowUploaders(without(policies.role, action, resource));
      const { printed, failures } = await check();
      const lists = action === 's3:GetBucketVersioning' ? [BUCKET] : ['uploads/', 'renditions/'];
      const prefixes = resource === BUCKET ? lists : [`${resource.split('/')[1]}/`];
      const named = prefixes.flatMap((prefix) => [`${by}: ${action} on ${prefix}`]);
      // On radosgw the service owns what its sessions upload, and may read it and list its parts without a policy.
      const isOwn = /^s3:GetObject(Version)?$/.test(action) || (by === 'service' && action === 's3:ListMultipartUploadParts');
      if (isOwn) return expect(printed.missing).toEqual([]);
      const inParts = action === 's3:PutObject' ? [`${by}: s3:PutObject in parts on ${prefixes[0]}`] : [];
      expect(printed.missing).toEqual([...named, ...inParts]);
      expect(failures[0]).toContain(named[0]);
    },
    LONG_MS,
  );

  it(
    'it names a role that cannot be assumed, one that uploaders can assume again, and credentials that are not narrowed',
    async () => {
      const { Statement, ...rest } = JSON.parse(policies.trust) as { Statement: readonly object[] };
      await storage.trust(JSON.stringify({ ...rest, Statement: Statement.slice(0, 1) }));
      expect((await check()).printed.missing).toEqual([`uploader: no sts:AssumeRole on ${storage.roleArn}`]);
      const nobody = { Effect: 'Allow', Principal: { AWS: 'arn:aws:iam:::user/nobody' }, Action: 'sts:AssumeRole' };
      await storage.trust(JSON.stringify({ ...rest, Statement: [nobody] }));
      const { printed } = await check();
      expect(printed.missing[0]).toBe(`service: sts:AssumeRole on ${storage.roleArn}`);
      expect(printed.checks.filter(({ result }) => result === 'not tried')).toHaveLength(6);
    },
    LONG_MS,
  );

  it(
    'a denial is called a denial, with operation, bucket and prefix in the log, and what the caller sees is plain',
    async () => {
      lines.length = 0;
      await storage.allowService(without(policies.service, 's3:PutObject', 'renditions/*'));
      await uploadPicture();
      const interrupted = () => lines.find(({ msg }) => msg === 'a transcoding was interrupted');
      await eventually(() => interrupted() !== undefined, LONG_MS);
      expect(interrupted()?.reason).toMatch(/^The object storage denies the service PutObject below renditions\//);
      const denial = lines.find(({ msg }) => msg === 'the object storage denied an operation');
      expect(denial).toMatchObject({ status: 403, host: new URL(app.config.s3Endpoint).host });
      expect(denial).toMatchObject({ operation: 'PutObject', bucket: BUCKET, keyPrefix: 'renditions/' });
      expect(JSON.stringify(lines)).not.toContain(storage.key.secretAccessKey);

      await storage.allowService(without(policies.service, 's3:ListBucket', BUCKET));
      const { body: prepared } = await call<UploadDocument>(`${app.url}/v5/s3/createUpload`, { token, body: { payload: [aFile()] } });
      const refused = await call(`${app.url}/v5/s3/success`, { token, body: { bucket: BUCKET, key: prepared.processed[0]?.s3Key } });
      expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
        503,
        'storage_denied',
        'The object storage denies the service HeadObject below uploads/. Nothing was changed; the operator has to grant it.',
      ]);
      await storage.trust(
        JSON.stringify({
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Principal: { AWS: 'arn:aws:iam:::user/nobody' }, Action: 'sts:AssumeRole' }],
        }),
      );
      const denied = await call(`${app.url}/v5/s3/createUpload`, { token, body: { payload: [aFile()] } });
      expect([denied.status, denied.body.code]).toEqual([503, 'storage_denied']);
      expect(lines.find(({ operation }) => operation === 'AssumeRole')).toMatchObject({ role: storage.roleArn, bucket: BUCKET });
    },
    LONG_MS,
  );

  it(
    'a CDN reads objects and their versions with the bucket policy of docs/cdn.md, and nothing else',
    async () => {
      const client = operator();
      const key = 'uploads/1/ü 100%.jpg';
      const put = async (Body: string) => (await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body }))).VersionId;
      const [first] = [await put('first'), await put('second')];
      const get = async (query = '', { method = 'GET', ...headers }: Record<string, string> = {}, address = `/${encodeURI(key)}`) => {
        const answer = await fetch(`${storage.endpoint}/${BUCKET}${address}${query}`, { method, headers });
        return answer.ok ? await answer.text() : answer.status;
      };
      const referer = 'change-the-secret-of-the-origin';
      expect(await get('', { referer })).toBe(403);
      const Policy = readSnippet('docs/cdn.md', '### nginx and a bucket on AWS', 'json');
      await client.send(new PutBucketPolicyCommand({ Bucket: BUCKET, Policy }));
      expect([await get('', { referer }), await get(`?versionId=${first}`, { referer })]).toEqual(['second', 'first']);
      expect(await get('', { referer, range: 'bytes=0-2' })).toBe('sec');
      expect([await get(), await get('', { referer: 'another' })]).toEqual([403, 403]);
      expect([
        await get('', { referer, method: 'DELETE' }),
        await get('', { referer }, ''),
        await get('', { referer }, '/other/1'),
      ]).toEqual([403, 403, 403]);
      await client.send(new DeleteBucketPolicyCommand({ Bucket: BUCKET }));
      client.destroy();
    },
    LONG_MS,
  );

  it(
    'the commands of the page set it up',
    async () => {
      const page = readFileSync('docs/operations-install.md', 'utf8');
      const [commands = ''] = /^aws iam create-role[\s\S]*?(?=^```$)/m.exec(page) ?? [];
      for (const [name, policy] of Object.entries({ trust: policies.trust, uploads: policies.role, service: policies.service })) {
        await writeFile(path.join(folder, `${name}.json`), `${JSON.stringify(JSON.parse(policy), null, 2)}\n`);
      }
      await storage.removeRole();
      const { accessKeyId, secretAccessKey } = storage.operator;
      const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_DEFAULT_REGION: storage.region };
      const env = { PATH: process.env.PATH, HOME: folder, ...keys };
      const script = commands.replaceAll('aws iam', `aws --endpoint-url ${storage.endpoint} iam`);
      const { status, stderr } = spawnSync('sh', ['-euc', script], { cwd: folder, env, encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      expect((await check()).printed.missing).toEqual([]);
    },
    LONG_MS,
  );
});
