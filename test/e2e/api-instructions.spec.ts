import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ApiInstructionDto } from '../../src/modules/subscriptions/instructions/api/api-instruction.dto.js';
import { ApiInstructionService } from '../../src/modules/subscriptions/instructions/api/api-instruction.service.js';
import { InstructionTokensService } from '../../src/modules/subscriptions/instructions/api/instruction-tokens.service.js';
import type { Outcome } from '../../src/modules/subscriptions/instructions/instruction.js';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { addressOf, startTestApp, useTestApp } from '../support/app/test-app.js';
import { startTestContext } from '../support/app/test-context.js';
import { aContainer } from '../support/delivery/player-configurations.js';
import { call, tokenOf } from '../support/media/uploads.js';
import { rawRequest } from '../support/raw-request.js';

const LIMIT = { points: 10, seconds: 3_600 };
const RATE_LIMITS = {
  address: LIMIT,
  login: LIMIT,
  saml: LIMIT,
  token: LIMIT,
  dropsite: LIMIT,
  items: LIMIT,
  refused: LIMIT,
  delivery: LIMIT,
  segments: LIMIT,
  polling: LIMIT,
  api: LIMIT,
};

const app = useTestApp({ rateLimits: RATE_LIMITS });
afterEach(async () => {
  await app.app.get(Database).query('DELETE FROM rate_limits');
});

type User = Awaited<ReturnType<typeof aUser>>;

/** One try of an instruction, of a subscription that `user` wrote. */
async function run(
  user: Pick<User, 'id' | 'customerId'>,
  instruction: Omit<ApiInstructionDto, 'type'>,
  {
    values = {},
    depth = 0,
    messageId = `msg_${randomUUID()}`,
    runner,
  }: { values?: Record<string, unknown>; depth?: number; messageId?: string; runner?: ApiInstructionService } = {},
): Promise<Outcome> {
  return await (runner ?? app.app.get<ApiInstructionService>(ApiInstructionService)).run({
    instruction: { type: 'api', ...instruction },
    messageId,
    attempt: 1,
    event: { id: 1, name: 'event:s3success', customerId: user.customerId, method: 'create', payload: {}, createdAt: '', depth },
    subscription: { id: 5, customerId: user.customerId, lastEditorId: user.id, signingSecret: 'whsec_x' },
    values,
  });
}

const requestsOf = async ({ customerId }: Pick<User, 'customerId'>) => {
  const sql = `SELECT payload->>'message' AS message, payload->'requesterId' AS "requesterId", depth FROM events WHERE customer_id = $1 ORDER BY id`;
  return (await app.app.get(Database).query<{ message: string; requesterId: number; depth: number }>(sql, [customerId])).rows;
};

describe('an api instruction', () => {
  it('calls the service on behalf of the user, with values of the event', async () => {
    const user = await aUser(app);
    const { id } = await aContainer(app, user);
    const instruction = {
      method: 'POST',
      path: 'v5/mediacontainer/:media.id/releaseRequest',
      payload: { message: 'May we use :title?' },
    } as const;
    const outcome = await run(user, { ...instruction, as: 'asked' }, { values: { media: { id }, title: 'a/b' } });
    expect(outcome).toMatchObject({ succeeded: true, statusCode: 200, reason: null, payload: { message: 'May we use a/b?' } });
    expect(outcome.result).toMatchObject({ name: 'asked', value: { mediaContainerId: id } });
    expect(await requestsOf(user)).toEqual([{ message: 'May we use a/b?', requesterId: user.id, depth: 1 }]);
  });

  it('sends the payload of a GET too', async () => {
    const user = await aUser(app);
    const { id } = await aContainer(app, user);
    await aContainer(app, user);
    const found = await run(user, { method: 'GET', path: 'v5/mediacontainer', payload: { id: ':id' }, as: 'all' }, { values: { id } });
    expect(found.result?.value).toMatchObject([{ id }]);
  });

  it('has the present rights of the user, at every call', async () => {
    const user = await aUser(app, { adminLevel: 9 });
    const set = async (change: string) => await app.app.get(Database).query(`UPDATE users SET ${change} WHERE id = $1`, [user.id]);
    const rename = { method: 'PUT', path: 'v5/customer', payload: { name: 'Renamed' } } as const;
    expect(await run(user, rename)).toMatchObject({ succeeded: true, statusCode: 200 });
    await set('admin_level = 8');
    const { succeeded, statusCode, reason } = await run(user, rename);
    expect([succeeded, statusCode]).toEqual([false, 403]);
    expect(reason).toMatch(new RegExp(`^rights: the user ${user.id} may not PUT v5/customer, 403 admin_level_not_sufficient\\. .+9`));
    await set('disabled_at = now()');
    expect(await run(user, { method: 'GET', path: 'v5/customer' })).toMatchObject({
      succeeded: false,
      statusCode: 401,
      reason: expect.stringMatching(/^rights: .*401 token_invalid/),
    });
  });

  it('cannot access another customer, and logs the response', async () => {
    const { id } = await aContainer(app, await aUser(app));
    const { succeeded, statusCode, reason } = await run(await aUser(app), { method: 'GET', path: `v5/mediacontainer/${id}?x=hidden` });
    expect([succeeded, statusCode]).toEqual([false, 404]);
    expect(reason).toMatch(
      new RegExp(`^http-4xx: v5/mediacontainer/${id} answered 404 not_found\\. The media container ${id} does not exist`),
    );
    expect(reason).not.toContain('hidden');
  });

  it('fails with 417 when an expectation is not met', async () => {
    const user = await aUser(app);
    const { id } = await aContainer(app, user, { name: 'Interview' });
    const path = 'v5/mediacontainer/:id';
    const expecting = async (...expected: { path: string; value: unknown }[]) =>
      await run(user, { method: 'GET', path, expected, as: 'container' }, { values: { id, name: 'Interview' } });
    const met = await expecting({ path: 'id', value: ':id' }, { path: 'name', value: ':name' }, { path: 'media', value: [] });
    expect(met).toMatchObject({ succeeded: true, statusCode: 200, result: { name: 'container', value: { id } } });
    const unmet = await expecting({ path: 'name', value: ':name' }, { path: 'flag', value: 1 });
    expect(unmet).toEqual({ succeeded: false, statusCode: 417, reason: 'expectation: flag is 0, expected 1', payload: {} });
  });

  it.each(['', null])('does not become another call where a value is %j', async (id) => {
    const user = await aUser(app);
    for (const path of ['v5/mediacontainer/:id', 'v5/mediacontainer/:id?limit=1', 'v5/:id/mediacontainer']) {
      expect(await run(user, { method: 'GET', path }, { values: { id } })).toMatchObject({
        succeeded: false,
        statusCode: 0,
        reason: `path: ${path} is not an address below v5/`,
      });
    }
    expect(await run(user, { method: 'GET', path: 'v5/mediacontainer/?id=:id' }, { values: { id: 1 } })).toMatchObject({ statusCode: 200 });
  });

  it('keeps no answer under a name that is too long, though it may look into it', async () => {
    const user = await aUser(app);
    const { id } = await aContainer(app, user, { description: 'x'.repeat(262_144) });
    const instruction = { method: 'GET' as const, path: `v5/mediacontainer/${id}`, expected: [{ path: 'id', value: id }] };
    expect(await run(user, instruction)).toMatchObject({ succeeded: true });
    expect(await run(user, { ...instruction, as: 'long' })).toEqual({
      succeeded: false,
      statusCode: 200,
      reason: 'result: the answer has more than 262144 characters, too many to keep under a name',
      payload: {},
      final: true,
    });
  });

  it('creates nothing twice when it is repeated after a crash', async () => {
    const user = await aUser(app);
    const instruction = { method: 'POST', path: 'v5/dropsite', payload: { name: ':name' }, as: 'made' } as const;
    const options = { values: { name: 'Photos' }, messageId: 'msg_of_one_run' };
    const outcomes = [await run(user, instruction, options), await run(user, instruction, options)];
    expect(outcomes[0]).toMatchObject({ succeeded: true, statusCode: 201, result: { name: 'made', value: { name: 'Photos' } } });
    expect(outcomes[1]).toEqual(outcomes[0]);
    const another = await run(user, instruction, { values: { name: 'Photos' } });
    expect(another).toMatchObject({ succeeded: true });
    expect(another.result).not.toEqual(outcomes[0]?.result);
    expect((await call<unknown[]>(`${app.url}/v5/dropsite`, { token: await tokenOf(app, user) })).body).toHaveLength(2);
  });

  it.each(['v5/../v4/apps', 'v5/:dots/v4/apps', '//v5/format', 'metrics', 'http://127.0.0.1:1/v5/format'])(
    'does not leave /v5/: %s',
    async (path) => {
      const outcome = await run(await aUser(app), { method: 'GET', path }, { values: { dots: '..' } });
      expect(outcome).toMatchObject({ succeeded: false, statusCode: 0, reason: `path: ${path} is not an address below v5/` });
    },
  );

  it('does not count against a rate limit', async () => {
    const user = await aUser(app);
    for (let n = 0; n < LIMIT.points + 3; n += 1) {
      expect(await run(user, { method: 'GET', path: 'v5/customer' })).toMatchObject({ succeeded: true });
    }
    const person = async () => (await call(`${app.url}/v5/customer`, { token: await tokenOf(app, user) })).status;
    for (let n = 0; n < LIMIT.points; n += 1) expect(await person()).toBe(200);
    expect(await person()).toBe(429);
    expect(await run(user, { method: 'GET', path: 'v5/customer' })).toMatchObject({ succeeded: true });
  });

  it('reports a service that does not answer, and a process that serves no requests', async () => {
    const user = await aUser(app);
    const silent = await startTestContext({ database: app.database });
    const noServer = await run(user, { method: 'GET', path: 'v5/customer' }, { runner: silent.get(ApiInstructionService) });
    await silent.close();
    expect(noServer).toMatchObject({ succeeded: false, statusCode: 0, reason: expect.stringMatching(/^internal: /) });
    const other = await startTestApp({ database: app.database });
    const runner = other.app.get(ApiInstructionService);
    const { hostname: address, port } = new URL(other.url);
    Object.assign(runner, { host: { httpAdapter: { getHttpServer: () => ({ address: () => ({ address, port: Number(port) }) }) } } });
    await other.close();
    const noAnswer = await run(user, { method: 'GET', path: 'v5/customer' }, { runner });
    expect(noAnswer).toMatchObject({ succeeded: false, statusCode: 0, reason: expect.stringMatching(/^connection: v5\/customer /) });
  });
});

describe('the token of an api instruction', () => {
  const issue = (user: Pick<User, 'id'>, depth = 3) =>
    app.app.get(InstructionTokensService).issue({ userId: user.id, subscriptionId: 5, depth });

  it('is valid in every process, and only for the platform API', async () => {
    const user = await aUser(app);
    const two = await startTestApp({ database: app.database, publicUrl: app.url });
    const token = issue(user);
    expect((await call(`${addressOf(two.app)}/v5/customer`, { token })).body).toMatchObject({ id: user.customerId });
    await two.close();
    expect((await call(`${app.url}/v4/introspect`, { token, body: { token } })).body).toEqual({ active: false });
    for (const path of ['v4/apps', 'v4/requestCode?client_id=a', 'v4/apps?/v5/', 'v4/../v4/apps']) {
      expect((await call(`${app.url}/${path}`, { token })).body).toMatchObject({ status: 401, code: 'unauthenticated' });
    }
    expect((await call(`${app.url}/v5/customer`, { token: `${token}x` })).body).toMatchObject({ status: 401, code: 'token_invalid' });
    expect((await call(`${app.url}/v5/customer`, { token: 'sit_' })).body).toMatchObject({ status: 401, code: 'token_invalid' });
  });

  it('carries the depth of events for its own request, and for no other on the same connection', async () => {
    const user = await aUser(app);
    const { id } = await aContainer(app, user);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const ask = async (token: string, message: string, headers: Record<string, string> = {}) => {
      const path = `/v5/mediacontainer/${id}/releaseRequest`;
      const body = JSON.stringify({ message });
      const own = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
      return (await rawRequest(app.url, { method: 'POST', path, headers: own, body, agent })).status;
    };
    const person = await tokenOf(app, user);
    const asked = [
      await ask(issue(user, 3), 'a'),
      await ask(person, 'b'),
      await ask(issue(user, 4), 'c'),
      await ask(person, 'd', { depth: '4', 'x-service-depth': '4' }),
    ];
    expect(asked).toEqual([200, 200, 200, 200]);
    expect(Object.keys(agent.freeSockets)).toHaveLength(1);
    agent.destroy();
    expect((await requestsOf(user)).map(({ message, depth }) => [message, depth])).toEqual([
      ['a', 3],
      ['b', 0],
      ['c', 4],
      ['d', 0],
    ]);
  });

  it('separates concurrent runs', async () => {
    const user = await aUser(app);
    const { id } = await aContainer(app, user);
    const instruction = { method: 'POST', path: 'v5/mediacontainer/:id/releaseRequest', payload: { message: ':depth' } } as const;
    const depths = [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3];
    const outcomes = await Promise.all(
      depths.map(async (depth) => await run(user, instruction, { values: { id, depth: String(depth + 1) }, depth })),
    );
    expect(outcomes.every(({ succeeded }) => succeeded)).toBe(true);
    const events = await requestsOf(user);
    expect(events).toHaveLength(depths.length);
    expect(events.every(({ message, depth }) => message === String(depth))).toBe(true);
  });
});
