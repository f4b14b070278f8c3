import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { call, tokenOf } from '../support/media/uploads.js';
import { problemsOf, type SubscriptionBody, subscriptionsOf } from '../support/subscriptions/subscriptions.js';

let app: TestApp;
let token: string;
let mine: ReturnType<typeof subscriptionsOf>;
const made: Record<string, number> = {};

beforeAll(async () => {
  app = await startTestApp();
  token = await tokenOf(app, await aUser(app));
  mine = subscriptionsOf(app, token);
  const subscriptions = {
    plain: {},
    once: { flag: 2 },
    seven: { conditions: { payload: { mediaContainerId: 7 } } },
    sevenAsText: { conditions: { payload: { mediaContainerId: '7' } }, flag: 2 },
    list: { name: 'event:uploadComplete', conditions: { methods: ['update'], payload: { mediaContainerIds: [7, 8] } } },
    deep: { conditions: { methods: ['create', 'update'], payload: { a: { b: 'c' }, truth: true } } },
  };
  for (const [name, fields] of Object.entries(subscriptions)) made[name] = (await mine.made(fields)).id;
  await subscriptionsOf(app, await tokenOf(app, await aUser(app))).made({ conditions: { payload: { mediaContainerId: 7 } } });
});
afterAll(async () => {
  await app?.close();
});

/** The names of those that were found. */
const namesOf = (found: readonly SubscriptionBody[]) =>
  found.map(({ id }) => Object.keys(made).find((name) => made[name] === id) ?? `another, ${id}`);
const find = async (query: Record<string, string>) => {
  const { status, body } = await mine.list(`?${new URLSearchParams(query)}`);
  return status === 200 ? namesOf(body) : status;
};
const byCondition = async (path: string, value: string) => await find({ 'condition[path]': path, 'condition[value]': value });
const base64 = (flags: unknown) => Buffer.from(JSON.stringify(flags)).toString('base64');

describe('subscriptions are found', () => {
  it('all together, in the order of their making', async () => {
    expect(await find({})).toEqual(Object.keys(made));
  });

  it('by a condition, whose value may be a number, a text or a list element', async () => {
    expect(await byCondition('payload.mediaContainerId', '7')).toEqual(['seven', 'sevenAsText']);
    expect(await byCondition('payload.mediaContainerId', '7.0')).toEqual(['seven']);
    expect(await byCondition('payload.mediaContainerId', '8')).toEqual([]);
    expect(await byCondition('payload.mediaContainerIds', '8')).toEqual(['list']);
    expect(await byCondition('payload.mediaContainerIds.0', '7')).toEqual(['list']);
    expect(await byCondition('payload.mediaContainerIds.0', '8')).toEqual([]);
    expect(await byCondition('payload.a.b', 'c')).toEqual(['deep']);
    expect(await byCondition('payload.a', 'b')).toEqual([]);
    expect(await byCondition('payload.truth', 'true')).toEqual([]);
    expect(await byCondition('methods', 'update')).toEqual(['list', 'deep']);
    expect(await byCondition('payload.mediaContainerId', '"7"')).toEqual([]);
    expect(await byCondition('payload', `{"a":1}`)).toEqual([]);
  });

  it('by a condition in the body, as older clients send it', async () => {
    const found = await postedAsGet({ condition: { path: 'payload.mediaContainerId', value: 7 } });
    expect(namesOf(found as SubscriptionBody[])).toEqual(['seven', 'sevenAsText']);
  });

  it('by flags in base64 or base64url, by id and by name, all of which have to hold', async () => {
    expect(await find({ flags: base64([2]) })).toEqual(['once', 'sevenAsText']);
    expect(await find({ flags: base64([0, 2]) })).toHaveLength(6);
    expect(await find({ flags: Buffer.from('[2]').toString('base64url') })).toEqual(['once', 'sevenAsText']);
    expect(await find({ flags: base64([]) })).toEqual([]);
    expect(await find({ flags: base64([1]) })).toEqual([]);
    expect(await find({ name: 'event:uploadComplete' })).toEqual(['list']);
    expect(await find({ name: 'event:unknown' })).toEqual([]);
    expect(await find({ id: String(made.seven) })).toEqual(['seven']);
    expect(await find({ id: '2147483648' })).toEqual([]);
    expect(await find({ id: String(made.seven), flags: base64([2]) })).toEqual([]);
    expect(await find({ flags: base64([2]), 'condition[path]': 'payload.mediaContainerId', 'condition[value]': '7' })).toEqual([
      'sevenAsText',
    ]);
  });

  it('not by numbers that the columns cannot hold', async () => {
    expect(await find({ flags: base64([70_000]) })).toEqual([]);
    expect(await find({ flags: base64([1e300]) })).toEqual([]);
    expect(await find({ flags: base64([-1e300, 2, 70_000]) })).toEqual(['once', 'sevenAsText']);
    for (const id of ['-2147483649', '-1', '0', '2147483648']) expect(await find({ id })).toEqual([]);
    expect(await find({ cursor: '2147483648' })).toEqual([]);
  });

  it('not by malformed values', async () => {
    const wrong = async (query: Record<string, string>) => problemsOf((await mine.list(`?${new URLSearchParams(query)}`)) as never);
    const invalid = (...problems: string[]) => [400, 'validation_failed', problems.map((problem) => expect.stringMatching(`^${problem} `))];
    for (const flags of ['[0]', '!', base64({}), base64(['0']), base64([1.5]), base64(0), '']) {
      expect(await wrong({ flags })).toEqual(invalid('flags'));
    }
    expect(await wrong({ 'condition[path]': 'a' })).toEqual(invalid('condition.value'));
    expect(await wrong({ 'condition[value]': 'a' })).toEqual(invalid('condition.path'));
    expect(await wrong({ condition: 'a' })).toEqual(invalid('condition'));
    expect(await wrong({ id: 'a', limit: '0' })).toEqual(invalid('id', 'limit'));
    expect(await wrong({ limit: 'a', cursor: 'b' })).toEqual([400, 'validation_failed', ['limit type', 'cursor type']]);
  });

  it('a page at a time', async () => {
    const pages: string[][] = [];
    for (let url: string | null = `/v5/subscriptions?limit=4`; url; ) {
      const answer: Awaited<ReturnType<typeof mine.list>> = await call<SubscriptionBody[]>(`${app.url}${url}`, { token });
      pages.push(namesOf(answer.body));
      url = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? null;
    }
    expect(pages).toEqual([Object.keys(made).slice(0, 4), Object.keys(made).slice(4)]);
    expect((await mine.list()).headers.get('link')).toBeNull();
  });
});

/** fetch sends no body with GET. */
async function postedAsGet(body: object, path = ''): Promise<unknown> {
  const { request } = await import('undici');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await request(`${app.url}/v5/subscriptions${path}`, { method: 'GET', headers, body: JSON.stringify(body) });
  return await answer.body.json();
}

describe('the log of a subscription', () => {
  const addLogs = async (subscriptionId: number, count: number) => {
    const sql = `INSERT INTO subscription_logs (subscription_id, run_id, instruction, message_id, attempt, type, status_code, duration_ms)
      SELECT $1, 0, 0, 'msg_' || n, n, 'https', 500, n FROM generate_series(1, $2) n`;
    await app.app.get(Database).query(sql, [subscriptionId, count]);
  };
  const attempts = ({ logs }: Pick<SubscriptionBody, 'logs'>) => logs.map(({ attempt }) => attempt);
  const downFrom = (first: number, count: number) => Array.from({ length: count }, (_, index) => first - index);

  it('is shown newest first: five entries in lists, a hundred of one, and on from there', async () => {
    const { id } = await mine.made();
    const other = await mine.made();
    await addLogs(id, 230);
    await addLogs(other.id, 2);
    const listed = (await mine.list()).body;
    expect(listed.filter((one) => one.id === id).map(attempts)).toEqual([downFrom(230, 5)]);
    expect(listed.filter((one) => one.id === other.id).map(attempts)).toEqual([[2, 1]]);
    const pages: number[][] = [];
    for (let url: string | null = `/v5/subscriptions/${id}`; url; ) {
      const answer: Awaited<ReturnType<typeof mine.get>> = await call<SubscriptionBody & { code: string; detail: string }>(
        `${app.url}${url}`,
        { token },
      );
      pages.push(attempts(answer.body));
      url = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? null;
    }
    expect(pages).toEqual([downFrom(230, 100), downFrom(130, 100), downFrom(30, 30)]);
    expect(attempts((await mine.get(id, '?limit=2')).body)).toEqual([230, 229]);
    const nulls = (await postedAsGet({ limit: null, cursor: null }, `/${id}`)) as SubscriptionBody;
    expect(attempts(nulls)).toEqual(downFrom(230, 100));
    expect((await mine.get(other.id)).body.logs[1]).toMatchObject({ messageId: 'msg_1', statusCode: 500, durationMs: 1 });
  });

  it('goes with its subscription', async () => {
    const { id } = await mine.made();
    await addLogs(id, 1);
    await mine.delete(id);
    const { rowCount } = await app.app.get(Database).query('SELECT FROM subscription_logs WHERE subscription_id = $1', [id]);
    expect(rowCount).toBe(0);
  });
});
