import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ExecutionControl } from '../../src/modules/converter/execution/transcoding-execution.service.js';
import type { TranscodingOutcome } from '../../src/modules/converter/execution/transcoding-outcome.js';
import { TranscodingWorker } from '../../src/modules/converter/transcodings/transcoding.worker.js';
import type { ClaimedTranscoding } from '../../src/modules/converter/transcodings/transcodings.repository.js';
import {
  aFormatOf,
  aJob,
  aTranscoder,
  createTranscodingWorld,
  type JobStory,
  renditionItems,
  renditionsIn,
  rowsOf,
  someMedia,
  storyOf,
  type TranscodingWorld,
  upload,
  type WorkerProcess,
  want,
} from '../support/converter/transcoding-stage.js';
import { eventually } from '../support/eventually.js';

const LATER: TranscodingOutcome = { kind: 'later', reason: 'the storage is away.' };

/** What an attempt waits for before it goes on. */
class Gate {
  open: () => void = () => {};
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

/** Until it is aborted. */
const untilStopped = async ({ signal }: ExecutionControl): Promise<TranscodingOutcome> => {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  return LATER;
};

let world: TranscodingWorld;
beforeEach(async () => {
  world = await createTranscodingWorld();
});
afterEach(async () => await world.close());

async function ended(process: WorkerProcess, jobId: string): Promise<JobStory> {
  await eventually(async () => (await storyOf(process, jobId)).status !== 'running');
  return await storyOf(process, jobId);
}
const running = async (process: WorkerProcess) => await eventually(() => process.attempts.length > 0);

/** What stays of a job that ended well: one item, one event, and of what its attempts wrote only that. */
async function expectOneRendition(process: WorkerProcess, jobId: string): Promise<void> {
  const story = await ended(process, jobId);
  const items = await renditionItems(process);
  expect(items).toEqual([expect.objectContaining({ status: 'successful', id: story.result?.mediaId })]);
  expect(story).toMatchObject({ status: 'successful', progress: 100, events: [{ status: 'successful', mediaId: items[0]?.id }] });
  await eventually(async () => (await renditionsIn(process)).length === 1);
  expect(await renditionsIn(process)).toEqual(items.map(({ s3Key }) => s3Key));
  expect(await rowsOf(process)).toEqual([]);
}

describe('a worker', () => {
  it('makes a rendition, and publishes its end once', async () => {
    const stage = await world.start({ worker: 'inline' });
    const { jobId } = await aJob(stage);
    await expectOneRendition(stage, jobId);
    expect(await renditionItems(stage)).toEqual([expect.objectContaining({ width: 16, height: 9 })]);
  });

  it('reports its progress', async () => {
    const gate = new Gate();
    const work = async (job: ClaimedTranscoding, control: ExecutionControl, process: WorkerProcess['process']) => {
      control.advance(42.7);
      await gate.opened;
      return await upload(job, process);
    };
    const stage = await world.start({ worker: 'inline', work });
    const { jobId } = await aJob(stage);
    await eventually(async () => (await storyOf(stage, jobId)).progress === 42);
    gate.open();
    expect(await ended(stage, jobId)).toMatchObject({ progress: 100 });
  });

  it('reports why it failed, with the last output of the program', async () => {
    const failed: TranscodingOutcome = {
      kind: 'failed',
      code: 'tool_failed',
      message: 'It could not be read.',
      log: 'moov atom not found',
    };
    const stage = await world.start({ worker: 'inline', work: async () => failed });
    const { jobId, media } = await aJob(stage);
    expect(await ended(stage, jobId)).toMatchObject({
      status: 'failed',
      code: 'tool_failed',
      message: 'It could not be read.',
      events: [{ status: 'failed', mediaId: media.sourceMediaId }],
    });
    expect(await stage.db.queryOne('SELECT log FROM activities WHERE id = $1', [jobId])).toEqual({ log: 'moov atom not found' });
  });

  it('repeats an interrupted transcoding with growing delays, five times', async () => {
    const stage = await world.start({ worker: 'inline', work: async () => LATER });
    const begun = stage.clock.now().getTime();
    const { jobId } = await aJob(stage);
    for (const [index, seconds] of [15, 30, 60, 120].entries()) {
      const waiting = await eventually(async () => (await rowsOf(stage)).find(({ failures }) => failures === index + 1));
      expect(waiting).toMatchObject({ state: 'ready', attempt: index + 1 });
      expect((waiting?.readyAt.getTime() ?? 0) - stage.clock.now().getTime()).toBe(seconds * 1_000);
      stage.clock.advance(seconds);
    }
    expect(await ended(stage, jobId)).toMatchObject({
      status: 'failed',
      code: 'transcoding_gave_up',
      message: 'The transcoding was interrupted 5 times; the last time: the storage is away.',
      events: [{ status: 'failed' }],
    });
    expect(stage.clock.now().getTime() - begun).toBe(225_000);
    expect(stage.attempts).toHaveLength(5);
  });

  it('repeats a transcoding every 15 seconds for as long as an outage lasts', async () => {
    let isOver = false;
    const work = async (job: ClaimedTranscoding, _control: ExecutionControl, process: WorkerProcess['process']) =>
      isOver ? await upload(job, process) : ({ ...LATER, isOutage: true } as const);
    const stage = await world.start({ worker: 'inline', work });
    const { jobId } = await aJob(stage);
    for (let attempt = 1; attempt <= 7; attempt += 1) {
      const waits = async () => (await rowsOf(stage)).find((row) => row.state === 'ready' && row.attempt === attempt);
      const waiting = await eventually(waits);
      expect([waiting?.failures, (waiting?.readyAt.getTime() ?? 0) - stage.clock.now().getTime()]).toEqual([0, 15_000]);
      isOver = attempt === 7;
      stage.clock.advance(15);
      stage.worker.wake();
    }
    await expectOneRendition(stage, jobId);
  });

  it('replaces the previous rendition, whose object is kept for an hour', async () => {
    const stage = await world.start({ worker: 'inline' });
    const { jobId, media, customerId, formatId } = await aJob(stage);
    await ended(stage, jobId);
    const [again = ''] = await want(stage, { customerId, media: [media], formatId });
    await ended(stage, again);
    expect((await renditionItems(stage)).map(({ status }) => status)).toEqual(['deleted', 'successful']);
    expect(await renditionsIn(stage)).toHaveLength(2);
    await stage.db.query(`UPDATE graphile_worker._private_jobs SET run_at = now() WHERE run_at > now() + interval '50 minutes'`);
    await eventually(async () => (await renditionItems(stage)).length === 1); // the object goes before its row
    expect(await renditionItems(stage)).toEqual([expect.objectContaining({ status: 'successful' })]);
    expect(await renditionsIn(stage)).toHaveLength(1);
  });

  it('stops when the job is cancelled, and leaves nothing', async () => {
    const stage = await world.start({ worker: 'inline', work: async (_job, control) => await untilStopped(control) });
    const { jobId, customerId } = await aJob(stage);
    await running(stage);
    expect(await stage.queue.cancel(customerId, jobId)).toBe(true);
    const { jobId: next } = await aJob(stage); // is begun with when the place is free
    await eventually(() => stage.attempts.some(({ id }) => id === next));
    expect(await storyOf(stage, jobId)).toMatchObject({ status: 'failed', code: 'cancelled', events: [{ status: 'failed' }] });
  });

  it('that uploads before it is notified of the cancellation leaves no object', async () => {
    const gate = new Gate();
    const work = async (job: ClaimedTranscoding, _control: ExecutionControl, process: WorkerProcess['process']) => {
      const made = await upload(job, process);
      await gate.opened;
      return made;
    };
    const stage = await world.start({ worker: 'inline', work });
    const { jobId, customerId } = await aJob(stage);
    await eventually(async () => (await renditionsIn(stage)).length === 1);
    await stage.queue.cancel(customerId, jobId);
    gate.open();
    await eventually(async () => (await renditionsIn(stage)).length === 0);
    expect(await renditionItems(stage)).toEqual([]);
    expect((await storyOf(stage, jobId)).events).toHaveLength(1);
  });

  it('releases its transcodings when it stops, without a failure', async () => {
    const stage = await world.start({ worker: 'inline', work: async (_job, control) => await untilStopped(control) });
    const { jobId } = await aJob(stage);
    await running(stage);
    await stage.close();
    const next = await world.start({ worker: 'off' });
    expect(await rowsOf(next)).toEqual([expect.objectContaining({ id: jobId, state: 'ready', attempt: 1, failures: 0, lockedBy: null })]);
    await expectOneRendition(await world.start({ worker: 'inline' }), jobId);
  });
});

describe('two workers', () => {
  it('share forty jobs, each of which is made once', async () => {
    const [left, right] = [await world.start({ worker: 'inline' }), await world.start({ worker: 'inline' })];
    const owner = await aTranscoder(left);
    const [formatId, media] = [await aFormatOf(left, owner), await someMedia(left, owner, 40)];
    const ids = await want(left, { customerId: owner.customerId, media, formatId });
    for (const id of ids) expect(await ended(left, id)).toMatchObject({ status: 'successful', events: [{ status: 'successful' }] });
    expect([...left.attempts, ...right.attempts].map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(await renditionItems(left)).toHaveLength(40);
    expect(await renditionsIn(left)).toHaveLength(40);
  });

  it('do not both end a job: a stalled one that resumes changes nothing', async () => {
    const gate = new Gate();
    const work = async (job: ClaimedTranscoding, _control: ExecutionControl, process: WorkerProcess['process']) => {
      await gate.opened;
      return await upload(job, process);
    };
    const stalled = await world.start({ worker: 'inline', work });
    const { jobId } = await aJob(stalled);
    await running(stalled);
    const other = await world.start({ worker: 'inline' });
    await other.db.query(`UPDATE transcoding_jobs SET heartbeat_at = now() - interval '2 minutes'`);
    await other.process.get(TranscodingWorker).releaseStalled();
    expect(await rowsOf(other)).toEqual([expect.objectContaining({ state: 'ready', failures: 1 })]);
    other.clock.advance(15);
    const story = await ended(other, jobId);
    gate.open();
    await stalled.close(); // when it has seen that the job is not its own
    expect(await storyOf(other, jobId)).toEqual(story);
    expect(other.attempts).toEqual([expect.objectContaining({ id: jobId, attempt: 2 })]);
    await expectOneRendition(other, jobId);
  });

  it('that makes progress is not treated as stalled', async () => {
    const stage = await world.start({ worker: 'inline', work: async (_job, control) => await untilStopped(control) });
    await aJob(stage);
    await running(stage);
    await stage.process.get(TranscodingWorker).releaseStalled();
    expect(await rowsOf(stage)).toEqual([expect.objectContaining({ state: 'running', failures: 0 })]);
  });
});
