import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { ProblemError } from '@media-delivery/sdk/uploader';
import { PreviewWatch } from './preview-watch.js';
import type { PreviewProgress } from './service-client.js';

const page = Object.assign(new EventTarget(), { hidden: false });
let answers: Record<string, PreviewProgress[] | Error>;
let asked: string[];
let changes: number;
let watch: PreviewWatch;

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
  Object.assign(globalThis, { document: page });
  [answers, asked, changes] = [{}, [], 0];
  const previewProgress = async (uploadId: string) => {
    asked.push(uploadId);
    const answer = answers[uploadId] ?? [];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  watch = new PreviewWatch({ previewProgress }, () => {
    changes += 1;
  });
});
afterEach(() => {
  watch.stop();
  jest.useRealTimers();
  Reflect.deleteProperty(globalThis, 'document');
});

const doing = (mediaContainerId: number, progress: number, status: PreviewProgress['status'] = 'running'): PreviewProgress => ({
  ...{ mediaContainerId, progress, status },
});
const wait = async (seconds: number) => await jest.advanceTimersByTimeAsync(seconds * 1_000);
const refusal = (status: number) => new ProblemError({ status, code: 'x', detail: 'x', retryAfter: null });

it('returns the progress of each file until all are ready', async () => {
  answers = { a: [doing(1, 10), doing(2, 100, 'successful')] };
  watch.start(['a']);
  await wait(60);
  expect([watch.progressOf(1), watch.progressOf(2), watch.progressOf(3), watch.progressOf(undefined)]).toEqual([
    answers.a?.[0 as never],
    doing(2, 100, 'successful'),
    null,
    null,
  ]);
  expect(watch.isRunning).toBe(true);
  answers = { a: [doing(1, 100, 'successful')] };
  await wait(5);
  expect(watch.isRunning).toBe(false);
  const before = asked.length;
  await wait(60);
  expect(asked).toHaveLength(before);
});

it('waits a limited time for previews that have not started', async () => {
  watch.start(['a']);
  await wait(60);
  expect(asked.length).toBeGreaterThan(2);
  expect(asked.length).toBeLessThan(10);
});

it('stops polling refused uploads, and continues with others and after failures', async () => {
  answers = { a: refusal(404), b: [doing(1, 10)] };
  watch.start(['a', 'b']);
  await wait(60);
  expect(asked.filter((one) => one === 'b').length).toBeGreaterThan(asked.filter((one) => one === 'a').length);
  answers = { b: ProblemError.network('away') };
  await wait(10);
  answers = { b: [doing(1, 20)] };
  await wait(5);
  expect(watch.progressOf(1)?.progress).toBe(20);
});

it('forgets everything when it is ended', async () => {
  answers = { a: [doing(1, 10)] };
  watch.start(['a']);
  await wait(1);
  watch.stop();
  const before = changes;
  await wait(60);
  expect([watch.progressOf(1), watch.isRunning, changes - before]).toEqual([null, false, 0]);
});
