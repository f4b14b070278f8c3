import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AuthorizationsService, type LoginDetails } from '../../src/modules/access/index.js';
import { Customer, User } from '../../src/modules/accounts/index.js';
import { Client } from '../../src/modules/oauth/index.js';
import { Database } from '../../src/shared/database/index.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';

const login = (overrides: Partial<LoginDetails> = {}): LoginDetails => ({
  ip: '203.0.113.7',
  userAgent: 'Mozilla/5.0',
  env: null,
  platform: null,
  version: null,
  legacyResource: null,
  ...overrides,
});

describe('the authorizations of a user', () => {
  let process: TestContext;
  let database: Database;
  let authorizations: AuthorizationsService;
  let userId: number;
  let clientId: string;
  beforeAll(async () => {
    process = await startTestContext();
    database = process.get(Database);
    authorizations = process.get(AuthorizationsService);
  });
  afterAll(async () => await process.close());
  beforeEach(async () => {
    userId = await aUser();
    clientId = await aClient();
  });

  async function aUser(): Promise<number> {
    const { id: customerId } = await database.repository(Customer).save({ name: randomUUID() });
    return (await database.repository(User).save({ customerId, email: `${randomUUID()}@example.org` })).id;
  }

  async function aClient(): Promise<string> {
    const id = randomUUID();
    await database.repository(Client).save({ clientId: id, name: id, type: 'web', redirectUris: [], grantTypes: [] });
    return id;
  }

  const grant = async (
    overrides: { userId?: number; clientId?: string; device?: string | null; scope?: string; resources?: string[] } = {},
  ) => await authorizations.grant({ userId, clientId, device: null, scope: 'api', resources: ['https://a.example.org'], ...overrides });

  const all = async () => await authorizations.findOfUser(userId, { limit: 100, after: 0 });

  it('are one record per client and device; no device is a separate one', async () => {
    const granted = [
      await grant(),
      await grant({ device: 'phone' }),
      await grant({ device: 'tablet' }),
      await grant(),
      await grant({ device: 'phone' }),
    ];
    expect(granted.map(({ id }) => id)).toEqual([granted[0]?.id, granted[1]?.id, granted[2]?.id, granted[0]?.id, granted[1]?.id]);
    expect((await all()).map(({ device }) => device)).toEqual([null, 'phone', 'tablet']);
    expect(await authorizations.findByKey({ userId, clientId, device: null })).toMatchObject({ id: granted[0]?.id });
    expect(await authorizations.findByKey({ userId, clientId, device: 'tablet' })).toMatchObject({ id: granted[2]?.id });
    expect(await authorizations.findByKey({ userId, clientId, device: 'other' })).toBeNull();
    expect(await authorizations.findByKey({ userId: await aUser(), clientId, device: null })).toBeNull();
  });

  it('keep earlier scopes and add new ones', async () => {
    await grant({ scope: 'openid api', resources: ['https://a.example.org'] });
    const { scope, resources } = await grant({
      scope: 'api offline_access',
      resources: ['https://b.example.org', 'https://a.example.org'],
    });
    expect(scope.split(' ').sort()).toEqual(['api', 'offline_access', 'openid']);
    expect([...resources].sort()).toEqual(['https://a.example.org', 'https://b.example.org']);
  });

  it('are a list of scopes separated by single spaces, even if none was granted first', async () => {
    await grant({ scope: '' });
    expect((await grant({ scope: '' })).scope).toBe('');
    expect((await grant({ scope: 'openid api' })).scope.split(' ').sort()).toEqual(['api', 'openid']);
  });

  it('are one record when they are granted at the same moment, with everything that was granted', async () => {
    const scopes = ['openid', 'profile', 'email', 'offline_access', 'api', 'api:read'];
    const granted = await Promise.all(Array.from({ length: 24 }, async (_, index) => await grant({ scope: scopes[index % 6] ?? '' })));
    expect(new Set(granted.map(({ grantId }) => grantId)).size).toBe(1);
    const [only, ...more] = await all();
    expect(more).toEqual([]);
    expect(only?.scope.split(' ').sort()).toEqual([...scopes].sort());
  });

  it('contain the latest login, and earlier values of fields that it lacks', async () => {
    const { grantId, createdAt } = await grant({ device: 'phone' });
    await authorizations.recordLogin(grantId, login({ env: 'staging', platform: 'web', version: 'v4', legacyResource: 'MEDIA:1' }));
    await authorizations.recordLogin(grantId, login({ ip: '203.0.113.8', userAgent: null }));
    expect(await authorizations.findByGrantId(grantId)).toMatchObject({
      device: 'phone',
      ip: '203.0.113.8',
      userAgent: null,
      env: 'staging',
      platform: 'web',
      version: 'v4',
      legacyResource: 'MEDIA:1',
      lastLogin: expect.any(Date),
      createdAt,
    });
    await authorizations.recordLogin('an unknown grant', login());
  });

  it('contain one of several concurrent logins completely', async () => {
    const { grantId } = await grant();
    const other = await grant({ device: 'phone' });
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        await authorizations.recordLogin(
          index % 2 ? grantId : other.grantId,
          login({ ip: `203.0.113.${index}`, userAgent: `browser ${index}` }),
        );
      }),
    );
    for (const { ip, userAgent } of await all()) expect(userAgent).toBe(`browser ${ip?.split('.').at(-1)}`);
  });

  it('are listed in the order of their making, page by page, each user their own, also when many ask at once', async () => {
    const ids: number[] = [];
    for (let index = 0; index < 5; index += 1) ids.push((await grant({ device: `device ${index}` })).id);
    const stranger = await aUser();
    const page = async (limit: number, after: number, of = userId) =>
      (await authorizations.findOfUser(of, { limit, after })).map(({ id }) => id);
    const pages = await Promise.all([
      page(2, 0),
      page(2, ids[1] ?? 0),
      page(2, ids[3] ?? 0),
      page(10, 0),
      page(10, 0),
      page(10, 0, stranger),
      page(10, ids[4] ?? 0),
    ]);
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4), ids, ids, [], []]);
  });

  describe('are ended', () => {
    let ours: Awaited<ReturnType<typeof grant>>[];
    let otherClient: string;
    let stranger: Awaited<ReturnType<typeof grant>>;
    beforeEach(async () => {
      otherClient = await aClient();
      ours = [
        await grant({ device: 'phone' }),
        await grant({ device: 'tablet' }),
        await grant({ device: 'phone', clientId: otherClient }),
        await grant({ clientId: otherClient }),
      ];
      stranger = await grant({ userId: await aUser(), device: 'phone' });
    });

    const end = async (selector: { id?: number; clientId?: string; device?: string }) =>
      (await authorizations.deauthorize({ userId, supportUserId: null }, selector))
        .map(({ id }) => ours.findIndex((one) => one.id === id))
        .sort();
    const left = async () => (await all()).map(({ id }) => ours.findIndex((one) => one.id === id));

    it('by every selector that is given, all of them together', async () => {
      expect(await end({ device: 'phone', clientId })).toEqual([0]);
      expect(await left()).toEqual([1, 2, 3]);
      expect(await end({ id: ours[1]?.id, clientId: otherClient })).toEqual([]);
      expect(await end({ clientId: otherClient })).toEqual([2, 3]);
      expect(await end({ id: ours[1]?.id })).toEqual([1]);
      expect(await end({ device: 'phone' })).toEqual([]);
      expect(await authorizations.findByGrantId(stranger.grantId)).not.toBeNull();
    });

    it('never without a selector, and never those of another user', async () => {
      await expect(end({})).rejects.toMatchObject({ code: 'selector_required' });
      expect(await end({ id: stranger.id })).toEqual([]);
      expect(await left()).toEqual([0, 1, 2, 3]);
      expect(await authorizations.findByGrantId(stranger.grantId)).not.toBeNull();
    });

    it.each([0, -1, 2 ** 31, Number.MAX_SAFE_INTEGER])('not at all by an id out of range (%d)', async (id) => {
      expect(await end({ id })).toEqual([]);
      expect(await authorizations.findOfUser(userId, { limit: 10, after: id })).toHaveLength(id > 0 ? 0 : 4);
    });

    it('once, by the first of concurrent calls', async () => {
      const results = await Promise.all(Array.from({ length: 10 }, async () => await end({ device: 'phone' })));
      expect(results.flat().sort()).toEqual([0, 2]);
    });
  });

  it('increment their generation at every revocation of their tokens', async () => {
    const { grantId } = await grant();
    await Promise.all(Array.from({ length: 10 }, async () => await authorizations.revokeTokens(grantId)));
    expect(await authorizations.findByGrantId(grantId)).toMatchObject({ generation: 10 });
  });
});
