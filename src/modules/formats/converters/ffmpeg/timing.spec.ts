import { expect, it } from '@jest/globals';
import { outputLength } from './timing.js';

it.each([
  [{}, {}, 60, 60],
  [{ ss: 10 }, {}, 60, 50],
  [{ ss: 10, t: 5 }, {}, 60, 5],
  [{ t: 90 }, {}, 60, 60],
  [{ ss: 90 }, {}, 60, 30],
  [{}, { testMode: {} }, 60, 5],
  [{ t: 2 }, { testMode: { seconds: 3 } }, 60, 2],
  [{}, { testMode: {} }, null, 5],
  [{ ss: 10 }, {}, null, null],
])('%j with %j of %d seconds makes %d seconds', (command, settings, duration, expected) => {
  expect(outputLength(command, settings, { duration })).toBe(expected);
});
