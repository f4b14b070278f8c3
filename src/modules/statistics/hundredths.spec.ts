import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countSeen, hundredthsOf, NONE_SEEN, parseHundredths, toBits } from './hundredths.js';

describe('the hundredths of a film', () => {
  it.each([
    [0, 12, 60, [0, 19]],
    [30, 60, 60, [50, 99]],
    [0.2, 0.4, 60, [0, 0]],
    [0.4, 0.8, 60, null],
    [0, 4, 7_200, null],
    [34, 38, 7_200, [0, 0]],
    [0, 9, 0, null],
  ] as const)('from second %d to %d of %d are those whose middle was played: %j', (from, to, length, expected) => {
    const bits = toBits(hundredthsOf({ from, to }, length));
    expect(bits).toHaveLength(100);
    expect(bits.includes('1') ? [bits.indexOf('1'), bits.lastIndexOf('1')] : null).toEqual(expected);
  });

  it('of periods that follow one another are each in one of them', () => {
    const length = fc.double({ min: 1, max: 20_000, noNaN: true });
    fc.assert(
      fc.property(length, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }), (total, cuts) => {
        const times = [0, ...cuts.map((part) => part * total).sort((a, b) => a - b), total];
        const parts = times.slice(1).map((to, index) => hundredthsOf({ from: times[index] ?? 0, to }, total));
        expect(parts.reduce((sum, part) => sum + countSeen(part), 0)).toBe(100);
        expect(countSeen(parts.reduce((all, part) => all | part, NONE_SEEN))).toBe(100);
      }),
    );
  });

  it('are read from 25 digits', () => {
    expect(toBits(parseHundredths(`${'0'.repeat(24)}5`))).toBe(`101${'0'.repeat(97)}`);
  });
});
