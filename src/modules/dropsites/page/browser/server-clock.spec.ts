import { expect, it } from '@jest/globals';
import { ServerClock } from './server-clock.js';

it('shows the time of the other side, and the local one until it is known', () => {
  const clock = new ServerClock(() => 1_000_000);
  expect(clock.now()).toBe(1_000_000);
  clock.learn('Thu, 01 Jan 1970 02:00:00 GMT');
  expect(clock.now()).toBe(7_200_000);
  clock.learn('no time');
  clock.learn(null);
  expect(clock.now()).toBe(7_200_000);
});
