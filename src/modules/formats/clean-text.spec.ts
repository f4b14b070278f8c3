import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutToBytes } from './clean-text.js';

describe('a text cut to a number of bytes', () => {
  it.each([
    ['short', 32, 'short'],
    ['exactly', 7, 'exactly'],
    ['exactly', 6, 'exactl'],
    ['Müller', 2, 'M'],
    ['Müller', 3, 'Mü'],
    ['日本', 5, '日'],
    ['a😀', 4, 'a'],
    ['a😀', 5, 'a😀'],
    ['ü', 0, ''],
  ])('%s in %d bytes is %s', (text, limit, expected) => {
    expect(cutToBytes(text, limit)).toBe(expected);
  });

  it('is the longest beginning of it that fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(80), (text, limit) => {
        const cut = cutToBytes(text, limit);
        const next = [...text].slice(0, [...cut].length + 1).join('');
        return text.startsWith(cut) && Buffer.byteLength(cut) <= limit && (cut === text || Buffer.byteLength(next) > limit);
      }),
    );
  });
});
