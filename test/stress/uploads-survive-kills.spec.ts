import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from '@jest/globals';
import { readOrMakeSecrets } from '../../local-storage/src/secrets.js';
import { findPort } from '../../src/process/find-port.js';
import { processesOf, type RunningProgram, spawnProgram, startProgram } from '../support/app/program.js';
import { useProgramFolder } from '../support/app/program-folder.js';
import { eventually } from '../support/eventually.js';
import { aFile, call, clientFor, type ProcessedItem, type UploadDocument } from '../support/media/uploads.js';
import { withRandom } from '../support/random.js';

const KILLS = 9;
const LONG_MS = 300_000;
/** A start takes 1 to 3 s, a lost PostgreSQL or storage is back within 2; more on a busy machine. */
const MAX_WAIT_MS = 60_000;
/** An upload takes about this long here, so that kills fall into all of its steps. */
const WITHIN_MS = 60;

const folder = useProgramFolder();

type Victim = 'service' | 'postgres' | 'storage';

/** The service of the test, started again whenever it was killed. */
class Service {
  private constructor(
    private program: RunningProgram,
    private readonly env: Record<string, string>,
  ) {}

  static async start(): Promise<Service> {
    const env = { DATA_DIR: folder.dataDir, PORT: String(await findPort('127.0.0.1', 0)), STORAGE_PORT: '0', RATE_LIMIT: 'off' };
    return new Service(await startProgram({ env }), env);
  }

  get url(): string {
    return this.program.url;
  }

  get email(): string {
    return this.program.login.email;
  }

  async kill(victim: Victim): Promise<void> {
    if (victim === 'postgres') return void process.kill(folder.serverPid ?? Number.NaN, 'SIGKILL');
    if (victim === 'storage') return void process.kill(this.storagePid(), 'SIGKILL');
    await this.program.end('SIGKILL');
    this.program = await startProgram({ env: this.env });
  }

  async stop(): Promise<void> {
    await this.program.end();
  }

  private storagePid(): number {
    const isStorage = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('object-storage/main');
    const [pid] = processesOf(folder.dataDir).filter(isStorage);
    if (!pid) throw new Error('The storage does not run.');
    return pid;
  }
}

/** The token of the demo user; its lifetime is longer than the test. */
async function tokenFor({ email, url }: Service): Promise<string> {
  const command = [process.execPath, 'scripts/run.mjs', 'admin/main.js', 'token', '--user', email, '--client', 'demo'];
  const program = spawnProgram({ command, env: { DATA_DIR: folder.dataDir, PUBLIC_URL: url, ACCESS_TOKEN_TTL_SECONDS: '3600' } });
  await program.ended;
  return (JSON.parse(program.output.stdout) as { access_token: string }).access_token;
}

/** Tries until it is done; whatever fails meanwhile (a refused connection, a 503) may fail. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  const outcome: { value?: T; failure?: unknown } = {};
  await eventually(async () => {
    try {
      outcome.value = await work();
      return true;
    } catch (error) {
      outcome.failure = error;
      return false;
    }
  }, MAX_WAIT_MS).catch(() => {
    throw outcome.failure;
  });
  return outcome.value as T;
}

async function ok<Body>(answer: Promise<{ status: number; body: Body }>): Promise<Body> {
  const { status, body } = await answer;
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

describe('with kill -9 of the service, of PostgreSQL and of the storage at random moments', () => {
  it(
    'no acknowledged success is lost, no acknowledged object is damaged, and every batch can be finished',
    async () =>
      await withRandom(async (random) => {
        const victims: Victim[] = ['service', 'postgres', 'storage'];
        const service = await Service.start();
        const token = await tokenFor(service);
        const post = async <Body>(url: string, body: object) => await ok(call<Body>(`${service.url}/v5/s3/${url}`, { token, body }));
        const acknowledged: { item: ProcessedItem; sha256: string }[] = [];

        /** One upload that goes on until everything of it was acknowledged. */
        const upload = async (size: number): Promise<void> => {
          const content = randomBytes(size);
          const request = { uploadId: randomUUID(), payload: [aFile({ fileName: randomUUID(), fileSize: size })] };
          const prepare = async () => (await post<UploadDocument>('createUpload', request)).processed[0] as ProcessedItem;
          await insist(prepare);
          const item = await insist(async () => {
            const fresh = await prepare(); // the storage may have come back at another port
            await clientFor(fresh, { maxAttempts: 1 }).send(
              new PutObjectCommand({ Bucket: fresh.bucket, Key: fresh.s3Key, Body: content }),
            );
            return fresh;
          });
          await insist(async () => await post('success', { bucket: item.bucket, key: item.s3Key }));
          acknowledged.push({ item, sha256: createHash('sha256').update(content).digest('hex') });
          const { items } = await insist(async () => await post<{ items: object[] }>('uploadComplete', { uploadId: request.uploadId }));
          expect(items).toEqual([{ mediaContainerId: item.id, status: 'successful' }]);
        };

        for (let kill = 0; kill < KILLS; kill += 1) {
          const uploads = Promise.all(Array.from({ length: 3 }, async () => await upload(1 + Math.floor(random() * 200_000))));
          await new Promise((resolve) => setTimeout(resolve, random() * WITHIN_MS)); // the moment of the kill, not a wait for anything
          await service.kill(victims[kill % victims.length] ?? 'service');
          await uploads;
        }

        const { key } = readOrMakeSecrets(path.join(folder.dataDir, 'object-storage'));
        for (const { item } of acknowledged) {
          const { media } = await ok(call<{ media: object[] }>(`${service.url}/v5/mediacontainer/${item.id}`, { token }));
          expect(media).toMatchObject([{ id: item.mediaId, status: 'successful' }]);
        }
        const { endpoint } = await insist(
          async () => (await post<UploadDocument>('createUpload', { payload: [aFile()] })).processed[0] as ProcessedItem,
        );
        const reader = new S3Client({ region: 'us-east-1', endpoint, forcePathStyle: true, credentials: key });
        for (const { item, sha256 } of acknowledged) {
          const { Body } = await reader.send(new GetObjectCommand({ Bucket: item.bucket, Key: item.s3Key }));
          expect(
            createHash('sha256')
              .update((await Body?.transformToByteArray()) ?? '')
              .digest('hex'),
          ).toBe(sha256);
        }
        expect(acknowledged).toHaveLength(KILLS * 3);
        await service.stop();
      }),
    LONG_MS,
  );
});
