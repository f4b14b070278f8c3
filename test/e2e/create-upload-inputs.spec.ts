import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aUser } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { eventually } from '../support/eventually.js';
import { aFile, tokenOf, type UploadDocument } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

let storage: TestStorage;
let app: TestApp;
let token: string;
let reader: string;

beforeAll(async () => {
  storage = await startTestStorage();
  const limit = { points: 10_000, seconds: 3_600 };
  const rateLimits = {
    address: limit,
    login: limit,
    saml: limit,
    token: limit,
    dropsite: limit,
    items: limit,
    refused: limit,
    delivery: limit,
    segments: limit,
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

describe('createUpload', () => {
  it.each<[number, string, () => Sent]>([
    [200, 'a file', () => ({ body: upload() })],
    [200, 'a file, and a charset', () => ({ body: upload(), headers: { 'content-type': 'Application/JSON; charset=utf-8' } })],
    [200, 'a file after the mark of its encoding', () => ({ body: `\uFEFF${upload()}` })],
    [200, 'a name in many scripts', () => ({ body: upload({ payload: [aFile({ fileName: 'Łódź 🎬 東京' })] }) })],
    [200, 'unknown fields', () => ({ body: upload({ colour: 'blue' }) })],
    [200, 'null in place of absent fields', () => ({ body: upload({ uploadId: null, waitForCompletion: null }) })],
    [200, 'a faulty file', () => ({ body: upload({ payload: [aFile({ type: 'film' }), 7] }) })],
    [400, 'no file', () => ({ body: upload({ payload: [] }) })],
    [400, 'an uploadId that is not a UUID', () => ({ body: upload({ uploadId: 'x' }) })],
    [400, 'broken JSON', () => ({ body: '{"payload":' })],
    [400, 'a list', () => ({ body: '[]' })],
    [400, 'null', () => ({ body: 'null' })],
    [400, 'a word', () => ({ body: '"x"' })],
    [400, 'a NUL character', () => ({ body: upload({ payload: [aFile({ fileName: 'a\0b' })] }) })],
    [400, 'too many levels', () => ({ body: deep })],
    [403, 'a read-only token', () => ({ body: upload(), as: reader })],
    [401, 'an invalid token', () => ({ body: upload(), as: 'x.y.z' })],
    [401, 'no token', () => ({ body: upload(), as: null })],
    [400, 'a form', () => ({ body: 'payload=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } })],
    [400, 'a bad Idempotency-Key', () => ({ body: upload(), headers: { ...JSON_TYPE, 'idempotency-key': 'ö' } })],
  ])('answers %d to %s, also behind a question mark', async (status, _, make) => {
    const [plain, marked] = [await send(PATH, make()), await send(`${PATH}?`, make())];
    expect(plain.status).toBe(status);
    expect(shapeOf({ ...plain, left: 0 })).toEqual(shapeOf({ ...marked, left: 0 }));
    if (plain.status === 200) expect(plain.left).toBe(marked.left + 1); // one window counts both
  });

  it('prepares the same batch when the request is repeated', async () => {
    const body = upload({ uploadId: randomUUID() });
    const [first, second] = [await send(PATH, { body }), await send(PATH, { body })];
    const keys = [first, second].map(({ body: document }) => document.processed.map(({ s3Key }) => s3Key));
    expect(keys[0]).toEqual(keys[1]);
    expect((await send(PATH, { body: upload({ waitForCompletion: false }) })).body).toMatchObject({
      processed: [],
      jobId: expect.any(String),
    });
  });

  it('is measured under the name of its route', async () => {
    await send(PATH, { body: upload() });
    const name = `http_request_duration_seconds_count{method="POST",route="${PATH}",status="200"}`;
    const count = async () => Number((await (await fetch(`${app.url}/metrics`)).text()).split(`${name} `)[1]?.split('\n', 1)[0] ?? 0);
    const before = await count();
    await send(PATH, { body: upload() });
    await send(`${PATH}?`, { body: upload() });
    expect(await eventually(async () => (await count()) === before + 2)).toBe(true);
  });

  it('creates nothing for an incomplete body', async () => {
    const headers = { authorization: `Bearer ${token}`, ...JSON_TYPE, 'content-length': '1000' };
    await new Promise<void>((resolve) => {
      const leaving = httpRequest(app.url + PATH, { method: 'POST', headers }).on('error', () => {});
      leaving.write('{"payload":[', () => setImmediate(() => leaving.destroy()));
      leaving.on('close', resolve);
    });
    expect((await send(PATH, { body: upload() })).status).toBe(200);
  });
});
