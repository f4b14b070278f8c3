import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { uploadKey } from '../batches/upload-key.js';
import { credentialLifetime, fitsPolicy, groupItems, MAX_BYTES_PER_SET, sessionPolicy, type UploadItem } from './credential-sets.js';

const MIB = 1024 * 1024;
const bytes = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

const batch = { customerId: 1, uploadId: '7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52' };
const aBucket = fc.stringMatching(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/);
const someItems = fc
  .array(
    fc.record({ type: fc.constantFrom('video', 'audio', 'image', 'document'), size: fc.integer({ min: 0, max: 2 * MAX_BYTES_PER_SET }) }),
    {
      maxLength: 120,
    },
  )
  .map((items) => items.map((item, index): UploadItem => ({ ...item, key: uploadKey(batch, index, 'jpg') })));

const items = (count: number, type = 'image', size = 1): UploadItem[] =>
  Array.from({ length: count }, (_, index) => ({ key: uploadKey(batch, index, 'jpg'), type, size }));

describe('items that share credentials', () => {
  it('are each in exactly one group, in their order', () => {
    fc.assert(
      fc.property(aBucket, someItems, (bucket, all) => {
        const grouped = groupItems(bucket, all).flat();
        expect(new Set(grouped)).toEqual(new Set(all));
        expect(grouped).toHaveLength(all.length);
        for (const type of ['video', 'audio', 'image', 'document']) {
          expect(grouped.filter((item) => item.type === type)).toEqual(all.filter((item) => item.type === type));
        }
      }),
    );
  });

  it('are of one type, within one policy, and within 12 hours unless one item alone is more', () => {
    fc.assert(
      fc.property(aBucket, someItems, (bucket, all) => {
        for (const group of groupItems(bucket, all)) {
          expect(new Set(group.map(({ type }) => type)).size).toBe(1);
          const keys = group.map(({ key }) => key);
          expect(sessionPolicy(bucket, keys).length).toBeLessThanOrEqual(2_048);
          expect(fitsPolicy(bucket, keys)).toBe(true);
          expect(group.length === 1 || group.reduce((sum, { size }) => sum + size, 0) <= MAX_BYTES_PER_SET).toBe(true);
        }
      }),
    );
  });

  it('are at least 22 a set where the names are short', () => {
    expect(groupItems('media', items(1_000)).length).toBeLessThanOrEqual(Math.ceil(1_000 / 22));
  });

  it('close a set before its sum exceeds 12 hours', () => {
    expect(groupItems('media', items(3, 'video', MAX_BYTES_PER_SET / 2)).map(({ length }) => length)).toEqual([2, 1]);
  });
});

describe('a session policy', () => {
  it('permits only uploads, and only keys of its group', () => {
    fc.assert(
      fc.property(aBucket, someItems, (bucket, all) => {
        for (const group of groupItems(bucket, all)) {
          const { Statement } = JSON.parse(
            sessionPolicy(
              bucket,
              group.map(({ key }) => key),
            ),
          );
          expect(Statement).toEqual([
            {
              Effect: 'Allow',
              Action: ['s3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'],
              Resource: group.map(({ key }) => `arn:aws:s3:::${bucket}/${key}`),
            },
          ]);
          for (const resource of Statement[0].Resource as string[]) expect(resource).not.toMatch(/[*?$]/);
        }
      }),
    );
  });

  it.each(['a*', 'a?', 'a$b'])('is not made for the key %s, which would match others too', (key) => {
    expect(() => sessionPolicy('media', [key])).toThrow('would also match other keys');
  });
});

describe('the lifetime of credentials', () => {
  it.each([
    [0, 900],
    [600 * MIB, 900],
    [600 * MIB + 1, 960],
    [10 * 1024 * MIB, 15_360],
    [MAX_BYTES_PER_SET, 43_200],
    [5 * 1024 ** 4, 43_200],
  ])('for %d bytes is %d seconds', (size, seconds) => {
    expect(credentialLifetime(size)).toBe(seconds);
  });

  it('is a whole number of minutes from 15 minutes to 12 hours', () => {
    fc.assert(
      fc.property(bytes, (size) => {
        const seconds = credentialLifetime(size);
        return seconds >= 900 && seconds <= 43_200 && seconds % 60 === 0;
      }),
    );
  });

  it('never shrinks when there is more to upload', () => {
    fc.assert(fc.property(bytes, bytes, (a, b) => credentialLifetime(Math.min(a, b)) <= credentialLifetime(Math.max(a, b))));
  });

  it('suffices for 1 MiB a second and half as much again, up to 12 hours', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: MAX_BYTES_PER_SET }), (size) => credentialLifetime(size) >= (size / MIB) * 1.5));
  });
});
