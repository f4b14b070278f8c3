import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import acSignature from 'ac-signature';
import { AccessKeysService } from '../../src/modules/accounts/index.js';
import { aClient, aUser, obtainTokens } from '../support/accounts/scenario.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';

const SECRET = 'the secret of the access key';

describe('signed requests', () => {
  let app: TestApp;
  let second: TestApp;
  let owner: { id: number; email: string; customerId: number };
  let count = 0;

  beforeAll(async () => {
    app = await startTestApp({ headerPrefixes: ['x-service', 'x-vendor'], signatureMaxAgeSeconds: 10 });
    second = await startTestApp({ database: app.database, headerPrefixes: ['x-service', 'x-vendor'] });
    owner = await aUser(app, { customer: 'Signers', adminLevel: 5 });
    await app.app.get(AccessKeysService).declare({ accessKey: 'key-1', accessSecret: SECRET, userId: owner.id });
  });
  afterAll(async () => {
    await second.close();
    await app.close();
  });

  interface Signing {
    readonly prefix?: string;
    readonly payload?: object;
    readonly identifier?: string;
    /** When it is signed, in seconds. */
    readonly at?: number;
    readonly age?: number;
    readonly accessKey?: string;
    readonly secret?: string;
    readonly without?: string;
    readonly version?: string;
  }

  const nowInSeconds = () => Math.floor(Date.now() / 1000);

  function headersFor(path: string, signing: Signing = {}): Record<string, string> {
    const {
      prefix = 'x-service',
      payload = {},
      identifier,
      at = nowInSeconds(),
      age = 0,
      accessKey = 'key-1',
      secret = SECRET,
      without,
      version = '5',
    } = signing;
    const ts = at - age;
    const { hash } = acSignature.sign5({ path, payload, ts, accessKey, accessSecret: secret, identifier });
    const headers: Record<string, string> = { accesskey: accessKey, rts: String(ts), hash, version, ...(identifier ? { identifier } : {}) };
    return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (name === without ? [] : [[`${prefix}-${name}`, value]])));
  }

  const get = async (path: string, signing: Signing = {}, sentPath = path) => {
    const response = await fetch(`${app.url}${sentPath}`, { headers: headersFor(path, signing) });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, unknown> };
  };

  const post = async (
    path: string,
    payload: object,
    { base = app.url, ...signing }: Signing & { base?: string; headers?: object } = {},
  ) => {
    const headers = { 'content-type': 'application/json', ...headersFor(path, { payload, ...signing }) };
    const response = await fetch(`${base}${path}`, { method: 'POST', headers, body: JSON.stringify(payload) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  /** A payload of its own, so that no two requests of a test share a signature. */
  const selector = () => {
    count += 1;
    return { device: `device-${count}` };
  };

  it('are made by any client that signs with version 5, under every configured prefix', async () => {
    expect((await get('/v4/apps')).status).toBe(200);
    expect((await get('/v4/apps', { prefix: 'x-vendor' })).status).toBe(200);
    expect((await get('/v4/apps', { payload: { limit: 5 } }, '/v4/apps?limit=5')).status).toBe(200);
    expect((await get('/v4/apps', { payload: { limit: '5' } }, '/v4/apps?limit=5')).status).toBe(200);
    expect((await post('/v4/deauthorize', selector())).body).toEqual({ deauthorized: [] });
  });

  it('act as the user of the key', async () => {
    const client = await aClient(app);
    await obtainTokens(app, { user: owner, client });
    expect((await get('/v4/apps')).body).toEqual([expect.objectContaining({ client_id: client.clientId })]);
    const other = await aUser(app, { customer: 'Signers' });
    await app.app.get(AccessKeysService).declare({ accessKey: 'key-2', accessSecret: SECRET, userId: other.id });
    expect((await get('/v4/apps', { accessKey: 'key-2' })).body).toEqual([]);
  });

  it.each<[string, Signing, string]>([
    ['without a hash', { without: 'hash' }, 'signature_missing'],
    ['without a time', { without: 'rts' }, 'signature_missing'],
    ['without an access key', { without: 'accesskey' }, 'signature_missing'],
    ['without a version', { without: 'version' }, 'signature_version_unsupported'],
    ['with an old version', { version: '2' }, 'signature_version_unsupported'],
    ['that are too old', { age: 12 }, 'signature_expired'],
    ['from the future', { age: -12 }, 'signature_expired'],
    ['with an unknown key', { accessKey: 'nobody' }, 'signature_mismatch'],
    ['with a wrong secret', { secret: 'guessed' }, 'signature_mismatch'],
    ['of another payload', { payload: { id: 1 } }, 'signature_mismatch'],
  ])('%s are refused', async (_, signing, code) => {
    const { status, headers, body } = await get('/v4/apps', signing);
    expect([status, body.code, headers.get('www-authenticate')]).toEqual([401, code, expect.any(String)]);
  });

  it('of another path are refused', async () => {
    expect((await get('/v4/other', {}, '/v4/apps')).body.code).toBe('signature_mismatch');
  });

  it('are accepted once for a change, across all processes, and repeatedly for a GET', async () => {
    const headers = { 'content-type': 'application/json', ...headersFor('/v4/deauthorize', { payload: { device: 'once' } }) };
    const send = async (base: string) => await fetch(`${base}/v4/deauthorize`, { method: 'POST', headers, body: '{"device":"once"}' });
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (__, index) => await send(index % 2 === 0 ? app.url : addressOf(second.app))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(401)]);
    expect(((await (await send(app.url)).json()) as { code: string }).code).toBe('signature_replayed');

    const reading = headersFor('/v4/apps');
    for (let times = 0; times < 3; times += 1) expect((await fetch(`${app.url}/v4/apps`, { headers: reading })).status).toBe(200);
  });

  it('are bound to the method of their first use, over all processes', async () => {
    const headers = headersFor('/v5/mediacontainer/1999');
    const send = async (method: string, base = app.url) => {
      const response = await fetch(`${base}/v5/mediacontainer/1999`, { method, headers });
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    const replayed = [401, 'signature_replayed'];
    expect(await send('GET')).toEqual([404, 'not_found']);
    expect(await send('DELETE')).toEqual(replayed);
    expect(await send('DELETE', addressOf(second.app))).toEqual(replayed);
    expect(await send('GET')).toEqual([404, 'not_found']);
  });

  it('act for another user of the customer by e-mail or id, never for one with more rights or of another customer', async () => {
    const colleague = await aUser(app, { customer: 'Signers', adminLevel: 5 });
    const chief = await aUser(app, { customer: 'Signers', adminLevel: 6 });
    const stranger = await aUser(app);
    const client = await aClient(app);
    await obtainTokens(app, { user: colleague, client });
    const seen = [expect.objectContaining({ client_id: client.clientId })];
    expect((await get('/v4/apps', { identifier: colleague.email })).body).toEqual(seen);
    expect((await get('/v4/apps', { identifier: String(colleague.id) })).body).toEqual(seen);
    for (const identifier of [chief.email, stranger.email, String(stranger.id), 'nobody@example.org']) {
      const { status, body } = await get('/v4/apps', { identifier });
      expect([identifier, status, body.code]).toEqual([identifier, 403, 'identifier_not_allowed']);
    }
  });

  describe('that another service received', () => {
    const check = async (authmeta: string | null, signed: { path: string; payload?: object; signing?: Signing }) => {
      const headers: Record<string, string> = { 'content-type': 'application/json', clientid: 'newsroom' };
      if (authmeta !== null) headers['x-service-authmeta'] = authmeta;
      Object.assign(headers, headersFor(signed.path, { payload: signed.payload, ...signed.signing }));
      const response = await fetch(`${app.url}/v4/checkSignedSession`, {
        method: 'POST',
        headers,
        body: JSON.stringify(signed.payload ?? {}),
      });
      return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, unknown> };
    };

    it('are verified for it, with client, user and customer', async () => {
      const { status, headers, body } = await check('post:/v1/userTask', { path: '/v1/userTask', payload: selector() });
      const { id, email, customerId } = owner;
      expect([status, body]).toEqual([
        200,
        {
          client: { id: 'newsroom' },
          user: { id, firstname: 'Ada', lastname: 'Lovelace', email, customerId, adminLevel: 5 },
          customer: { id: customerId },
        },
      ]);
      expect(headers.get('deprecation')).toMatch(/^@\d+$/);
    });

    it('are accepted once, except for GET', async () => {
      const payload = selector();
      const signed = { path: '/v1/userTask', payload };
      expect((await check('get:/v1/userTask', signed)).status).toBe(200);
      expect((await check('get:/v1/userTask', signed)).status).toBe(200);
      const changing = { path: '/v1/userTask', payload: selector(), signing: { at: nowInSeconds() } };
      const answers = [await check('put:/v1/userTask', changing), await check('put:/v1/userTask', changing)];
      expect(answers.map(({ status }) => status)).toEqual([200, 401]);
    });

    it.each([null, '', 'post', 'POST:/v1/x', 'post:v1/x', '/v1/x'])(
      'need an authmeta that names method and path, not %p',
      async (authmeta) => {
        const { status, body } = await check(authmeta, { path: '/v1/userTask' });
        expect([status, body.code]).toEqual([400, 'authmeta_invalid']);
      },
    );

    it('are refused when they are not signed, or for another path', async () => {
      expect((await check('post:/v1/other', { path: '/v1/userTask', payload: selector() })).body.code).toBe('signature_mismatch');
      expect((await check('post:/v1/x', { path: '/v1/x', signing: { without: 'hash' } })).body.code).toBe('signature_missing');
    });
  });
});
