import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import acSignature from 'ac-signature';
import { exportJWK, generateKeyPair } from 'jose';
import { Database } from '../../src/shared/database/index.js';
import { EventOutboxService } from '../../src/shared/events/index.js';
import {
  anIdentityProvider,
  declareProviders,
  publishedCertificate,
  type TestIdentityProvider,
} from '../support/accounts/identity-provider.js';
import { request } from '../support/accounts/oauth.js';
import { aClient, aUser } from '../support/accounts/scenario.js';
import { applyDocument } from '../support/app/admin.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { capturedLog } from '../support/captured-log.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';
import { aFile, call, tokenOf } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';
import { problemsOf, type SubscriptionBody, subscriptionsOf } from '../support/subscriptions/subscriptions.js';
import { WebhookReceiver } from '../support/subscriptions/webhook-receiver.js';

const LOST = 'the secret that was lost with a machine';
const FOUND = 'the secret that the service has instead';
const ACCESS_KEY = { accessKey: 'nightly', accessSecret: 'the secret of the access key' };
const MASK = '********';

const { log, lines } = capturedLog();

let storage: TestStorage;
let database: TestDatabase;
let receiver: WebhookReceiver;
let app: TestApp;
let keys: { signingKeys: string; cookieKeys: string[] };
let user: { id: number; customerId: number; email: string };
let mine: ReturnType<typeof subscriptionsOf>;
let lost: SubscriptionBody;
let upload: { key: string; body: { jobId: string } & Record<string, unknown> };
let idp: TestIdentityProvider;
let client: { clientId: string };

const start = async (appSecret: string) =>
  await startTestApp({
    ...storage.settings,
    ...{ database, appSecret, ...keys, log },
    ...{ worker: 'inline', egressAllowlist: ['127.0.0.1'], retryScheduleSeconds: [3_600] },
  });
const aHook = (fields: object = {}) => ({ type: 'https', url: `${receiver.origin()}/hook`, headers: { 'x-token': 'hidden' }, ...fields });
const input = { name: 'event:releaseRequest', conditions: { payload: { mediaContainerId: 1 } } };
const happen = async () => {
  const payload = { mediaContainerId: 1, requesterId: user.id, message: 'please' };
  await app.app.get(EventOutboxService).publish({ name: 'event:releaseRequest', customerId: user.customerId, method: 'create', payload });
};
const createUpload = async (key: string) =>
  await call<{ jobId: string } & Record<string, unknown>>(`${app.url}/v5/s3/createUpload`, {
    token: await tokenOf(app, user),
    body: { payload: [aFile()] },
    headers: { 'idempotency-key': key },
  });

async function signed() {
  const ts = Math.floor(Date.now() / 1_000);
  const { hash } = acSignature.sign5({ path: '/v4/apps', payload: {}, ts, ...ACCESS_KEY });
  const headers = {
    'x-service-accesskey': ACCESS_KEY.accessKey,
    'x-service-rts': String(ts),
    'x-service-hash': hash,
    'x-service-version': '5',
  };
  return await call(`${app.url}/v4/apps`, { headers });
}

beforeAll(async () => {
  storage = await startTestStorage();
  database = await createTestDatabase();
  receiver = await WebhookReceiver.start();
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  keys = { signingKeys: JSON.stringify({ keys: [{ ...(await exportJWK(privateKey)), kid: 'one' }] }), cookieKeys: ['a key for cookies'] };
  app = await start(LOST);
  user = await aUser(app);
  client = await aClient(app);
  mine = subscriptionsOf(app, await tokenOf(app, user));
  lost = await mine.made({ ...input, instructions: [aHook({ payload: { a: 1 } })] });
  await happen();
  await eventually(async () => (await mine.get(lost.id)).body.logs.length === 1);
  const key = randomUUID();
  upload = { key, body: (await createUpload(key)).body };
  await applyDocument(app, { accessKeys: [{ ...ACCESS_KEY, user: user.email }], customers: [{ name: 'Acme' }] });
  idp = await anIdentityProvider('Acme');
  await declareProviders(app, idp.entry);
  await publishedCertificate(app, idp.ssoIdentifier);
  await app.close();

  app = await start(FOUND);
  mine = subscriptionsOf(app, await tokenOf(app, user));
});
afterAll(async () => {
  await app.close();
  await receiver.close();
  await database.drop();
  await storage.close();
});

describe('a record whose secrets cannot be read', () => {
  it('is one record of the list, marked as such, and the others are as always', async () => {
    const other = await mine.made({ ...input, name: 'event:s3success' });
    const { status, body } = await mine.list();
    expect(status).toBe(200);
    expect(body).toHaveLength(2);
    expect(body[0]).toMatchObject({ id: lost.id, name: lost.name, conditions: lost.conditions, instructions: [], secretsUnreadable: true });
    expect(body[1]).toMatchObject({ id: other.id, instructions: [{ type: 'https' }] });
    expect(body[1]).not.toHaveProperty('secretsUnreadable');
    expect((await mine.get(lost.id)).body).toMatchObject({
      instructions: [],
      secretsUnreadable: true,
      logs: [{ payload: null, secretsUnreadable: true, statusCode: 204 }],
    });
    await mine.delete(other.id);
  });

  it('fails an attempt of the subscription with the reason, to be repeated', async () => {
    const sent = receiver.requests.length;
    await happen();
    await eventually(async () => (await mine.get(lost.id)).body.logs.length === 2);
    const [entry] = (await mine.get(lost.id)).body.logs;
    expect(entry).toMatchObject({ type: 'https', statusCode: 0, reason: expect.stringMatching(/^secrets unreadable: .*APP_SECRET/) });
    expect(receiver.requests).toHaveLength(sent);
    const { rows } = await app.app.get(Database).query(`SELECT state FROM subscription_runs WHERE attempts > 0 AND finished_at IS NULL`);
    expect(rows).toEqual([{ state: 'waiting' }]);
    expect(lines.map(({ msg }) => msg)).toContain('the secrets of a subscription cannot be read');
  });

  it('is a subscription that can be replaced as a whole, gets a new signing secret, and works from then on', async () => {
    const masked = await mine.replace(lost.id, { ...input, instructions: [aHook({ headers: { 'x-token': MASK } })] });
    expect(problemsOf(masked)).toEqual([400, 'validation_failed', ['instructions.0.headers.x-token secret_needed']]);
    const { status, body } = await mine.replace(lost.id, { ...input, instructions: [aHook()] });
    expect([status, body.secretsUnreadable]).toEqual([200, undefined]);
    expect(body.signingSecret).toMatch(/^whsec_/);
    expect((await mine.replace(lost.id, { ...input, instructions: [aHook()] })).body.signingSecret).toBeUndefined();
    const sent = receiver.requests.length;
    await happen();
    await eventually(() => receiver.requests.length === sent + 1);
  });

  it('is an access key that no longer works, and is repaired by declaring it again', async () => {
    const { status, body } = await signed();
    expect([status, body.code, body.secretsUnreadable]).toEqual([401, 'signature_mismatch', true]);
    expect(lines.find(({ accessKey }) => accessKey === ACCESS_KEY.accessKey)).toBeDefined();
    await applyDocument(app, { accessKeys: [{ ...ACCESS_KEY, user: user.email }] });
    expect((await signed()).status).toBe(200);
  });

  it('is the result of a job, which comes without credentials', async () => {
    const { status, body } = await call(`${app.url}/v5/activity/jobResult/${upload.body.jobId}`, { token: await tokenOf(app, user) });
    expect([status, body.uploadId, body.secretsUnreadable]).toEqual([200, upload.body.uploadId, true]);
    expect(JSON.stringify(body)).not.toContain('SessionToken');
  });

  it('is a response stored for an Idempotency-Key: nothing is created twice', async () => {
    const { status, body } = await createUpload(upload.key);
    expect([status, body.code, body.secretsUnreadable]).toEqual([409, 'idempotent_answer_unreadable', true]);
  });

  it('is the key of SAML requests: the sign-in reports the problem', async () => {
    const query = new URLSearchParams(request(client, { ssoIdentifier: idp.ssoIdentifier }));
    const { response } = await new TestBrowser(app.url).follow(`/v4/authorize?${query}`);
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining('saml_key_unreadable')]);
  });
});
