import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as forward, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import acSignature from 'ac-signature';
import { AccessKeysService } from '../../src/modules/accounts/index.js';
import { WorkFoldersService } from '../../src/modules/converter/execution/work-folders.service.js';
import { Clock } from '../../src/shared/clock.js';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { REPOSITORY } from '../support/app/program.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { startTestContext, type TestContext, type TestContextOptions } from '../support/app/test-context.js';
import { offerScript } from '../support/app/worker-program.js';
import { capturedLog } from '../support/captured-log.js';
import { aFormat } from '../support/converter/formats.js';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database/database-proxy.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';
import { type Answer, aFile, call, clientFor, type ProcessedItem, tokenOf, type UploadDocument } from '../support/media/uploads.js';
import { alertsIn, readAlertRules, valueIn } from '../support/metrics.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';
import { type MailServer, startMailServer } from '../support/subscriptions/mail-server.js';
import { subscriptionsOf } from '../support/subscriptions/subscriptions.js';
import { WebhookReceiver } from '../support/subscriptions/webhook-receiver.js';

/** In front of the storage or its security token service: passes everything on, or answers itself. */
class Gateway {
  answer: RequestListener | null = null;
  private readonly server: Server;

  constructor(private readonly target: URL) {
    this.server = createServer((request, response) => {
      if (this.answer) {
        request.resume();
        return void this.answer(request, response);
      }
      const { hostname, port } = this.target;
      const { method, url, headers } = request;
      const passedOn = forward({ hostname, port, method, path: url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      passedOn.on('error', () => response.destroy());
      request.pipe(passedOn);
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** A small disk, which other processes see only by way of the one that mounted it. */
class SmallDisk {
  private constructor(
    private readonly holder: ChildProcess,
    readonly folder: string,
  ) {}

  static async mount(): Promise<SmallDisk> {
    const script = 'mount -t tmpfs -o size=300m tmpfs /mnt && echo mounted && exec sleep 600';
    const rights = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
    const holder = spawn('unshare', [...rights, '--mount', '--', 'sh', '-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = (await Promise.race([once(holder.stdout, 'data'), once(holder, 'exit')])) as [unknown];
    if (String(said).trim() !== 'mounted') throw new Error('No tmpfs could be mounted in a namespace.');
    return new SmallDisk(holder, `/proc/${holder.pid}/root/mnt`);
  }

  /** Less than 256 MiB stay. */
  fill(): void {
    writeFileSync(path.join(this.folder, 'filler'), Buffer.alloc(64 * 1_048_576));
  }

  empty(): void {
    rmSync(path.join(this.folder, 'filler'));
  }

  async unmount(): Promise<void> {
    this.holder.kill('SIGKILL');
    await once(this.holder, 'exit');
  }
}

const { log, lines } = capturedLog('info');
const KEY = { accessKey: 'key-of-outages', accessSecret: 'a secret of the access key, long enough' };
const PAGE_OF_A_PROXY = '<html><head><title>502 Bad Gateway</title></head><body><hr><center>nginx</center></body></html>';
const LETTER = { type: 'document', fileName: 'letter.txt', originalFileExtension: 'txt' };

let database: TestDatabase;
let proxy: DatabaseProxy;
let storage: TestStorage;
let gateways: Record<'s3' | 'sts', Gateway>;
let mailServer: MailServer;
let isMailServerDown = false;
let receiver: WebhookReceiver;
/** What the receiver has accepted. */
const accepted: { readonly messageId: string; readonly mediaId: number }[] = [];
let app: TestApp;
let user: { readonly id: number; readonly email: string };
let copyFormat: number;
/** How far the clock of the service is ahead, in seconds. */
let ahead = 0;

// All outages are in one file, because they share the service and its parts, whose start takes longer than most of them.
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startDatabaseProxy(database);
  storage = await startTestStorage();
  gateways = { s3: new Gateway(new URL(storage.address.endpoint)), sts: new Gateway(new URL(storage.address.endpoint)) };
  mailServer = await startMailServer({
    onMailFrom: (_address, _session, done) => done(isMailServerDown ? Object.assign(new Error('not now'), { responseCode: 421 }) : null),
    onConnect: (_session, done) => done(isMailServerDown ? Object.assign(new Error('not now'), { responseCode: 421 }) : null),
  });
  receiver = await WebhookReceiver.start();
  app = await startTestApp({
    ...storage.settings,
    ...{ s3Endpoint: await gateways.s3.start(), stsEndpoint: await gateways.sts.start() },
    ...{
      database: { ...database, url: proxy.url },
      log,
      worker: 'inline',
      egressAllowlist: ['127.0.0.1'],
      smtpUrl: `smtp://${mailServer.host}`,
    },
  });
  await eventually(() => lines.some(({ msg }) => msg === 'a converter worker started')); // it warns of programs that are not installed
  app.app.get(Clock).now = () => new Date(Date.now() + ahead * 1_000);
  user = await aUser(app);
  await app.app.get(AccessKeysService).declare({ ...KEY, userId: user.id });
  const token = await tokenOf(app, user);
  const mediaTypes = ['document'];
  copyFormat = (await aFormat(app, token, { blueprint: 'Copy', settings: { mediaTypes } })).id;
  const mail = { type: 'email', to: [{ recipient: 'desk@example.org' }], subject: 'File :mediaId', text: 'It has arrived.' };
  for (const instruction of [{ type: 'https', url: `${receiver.origin()}/hook` }, mail])
    await subscriptionsOf(app, token).made({ name: 'event:s3success', instructions: [instruction] });
});
afterAll(async () => {
  proxy.cutOff(false);
  await app?.close();
  for (const gateway of Object.values(gateways)) await gateway.close();
  await Promise.all([receiver.close(), mailServer.close(), storage.close(), proxy.close()]);
  await database.drop();
});
beforeEach(() => {
  lines.length = 0;
  receiver.answer = ({ headers, body }, response) => {
    const { payload } = JSON.parse(body) as { payload: { mediaId: number } };
    accepted.push({ messageId: String(headers['webhook-id']), mediaId: payload.mediaId });
    response.writeHead(204).end();
  };
});

/** A file that a client uploads and has converted. Each step may be repeated until it succeeds, as clients do. */
class UploadedFile {
  private item: ProcessedItem | null = null;

  constructor(private readonly formatId = copyFormat) {}

  async prepare(): Promise<Answer> {
    const answer = await this.send('/v5/s3/createUpload', { payload: [aFile(LETTER)] });
    this.item = (answer.body as unknown as UploadDocument).processed?.[0] ?? null;
    return answer;
  }

  async put(): Promise<void> {
    const client = clientFor(this.prepared);
    const object = { Bucket: this.prepared.bucket, Key: this.prepared.s3Key, Body: 'hello world' };
    await client.send(new PutObjectCommand(object)).finally(() => client.destroy());
  }

  async report(): Promise<Answer> {
    return await this.send('/v5/s3/success', { bucket: this.prepared.bucket, key: this.prepared.s3Key });
  }

  async convert(): Promise<Answer> {
    return await this.send(`/v5/mediacontainer/${this.prepared.id}/transcode`, { formatIds: [this.formatId] });
  }

  /** What has followed from the file: messages to the receiver, e-mails, renditions. */
  async effects(): Promise<Record<'webhooks' | 'mails' | 'renditions', number>> {
    const { id, mediaId } = this.prepared;
    const { body } = await this.send<{ media: { formatId: number; status: string }[] }>(`/v5/mediacontainer/${id}`);
    return {
      webhooks: accepted.filter((message) => message.mediaId === mediaId).length,
      mails: mailServer.mails.filter(({ headers }) => headers.subject === `File ${mediaId}`).length,
      renditions: body.media.filter(({ formatId, status }) => formatId === this.formatId && status === 'successful').length,
    };
  }

  private async send<Body = Record<string, unknown>>(at: string, body?: object): Promise<Answer<Body>> {
    return await call<Body>(`${app.url}${at}`, { token: await tokenOf(app, user), body });
  }

  private get prepared(): ProcessedItem {
    if (!this.item) throw new Error('The file was not prepared.');
    return this.item;
  }
}

/** How an answer is written in the documents: ``503 `storage_unavailable` ``. */
const inWords = ({ status, body }: Pick<Answer, 'status' | 'body'>): string =>
  typeof body.code === 'string' ? `${status} \`${body.code}\`` : String(status);

interface Ready {
  readonly status: string;
  readonly details?: { readonly checks?: Record<string, { status: string }> };
}

/** What readiness says: status code, status, and the parts that fail. */
async function readiness(): Promise<string> {
  const { status, body } = await call<Ready>(`${app.url}/health/ready`);
  const failing = Object.entries(body.details?.checks ?? {}).flatMap(([name, check]) => (check.status === 'failing' ? [name] : []));
  return [`${status} \`${body.status}\``, ...failing.map((name) => `\`${name}\``)].join(' ');
}

/** The rows of the table, by their first cell. */
function documented(): Map<string, { requests: string; health: string; log: string; again: string; alerts: string }> {
  const text =
    readFileSync(path.join(REPOSITORY, 'docs/operations-recover.md'), 'utf8').split('\n## Outages\n')[1]?.split('\n## ')[0] ?? '';
  const rows = text.split('\n').filter((line) => line.startsWith('| '));
  return new Map(
    rows.slice(1).map((row) => {
      const [part = '', requests = '', health = '', logged = '', again = '', alerts = ''] = row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      return [part, { requests, health, log: logged, again, alerts }] as const;
    }),
  );
}

/** The names in a cell. */
const namesIn = (cell: string): string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);

const metrics = async (): Promise<string> => await (await fetch(`${app.url}/metrics`)).text();

/** The sum of the series that begin with this text. */
const sumOf = (text: string, series: string): number =>
  text.split('\n').reduce((sum, line) => sum + (line.startsWith(series) ? Number(line.split(' ').at(-1)) : 0), 0);
const rise = (series: string) => (before: string, after: string) => sumOf(after, series) > sumOf(before, series);

/** What each alert of the table measures: whether the metrics show it during an outage of which `/health/ready` names the parts. */
const SIGNALS: Readonly<Record<string, (before: string, after: string, parts: readonly string[]) => boolean>> = {
  DatabaseDown: (_, after) => valueIn(after, 'database_up') === 0,
  PartFails: (_, after, parts) => parts.every((check) => valueIn(after, `health_check_failing{check="${check}"}`) === 1),
  StorageUnavailable: (before, after) =>
    ['AssumeRole', 'HeadObject', 'GetObject'].some((operation) =>
      rise(`storage_calls_total{operation="${operation}",outcome="storage_unavailable"}`)(before, after),
    ),
  MailsFail: rise('mails_total{outcome="failed"'),
  RequestsToOthersFail: rise('subscription_attempts_total{type="https",outcome="failed"'),
  // It is ready for PostgreSQL a minute later, because the clock of the service is ahead.
  TranscodingsStuck: (_, after) =>
    ['ready', 'waiting'].some((state) => valueIn(after, `queue_length{queue="transcodings",state="${state}"}`)),
};
const tried: string[] = [];

interface Trial {
  down(): Promise<void> | void;
  /** What clients do meanwhile: the answers, and the files that are to be complete afterwards. */
  during(): Promise<{ readonly answers: readonly Answer[]; readonly files: readonly UploadedFile[] }>;
  up(): Promise<void> | void;
  /** What clients do afterwards: they repeat what was refused. */
  after?(): Promise<Answer[]>;
}

/** Parts whose finding would otherwise be used again are checked anew. */
const passMinute = () => {
  ahead += 61;
};

async function expectOutage(part: string, trial: Trial): Promise<void> {
  try {
    await compareOutage(part, trial);
  } catch (error) {
    await trial.up(); // for the trials that follow
    throw error;
  }
}

async function compareOutage(part: string, trial: Trial): Promise<void> {
  const row = documented().get(part);
  if (!row) throw new Error(`The table of outages has no row ${part}.`);
  expect(await eventually(async () => (await readiness()) === '200 `ok`')).toBe(true);
  tried.push(part);
  const before = await metrics();
  passMinute();
  await trial.down(); // before the parts are checked again
  const { answers, files } = await trial.during();
  const seen = { requests: [...new Set(answers.map(inWords))].sort().join(', '), health: '' };
  await eventually(async () => {
    seen.health = await readiness();
    return seen.health === row.health;
  });
  for (const words of seen.requests.split(', ')) expect(`${part}: ${row.requests}`).toContain(words);
  expect(row.health).toBe(seen.health);
  const parts = namesIn(row.health).slice(1);
  const missing = async () => {
    const after = await metrics();
    return namesIn(row.alerts).filter((alert) => !SIGNALS[alert]?.(before, after, parts));
  };
  await eventually(async () => (await missing()).length === 0);
  expect({ part, alertsWithoutSignal: await missing() }).toEqual({ part, alertsWithoutSignal: [] });
  const failures = lines.filter(({ level, msg }) => Number(level) >= 40 && msg !== 'a part of the service does not work');
  const messages = [...new Set(failures.map(({ msg }) => `\`${msg}\``))];
  expect(messages.filter((msg) => !row.log.includes(msg))).toEqual([]);
  if (row.log.includes('`')) expect(messages.length).toBeGreaterThan(0);

  await trial.up();
  const seconds = Number(/(\d+) s/.exec(row.again)?.[1] ?? 0);
  const [upAt, aheadAt] = [performance.now(), ahead];
  const elapsed = () => (performance.now() - upAt) / 1_000 + ahead - aheadAt;
  for (const answer of (await trial.after?.()) ?? []) expect(answer.status).toBe(200);
  const complete = { webhooks: 1, mails: 1, renditions: 1 };
  for (const file of files) {
    await eventually(async () => {
      ahead += 0.2; // time passes faster
      return JSON.stringify(await file.effects()) === JSON.stringify(complete);
    });
  }
  await eventually(async () => {
    ahead += 0.2;
    return (await readiness()) === '200 `ok`';
  });
  expect({ part, seconds: elapsed() <= seconds ? seconds : elapsed() }).toEqual({ part, seconds });
  for (const file of files) expect(await file.effects()).toEqual(complete); // and nothing twice
}

it('an alert that the table names exists', () => {
  const known = new Set(alertsIn(readAlertRules()).map(({ alert }) => alert));
  const named = [...documented().values()].flatMap(({ alerts }) => namesIn(alerts));
  expect(named.filter((name) => !known.has(name))).toEqual([]);
  expect(named.length).toBeGreaterThan(8);
});

describe('an outage is as docs/operations-recover.md says, and nothing is lost by it', () => {
  it('of PostgreSQL', async () => {
    const file = new UploadedFile();
    await file.prepare();
    await file.put();
    const token = await tokenOf(app, user);
    await expectOutage('PostgreSQL', {
      down: () => proxy.cutOff(true),
      during: async () => {
        const answers = await Promise.all(Array.from({ length: 40 }, async () => await file.report()));
        expect(answers[0]?.headers.get('retry-after')).toBe('5');
        expect((await call(`${app.url}/v5/customer`, { token })).status).toBe(503);
        return { answers, files: [file] };
      },
      up: () => proxy.cutOff(false),
      after: async () => {
        await eventually(async () => (await file.report()).status === 200);
        return [await file.convert()];
      },
    });
  });

  it('of the object storage', async () => {
    const [reported, unreported] = [new UploadedFile(), new UploadedFile()];
    for (const file of [reported, unreported]) {
      await file.prepare();
      await file.put();
    }
    await reported.report();
    await expectOutage('object storage', {
      down: () => {
        gateways.s3.answer = (_, response) => void response.destroy();
      },
      during: async () => {
        expect((await reported.convert()).status).toBe(200); // it waits
        await eventually(() => lines.some(({ msg }) => msg === 'a transcoding was interrupted'));
        expect((await new UploadedFile().prepare()).status).toBe(200);
        const refused = await unreported.report();
        const line = lines.find(({ operation }) => operation === 'HeadObject');
        expect(line).toMatchObject({ host: new URL(app.config.s3Endpoint).host, requestId: refused.headers.get('x-request-id') });
        return { answers: [refused], files: [reported, unreported] };
      },
      up: () => {
        gateways.s3.answer = null;
      },
      after: async () => [await unreported.report(), await unreported.convert()],
    });
  });

  it('of the security token service', async () => {
    const file = new UploadedFile();
    await expectOutage('security token service', {
      down: () => {
        gateways.sts.answer = (_, response) => void response.writeHead(502, { 'content-type': 'text/html' }).end(PAGE_OF_A_PROXY);
      },
      during: async () => {
        const refused = await file.prepare();
        expect(lines.find(({ msg }) => msg === 'the security token service failed')).toMatchObject({
          ...{ operation: 'AssumeRole', status: 502, host: new URL(app.config.stsEndpoint).host },
          ...{
            requestId: refused.headers.get('x-request-id'),
            err: { message: 'The answer has the status 502 and no error of S3 or STS.' },
          },
        });
        return { answers: [refused], files: [file] };
      },
      up: () => {
        gateways.sts.answer = null;
      },
      after: async () => {
        const prepared = await file.prepare();
        await file.put();
        return [prepared, await file.report(), await file.convert()];
      },
    });
  });

  /** A file that is uploaded, reported and converted; every step succeeds. */
  const upload = async (file: UploadedFile): Promise<Answer[]> => {
    const prepared = await file.prepare();
    await file.put();
    return [prepared, await file.report(), await file.convert()];
  };
  const instructionFailed = async () => await eventually(() => lines.some(({ msg }) => msg === 'an instruction failed'));

  it('of the mail server', async () => {
    const file = new UploadedFile();
    await expectOutage('mail server', {
      down: () => {
        isMailServerDown = true;
        mailServer.hangUp();
      },
      during: async () => {
        const answers = await upload(file);
        await instructionFailed();
        return { answers, files: [file] };
      },
      up: () => {
        isMailServerDown = false;
      },
    });
  });

  it('of the receiver of a webhook', async () => {
    const file = new UploadedFile();
    await expectOutage("receiver of a customer's webhook", {
      down: () => {
        receiver.answer = (_, response) => void response.writeHead(503).end();
      },
      during: async () => {
        const answers = await upload(file);
        await instructionFailed();
        expect(lines.find(({ msg }) => msg === 'an instruction failed')).toMatchObject({
          operation: 'https',
          host: new URL(receiver.origin()).host,
          status: 503,
        });
        return { answers, files: [file] };
      },
      up: () => {
        receiver.answer = ({ headers, body }, response) => {
          const { payload } = JSON.parse(body) as { payload: { mediaId: number } };
          accepted.push({ messageId: String(headers['webhook-id']), mediaId: payload.mediaId });
          response.writeHead(204).end();
        };
      },
    });
  });

  it('of the disk of a worker', async () => {
    const file = new UploadedFile();
    const disk = await SmallDisk.mount();
    const folders = app.app.get(WorkFoldersService, { strict: false });
    const { parent } = folders as unknown as { parent: string };
    try {
      Object.assign(folders, { parent: path.join(disk.folder, 'work') });
      await expectOutage('disk of a worker', {
        down: () => disk.fill(),
        during: async () => ({ answers: await upload(file), files: [file] }),
        up: () => disk.empty(),
      });
    } finally {
      Object.assign(folders, { parent });
      await disk.unmount();
    }
  });

  it('of the disk of PostgreSQL', async () => {
    const file = new UploadedFile();
    await file.prepare();
    await file.put();
    const db = app.app.get(Database);
    await db.query(`CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`);
    await expectOutage('disk of PostgreSQL', {
      down: async () => void (await db.query('CREATE TRIGGER full_disk BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION disk_full()')),
      during: async () => ({ answers: [await file.report()], files: [file] }),
      up: async () => void (await db.query('DROP TRIGGER full_disk ON events')),
      after: async () => [await file.report(), await file.convert()],
    });
  });

  it('of the clock of a machine', async () => {
    const now = Date.now.bind(Date);
    const signed = async () => {
      const at = '/v5/customer';
      const ts = Math.floor(now() / 1_000) + Math.round(ahead);
      const { hash } = acSignature.sign5({ path: at, payload: {}, ts, ...KEY });
      const headers = {
        'x-service-accesskey': KEY.accessKey,
        'x-service-rts': String(ts),
        'x-service-hash': hash,
        'x-service-version': '5',
      };
      return await call(`${app.url}${at}`, { headers });
    };
    const file = new UploadedFile();
    const spy = jest.spyOn(Date, 'now');
    await expectOutage('clock of a machine, off by a minute', {
      down: () => {
        spy.mockImplementation(() => now() + 60_000);
      },
      during: async () => {
        const answers = await upload(file);
        return { answers: [...answers, await signed()], files: [file] };
      },
      up: () => {
        spy.mockRestore();
      },
    });
    expect((await signed()).status).toBe(200);
  });

  it('of the programs of the workers', async () => {
    const mediaTypes = ['document'];
    const settings = { mediaTypes, autoGenerate: mediaTypes, filetype: 'txt', parameters: { tool: 'repeat' } };
    const format = await aFormat(app, await tokenOf(app, user), { blueprint: 'Tool of the operator', settings });
    const file = new UploadedFile(format.id);
    const dataDir = mkdtempSync(path.join(tmpdir(), 'outages-'));
    offerScript(dataDir, 'repeat', 'cat "$1" "$1" > "$2"');
    const workers: TestContext[] = [];
    try {
      await expectOutage('programs of the workers', {
        down: () => {}, // no worker has the tool
        during: async () => {
          const answers = await upload(file);
          passMinute();
          return { answers, files: [file] };
        },
        up: async () => {
          const { s3Endpoint, stsEndpoint } = app.config;
          const prepare: TestContextOptions['prepare'] = (get) => {
            get(Clock).now = () => new Date(Date.now() + ahead * 1_000);
          };
          workers.push(
            await startTestContext({ ...storage.settings, s3Endpoint, stsEndpoint, database, dataDir, worker: 'inline', prepare }),
          );
        },
      });
    } finally {
      for (const worker of workers) await worker.close();
      rmSync(dataDir, { recursive: true });
    }
  });

  it('is tried for each row of the table', () => {
    expect(tried.sort()).toEqual([...documented().keys()].sort());
  });
});
