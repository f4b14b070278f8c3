import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { migrations } from '../../migrations/index.js';
import { migrate } from '../../src/shared/database/migrate.js';
import { StartupError } from '../../src/shared/errors.js';
import { WorkerPresenceService } from '../../src/shared/jobs/worker-presence.service.js';
import { aClient, aUser, obtainTokens } from '../support/accounts/scenario.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import { startTestContext } from '../support/app/test-context.js';
import { capturedLog } from '../support/captured-log.js';
import { makeReadOnly, type PostgresServer, startPrimary, startStandby } from '../support/database/postgres-servers.js';
import { put } from '../support/delivery/dropsites.js';
import { eventually } from '../support/eventually.js';
import { aFile, type ProcessedItem, type UploadDocument } from '../support/media/uploads.js';
import { type Failure, SteadyLoad } from '../support/steady-load.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';
import { aSubscriptionInput } from '../support/subscriptions/subscriptions.js';

/** What docs/operations-recover.md promises: after the promotion, and after a restart of PostgreSQL. */
const LIMIT_MS = 5_000;
const PER_SECOND = 15;
const LONG_MS = 180_000;

let folder: string;
let primary: PostgresServer;
let standby: PostgresServer;
let storage: TestStorage;
const apps: TestApp[] = [];
let token: string;
let clientId: string;
let load: SteadyLoad | undefined;
const { log, lines } = capturedLog('warn');

beforeAll(async () => {
  folder = makeTestFolder();
  [storage, primary] = await Promise.all([startTestStorage(), startPrimary(folder)]);
  standby = await startStandby(folder, primary);
  // Two processes, whose lists of servers have another order: the first of one is the standby.
  const urls = [primary, standby].map(({ host }, index, all) => `postgres://media@${host},${all[1 - index]?.host}/media`);
  await migrate(urls[1] ?? '', migrations);
  const settings = { ...storage.settings, worker: 'inline', log } as const;
  const start = async (url = '', publicUrl?: string) => {
    const database = { url: `${url}?target_session_attrs=read-write`, drop: async () => {} };
    apps.push(await startTestApp({ ...settings, database, ...(publicUrl && { publicUrl }) }));
  };
  await start(urls[0]);
  const [app] = apps as [TestApp];
  await start(urls[1], app.url);
  const [user, client] = [await aUser(app), await aClient(app)];
  clientId = client.clientId;
  token = (await obtainTokens(app, { user, client })).access_token;
}, LONG_MS);
afterAll(async () => {
  await load?.stop();
  await Promise.all(apps.map(async (app) => await app.close()));
  for (const server of [primary, standby]) server?.kill();
  await storage?.close();
  await removeTestFolder(folder);
});

/** Each request goes to the other process than the one before. */
let turn = 0;
function next(): string {
  turn += 1;
  return addressOf((apps[turn % apps.length] as TestApp).app);
}

/** The body; rejects with status and Retry-After if the answer is not one of success. */
async function ask<Body>(path: string, body?: object | string): Promise<Body> {
  const method = body === undefined ? 'GET' : 'POST';
  const isForm = typeof body === 'string';
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  const response = await fetch(`${next()}${path}`, {
    method,
    headers: { ...(!isForm && { authorization: `Bearer ${token}` }), ...(body !== undefined && { 'content-type': type }) },
    body: typeof body === 'object' ? JSON.stringify(body) : body,
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as Body;
  throw new Error(`${response.status} after ${response.headers.get('retry-after')}: ${text.slice(0, 300)}`);
}

/** What was acknowledged. */
const batches: string[] = [];
const jobs: string[] = [];
const files: number[] = [];
const subscriptions: number[] = [];
const tokens: string[] = [];

const createUpload = async (more: object = {}) => {
  const batch = await ask<UploadDocument>('/v5/s3/createUpload', { payload: [aFile()], ...more });
  batches.push(batch.jobId);
  return batch;
};
const writes = {
  createUpload,
  'createUpload without waiting': async () => jobs.push((await createUpload({ waitForCompletion: false })).jobId),
  success: async () => {
    const item = (await createUpload()).processed[0] as ProcessedItem;
    await put(item);
    await ask('/v5/s3/success', { bucket: item.bucket, key: item.s3Key });
    files.push(item.id);
  },
  authorization: async () => {
    const { code } = await ask<{ code: string }>('/v4/requestCode', { client_id: clientId, state: 'xyz' });
    const form = new URLSearchParams({ grant_type: 'authorization_code', client_id: clientId, code }).toString();
    tokens.push((await ask<{ access_token: string }>('/v4/token', form)).access_token);
  },
  subscription: async () => subscriptions.push((await ask<{ id: number }>('/v5/subscriptions', aSubscriptionInput())).id),
};

const acknowledged = () => batches.length + files.length + subscriptions.length + tokens.length;

/** Reads what was acknowledged. */
async function expectAll(): Promise<void> {
  const limit = pLimit(8);
  const each = async <T>(values: readonly T[], expectOne: (value: T) => Promise<unknown>) =>
    await Promise.all(values.map((value) => limit(async () => await expectOne(value))));
  const result = async (jobId: string) => await ask<object>(`/v5/activity/jobResult/${jobId}`);
  await each(batches, result);
  await each(files, async (id) => expect(await ask(`/v5/mediacontainer/${id}`)).toMatchObject({ media: [{ status: 'successful' }] }));
  await each(subscriptions, async (id) => expect(await ask(`/v5/subscriptions/${id}`)).toMatchObject({ id }));
  await each(tokens, async (access) => {
    const form = new URLSearchParams({ token: access, client_id: clientId }).toString();
    expect(await ask('/v4/introspect', form)).toMatchObject({ active: true });
  });
  await each(jobs, async (jobId) => await eventually(async () => 'processed' in (await result(jobId))));
}

const unexpected = (failures: readonly Failure[]) => failures.filter(({ reason }) => !reason.startsWith('503 after 5: '));
const lasted = (failures: readonly Failure[]) => (failures.at(-1)?.afterMs ?? 0) - (failures[0]?.afterMs ?? 0);
const isReady = async () => {
  const answers = await Promise.all(apps.map(async ({ app }) => await (await fetch(`${addressOf(app)}/health/ready`)).json()));
  return answers.every((body) => JSON.stringify(body).includes('"database":"ok","notifications":"ok"'));
};

describe('two processes on a primary with a standby that confirms each commit', () => {
  it(
    'work with the promoted standby within 5 seconds after the primary fell silent, and nothing that they acknowledged is lost',
    async () => {
      load = new SteadyLoad(writes, PER_SECOND);
      await eventually(() => acknowledged() >= 60);
      primary.freeze();
      await standby.query('SELECT pg_promote()');
      const [promotedMs, before] = [load.elapsedMs(), acknowledged()];
      load.phase = 'promoted';
      await eventually(() => acknowledged() > before);
      expect(load.elapsedMs() - promotedMs).toBeLessThan(LIMIT_MS);
      await eventually(isReady); // both processes
      load.phase = 'recovered';
      await eventually(() => acknowledged() > before + 60);
      await load.stop();
      expect(unexpected(load.failures)).toEqual([]);
      expect(load.failures.filter(({ phase, afterMs }) => phase === 'recovered' || afterMs > promotedMs + LIMIT_MS)).toEqual([]); // of either process
      await expectAll();
      expect(lines.filter(({ msg }) => msg === 'released the claims of dead workers')).toEqual([]);
    },
    LONG_MS,
  );

  it('keep their jobs when a third process starts now: it does not know yet whether they have moved to the new primary', async () => {
    const released: string[] = [];
    const work = { listWorkers: async () => ['of a process that has not moved yet'], release: async () => void released.push('released') };
    const process = await startTestContext({
      database: { url: standby.url, drop: async () => {} },
      worker: 'inline',
      prepare: (get) => get(WorkerPresenceService).watch(work),
    });
    for (let check = 0; check < 5; check += 1) await process.get(WorkerPresenceService).releaseDead();
    expect(released).toEqual([]);
    await process.close();
  });

  it('leave the old primary alone when it comes back read-only', async () => {
    primary.kill();
    makeReadOnly(folder);
    await eventually(
      async () =>
        await primary.start().then(
          () => true,
          () => false,
        ),
    );
    expect(await primary.query('SELECT pg_is_in_recovery() AS standby')).toEqual([{ standby: true }]);
    for (let count = 0; count < 10; count += 1) await createUpload();
    const alone = migrate(primary.url, migrations);
    await expect(alone).rejects.toThrow(StartupError);
    await expect(alone).rejects.toThrow('The server is read-only (in_hot_standby).');
    // A process that starts now finds the primary among both.
    await migrate(`postgres://media@${primary.host},${standby.host}/media`, migrations);
    await expectAll();
  });

  it('answer 503 while the server is fenced by default_transaction_read_only, and work when it is not any more', async () => {
    await standby.query('ALTER SYSTEM SET default_transaction_read_only = on');
    await standby.query('SELECT pg_reload_conf()');
    await eventually(
      async () =>
        await createUpload().then(
          () => false,
          ({ message }: Error) => message.startsWith('503 after 5: '),
        ),
    );
    await eventually(async () => !(await isReady()));
    await expect(createUpload()).rejects.toThrow('503 after 5: ');
    await standby.query('ALTER SYSTEM RESET default_transaction_read_only');
    await standby.query('SELECT pg_reload_conf()');
    await eventually(isReady);
    for (let count = 0; count < 10; count += 1) await createUpload();
  });

  it(
    'answer 503 with Retry-After for at most 5 seconds while PostgreSQL restarts',
    async () => {
      load = new SteadyLoad(writes, PER_SECOND);
      const before = acknowledged();
      await eventually(() => acknowledged() > before + 20);
      await standby.stop();
      await eventually(() => (load?.failures.length ?? 0) > 5);
      await standby.start();
      const restarted = acknowledged();
      await eventually(() => acknowledged() > restarted + 40);
      await load.stop();
      expect(unexpected(load.failures)).toEqual([]);
      expect(lasted(load.failures)).toBeLessThan(LIMIT_MS);
      await eventually(isReady);
      await expectAll();
    },
    LONG_MS,
  );
});
