import { describe, expect, it } from '@jest/globals';
import { EmailFormats } from './email-formats.js';

const [en, de] = [new EmailFormats('en'), new EmailFormats('de')];
/** Intl puts spaces that do not break. */
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ');

describe('formats', () => {
  it.each([
    [0, '0 bytes', '0 Byte'],
    [1, '1 byte', '1 Byte'],
    [999, '999 bytes', '999 Byte'],
    [1_000, '1 kB', '1 kB'],
    [1_234_000_000, '1.2 GB', '1,2 GB'],
    [999_960, '1 MB', '1 MB'],
    [5e15, '5 PB', '5 PB'],
    [2e19, '20,000 PB', '20.000 PB'],
  ])('of a size of %d bytes', (bytes, english, german) => {
    expect([en.size(bytes), de.size(bytes)].map(plain)).toEqual([english, german]);
  });

  it.each([
    [0, '0 seconds', '0 Sekunden'],
    [-5, '0 seconds', '0 Sekunden'],
    [1, '1 second', '1 Sekunde'],
    [59.6, '1 minute', '1 Minute'],
    [90, '1 minute, 30 seconds', '1 Minute, 30 Sekunden'],
    [7_505, '2 hours, 5 minutes', '2 Stunden, 5 Minuten'],
    [7_200, '2 hours', '2 Stunden'],
    [90_000, '1 day, 1 hour', '1 Tag, 1 Stunde'],
  ])('of a duration of %d seconds', (seconds, english, german) => {
    expect([en.duration(seconds), de.duration(seconds)].map(plain)).toEqual([english, german]);
  });

  it('of numbers and counts', () => {
    expect([en.number(12_345), de.number(12_345)]).toEqual(['12,345', '12.345']);
    const words = { one: '# file', other: '# files' };
    expect([0, 1, 2, 1_000].map((value) => en.count(value, words))).toEqual(['0 files', '1 file', '2 files', '1,000 files']);
  });

  it('of moments, which name their zone', () => {
    const moment = new Date('2026-02-03T14:05:59Z');
    expect([en.moment(moment), de.moment(moment)].map(plain)).toEqual(['3 February 2026 at 14:05 UTC', '3. Februar 2026 um 14:05 UTC']);
  });
});
