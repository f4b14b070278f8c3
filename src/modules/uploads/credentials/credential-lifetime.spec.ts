import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { credentialLifetime, MAX_BYTES_PER_SET } from './credential-lifetime.js';

const MIB = 1024 * 1024;
const bytes = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

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
