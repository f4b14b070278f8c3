import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_FILE_SIZE, MULTIPART_THRESHOLD, partRange, planParts } from './plan-parts.js';

const MIB = 1024 * 1024;

describe('the parts of a file', () => {
  it('satisfy the limits of S3, cover the file once, and are the same every time', () => {
    fc.assert(
      fc.property(fc.integer({ min: MULTIPART_THRESHOLD, max: MAX_FILE_SIZE }), (size) => {
        const plan = planParts(size);
        expect(plan).toEqual(planParts(size));
        expect(plan.count).toBeLessThanOrEqual(10_000);
        expect(plan.partSize).toBeGreaterThanOrEqual(5 * MIB);
        expect(plan.partSize).toBeLessThanOrEqual(5 * 1024 * MIB);
        const last = partRange(plan, plan.count);
        expect(partRange(plan, 1).start).toBe(0);
        expect(last.end).toBe(size);
        expect(last.end - last.start).toBeGreaterThan(0);
        expect(partRange(plan, 2).start).toBe(partRange(plan, 1).end);
      }),
    );
  });

  it.each([
    [8 * MIB, 5, 2],
    [1024 * MIB, 5, 205],
    [10 * 1024 * MIB, 11, 931],
    [500 * 1024 * MIB, 64, 8_000],
    [MAX_FILE_SIZE, 525, 9_987],
  ])('of %d bytes are %d MiB each, %d in number', (size, mib, count) => {
    expect(planParts(size)).toEqual({ size, partSize: mib * MIB, count });
  });
});
