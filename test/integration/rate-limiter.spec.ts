import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RateLimits } from '../../src/shared/config/index.js';
import { Database } from '../../src/shared/database/index.js';
import { DomainError } from '../../src/shared/errors.js';
import { RateLimitsService } from '../../src/shared/http/index.js';
import { aResponse } from '../support/accounts/exchange.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { eventually } from '../support/eventually.js';

const LIMITS: RateLimits = {
  address: { points: 5, seconds: 60 },
  saml: { points: 5, seconds: 60 },
  login: { points: 5, seconds: 60 },
  token: { points: 2, seconds: 1 },
  dropsite: { points: 4, seconds: 60 },
  items: { points: 10, seconds: 60 },
  refused: { points: 10, seconds: 60 },
  delivery: { points: 3, seconds: 60 },
  segments: { points: 3, seconds: 60 },
  polling: { points: 3, seconds: 60 },
  api: { points: 3, seconds: 60 },
};

describe('a rate limit', () => {
  let one: TestContext;
  let two: TestContext;
  beforeAll(async () => {
    one = await startTestContext({ rateLimits: LIMITS });
    two = await startTestContext({ database: one.database, rateLimits: LIMITS });
  });
  afterAll(async () => {
    await two.close();
    await one.close();
  });

  /** What a request gets: whether it may go on, and the headers. */
  async function ask(process: TestContext, name: keyof RateLimits, key: string) {
    const response = aResponse();
    const refusal: unknown = await process
      .get(RateLimitsService)
      .consume(name, key, response)
      .then(
        () => null,
        (error: unknown) => error,
      );
    if (refusal !== null && !(refusal instanceof DomainError)) throw refusal;
    return { refusal, headers: response.getHeaders() };
  }

  it('permits exactly the configured number of requests across all processes, in any order', async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 40 }, async (_, index) => await ask(index % 2 ? one : two, 'login', key)));
    expect(answers.filter(({ refusal }) => refusal === null)).toHaveLength(5);
    for (const { refusal } of answers) {
      if (refusal) expect(refusal).toMatchObject({ kind: 'rate_limited', code: 'rate_limited' });
    }
  });

  it('returns the remaining requests and the delay in headers', async () => {
    const key = randomUUID();
    for (const remaining of [2, 1, 0]) {
      const { refusal, headers } = await ask(one, 'api', key);
      expect(refusal).toBeNull();
      expect(headers).toMatchObject({
        'ratelimit-policy': '"api";q=3;w=60',
        ratelimit: expect.stringMatching(new RegExp(`^"api";r=${remaining};t=(60|5\\d)$`)),
        'ratelimit-limit': 3,
        'ratelimit-remaining': remaining,
        'ratelimit-reset': expect.any(Number),
      });
    }
    for (const process of [one, two, one]) {
      const { refusal, headers } = await ask(process, 'api', key);
      const retryAfter = refusal?.extras.retryAfter;
      expect(retryAfter).toBeGreaterThan(50);
      expect(retryAfter).toBeLessThanOrEqual(60);
      expect(refusal?.detail).toBe(`Too many requests. Try again in ${retryAfter} seconds.`);
      expect(headers).toMatchObject({ 'ratelimit-remaining': 0, 'ratelimit-reset': retryAfter });
    }
  });

  it('of one name or key does not affect another', async () => {
    const key = randomUUID();
    for (let time = 0; time < 4; time += 1) await ask(one, 'api', key);
    expect((await ask(one, 'api', key)).refusal).not.toBeNull();
    expect((await ask(one, 'login', key)).refusal).toBeNull();
    expect((await ask(one, 'api', `${key}x`)).refusal).toBeNull();
  });

  it('ends with its window', async () => {
    const key = randomUUID();
    await ask(one, 'token', key);
    await ask(one, 'token', key);
    const { refusal } = await ask(one, 'token', key);
    if (refusal) expect(refusal.extras.retryAfter).toBe(1); // unless the second has just passed
    await eventually(async () => (await ask(one, 'token', key)).refusal === null);
  });

  it('costs no statement once it is passed', async () => {
    const key = randomUUID();
    for (let time = 0; time < 30; time += 1) await ask(one, 'login', key);
    const row = await one.get(Database).queryOne<{ points: number }>('SELECT points FROM rate_limits WHERE key = $1', [`login:${key}`]);
    expect(row).toEqual({ points: 6 });
  });

  it.each([
    ['too long for an index', `203.0.113.7|${randomUUID().repeat(1_500)}`],
    ['with a NUL byte', `203.0.113.7|a\0${randomUUID()}`],
    ['with any letters', `203.0.113.7|Grüße 🎬 ${randomUUID()}`],
    ['with half a letter', `203.0.113.7|\ud800${randomUUID()}`],
  ])('counts keys that clients make up: %s', async (_name, key) => {
    const answers = [];
    for (let time = 0; time < 4; time += 1) answers.push((await ask(one, 'api', key)).refusal === null);
    expect(answers).toEqual([true, true, true, false]);
    expect((await ask(one, 'api', `${key}x`)).refusal).toBeNull();
  });

  it('is in no header if it is off', async () => {
    const off = await startTestContext({ database: one.database });
    const { refusal, headers } = await ask(off, 'login', randomUUID());
    expect([refusal, Object.keys(headers)]).toEqual([null, []]);
    await off.close();
  });

  it('is counted in a table that costs no write-ahead log', async () => {
    const row = await one.get(Database).queryOne(`SELECT relpersistence FROM pg_class WHERE relname = 'rate_limits'`);
    expect(row).toEqual({ relpersistence: 'u' });
  });
});
