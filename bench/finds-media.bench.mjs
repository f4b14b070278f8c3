// How long does a page of media containers take among a million containers of one customer, one request at a time? Aim: p95 within 150 ms.
import { startService } from './support/processes.mjs';
import { inContext } from './support/provision.mjs';

/** The number of containers of the customer, beside another one with a thousandth of them. */
const LARGE = Number(process.env.BENCH_CONTAINERS ?? 1_000_000);
const SMALL = LARGE / 1_000;
/** Rows that one statement inserts. */
const BATCH = 50_000;
/** Requests of each find, after others that warm up the caches. */
const REQUESTS = 5;
const WARM_UP = 1;
const TRIPLES = 5;
/** Containers on a page. */
const PAGE = 20;

/** Each matches at least 2 % of the containers. */
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
  'a format': { formatId: 'own' },
  'a missing format': { missingFormatId: 'own' },
  'the trash': { state: 'trash' },
  'all states': { state: 'all' },
};
const ORDERS = [{}, { order: 'asc' }, { sort: 'name' }, { sort: 'fileSize', order: 'asc' }];

export async function run() {
  const service = await startService();
  try {
    const { customers, formats } = await inContext(service, async (context, tools) => await fill(context, tools));
    const client = new Client(service.url, customers[1], formats);
    const kinds = { 'single filters in four orders': singles(), 'pairs of filters': pairs(), 'triples of filters': triples() };
    const rows = [];
    for (const [kind, queries] of Object.entries(kinds)) {
      rows.push(await measure(`${kind}, first page`, queries, (query) => client.find(query)));
      rows.push(await measure(`${kind}, tenth page`, queries, await tenthPages(client, queries)));
    }
    await client.rename();
    rows.push(
      await measure(
        'single filters by name, second page after a rename',
        singles({ sort: 'name' }),
        async (query) => await client.find(query),
      ),
    );
    for (const name of ['nothing', 'a tag'])
      rows.push(await measure(`facets of ${name}`, [FILTERS[name]], (query) => client.facets(query)));
    return rows;
  } finally {
    await service.stop();
  }
}

const singles = (...orders) =>
  (orders.length > 0 ? orders : ORDERS).flatMap((order) => Object.values(FILTERS).map((filter) => ({ ...filter, ...order })));

const different = (...filters) => new Set(filters.flatMap(Object.keys)).size === filters.flatMap(Object.keys).length;

/** All pairs of filters, in the orders by turns. */
function pairs() {
  const filters = Object.values(FILTERS).slice(1);
  const found = filters.flatMap((one, n) => filters.slice(n + 1).map((other) => [one, other]));
  return found.filter((pair) => different(...pair)).map(([one, other], n) => ({ ...one, ...other, ...ORDERS[n % ORDERS.length] }));
}

/** Random triples of filters in each order, the same in every run. */
function triples() {
  let seed = 17;
  const draw = (some) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return some[seed % some.length];
  };
  const filters = Object.values(FILTERS).slice(1);
  return ORDERS.flatMap((order) => {
    const found = [];
    while (found.length < TRIPLES) {
      const triple = [draw(filters), draw(filters), draw(filters)];
      if (different(...triple)) found.push(Object.assign({}, ...triple, order));
    }
    return found;
  });
}

class Client {
  constructor(url, { token, creatorId, dropsite }, formats) {
    this.url = url;
    this.headers = { authorization: `Bearer ${token}` };
    this.own = { creatorId, dropsite, formatId: formats.original, missingFormatId: formats.rendition };
  }

  find = async (query) => await this.request('', { limit: PAGE, ...query });
  facets = async (query) => await this.request('/facets', query);

  /** Gives a new name to a container, which lists by name then contain at their end. */
  async rename() {
    const { body } = await this.find({});
    const id = JSON.parse(body)[0].id;
    const headers = { ...this.headers, 'content-type': 'application/json' };
    const response = await fetch(`${this.url}/v5/mediacontainer/${id}`, { method: 'PUT', headers, body: '{"name":"Renamed"}' });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  }

  async request(path, query) {
    const values = Object.entries(query).map(([key, value]) => [key, value === 'own' ? this.own[key] : value]);
    const response = await fetch(`${this.url}/v5/mediacontainer${path}?${new URLSearchParams(values)}`, { headers: this.headers });
    const body = await response.text();
    if (!response.ok && response.status !== 503) throw new Error(`${response.status}: ${body}`);
    const cursor = /[?&]cursor=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1];
    return { body, cursor: cursor && decodeURIComponent(cursor), isRefused: response.status === 503 };
  }
}

/** Requests the tenth page, whose cursor is found before anything is measured; the last one if there are fewer. */
async function tenthPages(client, queries) {
  const cursors = new Map();
  for (const query of queries) {
    let cursor;
    for (let page = 1; page < 10; page += 1) cursor = (await client.find({ ...query, ...(cursor && { cursor }) })).cursor ?? cursor;
    cursors.set(query, cursor);
  }
  return async (query) => await client.find({ ...query, ...(cursors.get(query) && { cursor: cursors.get(query) }) });
}

/** The times of all requests of some finds. */
async function measure(name, queries, request) {
  const times = [];
  let refused = 0;
  for (const query of queries) {
    for (let n = -WARM_UP; n < REQUESTS; n += 1) {
      const start = performance.now();
      const { isRefused } = await request(query);
      if (n >= 0) times.push(performance.now() - start);
      if (n >= 0 && isRefused) refused += 1;
    }
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => `${sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(0)} ms`;
  return { name, note: `p50 ${at(0.5)}, p95 ${at(0.95)}, max ${at(1)} of ${queries.length} finds${refused ? `, ${refused} refused` : ''}` };
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
