import { expect, it } from '@jest/globals';
import { describeClosing, describeLimits } from './describe-limits.js';

const none = { allowedTypes: [], maxItemsPerDay: null, maxBytesPerDay: null };

it('is empty for a dropsite without limits', () => {
  expect(describeLimits(none)).toBe('');
});

it.each([
  [{ allowedTypes: ['image' as const] }, 'Images only.'],
  [{ allowedTypes: ['image' as const, 'video' as const, 'audio' as const] }, 'Images, videos and sound files only.'],
  [{ maxItemsPerDay: 1 }, 'At most 1 file a day.'],
  [{ maxItemsPerDay: 1_200, maxBytesPerDay: 2_500_000_000 }, 'At most 1,200 files and 2.5\u00a0GB a day.'],
  [{ maxBytesPerDay: 999 }, 'At most 999\u00a0bytes a day.'],
])('%j', (limits, text) => {
  expect(describeLimits({ ...none, ...limits })).toBe(text);
});

it.each([
  ['2026-02-03T14:05:00Z', 'Open until 3 February 2026 at 14:05 UTC.'],
  ['2026-03-01', 'Open until the end of 28 February 2026 (UTC).'],
  ['2026-03-01T23:59:59.999Z', 'Open until the end of 1 March 2026 (UTC).'],
])('describes the closing at %s', (expiresAt, text) => {
  expect(describeClosing(new Date(expiresAt))).toBe(text);
});
