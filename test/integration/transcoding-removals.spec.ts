import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ExecutionControl } from '../../src/modules/converter/execution/transcoding-execution.service.js';
import type { ClaimedTranscoding } from '../../src/modules/converter/transcodings/transcodings.repository.js';
import { UnavailableTranscodingsJob } from '../../src/modules/converter/transcodings/unavailable-transcodings.job.js';
import { FormatDestructionService } from '../../src/modules/formats/format-destruction.service.js';
import { MediaContainersService } from '../../src/modules/library/media-containers.service.js';
import type { Caller } from '../../src/shared/auth/index.js';
import {
  aJob,
  createTranscodingWorld,
  type JobStory,
  renditionItems,
  renditionsIn,
  rowsOf,
  storyOf,
  type TranscodingWorld,
  upload,
  type WorkerProcess,
} from '../support/converter/transcoding-stage.js';
import { eventually } from '../support/eventually.js';

let world: TranscodingWorld;
/** Attempts that have uploaded end when it is opened. */
let open: () => void;
let stage: WorkerProcess;

async function start(): Promise<WorkerProcess> {
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const work = async (job: ClaimedTranscoding, _control: ExecutionControl, process: WorkerProcess['process']) => {
    const made = await upload(job, process);
    await opened;
    return made;
  };
  return await world.start({ worker: 'inline', work });
}

beforeEach(async () => {
  world = await createTranscodingWorld();
  stage = await start();
});
afterEach(async () => {
  open();
  await world.close();
});

const callerOf = ({ customerId }: { customerId: number }) =>
  ({ customerId, userId: 1, adminLevel: 10, scopes: new Set(['api']) }) as unknown as Caller;
async function ended(jobId: string): Promise<JobStory> {
  await eventually(async () => (await storyOf(stage, jobId)).status !== 'running');
  return await storyOf(stage, jobId);
}
/** A job whose rendition has been uploaded, and not been committed. */
async function anUploadedJob() {
  const job = await aJob(stage);
  await eventually(async () => (await renditionsIn(stage)).length === 1);
  return job;
}
async function expectNothingLeft(): Promise<void> {
  open();
  await eventually(async () => (await renditionsIn(stage)).length === 0);
  expect(await renditionItems(stage)).toEqual([]);
  expect(await rowsOf(stage)).toEqual([]);
}

describe('a running transcoding', () => {
  it('of permanently deleted media ends, and so do waiting ones', async () => {
    const { jobId, media, ...owner } = await anUploadedJob();
    const waiting = await stage.queue.enqueue([{ ...owner, ...media, formatId: 1, programs: ['cli:shorten'], isLong: false, priority: 1 }]);
    await stage.process.get(MediaContainersService).delete(callerOf(owner), media.mediaContainerId, { force: true });
    for (const id of [jobId, ...waiting.map((job) => job.jobId)]) {
      expect(await ended(id)).toMatchObject({ status: 'failed', code: 'source_missing', events: [{ status: 'failed' }] });
    }
    await expectNothingLeft();
  });

  it('by a format that is destroyed by force ends', async () => {
    const { jobId, formatId, ...owner } = await anUploadedJob();
    await stage.db.query(`INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, bucket, s3_key)
      SELECT id, customer_id, ${formatId}, 'document', 'older', 'txt', 1, 'b', 'older' FROM media_containers LIMIT 1`);
    await stage.process.get(FormatDestructionService).destroy(callerOf(owner), formatId, { force: true });
    expect(await ended(jobId)).toMatchObject({ status: 'failed', code: 'format_gone', events: [{ status: 'failed' }] });
    await expectNothingLeft();
  });

  it('of a destroyed format without media items ends', async () => {
    const { jobId, formatId, ...owner } = await anUploadedJob();
    await stage.process.get(FormatDestructionService).destroy(callerOf(owner), formatId);
    expect(await ended(jobId)).toMatchObject({ status: 'failed', code: 'format_gone', events: [{ status: 'failed' }] });
    await expectNothingLeft();
  });

  it('by a format that is destroyed softly becomes no media', async () => {
    const { jobId, formatId } = await anUploadedJob();
    await stage.db.query('UPDATE formats SET flag = 1 WHERE id = $1', [formatId]);
    open();
    expect(await ended(jobId)).toMatchObject({ status: 'failed', code: 'format_gone', events: [{ status: 'failed' }] });
    await expectNothingLeft();
  });

  it('of media that is being removed when it is done becomes no media', async () => {
    const { jobId, media } = await anUploadedJob();
    await stage.db.query('UPDATE media_containers SET doomed = true WHERE id = $1', [media.mediaContainerId]);
    open();
    expect(await ended(jobId)).toMatchObject({ status: 'failed', code: 'source_missing' });
    await expectNothingLeft();
  });
});

describe('a transcoding whose programs no worker has', () => {
  const look = async () => await stage.process.get(UnavailableTranscodingsJob).find();
  const endSeen = async () =>
    await stage.db.query(`UPDATE graphile_worker._private_jobs SET run_at = now()
    WHERE task_id = (SELECT id FROM graphile_worker._private_tasks WHERE identifier = 'end_unavailable_transcodings')`);
  const joined = async () => await eventually(async () => (await stage.db.query('SELECT FROM converter_workers')).rowCount === 1);

  it('fails after a day, and names the missing program', async () => {
    await joined();
    const { jobId } = await aJob(stage, { programs: ['cli:shorten'] });
    stage.clock.advance(24 * 3_600 + 1);
    await look();
    await endSeen();
    expect(await ended(jobId)).toMatchObject({
      status: 'failed',
      code: 'format_unavailable',
      message: expect.stringContaining('the tool "shorten"'),
    });
  });

  it('waits for a day', async () => {
    await joined();
    const { jobId } = await aJob(stage, { programs: ['cli:shorten'] });
    stage.clock.advance(24 * 3_600 - 60);
    await look();
    await stage.process.get(UnavailableTranscodingsJob).end([jobId]);
    expect(await storyOf(stage, jobId)).toMatchObject({ status: 'running' });
  });

  it('continues when a worker has them again', async () => {
    await joined();
    const { jobId } = await aJob(stage, { programs: ['cli:shorten'] });
    stage.clock.advance(25 * 3_600);
    await stage.db.query(`UPDATE converter_workers SET programs = '{cli:shorten}'`);
    await stage.process.get(UnavailableTranscodingsJob).end([jobId]);
    expect(await storyOf(stage, jobId)).toMatchObject({ status: 'running' });
  });
});
