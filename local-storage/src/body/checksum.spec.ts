import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ALGORITHMS, type Algorithm, combineChecksums, makeDigest } from './checksum.js';

const digestOf = (algorithm: Algorithm, ...pieces: Uint8Array[]): Buffer => {
  const digest = makeDigest(algorithm);
  for (const piece of pieces) digest.update(Buffer.from(piece));
  return digest.digest();
};

describe('A checksum', () => {
  it.each([
    ['CRC32', 'cbf43926'],
    ['CRC32C', 'e3069283'],
    ['CRC64NVME', 'ae8b14860a799888'],
    ['SHA1', 'f7c3bc1d808e04732adf679965ccc34ca7ae3441'],
    ['SHA256', '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225'],
  ] as const)('%s has its published check value', (algorithm, value) => {
    expect(digestOf(algorithm, Buffer.from('123456789')).toString('hex')).toBe(value);
  });

  it.each(ALGORITHMS)('%s does not depend on how the data was cut', (algorithm) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (data, cut) => {
        expect(digestOf(algorithm, data.subarray(0, cut), data.subarray(cut))).toEqual(digestOf(algorithm, data));
      }),
    );
  });

  it.each(['CRC32', 'CRC32C', 'CRC64NVME'] as const)('%s of a whole follows from those of its parts', (algorithm) => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { minLength: 1, maxLength: 5 }), (parts) => {
        const pieces = parts.map((part) => ({ checksum: digestOf(algorithm, part), size: part.length }));
        expect(combineChecksums(algorithm, pieces)).toEqual(digestOf(algorithm, ...parts));
      }),
    );
  });
});
