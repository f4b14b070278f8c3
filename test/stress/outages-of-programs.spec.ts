import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findPort } from '../../src/process/find-port.js';
import { BUILD_MS, buildProgram } from '../support/app/clone.js';
import { type Program, type RunningProgram, spawnProgram, startProgram } from '../support/app/program.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import { startWorker } from '../support/app/worker-program.js';
import { aFormat } from '../support/converter/formats.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';
import { aFile, clientFor, type UploadDocument } from '../support/media/uploads.js';
import { type Failure, NameServer, type Outside, refusedByPostgres, Way } from '../support/outside.js';
import { retryInCi } from '../support/retries.js';
import { SteadyLoad } from '../support/steady-load.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';
import { type MailServer, startMailServer } from '../support/subscriptions/mail-server.js';
import { subscriptionsOf } from '../support/subscriptions/subscriptions.js';
import { WebhookReceiver } from '../support/subscriptions/webhook-receiver.js';

retryInCi('Four processes have promised times for refusals and for their recovery.');

/** How long each outage lasts. A release is tried with 130 s, which is longer than anything that the service remembers. */
const OUTAGE_MS = Number(process.env.OUTAGE_SECONDS ?? 8) * 1_000;
const LONG_MS = OUTAGE_MS + 180_000;
/** What waits for something that is away is refused within 10 s (the rest is for a busy machine). */
const ANSWER_MS = 20_000;
/** All is well within 30 s of its return (the rest is for a busy machine). */
const WELL_MS = 60_000;
const PER_SECOND = 10;

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

const refusedByHttp = (body: string) =>
  `HTTP/1.1 403 Forbidden\r\ncontent-type: application/xml\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
const NO_KEY = '<Error><Code>InvalidAccessKeyId</Code><Message>The access key does not exist.</Message></Error>';

type Part = 'database' | 'storage' | 'mail server' | 'collector' | 'name server';

let folder: string;
let database: TestDatabase;
let storage: TestStorage;
let mailServer: MailServer;
let collector: Server;
let receiver: WebhookReceiver;
let parts: Record<Part, Outside>;
let webs: RunningProgram[] = [];
let workers: Program[] = [];
let settings: Record<string, string>;
let copyFormat: number;
let shared: { readonly link: string; readonly key: string };
let token = '';

/** The programs find every server by a name, which our name server resolves. */
const withOurNames = (script: string) => {
  const run = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';
  return ['unshare', '--mount', 'sh', '-c', run, path.join(folder, 'resolv.conf'), process.execPath, 'scripts/run.mjs', script];
};
const startWebs = async (ports: readonly number[]) =>
  await Promise.all(
    ports.map(async (port) => {
      const program = await startProgram({ command: withOurNames('main.js'), env: { ...settings, WORKER: 'off', PORT: String(port) } });
      return { ...program, url: `http://127.0.0.1:${port}` }; // PUBLIC_URL is that of a balancer
    }),
  );
const startAWorker = async () => await startWorker({ command: withOurNames('worker.js'), env: { ...settings, LOG_LEVEL: 'info' } });

beforeAll(async () => {
  await buildProgram();
  folder = makeTestFolder();
  const names = await NameServer.start();
  mkdirSync(path.join(folder, 'data'), { recursive: true });
  writeFileSync(path.join(folder, 'resolv.conf'), `nameserver ${names.address}\n`);
  database = await createTestDatabase({ empty: true });
  storage = await startTestStorage();
  mailServer = await startMailServer();
  receiver = await WebhookReceiver.start();
  collector = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const ways = {
    database: await Way.to(Number(new URL(database.url).port), refusedByPostgres()),
    storage: await Way.to(Number(new URL(storage.address.endpoint).port), refusedByHttp(NO_KEY)),
    mail: await Way.to(Number(mailServer.host.split(':')[1]), '554 5.7.1 Access denied\r\n'),
    collector: await Way.to((collector.address() as AddressInfo).port, refusedByHttp('')),
  };
  parts = {
    ...{ database: ways.database, storage: ways.storage, 'mail server': ways.mail, collector: ways.collector },
    'name server': names,
  };
  const { s3Bucket, stsRoleArn, awsRegion, storageKey } = storage.settings;
  const databaseUrl = new URL(database.url);
  [databaseUrl.hostname, databaseUrl.port] = ['database.test', String(ways.database.port)];
  const endpoint = `http://storage.test:${ways.storage.port}`;
  settings = {
    ...{ DATABASE_URL: databaseUrl.href, DATA_DIR: path.join(folder, 'data'), APP_SECRET: 'a secret for tests only, long enough' },
    ...{ S3_BUCKET: s3Bucket, S3_ENDPOINT: endpoint, STS_ENDPOINT: endpoint, STS_ROLE_ARN: stsRoleArn, AWS_REGION: awsRegion },
    ...{ AWS_ACCESS_KEY_ID: storageKey?.accessKeyId ?? '', AWS_SECRET_ACCESS_KEY: storageKey?.secretAccessKey ?? '' },
    ...{ SMTP_URL: `smtp://mail.test:${ways.mail.port}`, OTEL_EXPORTER_OTLP_ENDPOINT: `http://collector.test:${ways.collector.port}` },
    ...{ EGRESS_ALLOWLIST: '127.0.0.1,hooks.test', RATE_LIMIT: 'off', LOG_LEVEL: 'warn', PUBLIC_URL: 'http://localhost:3000' },
  };
  const provisioning = spawnProgram({ command: [...withOurNames('admin/main.js'), 'apply', '-'], env: settings });
  provisioning.process.stdin?.end(JSON.stringify(PROVISION));
  expect([await provisioning.ended, provisioning.output.stderr]).toEqual([0, '']);
  webs = await startWebs([await findPort('127.0.0.1', 0), await findPort('127.0.0.1', 0)]);
  workers = [await startAWorker(), await startAWorker()];

  await renewToken(web());
  const mail = { type: 'email', to: [{ recipient: 'desk@example.org' }], subject: 'File :mediaId', text: 'It has arrived.' };
  const hook = { type: 'https', url: `http://hooks.test:${receiver.port}/hook` };
  await subscriptionsOf({ url: web() }, token).made({ name: 'event:s3success', instructions: [hook, mail] });
  copyFormat = (await aFormat({ url: web() }, token, { blueprint: 'Copy', settings: { mediaTypes: ['document'] } })).id;
  shared = await share();
}, BUILD_MS + LONG_MS);

afterAll(async () => {
  for (const part of Object.values(parts ?? {})) await part.mend();
  await Promise.all([...webs, ...workers].map(async (program) => await program.end('SIGKILL')));
  for (const part of Object.values(parts ?? {})) await part.close();
  await Promise.all([receiver?.close(), mailServer?.close(), storage?.close()]);
  collector?.closeAllConnections();
  await new Promise((resolve) => collector?.close(resolve));
  await database?.drop();
  await removeTestFolder(folder);
}, LONG_MS);

let turn = 0;
/** The two web processes in turn. */
function web(): string {
  turn += 1;
  return webs[turn % webs.length]?.url ?? '';
}

/** Answers of the outage, by what was said. */
const said = new Map<string, number>();
let longestMs = 0;

/** Rejects unless the request succeeds, or is refused as something is away: 503 with Retry-After, in time. */
async function send(address: string, init: RequestInit = {}): Promise<Response> {
  const startedAt = performance.now();
  const answer = await fetch(address, { redirect: 'manual', ...init, signal: AbortSignal.timeout(60_000) });
  const elapsedMs = performance.now() - startedAt;
  longestMs = Math.max(longestMs, elapsedMs);
  const text = answer.status >= 400 ? await answer.clone().text() : '';
  const words = `${answer.status} ${/"(?:code|error)":"(\w+)"/.exec(text)?.[1] ?? ''}`;
  said.set(words, (said.get(words) ?? 0) + 1);
  const isRefusal = answer.status === 503 && Number(answer.headers.get('retry-after')) > 0;
  if (answer.status >= 400 && !isRefusal) throw new Error(`${words} ${text}`);
  if (elapsedMs > ANSWER_MS) throw new Error(`${answer.status} after ${Math.round(elapsedMs)} ms`);
  return answer;
}

const postTo = async (at: string, body: object) =>
  await send(`${web()}${at}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Rejects when something is away. */
async function post<Body>(at: string, body: object): Promise<Body> {
  const answer = await postTo(at, body);
  if (!answer.ok) throw new Error(`${at}: ${answer.status}`);
  return (await answer.json()) as Body;
}

const form = (fields: Record<string, string>) => ({
  method: 'POST',
  body: new URLSearchParams({ client_id: 'importer', client_secret: SECRET, ...fields }),
});
async function renewToken(url: string): Promise<void> {
  const answer = await send(`${url}/v4/token`, form({ grant_type: 'client_credentials' }));
  if (answer.ok) token = ((await answer.json()) as { access_token: string }).access_token;
}

/** A file that arrives. */
async function uploadFile() {
  const letter = aFile({ type: 'document', fileName: 'letter.txt', originalFileExtension: 'txt' });
  const { processed } = await post<UploadDocument>('/v5/s3/createUpload', { payload: [letter] });
  const item = processed[0];
  if (!item) throw new Error('The file was not prepared.');
  const client = clientFor({ ...item, endpoint: storage.address.endpoint });
  await client.send(new PutObjectCommand({ Bucket: item.bucket, Key: item.s3Key, Body: 'hello world' })).finally(() => client.destroy());
  await post('/v5/s3/success', { bucket: item.bucket, key: item.s3Key });
  return item;
}

/** A file whose link is delivered all the time. */
async function share() {
  const { id, s3Key: key } = await uploadFile();
  const formats = (await (
    await send(`${web()}/v5/format?mediaType=document`, { headers: { authorization: `Bearer ${token}` } })
  ).json()) as {
    id: number;
    name: string;
  }[];
  const formatId = formats.find(({ name }) => name === 'Original document')?.id;
  const configuration = { name: 'Website', type: 'document', templateId: 0, formats: [{ formatId, downloadable: true }] };
  const { id: playerConfigurationId } = await post<{ id: number }>('/v5/playerconfiguration', configuration);
  return { key, link: (await post<{ link: string }>(`/v5/embedlink/${id}`, { playerConfigurationId })).link };
}

const load = () =>
  new SteadyLoad(
    {
      token: async () => await renewToken(web()),
      introspection: async () => {
        const answer = await send(`${web()}/v4/introspect`, form({ token }));
        if (answer.ok) expect(await answer.json()).toMatchObject({ active: true });
      },
      find: async () => await send(`${web()}/v5/mediacontainer?limit=20`, { headers: { authorization: `Bearer ${token}` } }),
      createUpload: async () => await postTo('/v5/s3/createUpload', { payload: [aFile()] }),
      success: async () => await postTo('/v5/s3/success', { bucket: storage.settings.s3Bucket, key: shared.key }),
      delivery: async () => await send(`${web()}/v5/deliverFile/${shared.link}`),
      readiness: async () => void (await (await fetch(`${web()}/health/ready`)).text()),
    },
    PER_SECOND,
  );

/** Which programs have ended. */
const ended = () =>
  Object.entries({ 'web 1': webs[0], 'web 2': webs[1], 'worker 1': workers[0], 'worker 2': workers[1] }).flatMap(([name, program]) =>
    program?.process.exitCode === null && program.process.signalCode === null ? [] : [`${name}: ${program?.output.stdout.slice(-2_000)}`],
  );

/** A file that arrives, is converted, and is told of by a webhook and an e-mail. */
async function expectAllIsWell(): Promise<void> {
  for (const { url } of webs) await eventually(async () => (await fetch(`${url}/health/ready`)).status === 200);
  // A process remembers for some seconds that something was away.
  const { id, mediaId } = await eventually(
    async () =>
      await renewToken(web())
        .then(uploadFile)
        .catch(() => null),
    WELL_MS,
  );
  await eventually(async () => (await postTo(`/v5/mediacontainer/${id}/transcode`, { formatIds: [copyFormat] })).ok, WELL_MS);
  await eventually(async () => {
    const answer = await send(`${web()}/v5/mediacontainer/${id}`, { headers: { authorization: `Bearer ${token}` } });
    const { media = [] } = (await answer.json()) as { media?: { formatId: number; status: string }[] };
    return media.some(({ formatId, status }) => formatId === copyFormat && status === 'successful');
  });
  await eventually(() =>
    receiver.requests.some(({ body }) => (JSON.parse(body) as { payload: { mediaId: number } }).payload.mediaId === mediaId),
  );
  await eventually(() => mailServer.mails.some(({ headers }) => headers.subject === `File ${mediaId}`));
}

const ALL: readonly Failure[] = ['refused', 'silent', 'refusing the login'];

describe.each(['storage', 'database', 'mail server', 'collector', 'name server'] as const)(
  'two web processes and two workers without the %s',
  (name) => {
    it.each(ALL)(
      'which is %s: none ends, everything is answered in time, and all is well afterwards',
      async (how) => {
        await expectAllIsWell();
        said.clear();
        longestMs = 0;
        const requests = load();
        await parts[name].fail(how);
        await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS));
        await requests.stop();
        const answers = Object.fromEntries(said);
        const longest = longestMs;
        await parts[name].mend();
        if (process.env.OUTAGE_SECONDS) console.info(name, how, answers, `longest ${Math.round(longest)} ms`);
        expect({ ended: ended(), failures: requests.failures }).toEqual({ ended: [], failures: [] });
        await expectAllIsWell();
        expect(ended()).toEqual([]);
      },
      LONG_MS,
    );
  },
);

it.each(['storage', 'database'] as const)(
  'a worker and a web process stop in order while the %s is silent',
  async (name) => {
    const { id } = await eventually(async () => await uploadFile().catch(() => null), WELL_MS);
    await parts[name].fail('silent');
    await postTo(`/v5/mediacontainer/${id}/transcode`, { formatIds: [copyFormat] });
    const ports = webs.map(({ url }) => Number(new URL(url).port));
    const codes = await Promise.all([...webs, ...workers].map(async (program) => await program.end('SIGTERM')));
    await parts[name].mend();
    expect(codes).toEqual([0, 0, 0, 0]);
    for (const { output } of [...webs, ...workers]) expect(output.stdout + output.stderr).not.toContain('did not stop');
    webs = await startWebs(ports);
    workers = [await startAWorker(), await startAWorker()];
    await expectAllIsWell();
  },
  LONG_MS,
);
