import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AccountsService } from '../../src/modules/accounts/index.js';
import { FormatReaderService } from '../../src/modules/formats/index.js';
import { MediaItemsRepository } from '../../src/modules/media/index.js';
import { UploadReconciliationService } from '../../src/modules/uploads/index.js';
import { Database, together } from '../../src/shared/database/index.js';
import { FakeObjectStorage } from '../../src/shared/storage/fake-object-storage.js';
import { startTestContext, type TestContext } from '../support/test-context.js';

const now = new Date('2026-06-01T12:00:00Z');
const longAgo = new Date('2026-05-01T12:00:00Z');
const justNow = new Date('2026-06-01T11:00:00Z');

let context: TestContext;
let storage: FakeObjectStorage;
let reconciler: UploadReconciliationService;

beforeEach(async () => {
  context = await startTestContext();
  storage = new FakeObjectStorage();
  reconciler = new UploadReconciliationService(context.config, context.get(MediaItemsRepository), storage);
});

afterEach(async () => await context.close());

/** A successful original of 10 bytes, whose object is there. */
async function anOriginal(): Promise<{ id: number; key: string }> {
  const accounts = context.get(AccountsService);
  await accounts.declareCustomer({ name: 'Newsroom' });
  const user = await accounts.declareUser({ email: 'ada@example.org', customer: 'Newsroom', firstname: 'Ada', lastname: 'Lovelace' });
  const media = context.get(MediaItemsRepository);
  const key = `uploads/${user.customerId}/${randomUUID()}/0.jpg`;
  const formatId = (await context.get(FormatReaderService).originalIds()).image;
  const file = {
    type: 'image' as const,
    formatId,
    fileName: 'a',
    fileExtension: 'jpg',
    fileSize: 10,
    s3Key: key,
    checksum: null,
    metadata: [],
    track: null,
  };
  const owner = { customerId: user.customerId, creatorId: user.id, origin: null, bucket: 'media' };
  const [planned] = await media.plan([file], owner);
  const { text, values } = together(planned ? media.insertions([planned]) : []);
  await context.get(Database).query(text, values);
  storage.put(key, { size: 10, modifiedAt: longAgo });
  await media.markUploaded(planned?.mediaId ?? 0, { size: 10, etag: 'etag', version: null });
  return { id: planned?.mediaId ?? 0, key };
}

const look = async (id: number) => (await context.get(MediaItemsRepository).findMany([id]))[0];

describe('database and storage', () => {
  it('that agree have no differences', async () => {
    await anOriginal();
    expect(await reconciler.reconcile({ now, mend: true })).toEqual({ objects: 1, items: 1, differences: [] });
  });

  it('are only compared, unless they are to be mended', async () => {
    const { id, key } = await anOriginal();
    await anOriginal();
    storage.objects.delete(key);
    storage.put('uploads/1/orphan.jpg', { size: 1, modifiedAt: longAgo });
    expect((await reconciler.reconcile({ now, mend: false })).differences).toEqual([
      { kind: 'orphan_object', key: 'uploads/1/orphan.jpg', mediaId: null, mended: false },
      { kind: 'lost_object', key, mediaId: id, mended: false },
    ]);
    expect(storage.objects.has('uploads/1/orphan.jpg')).toBe(true);
    expect(await look(id)).toMatchObject({ status: 'successful' });
  });
});

describe('mending', () => {
  const mend = async () => (await reconciler.reconcile({ now, mend: true })).differences;

  it('deletes orphan objects, but no new ones and none elsewhere', async () => {
    const known = [await anOriginal(), await anOriginal()];
    storage.put('uploads/1/old.jpg', { size: 1, modifiedAt: longAgo });
    storage.put('uploads/1/new.jpg', { size: 1, modifiedAt: justNow });
    storage.put('elsewhere/old.jpg', { size: 1, modifiedAt: longAgo });
    expect((await mend()).map(({ key, mended }) => [key, mended])).toEqual([
      ['uploads/1/new.jpg', false],
      ['uploads/1/old.jpg', true],
    ]);
    expect([...storage.objects.keys()].sort()).toEqual(['elsewhere/old.jpg', 'uploads/1/new.jpg', ...known.map(({ key }) => key)].sort());
  });

  it('marks an item whose object is lost as unsuccessful', async () => {
    const { id, key } = await anOriginal();
    await anOriginal();
    storage.objects.delete(key);
    expect(await mend()).toMatchObject([{ kind: 'lost_object', mediaId: id, mended: true }]);
    expect(await look(id)).toMatchObject({ status: 'unsuccessful' });
    expect(await mend()).toEqual([]);
  });

  it.each([
    ['size', { size: 11 }],
    ['entity tag', { size: 10, etag: 'another' }],
    ['version', { size: 10, version: 'v2' }],
  ])('records another %s of an object', async (_, change) => {
    const { id, key } = await anOriginal();
    storage.objects.set(key, { key, etag: 'etag', version: null, modifiedAt: longAgo, ...change });
    expect(await mend()).toMatchObject([{ kind: 'changed_object', mediaId: id, mended: true }]);
    const { size: fileSize, ...rest } = change;
    expect(await look(id)).toMatchObject({ fileSize, ...rest });
    expect(await mend()).toEqual([]);
  });

  it('is refused when most objects are missing: the bucket must be another one', async () => {
    const { id } = await anOriginal();
    storage.objects.clear();
    await expect(mend()).rejects.toMatchObject({ code: 'bucket_doubtful' });
    expect(await look(id)).toMatchObject({ status: 'successful' });
  });

  it('is refused if the database lacks most objects, because it is probably another or an old one', async () => {
    await anOriginal();
    for (const name of ['a', 'b']) storage.put(`uploads/1/${name}.jpg`, { size: 1, modifiedAt: longAgo });
    await expect(mend()).rejects.toMatchObject({ code: 'bucket_doubtful' });
    expect(storage.objects.size).toBe(3);
    expect((await reconciler.reconcile({ now, mend: false })).differences).toHaveLength(2);
  });

  it('does nothing when the storage does not answer', async () => {
    await anOriginal();
    storage.available = false;
    await expect(mend()).rejects.toMatchObject({ code: 'storage_unavailable' });
  });
});
