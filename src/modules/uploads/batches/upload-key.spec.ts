import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseUploadKey, uploadKey } from './upload-key.js';

const uploadId = '7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52';

describe('the key of an upload', () => {
  it('identifies the customer and the batch', () => {
    expect(uploadKey({ customerId: 7, uploadId }, 12, 'mp4')).toBe(`uploads/7/${uploadId}/12.mp4`);
    expect(uploadKey({ customerId: 7, uploadId }, 0, '')).toBe(`uploads/7/${uploadId}/0.bin`);
    expect(parseUploadKey(`uploads/7/${uploadId}/12.mp4`)).toEqual({ customerId: 7, uploadId });
  });

  it.each([
    '',
    'uploads/7/12.mp4',
    `uploads/07/${uploadId}/0.jpg`,
    `uploads/7/${uploadId}/../0.jpg`,
    `uploads/7/${uploadId}/0.jpg/x`,
    `x/uploads/7/${uploadId}/0.jpg`,
    `uploads/99999999999/${uploadId}/0.jpg`,
    `uploads/3000000000/${uploadId}/0.jpg`,
    `uploads/7/${uploadId.toUpperCase()}/0.jpg`,
  ])('is not %s', (key) => {
    expect(parseUploadKey(key)).toBeNull();
  });

  it('can be read back, whatever it was made of', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), fc.uuid(), fc.integer({ min: 0, max: 999 }), (customerId, id, index) => {
        expect(parseUploadKey(uploadKey({ customerId, uploadId: id }, index, 'jpg'))).toEqual({ customerId, uploadId: id });
      }),
    );
  });
});
