import { expect, it } from '@jest/globals';
import { EncodeProgress } from './rendition-maker.service.js';

/** What is heard of these lines. */
function heard(expected: number | null, lines: readonly string[]): (number | 'endless')[] {
  const all: (number | 'endless')[] = [];
  const progress = new EncodeProgress(expected, { advance: (part) => all.push(part), endless: () => all.push('endless') });
  for (const line of lines) progress.read(line);
  return all;
}

it('reports the completed share', () => {
  const lines = ['frame=1', 'out_time_us=N/A', 'out_time_us=2500000', 'out_time_ms=2500000', 'out_time=00:00:02.500000', 'progress=end'];
  expect(heard(10, lines)).toEqual([0.25]);
});

it('never reports more than 100 percent', () => {
  expect(heard(10, ['out_time_us=10040000'])).toEqual([1]);
});

it('detects a program that does not end', () => {
  expect(heard(10, ['out_time_us=100000000', 'out_time_us=100000001'])).toEqual([1, 'endless']);
});

it('reports nothing if the length is unknown, and ignores values that are not numbers', () => {
  expect(heard(null, ['out_time_us=2500000'])).toEqual([]);
  expect(heard(10, ['out_time_us=-200', 'out_time_us=', 'out_time_us=1e9', `out_time_us=${'9'.repeat(400)}`])).toEqual([]);
});
