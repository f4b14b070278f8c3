import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TranscodingOutcome } from '../../src/modules/converter/execution/transcoding-outcome.js';
import {
  TranscodingCompletionService,
  type TranscodingEnd,
} from '../../src/modules/converter/transcodings/transcoding-completion.service.js';
import type { ClaimedTranscoding } from '../../src/modules/converter/transcodings/transcodings.repository.js';
import { MediaReaderRepository } from '../../src/modules/media/index.js';
import { EVENT_NAMES, EventOutboxService } from '../../src/shared/events/index.js';
import { startMetrics } from '../../src/shared/metrics.js';
import {
  ANY_PLACE,
  aJob,
  createTranscodingWorld,
  renditionItems,
  rowsOf,
  SOURCE,
  type SourceMedia,
  storyOf,
  type TranscodingWorld,
  upload,
  type WorkerProcess,
} from '../support/converter/transcoding-stage.js';
import { rises } from '../support/metrics.js';

const FAILED: TranscodingEnd = { kind: 'failed', code: 'tool_failed', message: 'The file is no video.', log: null };
const UNCHANGED: TranscodingEnd = { kind: 'made', rendition: null, source: SOURCE };

describe('the end of a transcoding', () => {
  let world: TranscodingWorld;
  let stage: WorkerProcess;
  beforeAll(async () => {
    world = await createTranscodingWorld();
    stage = await world.start({ worker: 'off' });
  });
  afterAll(async () => await world.close());

  /** A job that the worker `holder` has. */
  async function aClaimedJob(): Promise<{ job: ClaimedTranscoding; media: SourceMedia; formatId: number }> {
    const { media, formatId } = await aJob(stage);
    const job = await stage.transcodings.claim([], 'holder', ANY_PLACE);
    if (!job) throw new Error('Nothing waits.');
    return { job, media, formatId };
  }
  const complete = async (job: ClaimedTranscoding, end: TranscodingOutcome, holder: string | null = 'holder') =>
    await stage.process.get(TranscodingCompletionService).complete(job, holder, end as TranscodingEnd);
  const itemsOf = async ({ mediaContainerId }: SourceMedia) =>
    (await renditionItems(stage)).filter((item) => item.mediaContainerId === mediaContainerId);
  const original = async ({ sourceMediaId }: SourceMedia) =>
    await stage.db.queryOne('SELECT width, height, duration, codec FROM media_items WHERE id = $1', [sourceMediaId]);

  it('is shown by the job, and published as an event', async () => {
    const { job, media, formatId } = await aClaimedJob();
    expect(await complete(job, await upload(job, stage.process))).toBe(true);
    const [item] = await itemsOf(media);
    expect(item).toMatchObject({ formatId, status: 'successful' });
    const { mediaContainerId } = media;
    expect(await storyOf(stage, job.id)).toMatchObject({
      status: 'successful',
      progress: 100,
      result: { status: 'successful', mediaContainerId, mediaId: item?.id, formatId },
      events: [{ status: 'successful', mediaId: item?.id, depth: 0 }],
    });
  });

  it('stores where the segments and pictures of a rendition are', async () => {
    const { job, media } = await aClaimedJob();
    const made = await upload(job, stage.process);
    if (made.kind !== 'made' || !made.rendition) throw new Error('Nothing was uploaded.');
    const facts = { codecs: 'avc1.64001f', bandwidth: 2_000_000, averageBandwidth: 1_500_000, frameRate: 25, segments: 2 };
    const index = { headerBytes: 700, segmentBytes: [90_000, 40_000], segmentMs: [4_000, 1_960] };
    const storyboard = { intervalSeconds: 10, pictures: 3, columns: 2, rows: 2 };
    await complete(job, { ...made, rendition: { ...made.rendition, streaming: { facts, index }, storyboard } });
    const queries = stage.process.get(MediaReaderRepository);
    const [{ items = [] } = {}] = await queries.findMany(job.customerId, [media.mediaContainerId]);
    const item = items.at(-1);
    expect(item).toMatchObject({ streaming: facts, storyboard });
    expect(await queries.findStreamingIndex(item?.id ?? 0)).toEqual({ mediaItemId: item?.id, ...index });
    expect(await queries.findStreamingIndex(media.sourceMediaId)).toBeNull();
  });

  it('of a rendition that the original does not need is a success without a media item', async () => {
    const { job, media, formatId } = await aClaimedJob();
    const facts = { width: 640, height: 400, duration: 9, codec: 'h264' };
    const reason = 'The original has 400 lines.';
    expect(await complete(job, { kind: 'skipped', reason, source: { facts, technicalMetadata: null } })).toBe(true);
    expect(await itemsOf(media)).toEqual([]);
    expect(await original(media)).toEqual(facts);
    const ids = { mediaContainerId: media.mediaContainerId, mediaId: media.sourceMediaId, formatId };
    expect(await storyOf(stage, job.id)).toMatchObject({
      ...{ status: 'successful', progress: 100 },
      result: { status: 'successful', skipped: true, message: reason, ...ids },
      events: [{ status: 'successful', skipped: true, mediaId: media.sourceMediaId }],
    });
  });

  it('has the reason of a failure, with the original', async () => {
    const { job, media } = await aClaimedJob();
    expect(await complete(job, FAILED)).toBe(true);
    expect(await storyOf(stage, job.id)).toMatchObject({
      status: 'failed',
      code: 'tool_failed',
      message: 'The file is no video.',
      result: null,
      events: [{ status: 'failed', mediaId: media.sourceMediaId }],
    });
  });

  it('is counted by outcome and code when it has been recorded', async () => {
    const scrape = startMetrics();
    const series = ['outcome="failed",reason="tool_failed"', 'outcome="interrupted",reason=""', 'outcome="made",reason=""'];
    const { job } = await aClaimedJob();
    const completion = stage.process.get(TranscodingCompletionService);
    const risen = await rises(
      scrape,
      series.map((labels) => `transcodings_total{${labels}}`),
      async () => {
        await complete(job, FAILED, 'another worker');
        await complete(job, FAILED);
        await completion.interrupt((await aClaimedJob()).job, 'holder', 'its worker died.');
      },
    );
    expect(Object.values(risen)).toEqual([1, 1, 0]);
  });

  it('is recorded once, despite repeated reports', async () => {
    const { job } = await aClaimedJob();
    const made = await upload(job, stage.process);
    const told = await Promise.all([complete(job, made), complete(job, FAILED), complete(job, made)]);
    expect(told.filter(Boolean)).toHaveLength(1);
    expect((await storyOf(stage, job.id)).events).toHaveLength(1);
  });

  it('cannot be recorded by a worker without the claim', async () => {
    const { job } = await aClaimedJob();
    expect(await complete(job, FAILED, 'somebody else')).toBe(false);
    expect(await complete(job, FAILED, null)).toBe(false);
    expect(await complete({ ...job, attempt: job.attempt - 1 }, FAILED)).toBe(false);
    expect(await storyOf(stage, job.id)).toMatchObject({ status: 'running', events: [] });
    expect(await complete(job, FAILED)).toBe(true);
  });

  it('leaves everything as it was when the event cannot be written', async () => {
    const { job, media } = await aClaimedJob();
    stage.process.get(EventOutboxService).addListener(EVENT_NAMES, 'in-transaction', async ({ payload }) => {
      if (payload.jobId === job.id) throw new Error('no room');
    });
    await expect(complete(job, await upload(job, stage.process))).rejects.toThrow('no room');
    expect(await storyOf(stage, job.id)).toMatchObject({ status: 'running', events: [] });
    expect(await itemsOf(media)).toEqual([]);
    expect(await rowsOf(stage)).toContainEqual(expect.objectContaining({ id: job.id, lockedBy: 'holder' }));
  });

  it('of a format that is the original itself makes no item', async () => {
    const { job, media } = await aClaimedJob();
    expect(await complete(job, UNCHANGED)).toBe(true);
    expect(await storyOf(stage, job.id)).toMatchObject({ events: [{ status: 'successful', mediaId: media.sourceMediaId }] });
    expect(await itemsOf(media)).toEqual([]);
  });

  it('adds missing technical data to the original', async () => {
    const { job, media } = await aClaimedJob();
    await stage.db.query('UPDATE media_items SET width = 7 WHERE id = $1', [media.sourceMediaId]);
    const facts = { width: 640, height: 360, duration: 2.5, codec: 'h264' };
    await complete(job, { ...UNCHANGED, source: { facts, technicalMetadata: { streams: [1] } } });
    expect(await original(media)).toEqual({ ...facts, width: 7 });
    const container = 'SELECT technical_metadata AS described FROM media_containers WHERE id = $1';
    expect(await stage.db.queryOne(container, [media.mediaContainerId])).toEqual({ described: { streams: [1] } });
  });

  it('keeps existing technical metadata if none was requested', async () => {
    const { job, media } = await aClaimedJob();
    await stage.db.query(`UPDATE media_containers SET technical_metadata = '{"streams":[1]}' WHERE id = $1`, [media.mediaContainerId]);
    await complete(job, UNCHANGED);
    const container = 'SELECT technical_metadata AS described FROM media_containers WHERE id = $1';
    expect(await stage.db.queryOne(container, [media.mediaContainerId])).toEqual({ described: { streams: [1] } });
  });
});
