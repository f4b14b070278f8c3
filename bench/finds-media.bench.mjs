// Does a page of media containers cost more among a million containers of one customer than among a thousand of another?
import { startService } from './support/processes.mjs';
import { inContext } from './support/provision.mjs';

/** The numbers of containers of two customers of one service. */
const LARGE = Number(process.env.BENCH_CONTAINERS ?? 1_000_000);
const SMALL = 1_000;
/** Rows that one statement inserts. */
const BATCH = 50_000;
/** Requests of each kind and customer, sent alternately, after others that warm up the service. */
const REQUESTS = 100;
const WARM_UP = 20;
const COMBINATIONS = 5;
/** Containers on a page. */
const PAGE = 20;

/** Each matches at least 2 % of both customers' containers. */
const FILTERS = {
  nothing: {},
  'a frequent word': { search: 'film' },
  'a word of 2 %': { search: 'place7' },
  'the beginning of words': { search: 'per' },
  'two words': { search: 'noon film' },
  'a type': { type: 'audio' },
  'a tag': { tag: 'tag7' },
  'a tag of a period': { tag: 'series7' },
  'an extension': { extension: 'wav' },
  'a creator': { creatorId: 'own' },
  'a dropsite': { dropsite: 'own' },
  'after a day': { createdAfter: '2026-06-01' },
  'before a day': { createdBefore: '2025-02-01' },
  'a least size': { minSize: '80000000' },
  'a largest size': { maxSize: '3000000' },
  'a format': { formatId: 'original' },
  'a missing format': { missingFormatId: 'rendition' },
  'the trash': { state: 'trash' },
  'all states': { state: 'all' },
};
const ORDERS = [{}, { sort: 'name' }, { sort: 'fileSize', order: 'asc' }, { order: 'asc' }];

export async function run() {
  const service = await startService();
  try {
    const { customers, formats } = await inContext(service, async (context, tools) => await fill(context, tools));
    const queries = Object.entries({ ...FILTERS, ...sorted(), ...(process.env.BENCH_PAIRS === 'all' ? allPairs() : combined()) });
    const rows = [];
    for (const [name, query] of queries) rows.push(await compare(service, name, { path: '', query, customers, formats }));
    for (const name of ['nothing', 'a tag']) {
      rows.push({
        ...(await compare(service, `facets of ${name}`, { path: '/facets', query: FILTERS[name], customers, formats })),
        target: undefined,
      });
    }
    return rows;
  } finally {
    await service.stop();
  }
}

const sorted = () => ({
  'sorted by name': { sort: 'name' },
  'sorted by size': { sort: 'fileSize' },
  'sorted by relevance': { search: 'film', sort: 'relevance' },
});

/** Random combinations of filters, the same in every run. */
function combined() {
  let seed = 17;
  const draw = (some) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return some[seed % some.length];
  };
  const names = Object.keys(FILTERS).filter((name) => name !== 'nothing');
  const found = {};
  while (Object.keys(found).length < COMBINATIONS) {
    const [one, other] = [draw(names), draw(names)];
    const [first, second, order] = [FILTERS[one], FILTERS[other], draw(ORDERS)];
    if (Object.keys(first).some((key) => key in second)) continue;
    found[`${one} and ${other}, ${JSON.stringify(order)}`] = { ...first, ...second, ...order };
  }
  return found;
}

/** All pairs of filters, in the orders by turns. */
function allPairs() {
  const filters = Object.entries(FILTERS).filter(([name]) => name !== 'nothing');
  const pairs = filters.flatMap(([one, first], n) => filters.slice(n + 1).map(([other, second]) => ({ one, other, first, second })));
  const different = pairs.filter(({ first, second }) => !Object.keys(first).some((key) => key in second));
  return Object.fromEntries(
    different.map(({ one, other, first, second }, n) => {
      const order = ORDERS[n % ORDERS.length];
      return [`${one} and ${other}, ${JSON.stringify(order)}`, { ...first, ...second, ...order }];
    }),
  );
}

/** The p95 of both customers; the ratio is that of the small customer divided by that of the large one. */
async function compare({ url }, name, { path, query, customers, formats }) {
  const times = customers.map(() => []);
  const counts = [];
  let limit = PAGE; // of the small customer, fewer may match; the pages of both are equally long
  for (let n = -WARM_UP; n < REQUESTS; n += 1) {
    for (const [index, { token, creatorId, dropsite }] of customers.entries()) {
      const own = { creatorId, dropsite, formatId: formats.original, missingFormatId: formats.rendition };
      const values = Object.entries(query).map(([key, value]) => [key, own[key] ?? value]);
      const start = performance.now();
      const parameters = new URLSearchParams([...values, ...(path ? [] : [['limit', limit]])]);
      const response = await fetch(`${url}/v5/mediacontainer${path}?${parameters}`, { headers: { authorization: `Bearer ${token}` } });
      await response.arrayBuffer();
      if (!response.ok && !(path && response.status === 503)) throw new Error(`${response.status}: ${parameters}`);
      if (n >= 0) times[index].push(performance.now() - start);
      counts[index] = response.headers.get('total-count') ?? response.status;
      limit = Math.max(1, Math.min(limit, Number.parseInt(counts[index], 10)));
    }
  }
  const [small, large] = times.map((some) => some.toSorted((a, b) => a - b)[Math.floor(some.length * 0.95) - 1]);
  const note = `${small.toFixed(1)} ms of ${counts[0]}, ${large.toFixed(1)} ms of ${counts[1]}`;
  return { name: `p95 by ${name}`, note, ratio: small / large, target: 0.5 };
}

/** Creates both customers with containers of the same kinds, and a token for each. */
async function fill(context, { load }) {
  const { Database } = await load('shared/database/index.js');
  const { AccessTokenIssuerService } = await load('modules/access/index.js');
  const { pool } = context.get(Database);
  const connection = await pool.connect();
  try {
    await connection.query('SET statement_timeout = 0');
    const world = await fillWith(connection, context.get(AccessTokenIssuerService));
    await pool.query('VACUUM ANALYZE media_containers, media_items, media_search_entries');
    await pool.query('CHECKPOINT');
    return world;
  } finally {
    connection.release(true);
  }
}

async function fillWith(connection, issuer) {
  const query = async (sql, values) => (await connection.query(sql, values)).rows;
  const [original, rendition] = (await query(`SELECT id FROM formats ORDER BY blueprint_key LIKE 'original-%' DESC, id LIMIT 2`)).map(
    ({ id }) => id,
  );
  const customers = [];
  for (const count of [SMALL, LARGE]) {
    const [{ id: customerId }] = await query('INSERT INTO customers (name) VALUES ($1) RETURNING id', [`${count} containers`]);
    const users = await query(
      `INSERT INTO users (customer_id, email) SELECT $1::int, 'user' || n || '@' || $1::int || '.example' FROM generate_series(1, 20) AS n RETURNING id`,
      [customerId],
    );
    const [{ id: dropsiteId, link }] = await query(
      `INSERT INTO dropsites (link, client_id, customer_id, owner_id, name) VALUES (gen_random_uuid(), 'dropsite-' || $1::int, $1::int, $2, 'Bench') RETURNING id, link`,
      [customerId, users[0].id],
    );
    for (let from = 1; from <= count; from += BATCH) {
      await insert(connection, {
        customerId,
        first: users[0].id,
        dropsiteId,
        original,
        rendition,
        count,
        from,
        to: Math.min(count, from + BATCH - 1),
      });
    }
    const owner = { userId: users[0].id, clientId: 'bench', scope: 'api', authorization: null, ttlSeconds: 86_400 };
    const issued = await issuer.issue(owner);
    customers.push({ token: issued.accessToken, creatorId: users[3].id, dropsite: link });
  }
  return { customers, formats: { original, rendition } };
}

/**
 * As in a library that has grown: the containers are ordered by time, with which the shares of types and extensions, sizes, creators and most tags
 * change; only recent ones have dropsites and renditions. Words, some tags and the trash are scattered.
 *
 * The triggers are disabled, because they would write the search entry of each container twice.
 */
async function insert(connection, { customerId, first, dropsiteId, original, rendition, count, from, to }) {
  await connection.query('BEGIN');
  await connection.query('ALTER TABLE media_containers DISABLE TRIGGER USER; ALTER TABLE media_items DISABLE TRIGGER USER');
  const { rows } = await connection.query(
    `INSERT INTO media_containers (customer_id, creator_id, type, flag, name, description, tags, created_at, origin)
      SELECT $1::int, $2::int + floor(age * 16)::int + n % 4,
        CASE WHEN chance < 0.5 - age * 0.35 THEN 'image' WHEN chance < 0.7 - age * 0.35 THEN 'document' WHEN chance < 0.85 - age * 0.35 THEN 'audio' ELSE 'video' END,
        CASE WHEN n % 10 = 0 THEN 1 ELSE 0 END,
        (ARRAY['Film', 'Interview', 'River', 'Summer', 'Report'])[1 + n % 5] || ' ' || left(md5(n::text), 6) || ' IMG_' || n,
        'A description of place' || n % 50 || ' with person' || n % 37 || ' at ' || (ARRAY['dawn', 'noon', 'dusk'])[1 + n % 3],
        ARRAY['tag' || n % 30, 'series' || floor(age * 40), 'project' || floor(age * 500)], '2025-01-01T00:00:00Z'::timestamptz + age * 1000000 * interval '1 minute',
        CASE WHEN age > 0.6 AND n % 10 = 3 THEN $3::int END
      FROM (SELECT n, n / $6::float8 AS age, n * 7919::bigint % 1000 / 1000.0 AS chance FROM generate_series($4::int, $5::int) AS n) AS ages ORDER BY n RETURNING id`,
    [customerId, first, dropsiteId, from, to, count + 1],
  );
  const ids = rows.map(({ id }) => id);
  await connection.query(
    `INSERT INTO media_items (media_container_id, customer_id, type, file_name, file_extension, file_size, bucket, s3_key, format_id, status)
      SELECT id, $2::int, c.type, c.name, made.extension, (n * 7717::bigint % 100000) * 500 * (1 + age), 'media', id || '.' || made.extension, made.format, 'successful'
      FROM (SELECT id, $5 + n - 1 AS n, ($5 + n - 1) / $6::float8 AS age FROM unnest($1::int[]) WITH ORDINALITY AS own (id, n)) AS ages JOIN media_containers c USING (id)
      CROSS JOIN LATERAL (VALUES
        (CASE c.type WHEN 'image' THEN 'jpg' WHEN 'document' THEN 'pdf' WHEN 'audio' THEN 'wav' ELSE CASE WHEN n % 100 < age * 100 THEN 'mp4' ELSE 'mov' END END, $3::int),
        ('webm', CASE WHEN age > 0.5 AND n % 2 = 0 THEN $4::int END)
      ) AS made (extension, format) WHERE made.format IS NOT NULL`,
    [ids, customerId, original, rendition, from, count + 1],
  );
  await connection.query('SELECT media_search_refresh($1::int[])', [ids]);
  await connection.query('ALTER TABLE media_containers ENABLE TRIGGER USER; ALTER TABLE media_items ENABLE TRIGGER USER');
  await connection.query('COMMIT');
}
