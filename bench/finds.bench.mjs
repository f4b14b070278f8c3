// Do finds of player configurations and embed links cost more with a million links than with a thousand, and how fast are cached reads?
import { compare, measure } from './support/load.mjs';
import { freePort, root, startProgram, startService } from './support/processes.mjs';
import { declareBenchClients, inContext } from './support/provision.mjs';
import { clientCredentials } from './support/tokens.mjs';

/** The numbers of embed links and player configurations of two services. */
const SIZES = [
  { links: 1_000, configurations: 100 },
  { links: 1_000_000, configurations: 100_000 },
];
/** How many different configurations and containers are requested: few enough for a process to cache them all. */
const ASKED = 100;

export async function run() {
  const sides = [];
  const port = await freePort();
  const express = await startProgram(`${root}/bench/support/bare-express.mjs`, { env: { PORT: String(port) }, ready: /ready/ });
  try {
    for (const size of SIZES) sides.push(await prepare(size));
    const measures = { express: async () => await measure(`http://127.0.0.1:${port}/constant`) };
    for (const { name, finds } of sides) for (const [find, measureFind] of Object.entries(finds)) measures[`${find} ${name}`] = measureFind;
    return toRows(await compare(measures), sides);
  } finally {
    for (const { service } of sides) await service.stop();
    await express.stop();
  }
}

function toRows({ express, ...rates }, sides) {
  const [small, large] = sides.map(({ name }) => name);
  const of = (find, name) => rates[`${find} ${name}`];
  const cached = ['one player configuration, cached', 'one format, cached'];
  return [
    { name: 'bare Express, constant answer', rate: express, ratio: 1 },
    ...cached.map((find) => ({ name: `${find} (${small})`, rate: of(find, small), ratio: of(find, small) / express, target: 0.4 })),
    ...Object.keys(sides[0].finds).flatMap((find) => [
      { name: `${find} with ${small}`, rate: of(find, small), ratio: 1 },
      { name: `${find} with ${large}`, rate: of(find, large), ratio: of(find, large) / of(find, small), target: 0.8 },
    ]),
  ];
}

async function prepare({ links, configurations }) {
  const service = await startService();
  await declareBenchClients(service);
  const { ids, containers, format } = await inContext(
    service,
    async (context, tools) => await fill(context, tools, { links, configurations }),
  );
  const headers = { authorization: `Bearer ${await clientCredentials(service.url)}` };
  const find = (paths) => async () => await measure(service.url, { requests: paths.map((path) => ({ method: 'GET', path, headers })) });
  return {
    name: `${links.toLocaleString('en')} links and ${configurations.toLocaleString('en')} configurations`,
    service,
    finds: {
      'one player configuration, cached': find(ids.map((id) => `/v5/playerconfiguration/${id}`)),
      'one player configuration, read': find(ids.map((id) => `/v5/playerconfiguration/${id}?refresh=true`)),
      'a page of 10 player configurations': find(ids.map((id) => `/v5/playerconfiguration?limit=10&cursor=${id}`)),
      'the embed links of a container': find(containers.map((id) => `/v5/embedlink/${id}`)),
      'one format, cached': find([`/v5/format/${format}`]),
    },
  };
}

/** Creates containers of one customer with one link each, spread evenly over the configurations. Returns some ids of each. */
async function fill(context, { load }, { links, configurations }) {
  const { Database } = await load('shared/database/index.js');
  const { pool } = context.get(Database);
  const fillings = [
    `INSERT INTO player_configurations (customer_id, name, type, template_id, creator_id, last_editor_id)
      SELECT 1, 'Player ' || n, 'video', 1, 1, 1 FROM generate_series(1, ${configurations}) AS n`,
    `INSERT INTO media_containers (customer_id, creator_id, type, name) SELECT 1, 1, 'video', 'Film ' || n FROM generate_series(1, ${links}) AS n`,
    `INSERT INTO embed_links (link, customer_id, media_container_id, player_configuration_id, type, creator_id)
      SELECT gen_random_uuid(), 1, id, 1 + id % ${configurations}, 'video', 1 FROM media_containers`,
  ];
  const connection = await pool.connect();
  await connection.query('SET statement_timeout = 0');
  for (const sql of fillings) await connection.query(sql);
  connection.release(true);
  await pool.query('VACUUM ANALYZE player_configurations, media_containers, embed_links');
  // Otherwise PostgreSQL would write the new rows to disk while the finds are measured.
  await pool.query('CHECKPOINT');
  const spread = async (table) => {
    const sql = `SELECT id FROM ${table} WHERE id % greatest(1, (SELECT max(id) / ${ASKED} FROM ${table})) = 0 ORDER BY id LIMIT ${ASKED - 1}`;
    return (await pool.query(sql)).rows.map(({ id }) => id);
  };
  const format = (await pool.query('SELECT min(id)::int AS id FROM formats')).rows[0].id;
  return { ids: await spread('player_configurations'), containers: await spread('media_containers'), format };
}
