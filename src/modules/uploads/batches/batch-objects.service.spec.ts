import { describe, expect, it } from '@jest/globals';
import { FakeObjectStorage } from '../../../shared/storage/fake-object-storage.js';
import type { MediaItemsRepository } from '../../media/index.js';
import { BatchObjectsService, exceedsLimit } from './batch-objects.service.js';
import { uploadKey } from './upload-key.js';

const MEBIBYTE = 1024 ** 2;
const batch = { customerId: 7, uploadId: '7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52' };

describe('the limit of a batch', () => {
  it.each([
    ['nothing', [], { bytes: 0, entries: 0 }, false],
    ['64 MiB for files without a size', [0], { bytes: 64 * MEBIBYTE - 4_096, entries: 1 }, false],
    ['a byte more', [0], { bytes: 64 * MEBIBYTE - 4_095, entries: 1 }, true],
    ['each file twice', [900 * MEBIBYTE, 100 * MEBIBYTE], { bytes: 2_000 * MEBIBYTE, entries: 4 }, false],
    ['each file twice, and 65 MiB', [900 * MEBIBYTE, 100 * MEBIBYTE], { bytes: 2_065 * MEBIBYTE, entries: 4 }, true],
    ['the largest file in its 10,000 parts', [5 * 1024 ** 4], { bytes: 5 * 1024 ** 4, entries: 10_001 }, false],
    ['a thousand files without a size', Array(1_000).fill(0), { bytes: 1_000 * 60_000, entries: 1_000 }, false],
    ['many versions without content', [1], { bytes: 0, entries: 16_385 }, true],
  ])('for %s', (_, sizes: number[], stored, isExceeded) => {
    const items = sizes.map((size) => ({ size }));
    expect(exceedsLimit(items, { bytes: new Map([['a', stored.bytes]]), entries: stored.entries })).toBe(isExceeded);
  });

  it('concerns objects and parts below the prefix of the batch only', async () => {
    const storage = new FakeObjectStorage();
    const objects = new BatchObjectsService(storage, {} as MediaItemsRepository);
    const first = uploadKey(batch, 0, 'mp4');
    const other = { ...batch, uploadId: batch.uploadId.replace('7d', '8d') };
    for (const owner of [batch, other]) {
      storage.put(uploadKey(owner, 0, 'mp4'), { size: 11 });
      storage.multipartUploads.set(owner.uploadId, {
        key: uploadKey(owner, 1, 'mp4'),
        multipartId: owner.uploadId,
        initiatedAt: new Date(),
      });
      storage.partSizes.set(owner.uploadId, [3, 8]);
    }
    expect(await objects.measure(batch)).toEqual({
      bytes: new Map([
        [first, 11],
        [uploadKey(batch, 1, 'mp4'), 11],
      ]),
      entries: 4,
      versions: [],
    });
    await objects.abortMultipartUploads(batch);
    expect(await objects.measure(batch)).toEqual({ bytes: new Map([[first, 11]]), entries: 1, versions: [] });
    expect([...storage.multipartUploads.keys()]).toEqual([other.uploadId]);
  });
});
