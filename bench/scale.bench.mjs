// Can the needs of several processes be calculated from those of one? Measures the processor time of the service and of PostgreSQL for a request
// with one web process and with four, for an event with one worker and with two, and for a rendition; connections and bytes. docs/scale.md
// calculates with these figures.
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import pg from 'pg';
import { fillLinks, releaseRequests } from './support/links.mjs';
import { findBlueprint, finishedJobs, transcode, uploadFile, writePhoto } from './support/media.mjs';
import { freePort, root, startProgram, startService } from './support/processes.mjs';
import { postmasterOf, processorTimeOf } from './support/processor-time.mjs';
import { declareBenchClients, inContext } from './support/provision.mjs';
import { clientCredentials } from './support/tokens.mjs';

const PROCESSES = 4;
/** For each process. */
const CONNECTIONS = 16;
/** Requests to each process before it is measured, because V8 compiles functions that are called often. */
const WARM_UP = 5_000;
const REQUESTS = 8_000;
const EVENTS = 1_000;
const RENDITIONS = 8;
const ROUNDS = 3;
const MANY_LINKS = 200_000;
/** The minimum share of linear scaling. */
const TARGET = 0.8;

export async function run() {
  const port = await freePort();
  const receiver = await startProgram(`${root}/bench/support/webhook-receiver.mjs`, { env: { PORT: String(port) }, ready: /ready/ });
  const settings = { WORKER: 'off', EGRESS_ALLOWLIST: '127.0.0.1' };
  const services = [];
  let database;
  try {
    for (let n = 0; n < PROCESSES; n += 1) services.push(await prepare(settings));
    const [one, ...others] = services;
    const shared = { ...settings, DATA_DIR: one.dataDir, PUBLIC_URL: one.url, WEB_CONCURRENCY: String(PROCESSES) };
    const four = { ...one, ...(await startService(shared)), dataDir: one.dataDir };
    services.unshift(four);
    database = new pg.Client({ connectionString: one.databaseUrl });
    await database.connect();
    const stage = { one, four, others, links: one.links, database, token: one.token, origin: `http://127.0.0.1:${port}` };
    return [...(await requests(stage)), ...(await events(stage)), ...(await renditions(stage)), ...(await sizes(stage))];
  } finally {
    await database?.end();
    for (const service of services) await service.stop();
    await receiver.stop();
  }
}

/** A service with the clients of the benches, embed links, and a token. */
async function prepare(settings) {
  const service = await startService(settings);
  await declareBenchClients(service);
  const filled = await inContext(service, async (context, tools) => ({
    links: await fillLinks(context, tools),
    databaseUrl: tools.config.databaseUrl,
  }));
  return { ...service, ...filled, token: await clientCredentials(service.url) };
}

/** The lowest of several rounds: other load on the machine only adds processor time, because it displaces cached data from the processor. */
async function cheapest(pids, amount, work) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const seconds = await processorTimeOf(pids, work);
    rounds.push(Object.fromEntries(Object.entries(seconds).map(([name, used]) => [name, (used / amount) * 1e6])));
  }
  return rounds.sort((left, right) => total(left) - total(right))[0];
}

const total = (cost) => Object.values(cost).reduce((sum, part) => sum + part, 0);
const describe = (cost) =>
  Object.entries(cost)
    .map(([name, us]) => `${name} ${us < 10_000 ? `${Math.round(us)} µs` : `${Math.round(us / 1_000)} ms`}`)
    .join(', ');
const row = (name, cost, base) => ({ name, note: describe(cost), ...(base && { ratio: total(base) / total(cost), target: TARGET }) });

/** Sends `amount` requests over persistent connections. */
async function send(url, amount, connections, how) {
  const { non2xx, errors, '3xx': redirects } = await autocannon({ url, amount, connections, timeout: 60, ...how });
  if (errors > 0 || non2xx > redirects) throw new Error(`Requests to ${url} failed: ${non2xx} with other answers, ${errors} without one.`);
}

/** The requests of each kind to a service. */
function kindsOf({ links, token }) {
  const bearer = { authorization: `Bearer ${token}` };
  const form = {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${btoa('machine:machine-secret-of-the-benchmarks')}`,
  };
  const each = (at) =>
    links.ruled.map((link) => ({
      method: 'GET',
      path: at(link),
      headers: { accept: 'application/json', referer: 'https://www.example.com/' },
    }));
  return {
    introspection: [{ method: 'POST', path: '/v4/introspect', headers: form, body: `token=${token}` }],
    'client credentials': [{ method: 'POST', path: '/v4/token', headers: form, body: 'grant_type=client_credentials&scope=api' }],
    'authenticated find (GET /v4/apps)': [{ method: 'GET', path: '/v4/apps', headers: bearer }],
    'deliverEmbed as JSON, with rules': each((link) => `/v5/deliverEmbed/${link}`),
    'deliverFile, a redirect': each((link) => `/v5/deliverFile/${link}`),
  };
}

/**
 * Measures requests to one process, to four that share a database, and to four with a database each: the last two load the machine in the same
 * way, so they differ only by the cost of sharing.
 */
async function requests({ one, four, others, database }) {
  const rows = [];
  for (const name of Object.keys(kindsOf(one))) {
    const measure = async (services, connections) => {
      const sendAll = async (amount) =>
        await Promise.all(
          services.map(
            async (service) => await send(service.url, amount / services.length, connections, { requests: kindsOf(service)[name] }),
          ),
        );
      await sendAll(WARM_UP * Math.max(services.length, connections / CONNECTIONS));
      const pids = { service: services.map(({ pid }) => pid), PostgreSQL: services.map(({ dataDir }) => postmasterOf(dataDir)) };
      return await cheapest(pids, REQUESTS, async () => await sendAll(REQUESTS));
    };
    const apart = await measure([one, ...others], CONNECTIONS);
    rows.push(
      row(`${name}, one process`, await measure([one], CONNECTIONS)),
      row(`the same, ${PROCESSES} processes with a database each`, apart),
      row(`the same, ${PROCESSES} processes with one database`, await measure([four], CONNECTIONS * PROCESSES), apart),
    );
  }
  const { rows: connections } = await database.query(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  return [...rows, { name: `connections of ${PROCESSES + 1} processes`, note: String(connections[0].count) }];
}

/** Processor time of a worker for each event with one webhook; one web process publishes meanwhile, and PostgreSQL works for both. */
async function events({ one, links, token, origin }) {
  const call = async (operation, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${one.url}/v5/${operation}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${operation} answered ${response.status}: ${await response.text()}`);
    return await response.json();
  };
  await call('subscriptions', { name: 'event:releaseRequest', flag: 0, instructions: [{ type: 'https', url: `${origin}/count` }] });
  const how = { requests: [releaseRequests(links.containers, { authorization: `Bearer ${token}`, 'content-type': 'application/json' })] };
  const arrived = async () => (await (await fetch(`${origin}/count`)).json()).count;
  const happen = async () => {
    const before = await arrived();
    await send(one.url, EVENTS, CONNECTIONS, how);
    while ((await arrived()) < before + EVENTS) await delay(20);
  };
  const measure = async (workers) => {
    for (let warm = 0; warm < WARM_UP; warm += EVENTS) await happen();
    const pids = { web: [one.pid], worker: workers.map(({ pid }) => pid), PostgreSQL: [postmasterOf(one.dataDir)] };
    return await cheapest(pids, EVENTS, happen);
  };
  return await withWorkers(one, measure, (alone, both) => [
    row('event of a request, its run and its webhook, one worker', alone),
    row('the same, two workers', both, alone),
  ]);
}

/** Renditions of a small photograph: the time of the programs counts as that of the workers that run them. */
async function renditions({ one, token }) {
  const file = await writePhoto(one, { width: 1_600, height: 1_200 });
  const access = { url: one.url, token };
  const { id: formatId } = await findBlueprint(access, 'JPEG');
  const make = async () => {
    const jobs = [];
    for (const container of containers.splice(0, RENDITIONS)) jobs.push(await transcode(access, container, formatId));
    await finishedJobs(access, jobs);
  };
  const containers = [];
  for (let n = 0; n < RENDITIONS * ROUNDS * 2; n += 1)
    containers.push((await uploadFile(access, { file, type: 'image' })).mediaContainerId);
  const measure = async (workers) => await cheapest({ worker: workers.map(({ pid }) => pid) }, RENDITIONS, make);
  return await withWorkers(one, measure, (alone, both) => [
    row('JPEG rendition of two megapixels, one worker', alone),
    row('the same, two workers', both, alone),
  ]);
}

/** Measures with one worker, then with two. */
async function withWorkers({ dataDir, url }, measure, toRows) {
  const env = { DATA_DIR: dataDir, PUBLIC_URL: url, EGRESS_ALLOWLIST: '127.0.0.1', LOG_LEVEL: 'info' };
  const workers = [];
  const start = async () => workers.push(await startProgram(`${root}/dist/src/worker.js`, { env, ready: /worker is ready/ }));
  try {
    await start();
    const alone = await measure(workers);
    await start();
    return toRows(alone, await measure(workers));
  } finally {
    for (const worker of workers) await worker.stop();
  }
}

/** The bytes of a record on disk, with its indexes. */
async function sizes({ database }) {
  const perRow = async (tables, count) => {
    const { rows } = await database.query(
      `SELECT sum(pg_total_relation_size(name::regclass))::float8 / (${count}) AS bytes FROM unnest($1::text[]) AS name`,
      [tables],
    );
    return `${Math.round(rows[0].bytes)} bytes`;
  };
  const event = await perRow(['events', 'subscription_runs', 'subscription_logs'], 'SELECT count(*) FROM events');
  await database.query(
    `INSERT INTO embed_links (link, customer_id, media_container_id, player_configuration_id, type, creator_id)
     SELECT gen_random_uuid(), customer_id, media_container_id, player_configuration_id, type, creator_id
     FROM (SELECT * FROM embed_links LIMIT 1) AS known, generate_series(1, $1)`,
    [MANY_LINKS],
  );
  const link = await perRow(['embed_links'], 'SELECT count(*) FROM embed_links');
  return [
    { name: 'an event with its run and its log entry, on disk', note: event },
    { name: 'an embed link, on disk', note: link },
  ];
}
