import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AccountsService } from '../../src/modules/accounts/index.js';
import { FormatReaderService } from '../../src/modules/formats/index.js';
import {
  chooseLadderSize,
  LostRenditions,
  MediaItemsRepository,
  MediaRenditionsService,
  NewMediaItemsRepository,
  PictureRemovalService,
  PicturesRepository,
} from '../../src/modules/media/index.js';
import { UploadReconciliationService } from '../../src/modules/uploads/index.js';
import type { Config } from '../../src/shared/config/index.js';
import { Database } from '../../src/shared/database/index.js';
import { DomainError } from '../../src/shared/errors.js';
import { FakeObjectStorage } from '../../src/shared/storage/fake-object-storage.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';

const now = new Date('2026-06-01T12:00:00Z');
const longAgo = new Date('2026-05-01T12:00:00Z');
const justNow = new Date('2026-06-01T11:00:00Z');

let context: TestContext;
let storage: FakeObjectStorage;
let reconciler: UploadReconciliationService;

beforeEach(async () => {
  context = await startTestContext();
  storage = new FakeObjectStorage();
  reconciler = aReconciler(context.config);
});

afterEach(async () => await context.close());

function aReconciler(config: Config): UploadReconciliationService {
  const [database, media, renditions] = [context.get(Database), context.get(MediaItemsRepository), context.get(MediaRenditionsService)];
  const pictures = [context.get(PicturesRepository), context.get(PictureRemovalService)] as const;
  return new UploadReconciliationService(config, database, media, renditions, ...pictures, storage);
}

interface Stored {
  readonly id: number;
  readonly key: string;
  readonly containerId: number;
  readonly customerId: number;
}

/** A successful original of 10 bytes, whose object is there. */
async function anOriginal(): Promise<Stored> {
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
  const owner = { customerId: user.customerId, creatorId: user.id, origin: null, senderId: null, bucket: 'media' };
  const newItems = context.get(NewMediaItemsRepository);
  const [planned] = await newItems.plan([file], owner);
  await newItems.insert(planned ? [planned] : []);
  storage.put(key, { size: 10, modifiedAt: longAgo });
  await media.markUploaded(planned?.mediaId ?? 0, { size: 10, etag: 'etag', version: null, crc32: null });
  return { id: planned?.mediaId ?? 0, key, containerId: planned?.mediaContainerId ?? 0, customerId: user.customerId };
}

/** A rendition of 5 bytes that the blueprint JPEG made, or a format that is gone, and whose object is there. */
async function aRendition({ id, containerId, customerId }: Stored, { formatGone = false } = {}): Promise<Stored> {
  const visible = await context.get(FormatReaderService).visibleTo(customerId);
  const formatId = visible.all.find(({ name }) => name === 'JPEG')?.id ?? 0;
  const key = `renditions/${customerId}/${containerId}/${randomUUID()}/1.jpg`;
  const source = { mediaContainerId: containerId, sourceMediaId: id, formatId };
  const facts = { width: 1, height: 1, duration: null, codec: null };
  const nothing = { streaming: null, storyboard: null, test: false, crc32: null };
  const file = { type: 'image' as const, fileExtension: 'jpg', fileSize: 5, etag: 'etag', version: null, s3Key: key };
  const renditionId = await context.get(NewMediaItemsRepository).insertRendition(source, { ...file, facts, ...nothing }, 'media');
  if (formatGone) await context.get(Database).query('UPDATE media_items SET format_id = NULL WHERE id = $1', [renditionId]);
  storage.put(key, { size: 5, modifiedAt: longAgo });
  return { id: renditionId ?? 0, key, containerId, customerId };
}

const agreeing = { copies: 0, copiesComparedBySize: 0, differences: [] };

const look = async (id: number) => (await context.get(MediaItemsRepository).findMany([id]))[0];

describe('database and storage', () => {
  it('that agree have no differences', async () => {
    await aRendition(await anOriginal());
    expect(await reconciler.reconcile({ now, mend: true })).toEqual({ ...agreeing, objects: 2, items: 2 });
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

  it('keep the text tracks of items as WebVTT, and delete others', async () => {
    const { id, customerId, containerId } = await anOriginal();
    const [kept, other] = ['0123456789abcdef', 'fedcba9876543210'].map(
      (file) => `renditions/${customerId}/${containerId}/tracks/${id}-${file}.vtt`,
    );
    for (const key of [kept, other]) storage.put(String(key), { size: 5, modifiedAt: longAgo });
    await context.get(Database).query('UPDATE media_items SET web_vtt_key = $2 WHERE id = $1', [id, kept]);
    const { differences } = await reconciler.reconcile({ now, mend: true });
    expect(differences).toEqual([{ kind: 'orphan_object', key: other, mediaId: null, mended: true }]);
    expect([storage.objects.has(String(kept)), storage.objects.has(String(other))]).toEqual([true, false]);
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
    storage.objects.set(key, { key, etag: 'etag', version: null, crc32: null, modifiedAt: longAgo, ...change });
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

describe('renditions', () => {
  const mend = async () => (await reconciler.reconcile({ now, mend: true })).differences;
  const waiting = async () =>
    (
      await context
        .get(Database)
        .query('SELECT id, media_container_id AS "containerId", source_media_id AS "originalId" FROM transcoding_jobs')
    ).rows;

  it('whose object is lost or damaged are made again', async () => {
    const original = await anOriginal();
    const [lost, sound] = [await aRendition(original), await aRendition(original)];
    storage.objects.delete(lost.key);
    const [difference, ...others] = await mend();
    expect(difference).toMatchObject({ kind: 'lost_object', mediaId: lost.id, mended: true });
    expect(others).toEqual([]);
    expect(await waiting()).toEqual([{ id: difference?.jobId, containerId: original.containerId, originalId: original.id }]);
    expect(await look(lost.id)).toMatchObject({ status: 'unsuccessful' });
    storage.put(sound.key, { size: 6 });
    expect(await mend()).toEqual([{ kind: 'changed_object', key: sound.key, mediaId: sound.id, mended: true, jobId: difference?.jobId }]);
    expect(await mend()).toEqual([]);
  });

  it('may all be missing: a backup can do without them', async () => {
    const original = await anOriginal();
    for (const { key } of [await aRendition(original), await aRendition(original)]) storage.objects.delete(key);
    expect((await mend()).map(({ kind, mended }) => [kind, mended])).toEqual(Array(2).fill(['lost_object', true]));
    expect(await waiting()).toHaveLength(1);
  });

  it('that cannot be made again only become unsuccessful', async () => {
    const original = await anOriginal();
    await anOriginal();
    const [withoutFormat, withoutOriginal] = [await aRendition(original, { formatGone: true }), await aRendition(original)];
    for (const { key } of [withoutFormat, withoutOriginal, original]) storage.objects.delete(key);
    const none = { kind: 'lost_object', mended: true };
    expect(await mend()).toEqual([original, withoutFormat, withoutOriginal].map(({ id, key }) => ({ ...none, key, mediaId: id })));
    expect(await look(withoutFormat.id)).toMatchObject({ status: 'unsuccessful' });
    expect(await waiting()).toEqual([]);
  });

  it('that are only damaged stay as they are if they cannot be made again', async () => {
    const damaged = await aRendition(await anOriginal(), { formatGone: true });
    storage.put(damaged.key, { size: 6 });
    expect(await mend()).toEqual([{ kind: 'changed_object', key: damaged.key, mediaId: damaged.id, mended: false }]);
    expect(await look(damaged.id)).toMatchObject({ status: 'successful', fileSize: 5 });
  });

  it('beyond the quota of waiting transcodings stay as they are until the next run', async () => {
    const lost = await aRendition(await anOriginal());
    storage.objects.delete(lost.key);
    const error = new DomainError('rate_limited', 'quota_exceeded', 'The customer has too many waiting transcodings.');
    context.get(LostRenditions).register(async () => await Promise.reject(error));
    expect(await mend()).toEqual([{ kind: 'lost_object', key: lost.key, mediaId: lost.id, mended: false }]);
    expect(await look(lost.id)).toMatchObject({ status: 'successful' });
  });

  it('that never became media are deleted, unless an attempt may still record them', async () => {
    await aRendition(await anOriginal());
    storage.put('renditions/1/1/old/1.jpg', { size: 1, modifiedAt: longAgo });
    const impatient = aReconciler({ ...context.config, uploadReapAfterSeconds: 60 });
    storage.put('renditions/1/1/new/1.jpg', { size: 1, modifiedAt: new Date(now.getTime() - 3_500_000) });
    expect((await impatient.reconcile({ now, mend: true })).differences.map(({ key, mended }) => [key, mended])).toEqual([
      ['renditions/1/1/new/1.jpg', false],
      ['renditions/1/1/old/1.jpg', true],
    ]);
  });
});

describe('sizes of pictures', () => {
  it('are known, and made again by the next request if they are lost', async () => {
    const { id, key, containerId } = await anOriginal();
    const pictures = context.get(PicturesRepository);
    const [item] = await context.get(MediaItemsRepository).findMany([id]);
    if (!item) throw new Error('There is no item.');
    for (const [s3Key, width] of [
      [`renditions/1/${containerId}/sizes/${id}/here.webp`, 160],
      [`renditions/1/${containerId}/sizes/${id}/lost.webp`, 320],
    ] as const) {
      const size = chooseLadderSize({ width: 400, height: 300 }, { width, fit: 'inside' });
      await pictures.claim(item, { size, format: 'webp', s3Key, expiresAt: new Date(now.getTime() + 60_000) });
      await pictures.markReady(s3Key, { size: 5, etag: 'etag', version: null });
    }
    storage.put(`renditions/1/${containerId}/sizes/${id}/here.webp`, { size: 5, modifiedAt: longAgo });
    const { differences } = await reconciler.reconcile({ now, mend: true });
    const lost = `renditions/1/${containerId}/sizes/${id}/lost.webp`;
    expect(differences).toEqual([{ kind: 'lost_object', key: lost, mediaId: id, mended: true }]);
    expect((await pictures.findReady(item)).map(({ name }) => name)).toEqual(['160x120']);
    expect(storage.objects.has(key)).toBe(true);
  });
});

describe('a copy of the bucket', () => {
  /** Each object of the original under a version of the copy's own. */
  const copyOver = (key: string, change: object = {}) =>
    storage.objects.set(key, { key, size: 10, etag: 'etag', version: 'of the copy', crc32: null, modifiedAt: longAgo, ...change });
  const record = async (id: number, etag: string, version: string | null) =>
    await context.get(Database).query(`UPDATE media_items SET etag = $2, version = $3 WHERE id = $1`, [id, etag, version]);

  it('is no difference: what survives a copy is compared, and the new versions are recorded', async () => {
    const [whole, inParts, byAnotherTool] = [await anOriginal(), await anOriginal(), await anOriginal()];
    await record(whole.id, 'etag', 'of the first bucket');
    await record(inParts.id, 'parts-3', 'of the first bucket');
    await record(byAnotherTool.id, 'etag', 'of the first bucket');
    copyOver(whole.key);
    copyOver(inParts.key);
    copyOver(byAnotherTool.key, { etag: 'others-2' });
    const found = { objects: 3, items: 3, copies: 3, copiesComparedBySize: 2, differences: [] };
    expect(await reconciler.reconcile({ now, mend: false })).toEqual(found);
    expect(await look(whole.id)).toMatchObject({ version: 'of the first bucket' });
    expect(await reconciler.reconcile({ now, mend: true })).toEqual(found);
    expect(await look(inParts.id)).toMatchObject({ etag: 'etag', version: 'of the copy', fileSize: 10 });
    expect(await reconciler.reconcile({ now, mend: true })).toEqual({ ...agreeing, objects: 3, items: 3 });
  });

  it.each([
    ['size', { size: 11, etag: 'parts-9' }],
    ['content', { etag: 'another' }],
  ])('in which an object has another %s differs', async (_, change) => {
    const { id, key } = await anOriginal();
    await record(id, 'etag', 'of the first bucket');
    copyOver(key, change);
    expect(await reconciler.reconcile({ now, mend: false })).toMatchObject({ copies: 0, differences: [{ kind: 'changed_object', key }] });
  });

  it('has its own name recorded with every item, also those that are still being uploaded', async () => {
    const [arrived, open] = [await anOriginal(), await anOriginal()];
    await context.get(Database).query(`UPDATE media_items SET bucket = 'lost'`);
    await context.get(Database).query(`UPDATE media_items SET status = 'prepared' WHERE id = $1`, [open.id]);
    expect(await reconciler.reconcile({ now, mend: true })).toMatchObject({ items: 1, copies: 1, copiesComparedBySize: 0 });
    expect([await look(arrived.id), await look(open.id)]).toMatchObject([{ bucket: 'media' }, { bucket: 'media' }]);
  });
});
