import { expect, it } from '@jest/globals';
import { countFiles, formatBytes, formatDuration, percentOf } from './format.js';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

it.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1_000, '1 kB'],
  [1_240, '1.2 kB'],
  [99_960, '100 kB'],
  [999_600, '1 MB'],
  [1_234_567_890, '1.2 GB'],
  [66_140_000, '66.1 MB'],
  [840_000, '840 kB'],
  [5_497_558_138_880, '5.5 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(plain(formatBytes(bytes))).toBe(text);
});

it.each([
  [3, 'a few seconds'],
  [31, '40 s'],
  [59, '60 s'],
  [61, '1 min'],
  [3_590, '1 h'],
  [5_400, '1 h 30 min'],
  [41_000, '11 h'],
  [250_000, '3 days'],
])('%d seconds are %s', (seconds, text) => {
  expect(plain(formatDuration(seconds))).toBe(text);
});

it('counts files', () => {
  expect([countFiles(1), countFiles(2), countFiles(12_345)]).toEqual(['1 file', '2 files', '12,345 files']);
});

it('shows 100 percent only when complete', () => {
  expect([percentOf(0, 0), percentOf(999, 1_000), percentOf(1_000, 1_000)]).toEqual([0, 99, 100]);
});
