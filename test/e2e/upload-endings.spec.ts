import { randomUUID } from 'node:crypto';
import { CreateMultipartUploadCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MediaRemovalService } from '../../src/modules/media/index.js';
import { UploadReaperJob } from '../../src/modules/uploads/index.js';
import { Database } from '../../src/shared/database/index.js';
import { ObjectStorage } from '../../src/shared/storage/index.js';
import { aDropsite, eventsOf, put, refusals, senderOf } from '../support/dropsites.js';
import { aUser } from '../support/scenario.js';
import { startTestStorage, type TestStorage } from '../support/storage.js';
import { addressOf, startTestApp, type TestApp } from '../support/test-app.js';
import { aFile, call, clientFor, type ProcessedItem, tokenOf, type UploadDocument } from '../support/uploads.js';

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
