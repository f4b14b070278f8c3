import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { User } from '../../src/modules/accounts/index.js';
import { ClientsService, SessionsService } from '../../src/modules/oauth/index.js';
import { OidcRecordsRepository } from '../../src/modules/oauth/provider/oidc-records.repository.js';
import { AuditService } from '../../src/shared/audit/audit.service.js';
import { type AdministrationWorld, anAdministration, CALLERS, type CallerName } from '../support/accounts/administration.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';

const app = useTestApp();
let world: AdministrationWorld;
let count = 0;
beforeAll(async () => {
  world = await anAdministration(app);
});

/** A customer has at most 100 applications. */
afterEach(async () => {
  const clients = app.app.get(ClientsService);
  for (const { clientId, customerId } of await clients.list()) if (customerId !== null) await clients.remove(clientId);
});

/** Numbers that make names and addresses different from all others. */
const next = () => {
  count += 1;
  return count;
};
const aColleague = async (adminLevel = 0): Promise<User> =>
  await aUser(app, { customer: 'Acme', adminLevel, email: `colleague${next()}@acme.example` });
const made = async (path: string, body: object): Promise<number> => {
  const answer = await world.as('level 100', 'POST', path, body);
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return Number(answer.body.id);
};
const clientBody = (more: object = {}) => ({ name: 'Newsroom', type: 'web', redirectUris: ['https://newsroom.example/cb'], ...more });
const aClientOf = async (more: object = {}) => await made('/v5/client', clientBody({ confidential: true, ...more }));
const aServiceOf = async (adminLevel: number) =>
  await made('/v5/user', { kind: 'service', email: `service${next()}@acme.example`, adminLevel });
const aKeyOf = async (user: User) => await made('/v5/accessKey', { userId: user.id });
const providerBody = () => ({ ssoIdentifier: `acme-${next()}`, metadata: world.metadata });
const aProvider = async () => await made('/v5/identityProvider', providerBody());
/** The path of a session of a new user. */
async function aSession(adminLevel = 0): Promise<string> {
  const { id } = await aColleague(adminLevel);
  const record = { grantId: null, uid: `uid-${next()}`, accountId: id, payload: { loginTs: 1 }, expiresAt: new Date(Date.now() + 60_000) };
  await app.app.get(OidcRecordsRepository).replace('Session', `session-${next()}`, record);
  const [session] = await app.app.get(SessionsService).list(id);
  return `/v5/user/${id}/sessions/${session?.id}`;
}

/** The expected status for each caller, in the order of CALLERS. */
type Row = readonly [operation: string, expected: readonly number[], request: () => Promise<[method: string, path: string, body?: object]>];

// Columns: level 0, 9, 10, 100, operator, other customer, service user (9), sender, casa (for 9), api:read (of 9), signed (as 9)
const FIND = [403, 200, 200, 200, 200, 200, 200, 403, 200, 200, 200];
const GET = [403, 200, 200, 200, 200, 404, 200, 403, 200, 200, 200];
const CREATE = [403, 201, 201, 201, 201, 201, 201, 403, 403, 403, 201];
const CHANGE = [403, 200, 200, 200, 200, 404, 200, 403, 403, 403, 200];
/** What is above level 9: a user of level 10, or what acts as one. */
const CHANGE_ABOVE = [403, 403, 200, 200, 200, 404, 403, 403, 403, 403, 403];
const CREATE_ABOVE = [403, 403, 201, 201, 201, 403, 403, 403, 403, 403, 403];
/** The same for a user of level 10. */
const CREATE_FOR_ABOVE = [403, 403, 201, 201, 201, 400, 403, 403, 403, 403, 403];
/** What needs a person who has just signed in: neither the service user nor a signature can prove that. */
const CONFIRMED_CREATE = [403, 201, 201, 201, 201, 201, 403, 403, 403, 403, 403];
/** A new key names a user, who does not exist for another customer. */
const CONFIRMED_CREATE_FOR = [403, 201, 201, 201, 201, 400, 403, 403, 403, 403, 403];
const CONFIRMED_CHANGE = [403, 200, 200, 200, 200, 404, 403, 403, 403, 403, 403];
const OPERATOR_FINDS = [403, 403, 403, 403, 200, 403, 403, 403, 403, 403, 403];
const OPERATOR_UPDATES = [...OPERATOR_FINDS];
const OPERATOR_CREATES = [403, 403, 403, 403, 201, 403, 403, 403, 403, 403, 403];
const OPERATOR_CHANGES = [403, 403, 403, 403, 200, 404, 403, 403, 403, 403, 403];

const newUser = (more: object = {}) => ({ email: `new${next()}@acme.example`, ...more });
/** A customer of which no caller is a user. */
const third = async (): Promise<number> => (await aUser(app, { customer: `Third of ${next()}` })).customerId;
const aTrustedClient = async (): Promise<number> => {
  const { customerId } = world.people['level 0'];
  const answer = await world.as('operator', 'POST', '/v5/client', clientBody({ firstParty: true, customerId }));
  return Number(answer.body.id);
};
const idOf = async (user: Promise<User>): Promise<number> => (await user).id;

const TABLE: readonly Row[] = [
  ['find users', FIND, async () => ['GET', '/v5/user']],
  ['find users of another customer', OPERATOR_FINDS, async () => ['GET', `/v5/user?customerId=${await third()}`]],
  ['get a user', GET, async () => ['GET', `/v5/user/${world.people['level 10'].id}`]],
  ['create a user', CREATE, async () => ['POST', '/v5/user', newUser()]],
  ['create a user of level 10', CREATE_ABOVE, async () => ['POST', '/v5/user', newUser({ adminLevel: 10 })]],
  ['create a user of another customer', OPERATOR_CREATES, async () => ['POST', '/v5/user', newUser({ customerId: await third() })]],
  ['update a user', CHANGE, async () => ['PUT', `/v5/user/${await idOf(aColleague())}`, { firstname: 'Grace' }]],
  ['update a user of level 10', CHANGE_ABOVE, async () => ['PUT', `/v5/user/${await idOf(aColleague(10))}`, { firstname: 'Grace' }]],
  ['raise a user to level 10', CHANGE_ABOVE, async () => ['PUT', `/v5/user/${await idOf(aColleague())}`, { adminLevel: 10 }]],
  ['invite a user again', CHANGE, async () => ['POST', `/v5/user/${await made('/v5/user', newUser())}/invite`]],
  ['reset the second factor of a user', CHANGE, async () => ['POST', `/v5/user/${await idOf(aColleague())}/resetSecondFactor`]],
  [
    'reset the second factor of a user of level 10',
    CHANGE_ABOVE,
    async () => ['POST', `/v5/user/${await idOf(aColleague(10))}/resetSecondFactor`],
  ],
  [
    'invite a user of level 10 again',
    CHANGE_ABOVE,
    async () => ['POST', `/v5/user/${await made('/v5/user', newUser({ adminLevel: 10 }))}/invite`],
  ],
  ['end one session of a user of level 10', CHANGE_ABOVE, async () => ['DELETE', await aSession(10)]],
  ['disable a user', CHANGE, async () => ['POST', `/v5/user/${await idOf(aColleague())}/disable`]],
  ['disable a user of level 10', CHANGE_ABOVE, async () => ['POST', `/v5/user/${await idOf(aColleague(10))}/disable`]],
  ['enable a user', CHANGE, async () => ['POST', `/v5/user/${await idOf(aColleague())}/enable`]],
  ['enable a user of level 10', CHANGE_ABOVE, async () => ['POST', `/v5/user/${await idOf(aColleague(10))}/enable`]],
  ['erase a user', CHANGE, async () => ['DELETE', `/v5/user/${await idOf(aColleague())}`]],
  ['erase a user of level 10', CHANGE_ABOVE, async () => ['DELETE', `/v5/user/${await idOf(aColleague(10))}`]],
  ['list sessions', GET, async () => ['GET', `/v5/user/${world.people['level 10'].id}/sessions`]],
  ['end all sessions', CHANGE, async () => ['DELETE', `/v5/user/${await idOf(aColleague())}/sessions`]],
  ['end all sessions of a user of level 10', CHANGE_ABOVE, async () => ['DELETE', `/v5/user/${await idOf(aColleague(10))}/sessions`]],
  ['end one session', CHANGE, async () => ['DELETE', await aSession()]],
  ['find clients', FIND, async () => ['GET', '/v5/client']],
  ['get a client', GET, async () => ['GET', `/v5/client/${await aClientOf()}`]],
  ['create a client', CREATE, async () => ['POST', '/v5/client', clientBody()]],
  ['create a first-party client', OPERATOR_CREATES, async () => ['POST', '/v5/client', clientBody({ firstParty: true })]],
  ['create a client that acts as a user of level 10', CREATE_ABOVE, async () => ['POST', '/v5/client', await workerBody(10)]],
  ['update a client', CHANGE, async () => ['PUT', `/v5/client/${await aClientOf()}`, { name: 'Desk' }]],
  ['make a client first-party', OPERATOR_CHANGES, async () => ['PUT', `/v5/client/${await aClientOf()}`, { firstParty: true }]],
  ['rotate a secret', CONFIRMED_CHANGE, async () => ['POST', `/v5/client/${await aClientOf()}/rotateSecret`]],
  [
    'rotate a secret that acts as level 10',
    CHANGE_ABOVE,
    async () => ['POST', `/v5/client/${await made('/v5/client', await workerBody(10))}/rotateSecret`],
  ],
  ['delete a client', CHANGE, async () => ['DELETE', `/v5/client/${await aClientOf()}`]],
  ['update a client of the operator', OPERATOR_CHANGES, async () => ['PUT', `/v5/client/${await aTrustedClient()}`, { name: 'Desk' }]],
  ['delete a client of the operator', OPERATOR_CHANGES, async () => ['DELETE', `/v5/client/${await aTrustedClient()}`]],
  ['find clients of another customer', OPERATOR_FINDS, async () => ['GET', `/v5/client?customerId=${await third()}`]],
  ['create a client of another customer', OPERATOR_CREATES, async () => ['POST', '/v5/client', clientBody({ customerId: await third() })]],
  ['find access keys of another customer', OPERATOR_FINDS, async () => ['GET', `/v5/accessKey?customerId=${await third()}`]],
  ['find identity providers of another customer', OPERATOR_FINDS, async () => ['GET', `/v5/identityProvider?customerId=${await third()}`]],
  [
    'create an identity provider of another customer',
    OPERATOR_CREATES,
    async () => ['POST', '/v5/identityProvider', { ...providerBody(), customerId: await third() }],
  ],
  ['find access keys', FIND, async () => ['GET', '/v5/accessKey']],
  ['get an access key', GET, async () => ['GET', `/v5/accessKey/${await aKeyOf(await aColleague())}`]],
  ['create an access key', CONFIRMED_CREATE_FOR, async () => ['POST', '/v5/accessKey', { userId: await idOf(aColleague()) }]],
  ['create an access key of level 10', CREATE_FOR_ABOVE, async () => ['POST', '/v5/accessKey', { userId: await idOf(aColleague(10)) }]],
  ['delete an access key', CHANGE, async () => ['DELETE', `/v5/accessKey/${await aKeyOf(await aColleague())}`]],
  ['delete an access key of level 10', CHANGE_ABOVE, async () => ['DELETE', `/v5/accessKey/${await aKeyOf(await aColleague(10))}`]],
  ['find identity providers', FIND, async () => ['GET', '/v5/identityProvider']],
  ['get an identity provider', GET, async () => ['GET', `/v5/identityProvider/${await aProvider()}`]],
  ['create an identity provider', CONFIRMED_CREATE, async () => ['POST', '/v5/identityProvider', providerBody()]],
  [
    'update an identity provider',
    CONFIRMED_CHANGE,
    async () => ['PUT', `/v5/identityProvider/${await aProvider()}`, { metadata: world.metadata, createUsers: true }],
  ],
  ['delete an identity provider', CHANGE, async () => ['DELETE', `/v5/identityProvider/${await aProvider()}`]],
  ['find customers', OPERATOR_FINDS, async () => ['GET', '/v5/customers']],
  ['get a customer', OPERATOR_FINDS, async () => ['GET', `/v5/customers/${await third()}`]],
  ['create a customer', OPERATOR_CREATES, async () => ['POST', '/v5/customers', { name: `Customer ${next()}` }]],
  ['update a customer', OPERATOR_UPDATES, async () => ['PUT', `/v5/customers/${await third()}`, { name: `Third ${next()}` }]],
  ['find the usage of another customer', OPERATOR_FINDS, async () => ['GET', `/v5/customer/usage?customerId=${await third()}`]],
  ['find audit records', FIND, async () => ['GET', '/v5/audit']],
  ['find audit records of another customer', OPERATOR_FINDS, async () => ['GET', `/v5/audit?customerId=${await third()}`]],
];

/** A client of Acme that acts as a new service. */
async function workerBody(adminLevel: number): Promise<object> {
  const { customerId } = world.people['level 0'];
  return clientBody({ redirectUris: [], grantTypes: ['client_credentials'], serviceUserId: await aServiceOf(adminLevel), customerId });
}

/** The user is enabled already. */
const isWithoutEffect = ([, path]: readonly [string, string, object?]): boolean => path.endsWith('/enable');

describe('the administration', () => {
  it.each(TABLE)('lets only those who may %s', async (_operation, expected, request) => {
    const statuses: Partial<Record<CallerName, number>> = {};
    for (const caller of CALLERS) statuses[caller] = (await world.as(caller, ...(await request()))).status;
    expect(statuses).toEqual(Object.fromEntries(CALLERS.map((caller, index) => [caller, expected[index]])));
  });

  const changes = TABLE.filter(([, expected]) => ![FIND, GET, OPERATOR_FINDS].includes(expected as number[]));

  it.each(changes)(
    'leaves one record with its actor when it is permitted to %s, and none when it is refused',
    async (_, expected, request) => {
      const recordsOf = async (caller: CallerName): Promise<number> => {
        const { id } = world.people[caller as keyof typeof world.people];
        return (await app.app.get(AuditService).find({ actor: `user:${id}`, withCommon: true }, { limit: 10_000 })).length;
      };
      for (const caller of ['level 0', 'level 9', 'operator', 'other customer'] as const) {
        const made = await request();
        const before = await recordsOf(caller);
        const { status } = await world.as(caller, ...made);
        const isRecorded = status < 300 && !isWithoutEffect(made);
        expect([caller, status, (await recordsOf(caller)) - before]).toEqual([
          caller,
          expected[CALLERS.indexOf(caller)],
          isRecorded ? 1 : 0,
        ]);
      }
    },
  );

  it('needs credentials', async () => {
    for (const [, , request] of TABLE) {
      const [method, path] = await request();
      expect((await fetch(`${app.url}${path}`, { method })).status).toBe(401);
    }
  });

  it('shows other customers nothing of this one', async () => {
    for (const path of ['/v5/user', '/v5/client', '/v5/accessKey', '/v5/identityProvider']) {
      const { body } = await world.as('other customer', 'GET', path);
      const customers = new Set((body as unknown as { customerId: number }[]).map(({ customerId }) => customerId));
      expect([...customers].filter((id) => id !== world.people['other customer'].customerId)).toEqual([]);
    }
  });
});
