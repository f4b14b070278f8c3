import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Connection } from './connection.js';

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
});
afterEach(() => {
  jest.useRealTimers();
});

const aConnection = () => new Connection({ random: () => 0.5 });
const waits = (connection: Connection) => {
  const state = { isReady: false };
  void connection.ready().then(() => {
    state.isReady = true;
  });
  return state;
};

it('waits longer after each failure, up to half a minute', async () => {
  const connection = aConnection();
  const delays = [];
  for (let count = 0; count < 7; count += 1) {
    connection.fail();
    delays.push((connection.retryAt ?? 0) - Date.now());
    await jest.advanceTimersByTimeAsync(delays.at(-1) ?? 0);
  }
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

it('holds all requests until the next attempt', async () => {
  const connection = aConnection();
  connection.fail();
  const state = waits(connection);
  await jest.advanceTimersByTimeAsync(999);
  expect(state.isReady).toBe(false);
  await jest.advanceTimersByTimeAsync(1);
  expect([state.isReady, connection.isLost, connection.retryAt]).toEqual([true, true, null]);
});

it('retries immediately on request', async () => {
  const connection = aConnection();
  connection.fail();
  const state = waits(connection);
  connection.tryNow();
  await jest.advanceTimersByTimeAsync(0);
  expect(state.isReady).toBe(true);
});

it('counts requests that fail together as one failure', () => {
  const connection = aConnection();
  for (let count = 0; count < 4; count += 1) connection.fail();
  expect(connection.retryAt).toBe(1_000);
});

it('is fine when something got through, and begins with short delays again', () => {
  const connection = aConnection();
  connection.fail();
  connection.tryNow();
  connection.restore();
  expect(connection.isLost).toBe(false);
  connection.fail();
  expect(connection.retryAt).toBe(1_000);
});

it('waits as long as the other side asks for', () => {
  const connection = aConnection();
  connection.fail({ reason: 'busy', atLeastSeconds: 45 });
  expect([connection.retryAt, connection.reason]).toEqual([45_000, 'busy']);
});
