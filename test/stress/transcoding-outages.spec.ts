import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ExecutionControl } from '../../src/modules/converter/execution/transcoding-execution.service.js';
import type { ClaimedTranscoding } from '../../src/modules/converter/transcodings/transcodings.repository.js';
import { capturedLog } from '../support/captured-log.js';
import {
  ANY_PLACE,
  aJob,
  createTranscodingWorld,
  renditionItems,
  renditionsIn,
  rowsOf,
  storyOf,
  type TranscodingWorld,
  upload,
  type WorkerProcess,
} from '../support/converter/transcoding-stage.js';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database/database-proxy.js';
import { eventually } from '../support/eventually.js';

/** A dead worker is missed after three looks, a second apart; more on a busy machine. */
const MAX_WAIT_MS = 30_000;

let world: TranscodingWorld;
let proxy: DatabaseProxy;
/** Always reaches the database, and works on nothing. */
let observer: WorkerProcess;
/** Its database may be away; it uploads, and ends when it is let. */
let worker: WorkerProcess;
let open: () => void;
/** Whether it asks, before it uploads, if the job is its own. */
let asks: boolean;
let log: ReturnType<typeof capturedLog>;

beforeEach(async () => {
  world = await createTranscodingWorld();
  proxy = await startDatabaseProxy(world.database);
  log = capturedLog('debug');
  asks = false;
  observer = await world.start({ worker: 'off' });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const work = async (job: ClaimedTranscoding, control: ExecutionControl, process: WorkerProcess['process']) => {
    await opened;
    if (asks && !(await control.isClaimed())) throw new Error('The job was given to another worker.');
    return await upload(job, process);
  };
  worker = await world.start({ worker: 'inline', work, databaseUrl: proxy.url, log: log.log });
});
afterEach(async () => {
  open();
  proxy.cutOff(false);
  await world.close();
  await proxy.close();
});

async function aRunningJob(): Promise<string> {
  const { jobId } = await aJob(observer);
  await eventually(() => worker.attempts.length > 0, MAX_WAIT_MS);
  return jobId;
}

const cannotLook = async () =>
  await eventually(() => log.lines.some(({ msg }) => msg === 'cannot look for transcoding jobs, trying again'), MAX_WAIT_MS);

async function expectOneRendition(jobId: string): Promise<void> {
  await eventually(async () => (await storyOf(observer, jobId)).status !== 'running', MAX_WAIT_MS);
  expect(await storyOf(observer, jobId)).toMatchObject({ status: 'successful', events: [{ status: 'successful' }] });
  const items = await renditionItems(observer);
  expect(items).toHaveLength(1);
  await eventually(async () => (await renditionsIn(observer)).length === 1, MAX_WAIT_MS);
  expect(await renditionsIn(observer)).toEqual(items.map(({ s3Key }) => s3Key));
  expect(await rowsOf(observer)).toEqual([]);
}

describe('a worker whose database is away', () => {
  it('commits its result when the database is back', async () => {
    const jobId = await aRunningJob();
    proxy.cutOff(true);
    open();
    await eventually(async () => (await renditionsIn(observer)).length === 1, MAX_WAIT_MS); // made, and not recorded
    proxy.cutOff(false);
    await expectOneRendition(jobId);
    expect(worker.attempts).toHaveLength(1);
  });

  it('keeps its result until it has verified its claim', async () => {
    asks = true;
    const jobId = await aRunningJob();
    proxy.cutOff(true);
    open();
    await eventually(() => log.lines.some(({ msg }) => msg === 'cannot listen for notifications, trying again'), MAX_WAIT_MS);
    expect(await renditionsIn(observer)).toEqual([]);
    proxy.cutOff(false);
    await expectOneRendition(jobId);
    expect(worker.attempts).toHaveLength(1);
  });

  it('is treated as dead by others, and changes nothing when it is back', async () => {
    const jobId = await aRunningJob();
    const other = await world.start({ worker: 'inline' });
    proxy.cutOff(true);
    await eventually(async () => (await rowsOf(observer))[0]?.failures === 1, MAX_WAIT_MS);
    other.clock.advance(15);
    await eventually(async () => (await storyOf(observer, jobId)).status === 'successful', MAX_WAIT_MS);
    const story = await storyOf(observer, jobId);
    open();
    await eventually(async () => (await renditionsIn(observer)).length === 2, MAX_WAIT_MS); // it goes on with what it has
    proxy.cutOff(false);
    await expectOneRendition(jobId);
    expect(await storyOf(observer, jobId)).toEqual(story);
    expect(other.attempts).toEqual([expect.objectContaining({ id: jobId, attempt: 2 })]);
  });

  it('takes jobs again when it is back', async () => {
    proxy.cutOff(true);
    const { jobId } = await aJob(observer);
    open();
    proxy.cutOff(false);
    await expectOneRendition(jobId);
  });

  it('releases claims whose response was lost', async () => {
    const { jobId } = await aJob(observer, { programs: ['cli:lost'] });
    proxy.cutOff(true); // when it cannot look it has doubts
    await cannotLook();
    await observer.transcodings.claim(['cli:lost'], worker.worker.name, ANY_PLACE); // the claim whose answer it never got
    proxy.cutOff(false);
    await eventually(async () => (await rowsOf(observer))[0]?.state === 'ready', MAX_WAIT_MS);
    expect(await rowsOf(observer)).toEqual([expect.objectContaining({ id: jobId, failures: 0 })]);
  });
});
