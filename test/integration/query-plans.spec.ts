import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
// @ts-expect-error pg writes values as text here and does not declare it
import { prepareValue } from 'pg/lib/utils.js';
import { type AccessTokenClaims, AuthorizationsService, TokenStatesService } from '../../src/modules/access/index.js';
import { AccountsService, PrincipalsService, SupportAccessService } from '../../src/modules/accounts/index.js';
import { LoginFailuresRepository } from '../../src/modules/accounts/login-failures.repository.js';
import { DropsitesRepository } from '../../src/modules/dropsites/dropsites.repository.js';
import { DropsiteCodesRepository } from '../../src/modules/dropsites/sessions/dropsite-codes.repository.js';
import { DropsiteUsageRepository } from '../../src/modules/dropsites/uploads/dropsite-usage.repository.js';
import { OidcRecordsRepository } from '../../src/modules/oauth/provider/oidc-records.repository.js';
import { AuditService } from '../../src/shared/audit/audit.service.js';
import { Database } from '../../src/shared/database/index.js';
import { RateLimitsService } from '../../src/shared/http/index.js';
import { HousekeepingService } from '../../src/shared/jobs/index.js';
import { sha256 } from '../../src/shared/secrets/index.js';
import { aResponse } from '../support/accounts/exchange.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { explain, type Plan, readWhole } from '../support/database/query-plans.js';
import { type RecordedStatement, recordStatements } from '../support/database/recorded-statements.js';

const ROWS = 20_000;
const NINE = { points: 9, seconds: 9 };
const MANY = 40; // that arrive together and share a statement

/** Of every hundred rows one has expired. */
const EXPIRES = `now() + CASE WHEN n % 100 = 0 THEN interval '-1 hour' ELSE interval '1 hour' END`;

const SEED = [
  `INSERT INTO customers (name) SELECT 'customer ' || n FROM generate_series(1, 1000) AS n`,
  `INSERT INTO users (customer_id, email) SELECT 1 + n % 1000, 'user' || n || '@example.org' FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO clients (client_id, name, type, redirect_uris, grant_types)
    SELECT 'client-' || n, 'Client', 'web', '{}', '{}' FROM generate_series(1, 100) AS n`,
  `INSERT INTO authorizations (grant_id, user_id, client_id, device, scope, resources)
    SELECT 'grant-' || n, n, 'client-' || (1 + n % 100), '', 'api', '{}' FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO oidc_records (model, id, grant_id, uid, account_id, payload, expires_at)
    SELECT (ARRAY['Session', 'RefreshToken', 'AuthorizationCode', 'Interaction'])[1 + n % 4],
      translate(encode(sha256(('record-' || n)::bytea), 'base64'), '+/=', '-_'),
      'grant-' || n, 'uid-' || n, n, '{}', ${EXPIRES} FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO revoked_tokens (jti, expires_at) SELECT 'jti-' || n, ${EXPIRES} FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO login_failures (key, failures, wait_until, admitted, updated_at)
    SELECT 'account:' || n, 1, 'epoch', gen_random_uuid(), ${EXPIRES} - interval '1 hour' FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO rate_limits (key, points, expire) SELECT 'api:' || n, 1, extract(epoch FROM ${EXPIRES}) * 1000 FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO audit_records (action, actor, subject) SELECT 'a', 'b', 'user:' || n FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO users (customer_id, email, kind) SELECT 1 + n % 1000, 'sender' || n || '@example.org', 'sender' FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO dropsites (link, client_id, customer_id, owner_id, name)
    SELECT lpad(to_hex(n), 32, '0')::uuid, 'dropsite-' || n, 1 + n % 1000, n, 'Site' FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO dropsite_codes (code_hash, dropsite_id, expires_at)
    SELECT translate(encode(sha256(('code-' || n)::bytea), 'base64'), '+/=', '-_'), n, ${EXPIRES} FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO dropsite_usage (dropsite_id, day, items, bytes)
    SELECT n, (now() AT TIME ZONE 'UTC')::date - (n % 100 = 0)::int, 1, 1 FROM generate_series(1, ${ROWS}) AS n`,
  'ANALYZE',
];

/** Tables that grow with the use of the service; reading one of them whole takes the longer, the better it goes. */
const LARGE = [
  'users',
  'authorizations',
  'oidc_records',
  'revoked_tokens',
  'login_failures',
  'rate_limits',
  'audit_records',
  'dropsites',
  'dropsite_codes',
  'dropsite_usage',
];

describe('the statements that every request needs', () => {
  let process: TestContext;
  let database: Database;
  let client: pg.Client;
  beforeAll(async () => {
    process = await startTestContext({
      rateLimits: {
        address: NINE,
        login: NINE,
        saml: NINE,
        token: NINE,
        dropsite: NINE,
        items: NINE,
        refused: NINE,
        delivery: NINE,
        segments: NINE,
        polling: NINE,
        api: NINE,
      },
    });
    database = process.get(Database);
    for (const sql of SEED) await database.query(sql);
    client = new pg.Client({ connectionString: process.database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await process.close();
  });

  /** The plan that PostgreSQL takes for a prepared statement once it has been used for a while, as on every connection of ours. */
  async function planAfterSomeUse({ text, values }: RecordedStatement): Promise<Plan> {
    const name = `plan_${randomUUID().replaceAll('-', '')}`;
    await client.query('BEGIN');
    try {
      for (let use = 0; use < 6; use += 1) await client.query({ name, text, values: [...values] });
      const literals = values.map((value) => {
        const prepared = prepareValue(value) as string | null;
        return prepared === null ? 'NULL' : pg.escapeLiteral(String(prepared));
      });
      return await explain(client, `EXECUTE ${name}${literals.length > 0 ? `(${literals.join(', ')})` : ''}`);
    } finally {
      await client.query('ROLLBACK');
    }
  }

  const claims = (n: number): AccessTokenClaims => ({
    jti: `jti-${n}`,
    userId: n,
    clientId: 'client-1',
    scope: 'api',
    audience: [],
    issuedAt: 0,
    expiresAt: 0,
    authorizationId: n,
    generation: 0,
    authentication: {},
    supportUserId: null,
  });

  const record = { grantId: 'grant-1', uid: 'uid-1', accountId: 1, payload: {}, expiresAt: new Date(Date.now() + 3_600_000) };
  const login = { ip: null, userAgent: null, env: null, platform: null, version: null, legacyResource: null };
  const limited = (id: number) => ({ id, maxItemsPerDay: 100, maxBytesPerDay: 100 });
  const dropsites = () => process.get(DropsitesRepository);
  const authorizations = () => process.get(AuthorizationsService);
  const records = () => process.get(OidcRecordsRepository);

  it.each<[string, (n: number) => Promise<unknown>]>([
    ['the state of a token', async (n) => await process.get(TokenStatesService).find(claims(n))],
    ['a principal', async (n) => await process.get(PrincipalsService).find(n)],
    ['a user by e-mail address', async (n) => await process.get(AccountsService).findByEmail(`user${n}@example.org`)],
    ['support access', async (n) => await process.get(SupportAccessService).isOpen(n, n + 1)],
    ['the visits of support staff', async (n) => await process.get(AuditService).findLatest({ action: 'a', subject: `user:${n}` }, 20)],
    ['an authorization by its key', async (n) => await authorizations().findByKey({ userId: n, clientId: 'client-1', device: null })],
    ['an authorization by its grant', async (n) => await authorizations().findByGrantId(`grant-${n}`)],
    ['the first page of the apps of a user', async (n) => await authorizations().findOfUser(n, { limit: 100, after: 0 })],
    ['a further page', async (n) => await authorizations().findOfUser(n, { limit: 100, after: 50_000 })],
    [
      'a consent',
      async (n) =>
        await authorizations().grant({ userId: n, clientId: `client-${1 + (n % 100)}`, device: null, scope: 'openid', resources: [] }),
    ],
    ['a login', async (n) => await authorizations().recordLogin(`grant-${n}`, login)],
    ['the end of all tokens', async (n) => await authorizations().revokeTokens(`grant-${n}`)],
    ['the end of a token', async () => await process.get(TokenStatesService).revoke(randomUUID(), new Date())],
    ['the end of an authorization', async (n) => await authorizations().deleteByGrantId(`grant-${n}`)],
    ['deauthorize by id', async (n) => await authorizations().deauthorize({ userId: n, supportUserId: null }, { id: n })],
    [
      'deauthorize by client',
      async (n) => await authorizations().deauthorize({ userId: n, supportUserId: null }, { clientId: 'client-1' }),
    ],
    ['deauthorize by device', async (n) => await authorizations().deauthorize({ userId: n, supportUserId: null }, { device: 'phone' })],
    ['a record', async (n) => await records().find('Session', `record-${n}`)],
    ['a record by its public name', async (n) => await records().findByUid('Session', `uid-${n}`)],
    ['the sessions of a user', async (n) => await records().findSessionsOfAccount(n, new Date())],
    ['writing a record', async (n) => await records().replace('Session', `record-${n}`, record)],
    ['writing a successor', async (n) => await records().insertUnlessExists('RefreshToken', `record-${n}`, record)],
    ['using a record up', async (n) => await records().consume('RefreshToken', `record-${n}`, new Date())],
    ['amending a record', async (n) => await records().amend('RefreshToken', `record-${n}`, { a: 1 })],
    ['deleting a record', async (n) => await records().delete('RefreshToken', `record-${n}`)],
    ['deleting the records of a grant', async (n) => await records().deleteByGrantId(`grant-${n}`)],
    ['ending a session of a user', async (n) => await records().deleteSessionOfAccount(n, sha256(`record-${n}`))],
    ['counting the records of a user', async (n) => await records().countOfAccount(n)],
    ['deleting the records of a user', async (n) => await records().deleteOfAccount(n)],
    ['a failed login', async (n) => await process.get(LoginFailuresRepository).countAttempt(`account:${n}`, [0, 1], new Date())],
    ['a login after failures', async (n) => await process.get(LoginFailuresRepository).reset(`account:${n}`)],
    ['a user by identifier', async (n) => await process.get(PrincipalsService).findByIdentifier(1 + (n % 1_000), `user${n}@example.org`)],
    [
      'a sender',
      async (n) =>
        await process.get(PrincipalsService).findOrCreateSender({ customerId: 1 + (n % 1_000), email: `sender${n}@example.org` }),
    ],
    ['a dropsite by its link', async (n) => await dropsites().findByLink(n.toString(16).padStart(32, '0'))],
    ['a dropsite by owner and name', async (n) => await dropsites().findByName(n, 'Site')],
    ['a page of dropsites', async (n) => await dropsites().list(1 + (n % 1_000), { after: 0, limit: 100 }, new Date())],
    ['the use of a code', async (n) => await process.get(DropsiteCodesRepository).consume(`code-${n}`, n, new Date())],
    [
      'what a dropsite accepts',
      async (n) => await process.get(DropsiteUsageRepository).consume(limited(n), { items: 1, bytes: 1 }, new Date()),
    ],
    ['what arrived at a dropsite', async (n) => await process.get(DropsiteUsageRepository).addBytes(n, 1, new Date())],
    [
      'whether a dropsite has room',
      async (n) => await process.get(DropsiteUsageRepository).hasRoom(limited(n), { items: 1, bytes: 1 }, new Date()),
    ],
    ['counting a request', async (n) => await process.get(RateLimitsService).consume('api', String(n), aResponse())],
  ])('find by an index: %s', async (_name, run) => {
    const alone = await recordStatements(async () => await run(17));
    const together = await recordStatements(
      async () => await Promise.all(Array.from({ length: MANY }, async (_, index) => await run(2_000 + index))),
    );
    const statements = [...alone, ...together.slice(0, 3)].filter(({ text }) => !/^(BEGIN|START|COMMIT)/.test(text));
    expect(statements.length).toBeGreaterThan(1);
    for (const statement of statements) {
      const plans = [await explain(client, statement.text, statement.values), await planAfterSomeUse(statement)];
      expect({ text: statement.text, readWhole: plans.flatMap(readWhole) }).toEqual({ text: statement.text, readWhole: [] });
    }
  });

  it('find the rows that housekeeping deletes by an index, in every growing table', async () => {
    const statements = (await recordStatements(async () => await process.get(HousekeepingService).run())).filter(({ text }) =>
      text.startsWith('DELETE'),
    );
    const tables = new Set(statements.map(({ text }) => /^DELETE FROM (\w+)/.exec(text)?.[1]));
    expect([...tables]).toEqual(expect.arrayContaining(['oidc_records', 'revoked_tokens', 'login_failures', 'rate_limits']));
    for (const statement of statements) {
      const plans = [await explain(client, statement.text, statement.values), await planAfterSomeUse(statement)];
      const large = plans.flatMap(readWhole).filter((table) => LARGE.includes(table));
      expect({ text: statement.text, large }).toEqual({ text: statement.text, large: [] });
    }
  });

  /** Foreign keys whose columns begin no index. */
  const foreignKeysWithoutIndex = async () => {
    const { rows } = await database.query<{ key: string }>(
      `SELECT conname AS key FROM pg_constraint c WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND NOT EXISTS (
         SELECT FROM pg_index i WHERE i.indrelid = c.conrelid AND (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)`,
    );
    return rows.map(({ key }) => key);
  };

  it('find by an index the rows that a foreign key ties to a row that goes', async () => {
    expect(await foreignKeysWithoutIndex()).toEqual([]);
  });

  it('are reported if one reads a large table completely', async () => {
    for (const table of LARGE)
      expect(readWhole(await explain(client, `SELECT count(*) FROM ${table} WHERE ${table}::text LIKE $1`, ['%x%']))).toEqual([table]);
    await database.transaction(async () => {
      await database.query('DROP INDEX users_customer_id_idx');
      expect(await foreignKeysWithoutIndex()).toEqual(['users_customer_id_fkey']);
      await database.query('CREATE INDEX users_customer_id_idx ON users (customer_id)');
    });
  });
});
