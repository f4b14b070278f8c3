import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { readOrMakeSecrets } from '../../local-storage/src/secrets.js';
import { startEmbeddedPostgres } from '../../src/embedded/postgres/start-embedded-postgres.js';
import { findPort } from '../../src/process/find-port.js';
import { type Program, processesOf, type RunningProgram, startProgram } from '../support/app/program.js';
import { useProgramFolder } from '../support/app/program-folder.js';
import { demoToken, offerScript, startWorker } from '../support/app/worker-program.js';
import { aFormat } from '../support/converter/formats.js';
import { transcode } from '../support/converter/transcoding.js';
import { eventually } from '../support/eventually.js';
import { type UploadedMedia, uploadMedia } from '../support/media/media.js';
import { aFile, call, type ProcessedItem, type UploadDocument } from '../support/media/uploads.js';
import { withRandom } from '../support/random.js';

const KILLS = 8;
const MEDIA = 5;
const LONG_MS = 480_000;
/** A start takes 1 to 3 s, a lost PostgreSQL is back within 2, what a dead worker had is taken over within 5; more on a busy machine. */
const MAX_WAIT_MS = 120_000;
/** Two jobs take about this long here, so that kills fall into all of their steps. */
const WITHIN_MS = 1_000;

const folder = useProgramFolder();
const VICTIMS = ['worker', 'tool', 'postgres', 'storage'] as const;
type Victim = (typeof VICTIMS)[number];

/** A service, and two workers beside it that are started again when they are killed. */
class Installation {
  private constructor(
    readonly service: RunningProgram,
    private readonly workers: Program[],
    private readonly env: Record<string, string>,
    private readonly tool: string,
  ) {}

  static async start(): Promise<Installation> {
    const tool = offerScript(folder.dataDir, 'slow', 'cp "$1" half && sleep 0.5 && mv half "$2"');
    mkdirSync(temporary(), { recursive: true });
    const shared = { DATA_DIR: folder.dataDir, PORT: String(await findPort('127.0.0.1', 0)), RATE_LIMIT: 'off' };
    const service = await startProgram({ env: { ...shared, WORKER: 'off' } });
    const env = { ...shared, LOG_LEVEL: 'info', TMPDIR: temporary() };
    return new Installation(service, await Promise.all([startWorker({ env }), startWorker({ env })]), env, tool);
  }

  async kill(victim: Victim): Promise<void> {
    if (victim === 'postgres') return void process.kill(folder.serverPid ?? Number.NaN, 'SIGKILL');
    if (victim === 'storage') return kill(storagePid());
    if (victim === 'tool') return void this.tools().forEach(kill);
    await this.workers.shift()?.end('SIGKILL');
    this.workers.push(await startWorker({ env: this.env }));
  }

  /** Processes of the operator's tool, with what holds them in. */
  tools(): number[] {
    return processesOf(folder.dataDir).filter((pid) => commandOf(pid).includes(this.tool));
  }

  async stop(): Promise<void> {
    for (const worker of this.workers) expect(await worker.end('SIGTERM')).toBe(0);
    await this.service.end();
  }
}

const storagePid = (): number =>
  (JSON.parse(readFileSync(path.join(folder.dataDir, 'object-storage', 'server.json'), 'utf8')) as { pid: number }).pid;

const temporary = () => path.join(folder.dataDir, 'tmp');

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}

/** Tries until it is done: while PostgreSQL is away it fails. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  const outcome: { value?: T } = {};
  await eventually(async () => {
    outcome.value = await work().catch(() => undefined);
    return outcome.value !== undefined;
  }, MAX_WAIT_MS);
  return outcome.value as T;
}

/** One statement on the database of the installation, which may be starting. */
async function query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
  return await insist(async () => {
    const client = new pg.Client({ connectionString: (await startEmbeddedPostgres({ dataDir: folder.dataDir })).url });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  });
}

/** The delays before the next try pass. */
const hurry = async () => await query(`UPDATE transcoding_jobs SET ready_at = now() WHERE ready_at > now() RETURNING id`);

async function renditionKeys(endpoint: string, bucket: string): Promise<string[]> {
  const { key } = readOrMakeSecrets(path.join(folder.dataDir, 'object-storage'));
  const client = new S3Client({ region: 'us-east-1', endpoint, forcePathStyle: true, credentials: key });
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'renditions/' }));
  client.destroy();
  return Contents.map(({ Key = '' }) => Key).sort();
}

describe('with kill -9 of workers, tools, PostgreSQL and the storage at random moments', () => {
  it(
    'every job ends once, with one media item and one event, and nothing else stays',
    async () =>
      await withRandom(async (random) => {
        const installation = await Installation.start();
        const { service } = installation;
        const token = await demoToken(service, folder.dataDir);
        const mediaTypes = ['document'];
        const slow = { blueprint: 'Tool of the operator', settings: { mediaTypes, filetype: 'txt', parameters: { tool: 'slow' } } };
        const formats = [
          await aFormat(service, token, slow),
          await aFormat(service, token, { blueprint: 'Copy', settings: { mediaTypes } }),
        ];
        const letter = { type: 'document', fileName: 'letter.txt', originalFileExtension: 'txt' };
        const jobIds: string[] = [];
        const request = async (medium: UploadedMedia): Promise<void> => {
          const formatIds = formats.map(({ id }) => id);
          const { status, body } = await transcode(service, token, { id: medium.id, formatIds });
          if (status !== 200) throw new Error(JSON.stringify(body));
          jobIds.push(...body.jobs.map(({ jobId }) => jobId));
        };

        for (let round = 0; round < KILLS; round += 1) {
          await Promise.all(Array.from({ length: MEDIA }, async () => await request(await uploadMedia(service, token, letter))));
          await eventually(() => installation.tools().length > 0, MAX_WAIT_MS);
          await new Promise((resolve) => setTimeout(resolve, random() * WITHIN_MS)); // the moment of the kill, not a wait for anything
          await installation.kill(VICTIMS[round % VICTIMS.length] ?? 'worker');
          await eventually(async () => {
            await hurry();
            return (await query('SELECT id FROM transcoding_jobs')).length === 0;
          }, MAX_WAIT_MS);
        }

        expect(new Set(jobIds).size).toBe(KILLS * MEDIA * formats.length);
        const ends = await query<{ id: string; status: string; events: number }>(`SELECT id, status,
          (SELECT count(*)::int FROM events e WHERE e.name = 'event:transcoderJobComplete' AND e.payload->>'jobId' = a.id::text) AS events
        FROM activities a WHERE type = 'transcoding'`);
        expect(ends.map(({ id }) => id).sort()).toEqual([...jobIds].sort());
        expect(ends.filter(({ status, events }) => status !== 'successful' || events !== 1)).toEqual([]);
        const items = await query<{ key: string; place: string }>(`SELECT s3_key AS key, media_container_id || ' ' || format_id AS place
        FROM media_items WHERE s3_key LIKE 'renditions/%' AND status = 'successful'`);
        expect(new Set(items.map(({ place }) => place)).size).toBe(items.length);
        expect(items).toHaveLength(jobIds.length);

        const { body } = await call<UploadDocument>(`${service.url}/v5/s3/createUpload`, { token, body: { payload: [aFile()] } });
        const { endpoint = '', bucket } = body.processed[0] as ProcessedItem;
        const kept = items.map(({ key }) => key).sort();
        await eventually(async () => (await renditionKeys(endpoint, bucket)).length === kept.length, MAX_WAIT_MS);
        expect(await renditionKeys(endpoint, bucket)).toEqual(kept);
        const folders = () => readdirSync(temporary()).flatMap((name) => readdirSync(path.join(temporary(), name)));
        await eventually(() => folders().length === 0, MAX_WAIT_MS);
        await eventually(() => installation.tools().length === 0, MAX_WAIT_MS);
        await installation.stop();
        expect(folders()).toEqual([]);
      }),
    LONG_MS,
  );
});
