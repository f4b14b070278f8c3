import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { AccountsService } from '../../../src/modules/accounts/index.js';
import {
  type ExecutionControl,
  TranscodingExecutionService,
} from '../../../src/modules/converter/execution/transcoding-execution.service.js';
import type { TranscodingOutcome } from '../../../src/modules/converter/execution/transcoding-outcome.js';
import { renditionKey } from '../../../src/modules/converter/transcodings/rendition-key.js';
import { PRIORITIES } from '../../../src/modules/converter/transcodings/transcoding.entity.js';
import { TranscodingWorker } from '../../../src/modules/converter/transcodings/transcoding.worker.js';
import { TranscodingQueueService } from '../../../src/modules/converter/transcodings/transcoding-queue.service.js';
import {
  type ClaimedTranscoding,
  type FreePlace,
  TranscodingsRepository,
} from '../../../src/modules/converter/transcodings/transcodings.repository.js';
import { Clock, FakeClock } from '../../../src/shared/clock.js';
import { Database } from '../../../src/shared/database/index.js';
import { ObjectStorage } from '../../../src/shared/storage/index.js';
import { REPOSITORY } from '../app/program.js';
import { startTestContext, type TestContext, type TestContextOptions } from '../app/test-context.js';
import { createTestDatabase, type TestDatabase } from '../database/test-database.js';
import { startTestStorage, type TestStorage } from '../storage/storage.js';

/** How an attempt of a test's own at a job goes. */
export type Work = (job: ClaimedTranscoding, control: ExecutionControl, process: TestContext) => Promise<TranscodingOutcome>;

/** A process of the service that works on jobs as the test says, and not by programs. */
export interface WorkerProcess {
  readonly process: TestContext;
  readonly worker: TranscodingWorker;
  readonly queue: TranscodingQueueService;
  readonly transcodings: TranscodingsRepository;
  readonly db: Database;
  /** Of this process; it stands still. */
  readonly clock: FakeClock;
  /** The attempts that began in this process. */
  readonly attempts: ClaimedTranscoding[];
  close(): Promise<void>;
}

/** A database and an object storage for processes that transcode. */
export interface TranscodingWorld {
  readonly database: TestDatabase;
  readonly storage: TestStorage;
  /** Starts a process; by default one that makes what it takes. */
  start(options?: TestContextOptions & { readonly work?: Work }): Promise<WorkerProcess>;
  close(): Promise<void>;
}

const NOTHING_KNOWN = { width: null, height: null, duration: null, codec: null };
/** A place for any short work. */
export const ANY_PLACE: FreePlace = { isLong: false, maxExpectedSeconds: null, withoutCustomers: [] };
export const SOURCE = { facts: NOTHING_KNOWN, technicalMetadata: null };

/** Puts an object where the attempt's rendition belongs. */
export async function upload(job: ClaimedTranscoding, process: TestContext): Promise<TranscodingOutcome> {
  const s3Key = renditionKey(job, 'json');
  const file = path.join(REPOSITORY, 'package.json');
  const { size, etag, version } = await process.get(ObjectStorage).write(s3Key, { file, contentType: 'application/json' });
  const facts = { ...NOTHING_KNOWN, width: 16, height: 9 };
  const rendition = {
    type: 'document' as const,
    fileExtension: 'json',
    fileSize: size,
    etag,
    version,
    s3Key,
    test: false,
    facts,
    streaming: null,
    storyboard: null,
    crc32: null,
  };
  return { kind: 'made', rendition, source: SOURCE };
}

const uploading: Work = async (job, _control, process) => await upload(job, process);

export async function createTranscodingWorld(): Promise<TranscodingWorld> {
  const [database, storage] = [await createTestDatabase(), await startTestStorage()];
  const running: WorkerProcess[] = [];
  const start: TranscodingWorld['start'] = async ({ work = uploading, ...options } = {}) => {
    const clock = new FakeClock(new Date());
    const attempts: ClaimedTranscoding[] = [];
    const starting: Promise<TestContext> = startTestContext({
      ...storage.settings,
      database,
      ...options,
      prepare: (get) => {
        get(Clock).now = () => clock.now();
        get(TranscodingExecutionService).run = async (job, control) => {
          attempts.push(job);
          return await work(job, control, await starting); // a worker may claim a job before the start has ended
        };
        options.prepare?.(get);
      },
    });
    const process = await starting;
    const worker = {
      process,
      worker: process.get(TranscodingWorker),
      queue: process.get(TranscodingQueueService),
      transcodings: process.get(TranscodingsRepository),
      db: process.get(Database),
      clock,
      attempts,
      close: async () => await process.close(),
    };
    running.push(worker);
    return worker;
  };
  const close = async () => {
    await Promise.all(running.map(async (one) => await one.close().catch(() => {}))); // closed by the test before
    await storage.close();
    await database.drop();
  };
  return { database, storage, start, close };
}

/** A customer whose media is transcoded. */
export interface Transcoder {
  readonly customerId: number;
  readonly userId: number;
}

export async function aTranscoder({ process }: WorkerProcess, name = 'Acme'): Promise<Transcoder> {
  const accounts = process.get(AccountsService);
  await accounts.declareCustomer({ name });
  const { id: userId, customerId } = await accounts.declareUser({
    email: `${name.toLowerCase()}@example.org`,
    customer: name,
    firstname: 'Ada',
    lastname: 'Lovelace',
  });
  return { customerId, userId };
}

const INSERT_FORMAT = `INSERT INTO formats (customer_id, blueprint_id, name, converter, settings)
  SELECT $1, id, $2, converter, '{"mediaTypes":["document"]}' FROM formats WHERE blueprint_key = 'copy' RETURNING id`;

/** A format of the customer's own. */
export async function aFormatOf({ db }: WorkerProcess, { customerId }: Transcoder, name = 'Once more'): Promise<number> {
  const row = await db.queryOne<{ id: number }>(INSERT_FORMAT, [customerId, name]);
  if (!row) throw new Error('There is no blueprint that copies.');
  return row.id;
}

/** A container and its original, which is there. */
export interface SourceMedia {
  readonly mediaContainerId: number;
  readonly sourceMediaId: number;
}

const INSERT_MEDIA = `WITH containers AS (
    INSERT INTO media_containers (customer_id, creator_id, type, name) SELECT $1, $2, 'document', 'Letter' FROM generate_series(1, $3)
    RETURNING id, customer_id
  )
  INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status, bucket, s3_key)
  SELECT c.id, c.customer_id, f.id, 'document', 'letter', 'txt', 11, 'successful', 'b', 'uploads/' || c.id || '/letter'
  FROM containers c, formats f WHERE f.blueprint_key = 'original-document'
  RETURNING media_container_id AS "mediaContainerId", id AS "sourceMediaId"`;

/** So many originals of the customer, without their objects. */
export async function someMedia({ db }: WorkerProcess, { customerId, userId }: Transcoder, count: number): Promise<SourceMedia[]> {
  return (await db.query<SourceMedia & Record<string, unknown>>(INSERT_MEDIA, [customerId, userId, count])).rows;
}

/** What a customer wants to be made: of each medium the format. */
export interface WantedTranscodings {
  readonly customerId: number;
  readonly media: readonly SourceMedia[];
  readonly formatId: number;
  readonly programs?: readonly string[];
  readonly priority?: keyof typeof PRIORITIES;
  readonly isLong?: boolean;
}

/** Puts a job for each medium into the line; answers their ids in the order of the media. */
export async function want(
  { queue }: WorkerProcess,
  { customerId, media, formatId, programs = [], priority = 'transcoding', isLong = false }: WantedTranscodings,
): Promise<string[]> {
  const jobs = media.map((source) => ({ customerId, ...source, formatId, programs, isLong, priority: PRIORITIES[priority] }));
  const queued = await queue.enqueue(jobs);
  const byMedia = new Map(queued.map(({ sourceMediaId, jobId }) => [sourceMediaId, jobId]));
  return media.map(({ sourceMediaId }) => byMedia.get(sourceMediaId) ?? '');
}

/** A job of a new original of a new customer. */
export async function aJob(
  process: WorkerProcess,
  more: Partial<WantedTranscodings> = {},
): Promise<{ jobId: string; media: SourceMedia; customerId: number; formatId: number }> {
  const owner = await aTranscoder(process, `C${randomUUID().slice(0, 8)}`);
  const formatId = await aFormatOf(process, owner);
  const media = await someMedia(process, owner, 1);
  const [jobId = ''] = await want(process, { customerId: owner.customerId, media, formatId, ...more });
  const [only] = media;
  if (!only) throw new Error('No media was made.');
  return { jobId, media: only, customerId: owner.customerId, formatId };
}

/** What callers see of a job. */
export interface JobStory {
  readonly status: string;
  readonly progress: number | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly result: { readonly mediaId: number } | null;
  /** What its events said. */
  readonly events: readonly { readonly status: string; readonly mediaId: number; readonly depth: number; readonly skipped: true | null }[];
}

const STORY = `SELECT a.status, a.progress, a.code, a.message, a.result, ARRAY(
    SELECT jsonb_build_object('status', e.payload->>'status', 'mediaId', (e.payload->>'mediaId')::int, 'depth', e.depth, 'skipped', e.payload->'skipped')
    FROM events e WHERE e.name = 'event:transcoderJobComplete' AND e.payload->>'jobId' = a.id::text ORDER BY e.id
  ) AS events FROM activities a WHERE a.id = $1`;

export async function storyOf({ db }: Pick<WorkerProcess, 'db'>, jobId: string): Promise<JobStory> {
  const story = await db.queryOne<JobStory & Record<string, unknown>>(STORY, [jobId]);
  if (!story) throw new Error(`There is no job ${jobId}.`);
  return story;
}

/** The rows of jobs that have not ended. */
export async function rowsOf({ db }: Pick<WorkerProcess, 'db'>) {
  const sql = `SELECT id, state, attempt, failures, turn::int, priority, is_long AS "isLong", expected_seconds AS "expectedSeconds", locked_by AS "lockedBy", ready_at AS "readyAt" FROM transcoding_jobs
    ORDER BY priority, turn, id`;
  type Row = {
    id: string;
    state: string;
    attempt: number;
    failures: number;
    turn: number;
    priority: number;
    isLong: boolean;
    expectedSeconds: number | null;
    lockedBy: string | null;
    readyAt: Date;
  };
  return (await db.query<Row>(sql)).rows;
}

/** Keys of renditions in the storage. */
export async function renditionsIn({ process }: Pick<WorkerProcess, 'process'>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of process.get(ObjectStorage).list('renditions/')) keys.push(key);
  return keys;
}

/** Keys of media items that are renditions, with their status. */
export async function renditionItems({ db }: Pick<WorkerProcess, 'db'>) {
  const sql = `SELECT id, media_container_id AS "mediaContainerId", format_id AS "formatId", s3_key AS "s3Key", status, width, height
    FROM media_items WHERE s3_key LIKE 'renditions/%' ORDER BY id`;
  type Row = { id: number; mediaContainerId: number; formatId: number; s3Key: string; status: string; width: number; height: number };
  return (await db.query<Row>(sql)).rows;
}
