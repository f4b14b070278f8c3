import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AuthenticationGuard } from '../../src/shared/auth/authentication.guard.js';
import { eventually } from '../support/eventually.js';
import { aUser } from '../support/scenario.js';
import { startTestStorage, type TestStorage } from '../support/storage.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { aFile, tokenOf, type UploadDocument } from '../support/uploads.js';

let storage: TestStorage;
let app: TestApp;
let token: string;
let reader: string;
let seen: ReturnType<typeof jest.spyOn>;

beforeAll(async () => {
  seen = jest.spyOn(AuthenticationGuard.prototype, 'canActivate'); // of the way behind
  storage = await startTestStorage();
  const limit = { points: 10_000, seconds: 3_600 };
  const rateLimits = {
    address: limit,
    login: limit,
    saml: limit,
    token: limit,
    dropsite: limit,
    refused: limit,
    delivery: limit,
    polling: limit,
    api: limit,
  };
  app = await startTestApp({ ...storage.settings, rateLimit: 'on', rateLimits });
  const user = await aUser(app);
  token = await tokenOf(app, user);
  reader = await tokenOf(app, user, 'api:read');
});

afterAll(async () => {
  await app.close();
  await storage.close();
});

const PATH = '/v5/s3/createUpload';
/** The same operation; the question mark leads past what stands in front. */
const BEHIND = `${PATH}?`;
const JSON_TYPE = { 'content-type': 'application/json' };

interface Sent {
  readonly body?: string;
  readonly as?: string | null;
  readonly headers?: Record<string, string>;
}

async function send(path: string, { body = '{}', as = token, headers = JSON_TYPE }: Sent) {
  const sent = { ...headers, ...(as !== null && { authorization: `Bearer ${as}` }) };
  const response = await fetch(app.url + path, { method: 'POST', headers: sent, body });
  const left = Number(response.headers.get('ratelimit-remaining'));
  const names = [...response.headers.keys()].filter((name) => name !== 'date').sort();
  return {
    status: response.status,
    names,
    type: response.headers.get('content-type'),
    left,
    body: (await response.json()) as UploadDocument,
  };
}

/** Ids, keys, times and credentials are new each time. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value === 'number' ? 'number' : value;
  const isNew = /^(uploadId|jobId|s3Key|requestId|AccessKeyId|SecretAccessKey|SessionToken|Expiration)$/;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, isNew.test(name) ? typeof inner : shapeOf(inner)]));
};

const upload = (overrides: object = {}) => JSON.stringify({ payload: [aFile()], ...overrides });
const deep = `${'{"a":'.repeat(150)}1${'}'.repeat(150)}`;

describe('createUpload in front of the framework', () => {
  it.each<[string, () => Sent]>([
    ['a file', () => ({ body: upload() })],
    ['a file, and a charset', () => ({ body: upload(), headers: { 'content-type': 'Application/JSON; charset=utf-8' } })],
    ['a file after the mark of its encoding', () => ({ body: `\uFEFF${upload()}` })],
    ['a name in many scripts', () => ({ body: upload({ payload: [aFile({ fileName: 'Łódź 🎬 東京' })] }) })],
    ['fields that nobody knows', () => ({ body: upload({ colour: 'blue' }) })],
    ['null where nothing is meant', () => ({ body: upload({ uploadId: null, waitForCompletion: null }) })],
    ['a faulty file', () => ({ body: upload({ payload: [aFile({ type: 'film' }), 7] }) })],
    ['no file', () => ({ body: upload({ payload: [] }) })],
    ['an uploadId that is none', () => ({ body: upload({ uploadId: 'x' }) })],
    ['broken JSON', () => ({ body: '{"payload":' })],
    ['a list', () => ({ body: '[]' })],
    ['null', () => ({ body: 'null' })],
    ['a word', () => ({ body: '"x"' })],
    ['a NUL character', () => ({ body: upload({ payload: [aFile({ fileName: 'a\0b' })] }) })],
    ['too many levels', () => ({ body: deep })],
    ['a token of a reader', () => ({ body: upload(), as: reader })],
    ['a token that is none', () => ({ body: upload(), as: 'x.y.z' })],
    ['no token', () => ({ body: upload(), as: null })],
    ['a form', () => ({ body: 'payload=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } })],
    ['a bad Idempotency-Key', () => ({ body: upload(), headers: { ...JSON_TYPE, 'idempotency-key': 'ö' } })],
  ])('says to %s what the controller says', async (_, make) => {
    const [front, behind] = [await send(PATH, make()), await send(BEHIND, make())];
    expect(shapeOf({ ...front, left: 0 })).toEqual(shapeOf({ ...behind, left: 0 }));
    if (front.status === 200) expect(front.left).toBe(behind.left + 1); // one window counts both
  });

  it('is what answers plain requests, and what is more goes on', async () => {
    seen.mockClear();
    expect((await send(PATH, { body: upload() })).status).toBe(200);
    expect(seen).toHaveBeenCalledTimes(0);
    expect((await send(PATH, { body: upload(), headers: { ...JSON_TYPE, 'idempotency-key': randomUUID() } })).status).toBe(200);
    const large = upload({ payload: [aFile({ metadata: [{ title: 'a', content: 'x'.repeat(9_000) }] })], colour: 'x'.repeat(70_000) });
    expect((await send(PATH, { body: large })).status).toBe(200);
    expect(seen).toHaveBeenCalledTimes(2);
  });

  it('prepares the same batch on both ways', async () => {
    const body = upload({ uploadId: randomUUID() });
    const [front, behind] = [await send(PATH, { body }), await send(BEHIND, { body })];
    const keys = [front, behind].map(({ body: document }) => document.processed.map(({ s3Key }) => s3Key));
    expect(keys[0]).toEqual(keys[1]);
    expect((await send(PATH, { body: upload({ waitForCompletion: false }) })).body).toMatchObject({
      processed: [],
      jobId: expect.any(String),
    });
  });

  it('is measured under the same name', async () => {
    await send(PATH, { body: upload() });
    const name = `http_request_duration_seconds_count{method="POST",route="${PATH}",status="200"}`;
    const count = async () => Number((await (await fetch(`${app.url}/metrics`)).text()).split(`${name} `)[1]?.split('\n', 1)[0] ?? 0);
    const before = await count();
    await send(PATH, { body: upload() });
    await send(BEHIND, { body: upload() });
    expect(await eventually(async () => (await count()) === before + 2)).toBe(true);
  });

  it('makes nothing of a body that ends too early', async () => {
    const headers = { authorization: `Bearer ${token}`, ...JSON_TYPE, 'content-length': '1000' };
    await new Promise<void>((resolve) => {
      const leaving = httpRequest(app.url + PATH, { method: 'POST', headers }).on('error', () => {});
      leaving.write('{"payload":[', () => setImmediate(() => leaving.destroy()));
      leaving.on('close', resolve);
    });
    expect((await send(PATH, { body: upload() })).status).toBe(200);
  });
});
