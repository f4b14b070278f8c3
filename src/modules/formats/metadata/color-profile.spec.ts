import { describe, expect, it } from '@jest/globals';
import { buildProfileProbe, readColorProfile } from './color-profile.js';

describe('the colour profile of an image', () => {
  it.each([
    ['RGB \tDisplay P3\n', { name: 'Display P3', colorSpace: 'RGB' }],
    ['CMYK\tCoated FOGRA39 (ISO 12647-2:2004)\n', { name: 'Coated FOGRA39 (ISO 12647-2:2004)', colorSpace: 'CMYK' }],
    ['GRAY\t-\n', { name: null, colorSpace: 'GRAY' }],
    ['Lab \t Gr\u0000au \u0007\n', { name: 'Gr au', colorSpace: 'Lab' }],
    ['-\t-\n', null],
    ['-\tDisplay P3\n', null],
    ['<b>!\tDisplay P3\n', null],
    ['', null],
  ])('of %j is %j', (printed, expected) => expect(readColorProfile(printed)).toEqual(expected));

  it('has a name of limited length, without halves of characters', () => {
    const name = readColorProfile(`RGB \t${'x'.repeat(99)}😀😀\n`)?.name;
    expect(name).toBe(`${'x'.repeat(99)}\u{fffd}`);
  });

  it.each(['-o', '../x.jpg', 'a b.jpg', '@x'])('is not read from %s', (file) => {
    expect(() => buildProfileProbe(file, 'answer')).toThrow(/Not a name/);
  });
});
