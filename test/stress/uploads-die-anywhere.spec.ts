import { randomUUID } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UploadReaperJob } from '../../src/modules/uploads/index.js';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { type FreezeAt, startFreezingProxies } from '../support/database/freezing-proxy.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { aFile, call, clientFor, type ProcessedItem, tokenOf, type UploadDocument } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

/** Beyond what an upload sends to database and storage; a service that needs more has to be looked at. */
const MOST_MESSAGES = 100;
const LONG_MS = 300_000;

let database: TestDatabase;
let storage: TestStorage;
/** The process that is there after the other one died. */
let survivor: TestApp;
let token: string;
/** The ends of services that have died: they reach nothing any more, so the next one need not wait for them. */
const ends: Promise<void>[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  storage = await startTestStorage();
  survivor = await startTestApp({ database, ...storage.settings });
  token = await tokenOf(survivor, await aUser(survivor));
});

afterAll(async () => {
  await Promise.all(ends);
  await survivor.close();
  await storage.close();
  await database.drop();
});

/** What a client does, and what was acknowledged to it when the service died. */
class Client {
  readonly uploadId = randomUUID();
  acknowledged: 'nothing' | 'prepared' | 'successful' | 'completed' = 'nothing';
  private readonly body = { uploadId: this.uploadId, payload: [aFile({ fileName: this.uploadId })] };

  async uploadBy(url: string): Promise<void> {
    await this.reportBy(url);
    await this.completeBy(url);
  }

  async reportBy(url: string): Promise<void> {
    const item = await this.prepare(url);
    this.acknowledged = 'prepared';
    if (item.credentials) await this.put(item); // without them it has arrived
    await ok(call(`${url}/v5/s3/success`, { token, body: { bucket: item.bucket, key: item.s3Key } }));
    this.acknowledged = 'successful';
  }

  async completeBy(url: string): Promise<void> {
    await ok(call(`${url}/v5/s3/uploadComplete`, { token, body: { uploadId: this.uploadId } }));
    this.acknowledged = 'completed';
  }

  async prepare(url: string): Promise<ProcessedItem> {
    return (await ok(call<UploadDocument>(`${url}/v5/s3/createUpload`, { token, body: this.body }))).processed[0] as ProcessedItem;
  }

  /** Past the proxy: the client's own way to the storage does not die with the service. */
  async put(item: ProcessedItem): Promise<void> {
    const client = clientFor(item, { endpoint: storage.settings.s3Endpoint });
    await client.send(new PutObjectCommand({ Bucket: item.bucket, Key: item.s3Key, Body: 'content' }));
  }
}

async function ok<Body>(answer: Promise<{ status: number; body: Body }>): Promise<Body> {
  const { status, body } = await answer;
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

/** What the database says of an upload. */
async function look(uploadId: string) {
  return await survivor.app.get(Database).queryOne<{ items: string[]; successes: number; completions: number; batches: string[] }>(
    `SELECT ARRAY(SELECT status FROM media_items WHERE s3_key LIKE '%' || $1 || '%') AS items,
      ARRAY(SELECT status FROM upload_batches WHERE upload_id = $1::uuid) AS batches,
      (SELECT count(*)::int FROM events JOIN media_items i ON (payload->>'mediaId')::int = i.id
        WHERE name = 'event:s3success' AND s3_key LIKE '%' || $1 || '%') AS successes,
      (SELECT count(*)::int FROM events WHERE name = 'event:uploadComplete' AND payload->>'uploadId' = $1) AS completions`,
    [uploadId],
  );
}

/** Lets a service of its own die at the Nth message of what `work` asks of it; answers whether it came so far. */
async function dieAt(message: number, at: FreezeAt, work: (url: string) => Promise<unknown>): Promise<boolean> {
  const proxies = startFreezingProxies();
  const s3Endpoint = await proxies.through(storage.settings.s3Endpoint);
  const victim = await startTestApp({
    database: { ...database, url: await proxies.through(database.url) },
    ...storage.settings,
    s3Endpoint,
    stsEndpoint: s3Endpoint,
    publicUrl: survivor.url, // one service, two processes: a token of one is good for the other
  });
  const url = `http://127.0.0.1:${victim.config.port}`;
  proxies.freezeAt(message, at);
  const working = work(url).then(
    () => false,
    () => true,
  );
  const died = await Promise.race([proxies.frozen.then(() => true), working]);
  ends.push(victim.close().catch(() => {})); // it hangs on connections that are broken next, and gives up retries later
  await proxies.close();
  await working;
  return died;
}

async function checkAndFinish(client: Client): Promise<void> {
  const { acknowledged, uploadId } = client;
  const found = await look(uploadId);
  if (acknowledged === 'prepared') expect(found?.items).toHaveLength(1);
  if (acknowledged === 'successful') expect(found).toMatchObject({ items: ['successful'], successes: 1 });
  if (acknowledged === 'completed')
    expect(found).toMatchObject({ items: ['successful'], successes: 1, completions: 1, batches: ['completed'] });
  // The client that heard nothing starts over, and comes to the same end.
  const isCompleted = found?.batches[0] === 'completed';
  if (isCompleted) await ok(call(`${survivor.url}/v5/s3/uploadComplete`, { token, body: { uploadId } }));
  else await client.uploadBy(survivor.url);
  expect(await look(uploadId)).toEqual({ items: ['successful'], successes: 1, completions: 1, batches: ['completed'] });
}

/** How often a service died: at the first message, at the second, and so on until it comes to the end. */
async function countDeaths(dieAtMessage: (message: number) => Promise<boolean>): Promise<number> {
  for (let deaths = 0; ; deaths += 1) {
    if (deaths > MOST_MESSAGES) throw new Error(`This sends more than ${MOST_MESSAGES} messages.`);
    if (!(await dieAtMessage(deaths + 1))) return deaths;
  }
}

describe('a service that is killed', () => {
  it.each<[string, FreezeAt]>([
    ['before any of the messages that it sends to database and storage arrives', 'request'],
    ['after any of them arrived, before it hears the answer', 'response'],
  ])(
    '%s loses nothing that it acknowledged, makes nothing twice, and the upload can be finished',
    async (_, at) => {
      const deaths = await countDeaths(async (message) => {
        const client = new Client();
        const died = await dieAt(message, at, async (url) => await client.uploadBy(url));
        await checkAndFinish(client);
        return died;
      });
      expect(deaths).toBeGreaterThan(10);
    },
    LONG_MS,
  );

  it.each<[string, FreezeAt]>([
    ['before any of the messages arrives', 'request'],
    ['after any of them arrived', 'response'],
  ])(
    'while it completes a batch that was reaped, %s, publishes the end of the upload once',
    async (_, at) => {
      const deaths = await countDeaths(async (message) => {
        const client = new Client();
        await client.reportBy(survivor.url);
        await survivor.app.get(UploadReaperJob).reap(new Date(Date.now() + 25 * 3_600_000));
        expect(await look(client.uploadId)).toMatchObject({ batches: ['reaped'], completions: 0 });
        const died = await dieAt(message, at, async (url) => await client.completeBy(url));
        for (let n = 0; n < 2; n += 1) await client.completeBy(survivor.url);
        expect(await look(client.uploadId)).toEqual({ items: ['successful'], successes: 1, completions: 1, batches: ['completed'] });
        return died;
      });
      expect(deaths).toBeGreaterThan(3);
    },
    LONG_MS,
  );
});
