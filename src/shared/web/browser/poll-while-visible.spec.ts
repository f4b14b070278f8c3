import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { pollWhileVisible } from './poll-while-visible.js';

const page = Object.assign(new EventTarget(), { hidden: false });
let asked: number[];

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
  asked = [];
  page.hidden = false;
  Object.assign(globalThis, { document: page });
});
afterEach(() => {
  jest.useRealTimers();
  Reflect.deleteProperty(globalThis, 'document');
});

const answers = (...given: (boolean | Error)[]) =>
  jest.fn(async () => {
    asked.push(Date.now());
    const answer = given.length > 1 ? given.shift() : given[0];
    if (answer instanceof Error) throw answer;
    return answer ?? true;
  });
const turn = (hidden: boolean) => {
  page.hidden = hidden;
  page.dispatchEvent(new Event('visibilitychange'));
};

it('asks with growing pauses, until the answer is false', async () => {
  pollWhileVisible(answers(true, true, true, true, true, true, true, true, true, true, false));
  await jest.advanceTimersByTimeAsync(60_000);
  const pauses = asked.map((at, index) => at - (asked[index - 1] ?? 0));
  expect(asked).toHaveLength(11);
  expect(pauses[0]).toBe(1_000);
  expect(pauses.slice(1).every((pause, index) => pause >= (pauses[index] ?? 0))).toBe(true);
  expect(pauses.at(-1)).toBe(5_000);
  turn(false);
  expect(asked).toHaveLength(11);
});

it('does not poll while the page is hidden, and immediately when it is visible again', async () => {
  pollWhileVisible(answers(true));
  await jest.advanceTimersByTimeAsync(1_000);
  turn(true);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual([1_000]);
  turn(false);
  expect(asked).toEqual([1_000, 61_000]);
});

it('continues after an error with the longest pause', async () => {
  pollWhileVisible(answers(new Error('away'), false));
  await jest.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual([1_000, 6_000]);
});

it('can be ended', async () => {
  pollWhileVisible(answers(true))();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual([]);
});
