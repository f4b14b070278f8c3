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

it('believes the storage rather than the service', () => {
  const clock = new ServerClock(() => 1_000_000);
  clock.pin('1970-01-01T01:00:00Z');
  clock.learn('Thu, 01 Jan 1970 02:00:00 GMT');
  expect(clock.now()).toBe(3_600_000);
  clock.pin('1970-01-01T03:00:00Z');
  expect(clock.now()).toBe(10_800_000);
});
