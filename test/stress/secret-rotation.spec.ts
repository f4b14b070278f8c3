import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as ask, createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import acSignature from 'ac-signature';
import { Webhook } from 'standardwebhooks';
import { Database } from '../../src/shared/database/index.js';
import { EventOutboxService } from '../../src/shared/events/index.js';
import type { Reencryption } from '../../src/shared/secrets/index.js';
import { anIdentityProvider, beginLogin, declareProviders, publishedCertificate } from '../support/accounts/identity-provider.js';
import { authorize, call as callJson, refresh, request, signInTo, tryPassword, works } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens } from '../support/accounts/scenario.js';
import { admin, applyDocument, auditTrail } from '../support/app/admin.js';
import { addressOf, startTestApp, type TestApp, type TestAppOptions } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';
import { aFile, call, tokenOf } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';
import { subscriptionsOf } from '../support/subscriptions/subscriptions.js';
import { WebhookReceiver } from '../support/subscriptions/webhook-receiver.js';

const SECRETS = { OLD: 'the old secret of this installation', NEW: 'the new secret of this installation' };
const ACCESS_KEY = { accessKey: 'nightly', accessSecret: 'the secret of the access key' };
const LONG_MS = 120_000; // nine starts

type Secrets = Pick<TestApp['config'], 'appSecret' | 'appSecretPrevious'>;

/** The settings of the numbered steps of docs/operations-rotate.md, in their order. */
function documentedSettings(): readonly Secrets[] {
  const page = readFileSync('docs/operations-rotate.md', 'utf8');
  const section = page.slice(page.indexOf('\n## Change `APP_SECRET`\n'));
  return [...section.matchAll(/^ *```ini\n([\s\S]*?)^ *```$/gm)].map(([, text = '']) => {
    const lines = new Map([...text.matchAll(/^ *(\w+)=(OLD|NEW)$/gm)].map(([, name, secret]) => [name, SECRETS[secret as 'OLD' | 'NEW']]));
    const previous = lines.get('APP_SECRET_PREVIOUS');
    return { appSecret: lines.get('APP_SECRET') ?? '', appSecretPrevious: previous === undefined ? [] : [previous] };
  });
}

/** A load balancer in front of processes that come and go: each request reaches the next of them. */
class Balancer {
  readonly targets: string[] = [];
  private turn = 0;
  private readonly server: Server = createServer((incoming, outgoing) => {
    this.turn += 1;
    const target = this.targets[this.turn % this.targets.length] ?? '';
    const onward = ask(`${target}${incoming.url}`, { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

describe('a change of APP_SECRET as docs/operations-rotate.md describes it', () => {
  const balancer = new Balancer();
  const processes: TestApp[] = [];
  let url: string;
  let database: TestDatabase;
  let storage: TestStorage;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    url = await balancer.listen();
    database = await createTestDatabase();
    storage = await startTestStorage();
    receiver = await WebhookReceiver.start();
  });
  afterAll(async () => {
    for (const process of processes) await process.close();
    await balancer.close();
    await receiver.close();
    await storage.close();
    await database.drop();
  });

  async function start(secrets: Secrets, options: TestAppOptions = {}): Promise<void> {
    const own = { database, publicUrl: url, egressAllowlist: ['127.0.0.1'], retryScheduleSeconds: [3_600, 3_600] };
    const started = await startTestApp({ ...storage.settings, ...own, ...secrets, ...options });
    processes.push({ ...started, url });
    balancer.targets.push(addressOf(started.app));
  }
  /** The oldest process is taken out, and one with other settings takes its place. */
  async function replaceOne(secrets: Secrets, options: TestAppOptions = {}): Promise<void> {
    await start(secrets, options);
    balancer.targets.shift();
    await processes.shift()?.close();
  }
  const current = (): TestApp => processes[0] as TestApp;

  /** Everything that was made before, and is tried in every phase. */
  async function aWorld() {
    const client = await aClient(current());
    const user = await aUser(current(), { adminLevel: 9 });
    const tokens = await obtainTokens(current(), { user, client, query: { scope: 'openid api offline_access' } });
    const browser = new TestBrowser(url);
    await signInTo(current(), { user, client, browser });
    const token = await tokenOf(current(), user);
    await applyDocument(current(), { accessKeys: [{ ...ACCESS_KEY, user: user.email }], customers: [{ name: 'Acme' }] });
    const idp = await anIdentityProvider('Acme');
    await declareProviders(current(), idp.entry);
    const certificate = await publishedCertificate(current(), idp.ssoIdentifier);
    return { client, user, token, browser, idp, certificate, refreshToken: tokens.refresh_token, accessToken: tokens.access_token };
  }

  const createUpload = async (token: string, key: string) =>
    await call<{ jobId: string }>(`${url}/v5/s3/createUpload`, {
      token,
      body: { payload: [aFile()] },
      headers: { 'idempotency-key': key },
    });

  async function signedStatus(): Promise<number> {
    const ts = Math.floor(Date.now() / 1_000);
    const { hash } = acSignature.sign5({ path: '/v4/apps', payload: {}, ts, ...ACCESS_KEY });
    const headers = { accesskey: ACCESS_KEY.accessKey, rts: String(ts), hash, version: '5' };
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [`x-service-${name}`, value]));
    return (await callJson(`${url}/v4/apps`, { headers: named })).status;
  }

  it(
    'loses nothing: sessions, tokens, keys, webhooks and mails in flight, kept answers',
    async () => {
      const [first, second, last] = documentedSettings() as [Secrets, Secrets, Secrets];
      const before: Secrets = { appSecret: SECRETS.OLD, appSecretPrevious: [] };
      await start(before, { worker: 'inline' });
      await start(before);
      const world = await aWorld();
      const mine = subscriptionsOf({ url }, world.token);

      // A run that waits for its next try: it has the result of an api instruction, and a webhook and a mail before it.
      receiver.answer = (_, response) => void response.writeHead(500).end();
      const authorization = 'of the receiver';
      const recipient = 'ada@example.org';
      const subscription = await mine.made({
        name: 'event:releaseRequest',
        instructions: [
          { type: 'api', method: 'GET', path: 'v5/customer', as: 'customer' },
          { type: 'https', url: `${receiver.origin()}/hook`, headers: { authorization }, payload: { customer: ':customer.id' } },
          { type: 'email', template: 'releaseRequest', to: [{ recipient }] },
        ],
      });
      const { user } = world;
      const payload = { mediaContainerId: 1, requesterId: user.id, message: 'please' };
      const event = { name: 'event:releaseRequest', customerId: user.customerId, method: 'create', payload } as const;
      await current().app.get(EventOutboxService).publish(event);
      await eventually(async () => (await mine.get(subscription.id)).body.logs.length === 2);
      receiver.answer = (_, response) => void response.writeHead(204).end();

      let { refreshToken } = world;
      const keys: { readonly key: string; readonly answer: unknown; readonly jobId: string }[] = [];
      let form: { html: string; browser: TestBrowser } | null = null;
      let expectedSubscriptions = 0;

      /** In each phase: what was made in every earlier one still works, and the same is made anew. */
      async function everythingWorks(phase: string): Promise<void> {
        const times = processes.length; // each process is asked
        for (let turn = 0; turn < times; turn += 1) {
          expect([phase, await works({ url }, world.accessToken)]).toEqual([phase, true]);
          expect([phase, await signedStatus()]).toEqual([phase, 200]);
          const code = (await authorize(current(), request(world.client), world.browser)).location?.searchParams.get('code');
          expect([phase, typeof code]).toEqual([phase, 'string']);
          await beginLogin(current(), new TestBrowser(url), { idp: world.idp, client: world.client }); // throws unless it is signed
        }
        expect(await publishedCertificate(current(), world.idp.ssoIdentifier)).toBe(world.certificate);
        const refreshed = await refresh({ url }, world.client, refreshToken);
        expect([phase, refreshed.status]).toEqual([phase, 200]);
        refreshToken = refreshed.body.refresh_token;

        for (const { key, answer, jobId } of keys) {
          const again = await createUpload(world.token, key);
          expect([phase, again.headers.get('idempotency-replayed'), again.body]).toEqual([phase, 'true', answer]);
          const result = await call<{ processed?: unknown[] }>(`${url}/v5/activity/jobResult/${jobId}`, { token: world.token });
          expect([phase, result.body]).toEqual([phase, answer]);
        }
        const key = randomUUID();
        const made = await createUpload(world.token, key);
        expect([phase, made.status]).toEqual([phase, 200]);
        keys.push({ key, answer: made.body, jobId: made.body.jobId });

        expectedSubscriptions += 1;
        await mine.made({ notes: phase });
        const listed = (await mine.list()).body;
        expect(listed).toHaveLength(expectedSubscriptions + 1);
        for (const one of listed) expect([phase, one.instructions.length > 0, one.secretsUnreadable]).toEqual([phase, true, undefined]);

        if (form) {
          const { url: target } = await tryPassword(form.browser, form.html, user.email);
          expect([phase, typeof target.searchParams.get('code')]).toEqual([phase, 'string']);
        }
        const browser = new TestBrowser(url);
        const page = await browser.follow(`/v4/authorize?${new URLSearchParams(request(world.client))}`);
        form = { browser, html: await page.response.text() };
      }

      await everythingWorks('before');
      await replaceOne(first);
      await everythingWorks('step 1, one process');
      await replaceOne(first);
      await everythingWorks('step 1');
      await replaceOne(second);
      await everythingWorks('step 2, one process');
      await replaceOne(second);
      await everythingWorks('step 2');

      const [done, again] = [
        await admin<Reencryption>(current(), ['keys', 'reencrypt']),
        await admin<Reencryption>(current(), ['keys', 'reencrypt']),
      ];
      expect(done.reencrypted).toBeGreaterThan(0);
      expect([done.unreadable, again.reencrypted, again.unreadable]).toEqual([0, 0, 0]);
      const columns = Object.entries(done.columns).filter(([, { reencrypted }]) => reencrypted > 0);
      expect(columns.map(([name]) => name).sort()).toEqual(sealedNames());
      expect(await auditTrail(current())).toContain(`keys.reencrypt secrets:${done.reencrypted}`);
      await everythingWorks('step 3');

      form = null; // who opened it 14 hours ago has sent it
      await replaceOne(last);
      await everythingWorks('step 4, one process');
      await replaceOne(last, { worker: 'inline' });
      form = null;
      await everythingWorks('step 4');

      await current().app.get(Database).query(`UPDATE subscription_runs SET next_attempt_at = now() WHERE state = 'waiting'`);
      await eventually(async () => (await mine.get(subscription.id)).body.logs.length === 4);
      const { logs } = (await mine.get(subscription.id)).body;
      expect(logs.map(({ statusCode, secretsUnreadable }) => [statusCode, secretsUnreadable])).toEqual([
        [250, undefined],
        [204, undefined],
        [500, undefined],
        [200, undefined],
      ]);
      const sent = receiver.requests.at(-1);
      expect(sent?.headers).toMatchObject({ authorization });
      const webhook = new Webhook(subscription.signingSecret);
      expect(webhook.verify(sent?.body ?? '', sent?.headers as Record<string, string>)).toEqual({ customer: user.customerId });
    },
    LONG_MS,
  );
});

const sealedNames = (): string[] => {
  const names = {
    access_keys: ['sealed_secret'],
    activities: ['sealed_result'],
    idempotency_keys: ['response'],
    saml_keys: ['sealed_private_key'],
    server_keys: ['sealed'],
    subscription_logs: ['payload'],
    subscription_runs: ['results'],
    subscriptions: ['instructions', 'signing_secret'],
  };
  return Object.entries(names).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`));
};
