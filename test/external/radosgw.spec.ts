import { randomBytes } from 'node:crypto';
import { CreateMultipartUploadCommand, HeadObjectCommand, PutObjectCommand, type S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UploadReaperJob } from '../../src/modules/uploads/index.js';
import { ObjectStorage } from '../../src/shared/storage/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { POLICY_KEYS, type PolicyCase, policyCases } from '../support/delivery/policy-cases.js';
import { aFile, call, clientFor, type ProcessedItem, tokenOf, type UploadDocument } from '../support/media/uploads.js';
import { startStorageUnderTest } from '../support/storage/local-storage.js';
import { assumeRole, denied, refusal, type StorageUnderTest, s3Client } from '../support/storage/object-storage-clients.js';
import { tryRequest } from '../support/storage/object-storage-sessions.js';
import { describeObjectStorage } from '../support/storage/object-storage-suite.js';
import { isMisjudged, RADOSGW_TRAITS, startRadosGateway } from '../support/storage/radosgw.js';
import { settingsFor } from '../support/storage/storage.js';

describeObjectStorage('Debian’s radosgw', startRadosGateway, { ...RADOSGW_TRAITS, policyPairs: 50 }); // 300 more below

/** Other cases than the suite's own; POLICY_SEED=… tries further ones. */
const SEED = Number(process.env.POLICY_SEED ?? 7);

describe('The local object storage', () => {
  const storages: StorageUnderTest[] = [];
  const clients = new Map<StorageUnderTest, S3Client>();
  beforeAll(async () => {
    for (const start of [startStorageUnderTest, startRadosGateway]) storages.push(await start());
    for (const storage of storages) clients.set(storage, s3Client(storage, storage.key, RADOSGW_TRAITS));
  });
  afterAll(async () => {
    for (const client of clients.values()) client.destroy();
    await Promise.all(storages.map(async (storage) => await storage.stop()));
  });

  const put = async (storage: StorageUnderTest, Key: string) =>
    await clients.get(storage)?.send(new PutObjectCommand({ Bucket: storage.bucket, Key, Body: 'x' }));

  const verdict = async (storage: StorageUnderTest, { policy, request }: PolicyCase) => {
    const session = s3Client(storage, await assumeRole(storage, { Policy: policy }), RADOSGW_TRAITS);
    const answer = await refusal(tryRequest(session, storage.bucket, request));
    session.destroy();
    if (request.operation === 'DeleteObject' && !answer) await put(storage, request.key);
    return answer ?? 'allowed';
  };

  it(`comes to the same verdict as radosgw for 300 policies (seed ${SEED})`, async () => {
    const cases = policyCases(400, SEED).filter((one) => !isMisjudged(one, 'media'));
    expect(cases.length).toBeGreaterThanOrEqual(300);
    for (const key of POLICY_KEYS) for (const storage of storages) await put(storage, key);
    const verdicts = new Set<string>();
    for (const one of cases.slice(0, 300)) {
      const [local, radosgw] = await Promise.all(storages.map(async (storage) => await verdict(storage, one)));
      expect({ ...one, verdict: local }).toEqual({ ...one, verdict: radosgw });
      verdicts.add(JSON.stringify(local));
    }
    expect([...verdicts].sort()).toEqual([JSON.stringify('allowed'), JSON.stringify(denied)]);
  });
});

describe('The service on radosgw', () => {
  let storage: StorageUnderTest;
  let app: TestApp;
  let token: string;

  beforeAll(async () => {
    storage = await startRadosGateway();
    app = await startTestApp(settingsFor(storage));
    token = await tokenOf(app, await aUser(app));
  });
  afterAll(async () => {
    await app?.close();
    await storage?.stop();
  });

  const prepare = async (...payload: object[]): Promise<UploadDocument & { items: ProcessedItem[] }> => {
    const { status, body } = await call<UploadDocument>(`${app.url}/v5/s3/createUpload`, { token, body: { payload } });
    expect(status).toBe(200);
    return { ...body, items: [...body.processed] };
  };
  const put = async (item: ProcessedItem, key = item.s3Key) =>
    await refusal(clientFor(item).send(new PutObjectCommand({ Bucket: item.bucket, Key: key, Body: `content of ${item.s3Key}` })));
  const succeed = async ({ bucket, s3Key }: ProcessedItem) =>
    await call(`${app.url}/v5/s3/success`, { token, body: { bucket, key: s3Key } });
  const complete = async (uploadId: string) =>
    (await call<{ items: { status: string }[] }>(`${app.url}/v5/s3/uploadComplete`, { token, body: { uploadId } })).body;
  const sizeOf = async ({ id }: ProcessedItem) =>
    (await call<{ media: { fileSize: number }[] }>(`${app.url}/v5/mediacontainer/${id}`, { token })).body.media[0]?.fileSize;
  const leftUnder = async (uploadId: string) => {
    const keys = [];
    for await (const { key } of app.app.get(ObjectStorage).list('uploads/')) keys.push(key);
    for await (const { key } of app.app.get(ObjectStorage).listMultipartUploads('uploads/')) keys.push(`${key} under way`);
    return keys.filter((key) => key.includes(uploadId));
  };

  it('takes a file in parts, and knows its size when it is reported', async () => {
    const { items, uploadId } = await prepare(aFile({ type: 'video', fileName: 'film', originalFileExtension: 'mp4' }));
    const [item] = items as [ProcessedItem];
    const Body = randomBytes(12_000_001);
    await new Upload({ client: clientFor(item), params: { Bucket: item.bucket, Key: item.s3Key, Body } }).done();
    expect((await succeed(item)).body).toMatchObject({ mediaId: item.mediaId, status: 'successful' });
    expect(await sizeOf(item)).toBe(12_000_001);
    expect((await complete(uploadId)).items).toEqual([{ mediaContainerId: item.id, status: 'successful' }]);
  });

  it('takes 60 files with credentials that are good for their own group alone', async () => {
    const { items, uploadId } = await prepare(...Array.from({ length: 60 }, (_, index) => aFile({ fileName: `portrait ${index}` })));
    const tokens = new Set(items.map(({ credentials }) => credentials.SessionToken));
    expect(tokens.size).toBeGreaterThan(2);
    for (const sessionToken of tokens) {
      const group = items.filter(({ credentials }) => credentials.SessionToken === sessionToken);
      const [member] = group as [ProcessedItem];
      const others = items.filter((item) => !group.includes(item)).map(({ s3Key }) => s3Key);
      const beside = [`${member.s3Key}.bak`, member.s3Key.replace('uploads/', 'uploads/1'), `uploads/${uploadId}`];
      for (const key of [...others, ...beside]) expect(await put(member, key)).toEqual(denied);
    }
    expect(await leftUnder(uploadId)).toEqual([]);
    for (const item of items) expect(await put(item)).toBeNull();
    for (const item of items) expect((await succeed(item)).status).toBe(200);
    const { items: completed } = await complete(uploadId);
    expect(completed.map(({ status }) => status)).toEqual(Array(60).fill('successful'));
    expect(await sizeOf(items[59] as ProcessedItem)).toBe(`content of ${items[59]?.s3Key}`.length);
  });

  it('hands out new credentials for one file, which are good for it alone', async () => {
    const { items } = await prepare(aFile({ fileName: 'one' }), aFile({ fileName: 'two' }));
    const [one, two] = items as [ProcessedItem, ProcessedItem];
    const { body } = await call<ProcessedItem['credentials']>(`${app.url}/v5/s3/getUploadCredentials/${one.mediaId}`, { token });
    const renewed = { ...one, credentials: body };
    expect(await put(renewed)).toBeNull();
    expect(await put(renewed, two.s3Key)).toEqual(denied);
  });

  it('reaps unreported objects and open multipart uploads', async () => {
    const { items, uploadId } = await prepare(...['a', 'b', 'c'].map((fileName) => aFile({ fileName })));
    const [reported, unreported, begun] = items as [ProcessedItem, ProcessedItem, ProcessedItem];
    await put(reported);
    await succeed(reported);
    await put(unreported);
    const target = { Bucket: begun.bucket, Key: begun.s3Key };
    const { UploadId } = await clientFor(begun).send(new CreateMultipartUploadCommand(target));
    await clientFor(begun).send(new UploadPartCommand({ ...target, UploadId, PartNumber: 1, Body: 'part' }));
    expect(await leftUnder(uploadId)).toEqual([reported.s3Key, unreported.s3Key, `${begun.s3Key} under way`]);

    const reap = async (hours: number) => await app.app.get(UploadReaperJob).reap(new Date(Date.now() + hours * 3_600_000));
    await reap(23);
    expect(await leftUnder(uploadId)).toHaveLength(3);
    await reap(25);
    expect(await leftUnder(uploadId)).toEqual([reported.s3Key]);
    expect((await complete(uploadId)).items.map(({ status }) => status)).toEqual(['successful', 'unsuccessful', 'unsuccessful']);
    const client = s3Client(storage, storage.key, RADOSGW_TRAITS);
    expect(await refusal(client.send(new HeadObjectCommand({ Bucket: storage.bucket, Key: reported.s3Key })))).toBeNull();
    client.destroy();
  });
});
