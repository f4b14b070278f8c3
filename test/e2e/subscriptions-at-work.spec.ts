import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Database } from '../../src/shared/database/index.js';
import { EventOutboxService } from '../../src/shared/events/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { capturedLog } from '../support/captured-log.js';
import { eventually } from '../support/eventually.js';
import { tokenOf } from '../support/media/uploads.js';
import { problemsOf, type SubscriptionBody, subscriptionsOf } from '../support/subscriptions/subscriptions.js';
import { WebhookReceiver } from '../support/subscriptions/webhook-receiver.js';

const { log, lines } = capturedLog();

let receiver: WebhookReceiver;
let app: TestApp;
let owner: { id: number; customerId: number };
let mine: ReturnType<typeof subscriptionsOf>;
let strangers: ReturnType<typeof subscriptionsOf>;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  app = await startTestApp({ worker: 'inline', egressAllowlist: ['127.0.0.1'], retryScheduleSeconds: [], log });
  owner = await aUser(app);
  mine = subscriptionsOf(app, await tokenOf(app, owner));
  strangers = subscriptionsOf(app, await tokenOf(app, await aUser(app)));
});
afterAll(async () => {
  await app?.close();
  await receiver?.close();
});
afterEach(() => {
  receiver.answer = (_, response) => void response.writeHead(204).end();
});

const database = () => app.app.get(Database);
const aHook = (fields: object = {}) => ({ type: 'https', url: `${receiver.origin()}/hook`, ...fields });

/** The owner asks for the release of a container. */
const askForRelease = async (mediaContainerId: number) =>
  await app.app.get(EventOutboxService).publish({
    name: 'event:releaseRequest',
    customerId: owner.customerId,
    method: 'create',
    payload: { mediaContainerId, requesterId: owner.id, message: 'please' },
  });

let containers = 0;
/** A subscription for the releases of one container, whose events lead to nothing else. */
async function subscribe(instructions: object[], fields: object = {}) {
  containers += 1;
  const mediaContainerId = containers;
  const made = await mine.made({ name: 'event:releaseRequest', conditions: { payload: { mediaContainerId } }, instructions, ...fields });
  return { ...made, happen: async () => await askForRelease(mediaContainerId) };
}

/** The subscription when its log has so many entries. */
const logged = async ({ id }: Pick<SubscriptionBody, 'id'>, count: number) => {
  await eventually(async () => (await mine.get(id)).body.logs.length === count);
  return (await mine.get(id)).body;
};

describe('the log', () => {
  it('shows the sent payload (the event or that of the instruction) and the result', async () => {
    const payload = { container: ':mediaContainerId', password: 'of the other side' };
    const subscription = await subscribe([aHook(), aHook({ payload })]);
    const event = await subscription.happen();
    const { logs, lastExecutedStatus } = await logged(subscription, 2);
    expect(lastExecutedStatus).toBe(204);
    const [second, first] = logs;
    expect(first).toEqual({
      id: expect.any(Number),
      messageId: expect.stringMatching(/^msg_/),
      attempt: 1,
      type: 'https',
      payload: JSON.parse(receiver.requests.find(({ headers }) => headers['webhook-id'] === first?.messageId)?.body ?? ''),
      statusCode: 204,
      reason: null,
      durationMs: expect.any(Number),
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(first?.payload).toMatchObject({ name: 'event:releaseRequest', payload: event.payload });
    expect(second?.payload).toEqual({ container: event.payload.mediaContainerId, password: '********' });
    expect((await mine.list(`?id=${subscription.id}`)).body).toMatchObject([{ logs, lastExecutedStatus: 204 }]);
  });

  it('reports values of placeholders that are too long, and nothing is sent', async () => {
    const { id } = await mine.made({
      name: 'event:releaseRequest',
      conditions: { payload: { mediaContainerId: 0 } },
      instructions: [aHook({ payload: Array.from({ length: 30 }, () => ':message') })],
    });
    const sent = receiver.requests.length;
    await app.app.get(EventOutboxService).publish({
      name: 'event:releaseRequest',
      customerId: owner.customerId,
      method: 'create',
      payload: { mediaContainerId: 0, requesterId: owner.id, message: 'x'.repeat(10_000) },
    });
    expect((await logged({ id }, 1)).logs).toMatchObject([{ statusCode: 0, reason: expect.stringMatching(/^placeholders: .+ 262144 /) }]);
    expect(receiver.requests).toHaveLength(sent);
  });

  it('shows no payload when the event is not kept any more', async () => {
    const subscription = await subscribe([aHook()]);
    await subscription.happen();
    await logged(subscription, 1);
    await database().query('DELETE FROM subscription_runs WHERE subscription_id = $1', [subscription.id]);
    expect((await mine.get(subscription.id)).body.logs).toMatchObject([{ payload: null, statusCode: 204 }]);
  });
});

describe('the signing secret', () => {
  it('signs requests', async () => {
    const subscription = await subscribe([aHook()]);
    await subscription.happen();
    const [entry] = (await logged(subscription, 1)).logs;
    const sent = receiver.requests.find(({ headers }) => headers['webhook-id'] === entry?.messageId);
    const webhook = new Webhook(subscription.signingSecret);
    expect(webhook.verify(sent?.body ?? '', sent?.headers as Record<string, string>)).toEqual(entry?.payload);
  });
});

describe('a dry run', () => {
  const anEvent = (fields: object = {}) => ({ name: 'event:releaseRequest', method: 'create', payload: { a: [1, 2] }, ...fields });
  const counts = async () => {
    const sql = `SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM subscription_runs) + (SELECT count(*) FROM subscription_logs) AS n`;
    return (await database().query<{ n: string }>(sql)).rows[0]?.n;
  };

  it('returns for each subscription of the customer whether it would act and why not, and writes nothing', async () => {
    const [yes, no, once] = [
      await mine.made({ name: 'event:releaseRequest', conditions: { methods: ['create'], payload: { a: [2] } } }),
      await mine.made({ name: 'event:s3success', conditions: { methods: ['update'], payload: { a: [3], b: null } } }),
      await mine.made({ name: 'event:releaseRequest', flag: 2 }),
    ];
    await strangers.made({ name: 'event:releaseRequest' });
    await database().query('UPDATE subscriptions SET processed_at = $2 WHERE id = $1', [once.id, '2026-01-02T03:04:05Z']);
    const before = await counts();
    const { status, body } = await mine.dryRun(anEvent());
    expect(status).toBe(200);
    expect(body.filter(({ subscriptionId }) => subscriptionId >= yes.id)).toEqual([
      { subscriptionId: yes.id, matches: true, reasons: [] },
      {
        subscriptionId: no.id,
        matches: false,
        reasons: [
          { condition: 'name', path: 'name', expected: 'event:s3success', actual: 'event:releaseRequest' },
          { condition: 'methods', path: 'methods', expected: ['update'], actual: 'create' },
          { condition: 'payload', path: 'payload.a.0', expected: 3, actual: [1, 2] },
          { condition: 'payload', path: 'payload.b', expected: null, actual: null },
        ],
      },
      {
        subscriptionId: once.id,
        matches: false,
        reasons: [{ condition: 'flag', path: 'processedAt', expected: null, actual: '2026-01-02T03:04:05.000Z' }],
      },
    ]);
    expect(body).toHaveLength((await mine.list()).body.length);
    expect(await counts()).toBe(before);
  });

  it('takes an event as the log shows it, and one without a payload', async () => {
    expect((await mine.dryRun(anEvent({ id: '7', customerId: 1, createdAt: '2026-01-01T00:00:00Z' }))).status).toBe(200);
    expect((await mine.dryRun(anEvent({ payload: undefined }))).status).toBe(200);
  });

  it('knows the events of the service only', async () => {
    const wrong = async (event: unknown) => problemsOf(await mine.dryRun(event));
    const invalid = (...problems: string[]) => [400, 'validation_failed', problems];
    expect(await wrong(undefined)).toEqual(invalid('event required'));
    expect(await wrong(anEvent({ name: 's3success', method: 'delete', payload: [] }))).toEqual(
      invalid('event.name is_in', 'event.method is_in', 'event.payload type'),
    );
    expect(await wrong(anEvent({ payload: { a: 'x'.repeat(16_384) } }))).toEqual(invalid('event.payload too_large'));
  });
});

describe('a replay', () => {
  it('sends the same message with the same id, also after a success', async () => {
    const subscription = await subscribe([aHook()]);
    await subscription.happen();
    const [first] = (await logged(subscription, 1)).logs;
    const { status, body } = await mine.replay(subscription.id, first?.id);
    expect([status, body]).toEqual([200, { messageId: first?.messageId }]);
    const [second] = (await logged(subscription, 2)).logs;
    expect(second).toMatchObject({ messageId: first?.messageId, attempt: 2, payload: first?.payload });
    const sent = receiver.requests.filter(({ headers }) => headers['webhook-id'] === first?.messageId);
    expect(new Set(sent.map(({ body: sentBody }) => sentBody))).toEqual(new Set([sent[0]?.body]));
    expect(sent).toHaveLength(2);
  });

  it('is not begun while it is being tried', async () => {
    const subscription = await subscribe([aHook(), aHook({ url: `${receiver.origin()}/slow` })]);
    let release = () => {};
    receiver.answer = ({ path }, response) => {
      const answer = () => void response.writeHead(204).end();
      if (path === '/slow') release = answer;
      else answer();
    };
    await subscription.happen();
    const [first] = (await logged(subscription, 1)).logs;
    await eventually(() => receiver.requests.some(({ path }) => path === '/slow'));
    const { status, body } = await mine.replay(subscription.id, first?.id);
    expect([status, body.code]).toEqual([409, 'run_under_way']);
    release();
    await logged(subscription, 2);
  });

  it('is not possible if its event was deleted', async () => {
    const subscription = await subscribe([aHook()]);
    await subscription.happen();
    const [first] = (await logged(subscription, 1)).logs;
    await database().query('DELETE FROM subscription_runs WHERE subscription_id = $1', [subscription.id]);
    const { status, body } = await mine.replay(subscription.id, first?.id);
    expect([status, body.code]).toEqual([410, 'run_gone']);
  });

  it('is of an entry of that subscription, for its customer', async () => {
    const subscription = await subscribe([aHook()]);
    const other = await mine.made();
    await subscription.happen();
    const [entry] = (await logged(subscription, 1)).logs;
    const answers = [
      await mine.replay(subscription.id, (entry?.id ?? 0) + 1_000),
      await mine.replay(other.id, entry?.id),
      await strangers.replay(subscription.id, entry?.id),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [404, 'not_found']));
    expect(problemsOf(await mine.replay(subscription.id, undefined))).toEqual([400, 'validation_failed', ['logId required']]);
  });
});

describe('a secret', () => {
  const SECRET = 'marker-of-a-secret-9f2c';

  /** All that a dump of the database would contain. */
  async function dump(): Promise<string> {
    const tables = await database().query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const rows = await Promise.all(
      tables.rows.map(
        async ({ name }) => (await database().query<{ row: string }>(`SELECT row_to_json(one)::text AS row FROM ${name} AS one`)).rows,
      ),
    );
    return rows
      .flat()
      .map(({ row }) => row)
      .join('\n');
  }

  it('of an instruction reaches its receiver, and is in no table, log line or response', async () => {
    const subscription = await subscribe([
      aHook({
        url: `${receiver.origin()}/hook?token=${SECRET}`,
        headers: { 'x-door': SECRET },
        payload: { client: [{ clientSecret: SECRET }] },
      }),
      { type: 'api', method: 'POST', path: 'v5/dropsite', payload: { name: 'Behind a password', password: SECRET }, as: 'dropsite' },
      { type: 'email', template: 'releaseRequest', parameters: { token: SECRET }, to: [{ recipient: 'a@example.org' }] },
      aHook({ url: `${receiver.origin()}/broken`, headers: { authorization: `Bearer ${SECRET}` }, payload: { password: SECRET } }),
    ]);
    receiver.answer = ({ path }, response) => void response.writeHead(path === '/broken' ? 500 : 204).end();
    await subscription.happen();
    const failed = await logged(subscription, 4);
    expect(failed.logs.map(({ statusCode }) => statusCode)).toEqual([500, 250, 201, 204]);
    const [broken] = failed.logs;
    expect(broken?.reason).toBe('http-5xx: 127.0.0.1 answered 500');
    await mine.replay(subscription.id, broken?.id);
    const { instructions } = await logged(subscription, 5);
    const replaced = await mine.replace(subscription.id, { name: 'event:releaseRequest', instructions });
    expect(replaced.status).toBe(200);
    const refused = await mine.create({ instructions: [aHook({ headers: { 'x-door': `${SECRET}\n` }, method: SECRET })] });
    expect(refused.status).toBe(400);

    const received = receiver.requests.filter(({ path }) => path.includes(SECRET));
    expect(received).toMatchObject([{ headers: { 'x-door': SECRET }, body: JSON.stringify({ client: [{ clientSecret: SECRET }] }) }]);
    const { signingSecret } = subscription;
    const { happen: _, signingSecret: __, ...created } = subscription;
    const answers = JSON.stringify([
      created,
      failed,
      replaced.body,
      refused.body,
      (await mine.list()).body,
      (await mine.get(subscription.id)).body,
    ]);
    const stored = await dump();
    expect(stored).toContain('Behind a password');
    for (const text of [stored, JSON.stringify(lines), answers]) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(signingSecret.slice('whsec_'.length));
    }
    expect(lines.length).toBeGreaterThan(0);
  });
});

describe('without a mail server', () => {
  it('no subscription can write e-mails', async () => {
    const production = await startTestApp({ database: app.database, nodeEnv: 'production', smtpUrl: '' });
    try {
      const theirs = subscriptionsOf(production, await tokenOf(production, owner));
      const email = { type: 'email', template: 'releaseRequest', to: [{ recipient: 'a@example.org' }] };
      const { status, body } = await theirs.create({ instructions: [email] });
      expect([status, body.code]).toEqual([503, 'mail_not_configured']);
      expect((await theirs.create({ instructions: [{ ...email, template: 'none' }] })).body.code).toBe('validation_failed');
      expect((await theirs.create()).status).toBe(201);
    } finally {
      await production.close();
    }
  });
});
