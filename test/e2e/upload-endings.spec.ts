import { randomUUID } from 'node:crypto';
import { CreateMultipartUploadCommand, PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MediaRemovalService } from '../../src/modules/media/index.js';
import { UploadBytesJob, UploadReaperJob } from '../../src/modules/uploads/index.js';
import { Database } from '../../src/shared/database/index.js';
import { collect, ObjectStorage } from '../../src/shared/storage/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { aDropsite, eventsOf, put, refusals, senderOf } from '../support/delivery/dropsites.js';
import { aFile, call, clientFor, type ProcessedItem, tokenOf, type UploadDocument } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

let storage: TestStorage;
let app: TestApp;
let other: TestApp;
let token: string;

beforeAll(async () => {
  storage = await startTestStorage();
  app = await startTestApp({ ...storage.settings });
  other = await startTestApp({ ...storage.settings, database: app.database, publicUrl: app.url });
  token = await tokenOf(app, await aUser(app));
});

afterAll(async () => {
  await other.close();
  await app.close();
  await storage.close();
});

const prepared = async (...payload: object[]) =>
  (await call<UploadDocument>(`${app.url}/v5/s3/createUpload`, { token, body: { payload } })).body;
const report = async (body: object, as: string | null = token) => await call(`${app.url}/v5/s3/success`, { token: as, body });
const complete = async (uploadId: string, url = app.url) => await call(`${url}/v5/s3/uploadComplete`, { token, body: { uploadId } });
const reap = async () => await app.app.get(UploadReaperJob).reap(new Date(Date.now() + 25 * 3_600_000));
const completions = async (uploadId: string) => {
  const sql = `SELECT payload FROM events WHERE name = 'event:uploadComplete' AND payload->>'uploadId' = $1`;
  return (await app.app.get(Database).query<{ payload: object }>(sql, [uploadId])).rows.map(({ payload }) => payload);
};
const rowsOf = async (uploadId: string) =>
  await app.app.get(Database).queryOne(
    `SELECT b.status, b.last_activity_at, i.status AS item, i.file_size, (SELECT count(*)::int FROM events) AS events FROM upload_batches b
      JOIN media_items i ON i.s3_key LIKE '%' || b.upload_id || '%' WHERE b.upload_id = $1`,
    [uploadId],
  );

describe('a report that names another bucket', () => {
  it('is refused and changes nothing, before and after the success of the item', async () => {
    const { uploadId, processed } = await prepared(aFile());
    const [item] = processed as [ProcessedItem];
    await put(item);
    const { bucket, s3Key: key } = item;
    const before = await rowsOf(uploadId);
    for (const wrong of ['medium', 'Media', ' media', bucket.repeat(40)]) {
      const { status, body } = await report({ bucket: wrong, key });
      expect([status, body.code]).toEqual([400, 'bucket_mismatch']);
      expect(body.detail).toContain(`"${bucket}"`);
      expect(JSON.stringify(body)).not.toMatch(/delet|lost|missing|gone/i);
    }
    expect(await rowsOf(uploadId)).toEqual(before);
    expect((await report({ bucket, key })).status).toBe(200);
    expect(refusals([await report({ bucket: 'medium', key }), await report({ bucket, key })])).toEqual([
      [400, 'bucket_mismatch'],
      [200, undefined],
    ]);
    expect((await complete(uploadId)).body).toMatchObject({ items: [{ status: 'successful' }] });
  });

  it('reveals nothing of the item to other callers', async () => {
    const { processed } = await prepared(aFile());
    const { s3Key: key } = processed[0] as ProcessedItem;
    const foreign = await tokenOf(app, await aUser(app));
    expect(refusals([await report({ bucket: 'medium', key }, foreign), await report({ bucket: 'medium', key }, null)])).toEqual([
      [404, 'not_found'],
      [401, 'unauthenticated'],
    ]);
  });

  it('by the sender of a dropsite is refused the same way', async () => {
    const { dropsite } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const headers = { clientid: dropsite.clientId };
    const [item] = (await sender.create()).body.processed as [ProcessedItem];
    await put(item);
    const answers = [await sender.succeed({ ...item, bucket: 'medium' }, { headers }), await sender.succeed(item, { headers })];
    expect(refusals(answers)).toEqual([
      [400, 'bucket_mismatch'],
      [200, undefined],
    ]);
  });
});

describe('files that arrive after their media container was removed', () => {
  /** Removes the container of an item for ever, as the job does. */
  const remove = async ({ id }: ProcessedItem) => {
    const { status } = await call(`${app.url}/v5/mediacontainer/${id}?forceDelete=true`, { method: 'DELETE', token });
    expect(status).toBe(200);
    await app.app.get(MediaRemovalService).removeContainer(id as number);
  };
  const found = async (items: readonly ProcessedItem[]) =>
    await Promise.all(items.map(async ({ s3Key }) => (await app.app.get(ObjectStorage).find(s3Key)) !== null));

  it('are deleted by the reaper when the credentials have expired', async () => {
    const { processed } = await prepared(aFile());
    const [item] = processed as [ProcessedItem];
    await remove(item);
    await put(item);
    await app.app.get(UploadReaperJob).reap(new Date());
    expect(await found([item])).toEqual([true]); // another PUT could still follow
    await reap();
    expect(await found([item])).toEqual([false]);
  });

  it('are deleted in all versions, and without the successful files of the same batch', async () => {
    const { uploadId, processed } = await prepared(aFile(), aFile({ fileName: 'kept' }));
    const [removed, kept] = processed as [ProcessedItem, ProcessedItem];
    for (const item of [removed, kept]) {
      await put(item);
      await report({ bucket: item.bucket, key: item.s3Key });
    }
    await remove(removed);
    for (const content of ['first', 'second']) await put(removed, content);
    await complete(uploadId);
    await reap();
    expect(await found([removed, kept])).toEqual([false, true]);
    const versions = app.app.get(ObjectStorage).listVersions(removed.s3Key)[Symbol.asyncIterator]();
    expect((await versions.next()).done).toBe(true);
  });

  it('leave nothing of a multipart upload that continues after the removal', async () => {
    const { processed } = await prepared(aFile());
    const [item] = processed as [ProcessedItem];
    await remove(item);
    const { bucket: Bucket, s3Key: Key } = item;
    await clientFor(item).send(new CreateMultipartUploadCommand({ Bucket, Key }));
    await put(item);
    await reap();
    const uploads = app.app.get(ObjectStorage).listMultipartUploads(Key)[Symbol.asyncIterator]();
    expect([(await uploads.next()).done, await found([item])]).toEqual([true, [false]]);
  });
});

describe('an uploadComplete that comes after the reaper ended the batch', () => {
  it('publishes the end of the upload once, of 20 calls at once on two processes', async () => {
    const { uploadId, processed } = await prepared(aFile(), aFile({ fileName: 'b' }));
    const [arrived, missing] = processed as [ProcessedItem, ProcessedItem];
    await put(arrived);
    await report({ bucket: arrived.bucket, key: arrived.s3Key });
    await reap();
    expect(await completions(uploadId)).toEqual([]);
    const urls = [app.url, addressOf(other.app)];
    const answers = await Promise.all(Array.from({ length: 20 }, async (_, n) => await complete(uploadId, urls[n % 2])));
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toEqual({
        uploadId,
        status: 'completed',
        items: [
          { mediaContainerId: arrived.id, status: 'successful' },
          { mediaContainerId: missing.id, status: 'unsuccessful' },
        ],
      });
    }
    expect(await completions(uploadId)).toEqual([{ uploadId, mediaContainerIds: [arrived.id] }]);
    await reap();
    await complete(uploadId);
    expect(await completions(uploadId)).toHaveLength(1);
    expect((await report({ bucket: arrived.bucket, key: arrived.s3Key })).status).toBe(200);
  });

  it('publishes no event without a successful item, and one after a late report', async () => {
    const { uploadId, processed } = await prepared(aFile());
    const [item] = processed as [ProcessedItem];
    const database = app.app.get(Database);
    const past = `UPDATE upload_batches SET last_activity_at = now() - interval '25 hours', credentials_expire_at = now() - interval '1 second'
      WHERE upload_id = $1`;
    await database.query(past, [uploadId]);
    await put(item); // it has the reaper keep the item for now
    await app.app.get(UploadReaperJob).reap(new Date());
    expect((await complete(uploadId)).body).toMatchObject({ status: 'completed', items: [{ status: 'unsuccessful' }] });
    expect(await completions(uploadId)).toEqual([]);
    expect((await report({ bucket: item.bucket, key: item.s3Key })).status).toBe(200);
    for (let n = 0; n < 2; n += 1) expect((await complete(uploadId)).body).toMatchObject({ items: [{ status: 'successful' }] });
    expect(await completions(uploadId)).toEqual([{ uploadId, mediaContainerIds: [item.id] }]);
  });

  it('of a dropsite counts its upload, notifies its owner and ends the session, once', async () => {
    const { dropsite, token: owner } = await aDropsite(app, { publicAreaIds: [7] });
    const sender = senderOf(app, dropsite.link);
    const { access_token: session } = await sender.session({ email: `${randomUUID()}@example.org` });
    const { uploadId, processed } = (await sender.create({}, { token: session })).body;
    const [item] = processed as [ProcessedItem];
    await put(item);
    await sender.succeed(item, { token: session });
    await reap();
    const answers = await Promise.all(Array.from({ length: 20 }, async () => await sender.complete(uploadId, { token: session })));
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    for (const { status } of answers) expect([200, 401]).toContain(status);
    expect(refusals([await sender.complete(uploadId, { token: session })])).toEqual([[401, 'token_invalid']]);
    const names = (await eventsOf(app, dropsite)).map(({ name }) => name);
    expect(names).toEqual(['event:dropsiteToPublicArea', 'event:dropsiteUploadComplete', 'event:uploadComplete']);
    const { body } = await call(`${app.url}/v5/dropsite/${dropsite.id}`, { token: owner });
    expect(body).toMatchObject({ countUploads: 1 });
  });
});

describe('a batch for which more bytes arrive than twice the announced ones and 64 MiB', () => {
  const MEBIBYTE = 1024 ** 2;
  const zeros = Buffer.alloc(16 * MEBIBYTE);
  const fill = async (item: ProcessedItem, times: number) => {
    const command = () => new PutObjectCommand({ Bucket: item.bucket, Key: item.s3Key, Body: zeros });
    for (let n = 0; n < times; n += 1) await clientFor(item).send(command());
  };
  const measure = async () => await app.app.get(UploadBytesJob).run(new Date());
  const stored = async ({ s3Key }: ProcessedItem) => {
    const objects = app.app.get(ObjectStorage);
    const prefix = s3Key.slice(0, s3Key.lastIndexOf('/') + 1);
    const versions = await collect(objects.listVersions(prefix));
    return { sizes: versions.map(({ size }) => size), uploads: (await collect(objects.listMultipartUploads(prefix))).length };
  };
  const tooMany = [409, 'too_many_bytes'];

  it('is closed while nothing is reported, at a dropsite; all bytes count in the quota of its customer', async () => {
    const { dropsite, token: owner } = await aDropsite(app);
    const headers = { clientid: dropsite.clientId };
    const sender = senderOf(app, dropsite.link);
    const used = async () => {
      const { body } = await call<{ quotas: Record<string, { used: number }> }>(`${app.url}/v5/customer/usage`, { token: owner });
      return body.quotas.anonymousUploadBytesPerDay?.used;
    };
    const request = { uploadId: randomUUID(), payload: [aFile({ fileSize: 1 })] };
    const { uploadId, jobId, processed } = (await sender.create(request)).body;
    const [item] = processed as [ProcessedItem];
    const before = Number(await used());
    await fill(item, 3);
    await measure();
    await measure();
    expect(await used()).toBe(before + 48 * MEBIBYTE - 1);
    expect((await stored(item)).sizes).toHaveLength(3);
    await fill(item, 2);
    await measure();
    expect(await stored(item)).toEqual({ sizes: [], uploads: 0 });
    expect(await used()).toBe(before + 80 * MEBIBYTE - 1);
    const answers = [await sender.succeed(item, { headers }), await sender.complete(uploadId, { headers }), await sender.create(request)];
    expect(refusals(answers)).toEqual([tooMany, tooMany, tooMany]);
    expect((await call(`${app.url}/v5/activity/jobResult/${jobId}`, { headers })).body).toEqual({
      status: 'failed',
      code: 'too_many_bytes',
      message: expect.stringMatching(/twice the announced 1 bytes, plus 64 MiB/),
    });
    await put(item); // the credentials are still valid
    await measure();
    expect(await stored(item)).toEqual({ sizes: [], uploads: 0 });
    await put(item);
    await reap();
    expect(await stored(item)).toEqual({ sizes: [], uploads: 0 });
    expect(await rowsOf(uploadId)).toBeNull(); // its items are deleted
  });

  it('is closed by parts of multipart uploads that are never completed, when credentials are requested', async () => {
    const { processed } = await prepared(aFile({ fileSize: 1 }));
    const [item] = processed as [ProcessedItem];
    const { bucket: Bucket, s3Key: Key } = item;
    for (let n = 0; n < 2; n += 1) {
      const { UploadId } = await clientFor(item).send(new CreateMultipartUploadCommand({ Bucket, Key }));
      for (const PartNumber of [1, 2])
        await clientFor(item).send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body: zeros }));
    }
    const renewed = await call(`${app.url}/v5/s3/getUploadCredentials/${item.mediaId}`, { token });
    expect(refusals([renewed])).toEqual([tooMany]);
    await measure();
    expect(await stored(item)).toEqual({ sizes: [], uploads: 0 });
  });

  it('keeps the files that were reported before, and no other version of them', async () => {
    const { uploadId, processed } = await prepared(aFile({ fileSize: 1 }), aFile({ fileName: 'b', fileSize: 1 }));
    const [accepted, open] = processed as [ProcessedItem, ProcessedItem];
    await put(accepted);
    const { bucket, s3Key: key } = accepted;
    await report({ bucket, key });
    await fill(accepted, 2);
    await fill(open, 2);
    const second = { bucket, key: open.s3Key };
    const answers = await Promise.all([report(second), complete(uploadId), report(second), complete(uploadId, addressOf(other.app))]);
    expect(refusals(answers)).toEqual([tooMany, tooMany, tooMany, tooMany]);
    await measure();
    expect(await stored(accepted)).toEqual({ sizes: [11], uploads: 0 });
    expect((await report({ bucket, key })).status).toBe(200);
    await reap();
    expect(await stored(accepted)).toEqual({ sizes: [11], uploads: 0 });
  });

  it('is closed after its completion, too', async () => {
    const { uploadId, processed } = await prepared(aFile({ fileSize: 1 }));
    const [item] = processed as [ProcessedItem];
    await put(item);
    await report({ bucket: item.bucket, key: item.s3Key });
    expect((await complete(uploadId)).status).toBe(200);
    await fill(item, 4);
    await measure();
    expect(await stored(item)).toEqual({ sizes: [11], uploads: 0 });
    expect(refusals([await complete(uploadId)])).toEqual([tooMany]);
  });
});

describe('a file that was uploaded several times before its report', () => {
  it('keeps the reported version only; all versions count in the quota of the day', async () => {
    const { dropsite, token: owner } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const [item] = (await sender.create({ payload: [aFile({ fileSize: 900 })] })).body.processed as [ProcessedItem];
    for (let n = 0; n < 30; n += 1) await put(item, 'x'.repeat(100 + n));
    const { status } = await sender.succeed(item, { headers: { clientid: dropsite.clientId } });
    const { body } = await call(`${app.url}/v5/customer/usage`, { token: owner });
    expect([status, body]).toMatchObject([200, { quotas: { anonymousUploadBytesPerDay: { used: 3_435 } } }]);
    const versions = await collect(app.app.get(ObjectStorage).listVersions(item.s3Key));
    expect(versions.map(({ size }) => size)).toEqual([129]);
  });
});

describe('an upload that its sender abandons', () => {
  const abandon = async (uploadId: string, as: string | null = token, url = app.url) =>
    await call<{ uploadId: string; removed: number }>(`${url}/v5/s3/upload/${uploadId}`, { method: 'DELETE', token: as });
  const find = async (state: string) =>
    (await call<{ id: number }[]>(`${app.url}/v5/mediacontainer?state=${state}&limit=1000`, { token })).body.map(({ id }) => id);
  const statusOf = async ({ id }: ProcessedItem) => (await call(`${app.url}/v5/mediacontainer/${id}`, { token })).status;
  const objectsOf = async ({ s3Key }: ProcessedItem) => {
    const files = app.app.get(ObjectStorage);
    return [await files.find(s3Key), ...(await collect(files.listMultipartUploads(s3Key)))].filter((one) => one !== null).length;
  };

  it('keeps what arrived, removes the rest with its objects and parts, and cannot be continued', async () => {
    const payload = [aFile(), aFile({ fileName: 'b' }), aFile({ fileName: 'c' })];
    const { uploadId, processed } = await prepared(...payload);
    const [arrived, unreported, inParts] = processed as [ProcessedItem, ProcessedItem, ProcessedItem];
    await put(arrived);
    await report({ bucket: arrived.bucket, key: arrived.s3Key });
    await put(unreported);
    const { bucket: Bucket, s3Key: Key } = inParts;
    const { UploadId } = await clientFor(inParts).send(new CreateMultipartUploadCommand({ Bucket, Key }));
    await clientFor(inParts).send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'part' }));
    expect([await objectsOf(unreported), await objectsOf(inParts)]).toEqual([1, 1]);

    expect(await abandon(uploadId)).toMatchObject({ status: 200, body: { uploadId, removed: 2 } });
    expect((await abandon(uploadId)).body).toEqual({ uploadId, removed: 0 });
    expect(await Promise.all([arrived, unreported, inParts].map(statusOf))).toEqual([200, 404, 404]);
    expect(await Promise.all([arrived, unreported, inParts].map(objectsOf))).toEqual([1, 0, 0]);
    expect(await completions(uploadId)).toEqual([{ uploadId, mediaContainerIds: [arrived.id] }]);
    const create = async (files: object[]) => await call(`${app.url}/v5/s3/createUpload`, { token, body: { uploadId, payload: files } });
    expect(
      refusals([
        await create(payload),
        await create([aFile({ fileName: 'other' })]),
        await complete(uploadId),
        await report({ bucket: unreported.bucket, key: unreported.s3Key }),
        await report({ bucket: arrived.bucket, key: arrived.s3Key }),
        await call(`${app.url}/v5/s3/getUploadCredentials/${arrived.mediaId}`, { token }),
      ]),
    ).toEqual([
      [409, 'upload_completed'],
      [409, 'upload_id_conflict'],
      [409, 'upload_completed'],
      [409, 'upload_completed'],
      [200, undefined],
      [409, 'upload_completed'],
    ]);
  });

  it('removes what is uploaded later with credentials that are still valid', async () => {
    const { uploadId, processed } = await prepared(aFile());
    const [item] = processed as [ProcessedItem];
    expect((await abandon(uploadId)).body.removed).toBe(1);
    await put(item);
    expect(await objectsOf(item)).toBe(1);
    await app.app.get(UploadBytesJob).run(new Date());
    expect(await objectsOf(item)).toBe(0);
    await reap();
    expect(await abandon(uploadId)).toMatchObject({ status: 200, body: { removed: 0 } });
    expect(await completions(uploadId)).toEqual([]);
  });

  it('publishes nothing again after its completion, and removes what that left', async () => {
    const { uploadId, processed } = await prepared(aFile(), aFile({ fileName: 'b' }));
    const [arrived, missing] = processed as [ProcessedItem, ProcessedItem];
    await put(arrived);
    await report({ bucket: arrived.bucket, key: arrived.s3Key });
    await complete(uploadId);
    expect([(await find('all')).includes(missing.id as number), (await find('incomplete')).includes(missing.id as number)]).toEqual([
      false,
      true,
    ]);
    expect((await abandon(uploadId)).body.removed).toBe(1);
    expect((await find('incomplete')).includes(missing.id as number)).toBe(false);
    expect(await completions(uploadId)).toHaveLength(1);
  });

  it('is unknown to other customers and without an account', async () => {
    const { uploadId } = await prepared(aFile());
    const foreign = await tokenOf(app, await aUser(app));
    expect(refusals([await abandon(uploadId, foreign), await abandon(uploadId, null), await abandon(randomUUID())])).toEqual([
      [404, 'not_found'],
      [401, 'unauthenticated'],
      [404, 'not_found'],
    ]);
    expect((await abandon(uploadId)).body.removed).toBe(1);
  });

  it('is either abandoned or reported, of calls at once on two processes', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { uploadId, processed } = await prepared(aFile());
      const [item] = processed as [ProcessedItem];
      await put(item);
      const [reported, ...abandoned] = await Promise.all([
        report({ bucket: item.bucket, key: item.s3Key }),
        ...[app.url, other.url, app.url].map(async (url) => await abandon(uploadId, token, url)),
      ]);
      const removed = abandoned.reduce((sum, { body }) => sum + body.removed, 0);
      const isKept = reported.status === 200;
      expect([removed, await statusOf(item), await objectsOf(item)]).toEqual(isKept ? [0, 200, 1] : [1, 404, 0]);
      if (!isKept) expect(reported.body.code).toMatch(/^(upload_completed|object_missing)$/);
      expect(await completions(uploadId)).toHaveLength(isKept ? 1 : 0);
    }
  });

  it('at a dropsite needs its client, or the session, which remains', async () => {
    const { dropsite } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const anonymous = (await sender.create()).body;
    const at = async (uploadId: string, init: object) => await call(`${app.url}/v5/s3/upload/${uploadId}`, { method: 'DELETE', ...init });
    expect(
      refusals([await at(anonymous.uploadId, {}), await at(anonymous.uploadId, { headers: { clientid: dropsite.clientId } })]),
    ).toEqual([
      [401, 'client_mismatch'],
      [200, undefined],
    ]);
    const session = { token: (await sender.session({ email: 'sender@example.org' })).access_token };
    const { uploadId, processed } = (await sender.create({}, session)).body;
    const [item] = processed as [ProcessedItem];
    await put(item);
    await sender.succeed(item, session);
    const answers = [await at(uploadId, session), await at(uploadId, session)];
    expect(answers.map(({ status, body }) => [status, body.removed])).toEqual([
      [200, 0],
      [200, 0],
    ]);
    const names = (await eventsOf(app, dropsite)).map(({ name }) => name);
    expect(names.filter((name) => name === 'event:dropsiteUploadComplete')).toHaveLength(1);
  });
});
