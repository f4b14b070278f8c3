import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { equalInConstantTime, sha256 } from './sha256.js';

describe('the hash of a secret', () => {
  it('is SHA-256 in base64url', () => {
    expect(sha256('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
    expect(sha256('')).toBe('47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU');
  });
});

describe('the comparison of secrets', () => {
  it('agrees with === for texts of any length', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (left, right) => {
        expect(equalInConstantTime(left, right)).toBe(left === right);
        expect(equalInConstantTime(left, left)).toBe(true);
      }),
    );
  });
});
