// Does an introspection cost more with a million authorizations than with ten?
import { compare, measure } from './support/load.mjs';
import { pairsQuery } from './support/pairs.mjs';
import { startService } from './support/processes.mjs';
import { BENCH_CLIENT, declareBenchClients, inContext } from './support/provision.mjs';
import { signIn } from './support/sign-in.mjs';

const SIZES = [10, 1_000_000];

/** Measures two services alternately, so that other load on the machine affects both. */
export async function run() {
  const sides = [];
  try {
    for (const size of SIZES) sides.push(await prepare(size));
    const [small, large] = Object.values(await compare(Object.fromEntries(sides.map(({ name, measureSide }) => [name, measureSide]))));
    return [
      { name: sides[0].name, rate: small, ratio: 1 },
      { name: sides[1].name, rate: large, ratio: large / small, target: 0.9 },
    ];
  } finally {
    for (const { service } of sides) await service.stop();
  }
}

async function prepare(size) {
  const service = await startService();
  await declareBenchClients(service);
  await signIn(service, pairsQuery);
  const tokens = await inContext(service, async (context, tools) => {
    await fill(context, tools, size);
    return await tokensOf(context, tools);
  });
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${btoa('machine:machine-secret-of-the-benchmarks')}`,
  };
  const requests = tokens.map((token) => ({ method: 'POST', path: '/v4/introspect', headers, body: `token=${token}` }));
  const name = `introspection with ${size.toLocaleString('en')} authorizations`;
  return { name, service, measureSide: async () => await measure(service.url, { requests }) };
}

/** Creates authorizations of users of one customer, until there are `size`. */
async function fill(context, { load }, size) {
  const { Database } = await load('shared/database/index.js');
  const { pool } = context.get(Database);
  await pool.query(
    `INSERT INTO users (customer_id, email) SELECT 1, 'bench' || n || '@example.org' FROM generate_series(1, $1::int) AS n ON CONFLICT DO NOTHING`,
    [size],
  );
  await pool.query(
    `INSERT INTO authorizations (grant_id, user_id, client_id, scope, resources)
     SELECT 'bench-' || id, id, $1, 'api', '{}' FROM users WHERE email LIKE 'bench%' ON CONFLICT DO NOTHING`,
    [BENCH_CLIENT.clientId],
  );
  await pool.query('VACUUM ANALYZE users, authorizations');
  // Otherwise PostgreSQL would write the new rows to disk while introspection is measured.
  await pool.query('CHECKPOINT');
}

/** Tokens of ten authorizations, spread over the table. */
async function tokensOf(context, { load }) {
  const { Database } = await load('shared/database/index.js');
  const { AccessTokenIssuerService } = await load('modules/access/index.js');
  const sql = `SELECT id, user_id AS "userId", client_id AS "clientId", generation FROM authorizations
    WHERE id % greatest(1, (SELECT max(id) / 10 FROM authorizations)) = 0 LIMIT 10`;
  const { rows } = await context.get(Database).pool.query(sql);
  const tokens = context.get(AccessTokenIssuerService);
  return await Promise.all(
    rows.map(
      async ({ id, userId, clientId, generation }) =>
        (await tokens.issue({ userId, clientId, scope: 'api', authorization: { id, generation } })).accessToken,
    ),
  );
}
