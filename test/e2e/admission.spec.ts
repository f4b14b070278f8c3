import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import acSignature from 'ac-signature';
import { AccessKeysService } from '../../src/modules/accounts/index.js';
import { bearer, request } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens, signIn } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { rawRequest } from '../support/raw-request.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const SECRET = 'the secret of the access key';
const JSON_TYPE = { 'content-type': 'application/json' };

/** A JSON body of so many bytes. */
const bodyOf = (bytes: number) => JSON.stringify({ device: 'x'.repeat(bytes - '{"device":""}'.length) });

describe('before a body is read', () => {
  let app: TestApp;
  let token: string;
  beforeAll(async () => {
    app = await startTestApp();
    const user = await aUser(app);
    token = (await obtainTokens(app, { user, client: await aClient(app) })).access_token;
    await app.app.get(AccessKeysService).declare({ accessKey: 'signer', accessSecret: SECRET, userId: user.id });
  });
  afterAll(async () => await app.close());

  const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
    const answer = await rawRequest(app.url, { method: 'POST', path, headers: { ...JSON_TYPE, ...headers }, body });
    const { code, detail } = JSON.parse(answer.text) as Record<string, string>;
    return { status: answer.status, code, detail };
  };

  const signed = (path: string, payload: object, { accessKey = 'signer', age = 0, secret = SECRET } = {}): Record<string, string> => {
    const ts = Math.floor(Date.now() / 1_000) - age;
    const { hash } = acSignature.sign5({ path, payload, ts, accessKey, accessSecret: secret });
    return { 'x-service-accesskey': accessKey, 'x-service-rts': String(ts), 'x-service-hash': hash, 'x-service-version': '5' };
  };

  it.each([
    ['/v4/deauthorize', 64 * KIB],
    ['/v5/s3/createUpload', 64 * KIB],
    ['/V5/s3/CreateUpload/', 64 * KIB],
    ['/v5/dropsite/token', 64 * KIB],
    ['/v5/dropsite/createUpload', MIB],
    ['/v5/Dropsite/createupload?x=1', MIB],
  ])('a caller without credentials may send %s so much: %i bytes', async (path, bytes) => {
    expect((await post(path, bodyOf(bytes))).status).not.toBe(413);
    expect(await post(path, bodyOf(bytes + 1))).toMatchObject({ status: 413, code: 'payload_too_large' });
    const chunked = { method: 'POST', headers: JSON_TYPE, body: new Blob([bodyOf(bytes + 1)]).stream(), duplex: 'half' };
    expect((await fetch(app.url + path, chunked as RequestInit)).status).toBe(413);
  });

  it('a token allows 2 MiB, and 8 MiB for the items of an upload', async () => {
    expect((await post('/v4/deauthorize', bodyOf(2 * MIB), bearer(token))).status).toBe(400);
    expect(await post('/v4/deauthorize', bodyOf(2 * MIB + 1), bearer(token))).toMatchObject({ status: 413, code: 'payload_too_large' });
    for (const path of ['/v5/s3/createUpload', '/v5/dropsite/createUpload']) {
      expect((await post(path, bodyOf(8 * MIB), bearer(token))).status).toBe(400);
      expect(await post(path, bodyOf(8 * MIB + 1), bearer(token))).toMatchObject({ status: 413, code: 'payload_too_large' });
    }
  });

  it('an invalid token permits nothing, and its error is returned', async () => {
    for (const path of ['/v4/deauthorize', '/v5/s3/createUpload']) {
      expect(await post(path, bodyOf(MIB), bearer(randomUUID()))).toMatchObject({ status: 401, code: 'token_invalid' });
    }
  });

  it('a session cookie permits the same as a token, an invented one nothing', async () => {
    const client = await aClient(app);
    const user = await aUser(app);
    const browser = new TestBrowser(app.url);
    await signIn(browser, `/v4/authorize?${new URLSearchParams(request(client))}`, user);
    const headers = { cookie: browser.cookieHeader('/v4/deauthorize'), origin: app.url, 'sec-fetch-site': 'same-origin' };
    expect((await post('/v4/deauthorize', bodyOf(MIB), headers)).status).toBe(400);
    expect((await post('/v4/deauthorize', bodyOf(MIB), { ...headers, cookie: 'session=invented' })).status).toBe(413);
  });

  it('the headers of a signature allow 1 MiB and 50,000 keys when key and time are good', async () => {
    const path = '/v4/deauthorize';
    const device = (bytes: number) => JSON.parse(bodyOf(bytes)) as object;
    const send = async (payload: object, signing = {}) => await post(path, JSON.stringify(payload), signed(path, payload, signing));
    expect(await send(device(MIB))).toMatchObject({ status: 400, code: 'validation_failed' }); // the signature is good, the device too long
    expect(await send(device(MIB + 1))).toMatchObject({ status: 413, code: 'payload_too_large' });
    expect(await send(device(MIB), { accessKey: 'unknown' })).toMatchObject({ status: 401, code: 'signature_mismatch' });
    expect(await send(device(MIB), { age: 60 })).toMatchObject({ status: 401, code: 'signature_expired' });
    expect(await send(device(MIB), { secret: 'wrong' })).toMatchObject({ status: 401, code: 'signature_mismatch' });
    const keys = (count: number) => ({
      device: 'none',
      list: Array.from({ length: 500 }, () => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]))),
    });
    expect((await send(keys(99))).status).toBe(200);
    expect(await send(keys(100))).toMatchObject({ status: 413, code: 'payload_too_large' });
  });

  it('a batch of 1,000 items with their metadata fits a signed request', async () => {
    const path = '/v5/s3/createUpload';
    const item = (at: number) => ({
      ...{ type: 'image', fileName: `picture ${at}`, originalFileExtension: 'jpg', fileSize: 600 + at, checksum: `sha256:${at}` },
      metadata: Array.from({ length: 10 }, (_, n) => ({ title: `title ${n}`, content: `content of ${at}`, language: 'en' })),
    });
    const payload = { payload: Array.from({ length: 1_000 }, (_, at) => item(at)), controlGroups: [], tags: [], waitForCompletion: false };
    const answer = await post(path, JSON.stringify(payload), signed(path, payload));
    expect(answer.status).toBe(200);
  });

  it('the answer to one that is too large comes, however much follows', async () => {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    const answer = new Promise<string>((resolve) => socket.once('data', (chunk: Buffer) => resolve(chunk.toString())));
    socket.write(
      `POST /v4/deauthorize HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000000000\r\n\r\n{"device":"`,
    );
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it('JSON with too many members or elements is refused regardless of its length', async () => {
    const lists = `{"list":[${Array.from({ length: 250_000 }, () => '[]').join()}]}`;
    const members = `{${Array.from({ length: 50_001 }, (_, at) => `"${at}":1`).join()}}`;
    const texts = JSON.stringify({ device: '{"a":1,[\\"{'.repeat(100_000) }); // what stands in a text does not count
    for (const body of [lists, members]) {
      expect(await post('/v4/deauthorize', body, bearer(token))).toMatchObject({ status: 413, code: 'payload_too_large' });
    }
    expect((await post('/v4/deauthorize', texts, bearer(token))).status).toBe(400);
  });
});

describe('an address that sends many bodies without credentials', () => {
  const LIMIT = 20;
  let app: TestApp;
  let token: string;
  beforeAll(async () => {
    const many = { points: 10_000, seconds: 60 };
    const rateLimits = {
      login: many,
      token: many,
      dropsite: many,
      items: many,
      refused: many,
      delivery: many,
      segments: many,
      polling: many,
      api: many,
    };
    const address = { points: LIMIT, seconds: 3_600 };
    app = await startTestApp({ rateLimits: { ...rateLimits, address, saml: { points: 3, seconds: 3_600 } } });
    token = (await obtainTokens(app, { user: await aUser(app), client: await aClient(app) })).access_token;
  });
  afterAll(async () => await app.close());

  it('has a separate limit at the assertion consumer service', async () => {
    const statuses = [];
    for (let n = 0; n < 5; n += 1) {
      statuses.push(
        (await fetch(`${app.url}/v4/saml/unknown/acs`, { method: 'POST', body: new URLSearchParams({ SAMLResponse: 'x' }) })).status,
      );
    }
    expect(statuses).toEqual([404, 404, 404, 429, 429]);
  });

  it('is refused before they are read, also before Express, except for authenticated requests, introspection and probes', async () => {
    const paths = ['/v4/token', '/v4/revoke', '/v5/dropsite/createUpload', '/v4/interaction/x/login', '/nothing'];
    const send = async (path: string, headers: Record<string, string> = {}) =>
      await rawRequest(app.url, { method: 'POST', path, headers: { ...JSON_TYPE, ...headers }, body: '{}' });
    for (let n = 0; n < LIMIT; n += 1) await send('/nothing');
    for (const path of paths) {
      const { status, headers, text } = await send(path);
      expect([path, status, headers['retry-after']]).toEqual([path, 429, expect.stringMatching(/^\d+$/)]);
      const { code, error } = JSON.parse(text) as Record<string, string>;
      expect(code ?? error).toBe('rate_limited');
    }
    expect((await send('/v4/deauthorize', bearer(token))).status).toBe(400);
    expect((await send('/v4/introspect')).status).toBe(200);
    expect((await fetch(`${app.url}/health/live`)).status).toBe(200);
  });

  it.each([
    ...['/v5/subscriptions', '/v5/s3/createUpload', '/v5/dropsite/createUpload', '/v4/token', '/v4/introspect', '/v4/revoke'],
    ...['/v4/requestCode', '/v4/saml/acme/acs', '/account/sign-out', '/docs', '/health/live', '/nothing'],
  ])('reads no more than its limit of a body whose length %s is not told, and closes the connection', async (path) => {
    const { sent, head } = await sendEndlessly(app.url, path);
    expect(sent).toBeLessThan(24 * MIB);
    expect(head).toMatch(/^HTTP\/1\.1 [24]\d\d /);
  });
});

/** Sends an endless body in chunks until the connection is closed; returns the bytes that the service and the system in between took. */
async function sendEndlessly(url: string, path: string): Promise<{ readonly sent: number; readonly head: string }> {
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'a'), Buffer.from('\r\n')]);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let [sent, head] = [0, ''];
  let wake: (value: unknown) => void = () => undefined;
  socket.on('drain', () => wake(null)).on('close', () => wake(null));
  socket.on('data', (bytes: Buffer) => (head += bytes.toString('latin1')));
  socket.on('error', () => undefined); // the service resets the connection
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`);
  while (!socket.destroyed && sent < 100 * MIB) {
    sent += chunk.length;
    if (!socket.write(chunk)) await new Promise((resolve) => (wake = resolve));
  }
  socket.destroy();
  return { sent, head };
}
