import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { register } from 'prom-client';
import { Agent, type Dispatcher, request } from 'undici';
import { findPort } from '../../src/process/find-port.js';
import { buildPreviousVersion } from '../support/app/previous-version.js';
import { type Program, processesOf, REPOSITORY, type RunningProgram, spawnProgram, startProgram } from '../support/app/program.js';
import { useProgramFolder } from '../support/app/program-folder.js';
import { expectSmokeObjects, makeSmokeObjects, type SmokeObjects, type SmokeProcess, upload } from '../support/app/smoke-requests.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import { offerScript, startWorker } from '../support/app/worker-program.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { runDebianProgram } from '../support/debian-program.js';
import { eventually } from '../support/eventually.js';
import { aFile } from '../support/media/uploads.js';
import { documentedConfiguration, startNginx } from '../support/nginx.js';
import { SteadyLoad } from '../support/steady-load.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';
import { WebhookReceiver } from '../support/subscriptions/webhook-receiver.js';

/** About a minute and a build; the packages of the previous version may have to be installed. */
const LONG_MS = 600_000;

const folder = useProgramFolder();
let builds: string;
let previous: string;
beforeAll(() => {
  builds = makeTestFolder();
  previous = path.join(builds, 'previous');
  buildPreviousVersion(previous);
}, LONG_MS);
afterAll(async () => await removeTestFolder(builds));

type SmokeRequests = Pick<typeof import('../support/app/smoke-requests.js'), 'makeSmokeObjects' | 'expectSmokeObjects'>;

interface Version extends SmokeProcess {
  readonly program: RunningProgram;
}

/** Starts the service of this folder; both versions have one PUBLIC_URL and one DATA_DIR, as behind a load balancer. */
async function startVersion(cwd: string, publicUrl: string): Promise<Version> {
  const port = await findPort('127.0.0.1', 0);
  const installation = { DATA_DIR: folder.dataDir, STORAGE_PORT: '0', PUBLIC_URL: publicUrl };
  const env = { ...installation, PORT: String(port), RATE_LIMIT: 'off', EGRESS_ALLOWLIST: '127.0.0.1', LOG_LEVEL: 'warn' };
  const program = await startProgram({ cwd, env });
  return { program, url: `http://127.0.0.1:${port}`, publicUrl, login: program.login };
}

/** Names what the versions logged meanwhile, which says more than an answer of status 500. */
async function withLogs(running: readonly Version[], work: () => Promise<void>): Promise<void> {
  await work().catch((cause: Error) => {
    const logs = running.map(({ url, program }) => `${url} logged:\n${program.output.stdout.split('\n').filter(isError).join('\n')}`);
    throw new Error([cause.message, ...logs].join('\n'), { cause });
  });
}
const isError = (line: string) => /^\{"level":[56]0/.test(line);

const expectAt = async (at: SmokeProcess, ...made: SmokeObjects[]) => {
  for (const objects of made) await expectSmokeObjects(at, objects);
};

describe('a rolling upgrade from the previous version', () => {
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterEach(async () => await receiver.close());

  const makeAt = async (at: SmokeProcess) => await makeSmokeObjects(at, receiver);

  /** The requests of the previous version's own test, as its clients send them; those of this one if it had none yet. */
  const expectPreviousRequests = async (at: SmokeProcess) => {
    const file = path.join(previous, 'test/support/app/smoke-requests.ts');
    register.clear(); // the modules of both versions register their metrics
    const pages = path.join(previous, 'test/support/app/typescript-pages.ts'); // compiles its pages, as this version's does for the other tests
    if (existsSync(pages)) await import(pages);
    const requests = existsSync(file) ? ((await import(file)) as SmokeRequests) : { makeSmokeObjects, expectSmokeObjects };
    await requests.expectSmokeObjects(at, await requests.makeSmokeObjects(at, receiver));
  };

  it(
    'answers every request on both versions, before, while and after both run on one database',
    async () => {
      offerScript(folder.dataDir, 'capitals', 'tr a-z A-Z < "$1" > "$2"');
      const publicUrl = `http://localhost:${await findPort('127.0.0.1', 0)}`;

      const old = await startVersion(previous, publicUrl);
      const before = await makeAt(old);
      await expectAt(old, before);

      const next = await startVersion(REPOSITORY, publicUrl);
      await withLogs([old, next], async () => {
        const [byOld, byNext] = await Promise.all([makeAt(old), makeAt(next)]);
        await Promise.all([expectAt(old, byNext), expectAt(next, byOld)]);
        await Promise.all([expectAt(old, byOld), expectAt(next, before, byNext)]);
        await expectPreviousRequests(next);
        expect(await old.program.end('SIGTERM')).toBe(0);
        await expectAt(next, before, byOld, byNext, await makeAt(next));
      });
      for (const { program } of [old, next]) expect(program.output.stderr).toBe('');
      expect(await next.program.end('SIGTERM')).toBe(0);
      expect(processesOf(folder.dataDir)).toEqual([]);
    },
    LONG_MS,
  );
});

const SECRET = 'a client secret of a test, long enough';
const PROVISION = {
  customers: [{ name: 'Newsroom' }],
  users: [{ email: 'ada@example.org', customer: 'Newsroom', firstname: 'Ada', lastname: 'Lovelace' }],
  clients: [
    {
      ...{ clientId: 'importer', clientSecret: SECRET, name: 'Importer', type: 'web', redirectUris: [] },
      ...{ grantTypes: ['client_credentials'], serviceUser: 'ada@example.org' },
    },
  ],
};
const CONTENT = 'a letter';
const REQUESTS = 2_000;
const PER_SECOND = 60;

describe('two processes and a worker behind nginx, as docs/operations-install.md configures it', () => {
  let database: TestDatabase;
  let storage: TestStorage;
  let running: Program[];
  let nginx: Program | undefined;
  let agent: Agent;
  let url: string;
  let settings: Record<string, string>;
  let load: SteadyLoad | undefined;
  beforeEach(async () => {
    running = [];
    database = await createTestDatabase({ empty: true });
    storage = await startTestStorage();
  });
  afterEach(async () => {
    await load?.stop();
    await nginx?.end('SIGTERM'); // SIGKILL would leave its workers behind
    await Promise.all(running.map(async (program) => await program.end('SIGKILL')));
    await agent?.destroy();
    await storage.close();
    await database.drop();
  });

  const keep = <Started extends Program>(program: Started): Started => {
    running.push(program);
    return program;
  };
  const serve = async (cwd: string, port: number) =>
    keep(await startProgram({ cwd, env: { ...settings, WORKER: 'off', PORT: String(port) } }));
  const work = async () => keep(await startWorker({ env: { ...settings, LOG_LEVEL: 'info' } }));

  /** nginx with TLS in front of two ports. Requests to it keep their connections. */
  async function startProxy(ports: readonly number[]): Promise<void> {
    const address = `127.0.0.1:${await findPort('127.0.0.1', 0)}`;
    url = `https://${address}`;
    const [key, certificate] = [path.join(builds, 'key.pem'), path.join(builds, 'fullchain.pem')];
    const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', certificate];
    const names = ['-days', '1', '-subj', '/CN=media.example.org', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const { code, output } = await runDebianProgram('openssl', ['req', ...made, ...names], { cwd: builds });
    if (code !== 0) throw new Error(output);
    const places = {
      '10.0.0.11:3000': `127.0.0.1:${ports[0]}`,
      '10.0.0.12:3000': `127.0.0.1:${ports[1]}`,
      'listen 443': `listen ${address}`,
    };
    const files = { '/run/nginx.pid': `${builds}/nginx.pid`, '/var/log/nginx': builds, '/etc/ssl/media': builds };
    const configuration = documentedConfiguration('docs/operations-install.md', '## Reverse proxy', { ...places, ...files });
    agent = new Agent({ connect: { ca: readFileSync(certificate) } });
    const isListening = async () => (await request(url, { dispatcher: agent }).catch(() => null)) !== null;
    nginx = await startNginx(builds, configuration, isListening);
  }

  type Sent = Partial<Pick<Dispatcher.RequestOptions, 'headers' | 'body' | 'method'>>;

  /** Rejects when the answer is not one of success. */
  async function send<Body>(address: string, { headers, ...options }: Sent = {}): Promise<Body> {
    const answer = await request(`${url}${address}`, { dispatcher: agent, headers, ...options });
    const text = await answer.body.text();
    if (answer.statusCode >= 400) throw new Error(`${answer.statusCode} ${text.slice(0, 300)}`);
    return (answer.headers['content-type']?.includes('json') ? JSON.parse(text) : text) as Body;
  }
  const form = (fields: Record<string, string>): Sent => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: 'importer', client_secret: SECRET, ...fields }).toString(),
  });
  const obtainToken = async () =>
    (await send<{ access_token: string }>('/v4/token', form({ grant_type: 'client_credentials' }))).access_token;

  it(
    'answer every one of 2,000 requests while they are upgraded, killed, restarted and taken back to the previous version',
    async () => {
      const ports = [await findPort('127.0.0.1', 0), await findPort('127.0.0.1', 0)];
      await startProxy(ports);
      const { s3Bucket, s3Endpoint, stsEndpoint, stsRoleArn, awsRegion, storageKey } = storage.settings;
      settings = {
        ...{ DATABASE_URL: database.url, DATA_DIR: folder.dataDir, PUBLIC_URL: url, APP_SECRET: 'a secret for tests only, long enough' },
        ...{ S3_BUCKET: s3Bucket, S3_ENDPOINT: s3Endpoint, STS_ENDPOINT: stsEndpoint, STS_ROLE_ARN: stsRoleArn, AWS_REGION: awsRegion },
        ...{ AWS_ACCESS_KEY_ID: storageKey?.accessKeyId ?? '', AWS_SECRET_ACCESS_KEY: storageKey?.secretAccessKey ?? '' },
        ...{ TRUST_PROXY: 'loopback', RATE_LIMIT: 'off', LOG_LEVEL: 'warn' },
      };
      const command = [process.execPath, 'scripts/run.mjs', 'admin/main.js', 'apply', '-'];
      const provisioning = spawnProgram({ cwd: previous, command, env: settings });
      provisioning.process.stdin?.end(JSON.stringify(PROVISION));
      expect([await provisioning.ended, provisioning.output.stderr]).toEqual([0, '']);

      const programs = await Promise.all(ports.map(async (port) => await serve(previous, port)));
      const token = await obtainToken();
      const authorized = { authorization: `Bearer ${token}` };
      const post = async <Body>(address: string, body: object, headers = {}) =>
        await send<Body>(address, {
          method: 'POST',
          headers: { ...authorized, 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        });
      const { media } = await upload({ url: `http://127.0.0.1:${ports[0]}` }, token, CONTENT);
      const formats = await send<{ id: number; name: string }[]>('/v5/format?mediaType=document', { headers: authorized });
      const delivered = formats.find(({ name }) => name === 'Original document')?.id;
      const configuration = { name: 'Website', type: 'document', templateId: 0, formats: [{ formatId: delivered, downloadable: true }] };
      const { id: playerConfigurationId } = await post<{ id: number }>('/v5/playerconfiguration', configuration);
      const { link } = await post<{ link: string }>(`/v5/embedlink/${media.id}`, { playerConfigurationId });

      const jobs: string[] = [];
      const createUpload = async (more: object) => {
        const batch = { payload: [aFile()], ...more };
        const { jobId } = await post<{ jobId: string }>('/v5/s3/createUpload', batch, { 'idempotency-key': randomUUID() });
        jobs.push(jobId);
      };
      load = new SteadyLoad(
        {
          token: obtainToken,
          introspection: async () => expect(await send('/v4/introspect', form({ token }))).toMatchObject({ active: true }),
          'find of media': async () => await send('/v5/mediacontainer?limit=20', { headers: authorized }),
          'find of configurations': async () => await send('/v5/playerconfiguration', { headers: authorized }),
          createUpload: async () => await createUpload({}),
          'createUpload without waiting': async () => await createUpload({ waitForCompletion: false }),
          update: async () =>
            await send(`/v5/mediacontainer/${media.id}`, {
              method: 'PUT',
              headers: { ...authorized, 'content-type': 'application/json' },
              body: JSON.stringify({ description: 'A letter to the newsroom' }),
            }),
          success: async () => await post('/v5/s3/success', { bucket: s3Bucket, key: media.s3Key }),
          delivery: async () => await send(`/v5/deliverFile/${link}`),
          page: async () => expect(await send(`/v5/deliverEmbed/${link}`, { headers: { accept: 'text/html' } })).toContain('<html'),
        },
        PER_SECOND,
      );
      const replaceEach = async (signal: NodeJS.Signals, cwd: string) => {
        for (const [index, port] of ports.entries()) {
          if (load) load.phase = `${signal} of ${index}, then ${path.basename(cwd)}`;
          expect(await programs[index]?.end(signal)).toBe(signal === 'SIGKILL' ? null : 0);
          programs[index] = await serve(cwd, port);
          await load?.answered(); // those that this process refused are with the other one
        }
      };
      await replaceEach('SIGTERM', REPOSITORY);
      const killed = await work();
      await replaceEach('SIGKILL', REPOSITORY);
      await killed.end('SIGKILL');
      const worker = await work();
      await replaceEach('SIGTERM', previous);
      await eventually(() => (load?.sent ?? 0) >= REQUESTS);
      await load.stop();
      expect(load.failures).toEqual([]);

      // What was answered is there, once, and the worker prepared what did not wait.
      await eventually(async () => {
        const results = await Promise.all(
          jobs.map(async (jobId) => await send<object>(`/v5/activity/jobResult/${jobId}`, { headers: authorized })),
        );
        return results.every((result) => 'processed' in result);
      });
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      const { rows } = await client.query('SELECT count(*)::int AS containers FROM media_containers');
      await client.end();
      expect(rows).toEqual([{ containers: jobs.length + 1 }]);
      expect(await worker.end('SIGTERM')).toBe(0);
    },
    LONG_MS,
  );
});
