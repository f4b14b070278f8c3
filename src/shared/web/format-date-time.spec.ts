import { expect, it } from '@jest/globals';
import { formatDateTime } from './pages.js';

it('writes a moment in UTC, whatever zone it was given in, and keeps the time on one line', () => {
  expect(formatDateTime(new Date('2026-02-03T00:05:00+02:00'))).toBe('2 Feb 2026, 22:05\u00a0UTC');
});
