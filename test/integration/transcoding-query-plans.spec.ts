import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TranscodingQueueService } from '../../src/modules/converter/transcodings/transcoding-queue.service.js';
import { type ClaimedTranscoding, TranscodingsRepository } from '../../src/modules/converter/transcodings/transcodings.repository.js';
import { FileDescriptionsRepository, MediaReaderRepository, MediaRenditionsService } from '../../src/modules/media/index.js';
import { Database } from '../../src/shared/database/index.js';
import { ANY_PLACE } from '../support/converter/transcoding-stage.js';
import { FilledWorld } from '../support/database/query-plans.js';

const ROWS = 20_000;
const CUSTOMERS = 100;

const SEED = [
  `INSERT INTO customers (name) SELECT 'customer ' || n FROM generate_series(1, ${CUSTOMERS}) AS n`,
  `INSERT INTO users (customer_id, email) SELECT n, 'user' || n || '@example.org' FROM generate_series(1, ${CUSTOMERS}) AS n`,
  `INSERT INTO media_containers (customer_id, creator_id, type, name)
    SELECT 1 + n % ${CUSTOMERS}, 1 + n % ${CUSTOMERS}, 'document', 'Letter' FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status, bucket, s3_key)
    SELECT n, 1 + n % ${CUSTOMERS}, 1, 'document', 'a', 'txt', 1, 'successful', 'b', 'key' || n FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO activities (id, customer_id, type) SELECT gen_random_uuid(), 1 + n % ${CUSTOMERS}, 'transcoding' FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO transcoding_jobs (id, customer_id, media_container_id, source_media_id, format_id, programs, is_long, priority, turn, state, ready_at,
      locked_by, heartbeat_at)
    SELECT gen_random_uuid(), 1 + n % ${CUSTOMERS}, n, n, 1, '{ffmpeg,ffprobe}', n % 4 = 0, n % 2, n / ${CUSTOMERS}, CASE WHEN n <= 8 THEN 'running' ELSE 'ready' END,
      now(), CASE WHEN n <= 8 THEN 'worker ' || n END, now() FROM generate_series(1, ${ROWS}) AS n`,
  'ANALYZE',
];

const LAST_PLACE = { ...ANY_PLACE, maxExpectedSeconds: 600, withoutCustomers: [7, 8] };
const LARGE = ['activities', 'media_containers', 'media_items', 'transcoding_jobs'];

describe('the statements of transcodings', () => {
  let world: FilledWorld;
  beforeAll(async () => {
    world = await FilledWorld.start({ seed: SEED, large: LARGE });
  });
  afterAll(async () => await world?.close());

  const transcodings = () => world.process.get(TranscodingsRepository);
  const source = { customerId: 7, mediaContainerId: 70, sourceMediaId: 70, formatId: 2 };
  const job: ClaimedTranscoding = { ...source, id: randomUUID(), priority: 1, attempt: 1, failures: 0, depth: 0 };
  const rendition = {
    ...{ type: 'document' as const, fileExtension: 'txt', fileSize: 1, etag: 'e', version: null, s3Key: 'made', test: false },
    facts: { width: null, height: null, duration: null, codec: null },
    crc32: null,
    streaming: null,
    storyboard: null,
  };
  const original = { id: 70, etag: 'e', version: null };
  const facts = { width: null, height: null, duration: null, codec: null };
  const description = { version: 1 as const, problem: null, content: null, size: 1, ...facts, media: null };
  const inspected = { description, scripted: null, webVttKey: null };
  const committed = async (work: () => Promise<unknown>) => await world.process.get(Database).transaction(work);

  it.each<[string, () => Promise<unknown>]>([
    [
      'a new job',
      async () => await world.process.get(TranscodingQueueService).enqueue([{ ...source, programs: [], isLong: false, priority: 1 }]),
    ],
    ['the next job', async () => await transcodings().claim(['ffmpeg', 'ffprobe'], 'worker', { ...ANY_PLACE, isLong: true })],
    ['the next job for the last place', async () => await transcodings().claim(['ffmpeg', 'ffprobe'], 'worker', LAST_PLACE)],
    ['a sign of life', async () => await transcodings().renewClaim(job, 'worker')],
    ['a later try', async () => await transcodings().scheduleRetry(job, 'worker')],
    ['what is given back', async () => await transcodings().release(job, 'worker')],
    ['what is given back unknown', async () => await transcodings().releaseAllExcept([], 'worker')],
    ['the end', async () => await transcodings().delete(job, 'worker')],
    ['who has jobs', async () => await transcodings().listWorkers()],
    ['what the dead have', async () => await transcodings().findClaimedBy(['worker'])],
    ['what stalls', async () => await transcodings().findStalled()],
    ['what is cancelled', async () => await world.process.get(TranscodingQueueService).cancel(7, job.id)],
    ['what is not inspected', async () => await world.process.get(FileDescriptionsRepository).listMissing(100)],
    ['what an inspection found', async () => await world.process.get(FileDescriptionsRepository).record(original, inspected)],
    ['a description', async () => await world.process.get(MediaReaderRepository).findFileDescription(70)],
    ['languages of tracks', async () => await world.process.get(MediaReaderRepository).findTrackLanguages([70, 71])],
    ['a source', async () => await committed(async () => await world.process.get(MediaRenditionsService).lockSource(source))],
    ['a rendition', async () => await world.process.get(MediaRenditionsService).add(source, rendition)],
    [
      'facts',
      async () =>
        await world.process.get(MediaRenditionsService).describeOriginal(source, { facts: rendition.facts, technicalMetadata: {} }),
    ],
  ])('find by an index: %s', async (_name, run) => {
    expect(await world.wholeReads(run)).toEqual([]);
  });

  it('are reported if one reads a large table completely', async () => {
    expect(await world.tablesFoundOut()).toEqual(LARGE);
  });
});
