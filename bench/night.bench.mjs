// Does anything grow during a night of steady load, scaled to ten minutes? Measures memory, file handles, connections and tables of a service with a worker,
// while clients sign in, introspect, find, upload, convert, view and delete, and events lead to webhooks of which every fourth attempt fails.
// Runs only when it is named: `npm run bench -- night`, with NIGHT_SECONDS for another length.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { fillLinks } from './support/links.mjs';
import { findBlueprint, transcode, uploadFile, writePhoto } from './support/media.mjs';
import { root, startProgram, startService } from './support/processes.mjs';
import { declareBenchClients, inContext } from './support/provision.mjs';
import { clientCredentials } from './support/tokens.mjs';

export const onlyByName = true;

const SECONDS = Number(process.env.NIGHT_SECONDS ?? 600);
const PER_SECOND = 15;
const SAMPLE_EVERY_MS = 2_000;
const SAMPLES = 10; // the highest of these counts
/** Records are made this much older when they are a minute old, so that housekeeping deletes them as it would after weeks. */
const AGED = '100 days';
const TABLES = {
  events: 'created_at',
  subscription_runs: 'finished_at',
  subscription_logs: 'created_at',
  activities: 'created_at',
  upload_batches: 'tidied_at',
};
/** How much each may grow in the second half: by a share, or by the number `least` if that is more, because one more pool connection is not a leak. */
const BOUNDS = {
  'memory of the service': { share: 0.15, least: 20, unit: 'MB' },
  'memory of the worker': { share: 0.15, least: 20, unit: 'MB' },
  'file handles of the service': { share: 0.1, least: 8, unit: '' },
  'file handles of the worker': { share: 0.1, least: 8, unit: '' },
  'connections to PostgreSQL': { share: 0.1, least: 4, unit: '' },
  'tables and indexes': { share: 0.1, least: 4, unit: 'MB' },
  'rows in queues': { share: 0, least: 20, unit: '' },
};

export async function run() {
  const receiver = await startReceiver();
  const settings = { WORKER: 'off', EGRESS_ALLOWLIST: '127.0.0.1', RETRY_SCHEDULE_SECONDS: '1,2,4', LOG_RETENTION_DAYS: '7' };
  const service = await startService(settings);
  const env = { ...settings, DATA_DIR: service.dataDir, PUBLIC_URL: service.url, LOG_LEVEL: 'info' };
  const worker = await startProgram(`${root}/dist/src/worker.js`, { env, ready: /worker is ready/ });
  const { links, databaseUrl } = await inContext(service, async (context, tools) => ({
    links: await fillLinks(context, tools),
    databaseUrl: tools.config.databaseUrl,
  }));
  const database = new pg.Client({ connectionString: databaseUrl, application_name: 'bench' });
  try {
    await declareBenchClients(service);
    await database.connect();
    const clients = await startClients({ service, links, origin: receiver.origin });
    const samples = await observe({ service, worker, database });
    const { sent, failures } = await clients.stop();
    if (failures.length > 0) throw new Error(`${failures.length} of ${sent} requests failed: ${failures[0]}`);
    return [{ name: `requests in ${SECONDS} s, and webhooks`, note: `${sent}, ${receiver.count()}` }, ...judge(samples)];
  } finally {
    await database.end();
    await worker.stop();
    await service.stop();
    receiver.stop();
  }
}

async function startReceiver() {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      count += 1;
      response.writeHead(count % 4 === 0 ? 503 : 204).end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    count: () => count,
    stop: () => server.closeAllConnections() || server.close(),
  };
}

/** Sends requests of all kinds in turn, at a steady rate, without waiting for responses. */
async function startClients({ service, links, origin }) {
  const file = await writePhoto(service, { width: 320, height: 240 });
  let token = await clientCredentials(service.url);
  const send = async (at, { method = 'GET', headers, body, expected = 200 } = {}) => {
    const all = {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
      ...headers,
    };
    const response = await fetch(`${service.url}${at}`, { method, headers: all, body, redirect: 'manual' });
    const text = await response.text();
    if (response.status !== expected) throw new Error(`${method} ${at} answered ${response.status}: ${text.slice(0, 300)}`);
    return text;
  };
  const subscribe = async (name) => {
    const instructions = [{ type: 'https', url: `${origin}/${name}` }];
    await send('/v5/subscriptions', {
      method: 'POST',
      body: JSON.stringify({ name: `event:${name}`, flag: 0, instructions }),
      expected: 201,
    });
  };
  await subscribe('releaseRequest');
  await subscribe('s3success');
  const { id: formatId } = await findBlueprint({ url: service.url, token }, 'JPEG');
  const link = () => links.ruled[Math.floor(Math.random() * links.ruled.length)];
  const viewer = { headers: { referer: 'https://www.example.com/' } };
  const containers = [];
  const first = JSON.parse(await send('/v5/mediacontainer?limit=1'))[0].id;
  const introspection = {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('machine:machine-secret-of-the-benchmarks')}` },
    body: new URLSearchParams({ token }),
  };
  const embed = async () => await send(`/v5/deliverEmbed/${link()}`, viewer);
  const introspect = async () => await send('/v4/introspect', introspection);
  const release = async () => await send(`/v5/mediacontainer/${first}/releaseRequest`, { method: 'POST', body: '{"message":"please"}' });
  const kinds = [
    introspect,
    embed,
    async () => await send('/v4/apps'),
    release,
    async () => await send(`/v5/deliverFile/${link()}`, { ...viewer, expected: 302 }),
    introspect,
    async () => {
      const { mediaContainerId: id } = await uploadFile({ url: service.url, token }, { file, type: 'image' });
      await transcode({ url: service.url, token }, id, formatId);
      containers.push({ id, at: performance.now() });
    },
    embed,
    async () => await send('/v5/mediacontainer?limit=20'),
    async () => void (await clientCredentials(service.url)),
    release,
    async () => {
      const old = containers[0];
      if (old && performance.now() - old.at > 30_000) {
        containers.shift();
        await send(`/v5/mediacontainer/${old.id}?forceDelete=true`, { method: 'DELETE' });
      }
    },
  ];
  const failures = [];
  const underWay = new Set();
  let sent = 0;
  const timer = setInterval(() => {
    const answered = kinds[sent % kinds.length]()
      .catch((error) => failures.push(error.message))
      .finally(() => underWay.delete(answered));
    underWay.add(answered);
    sent += 1;
  }, 1_000 / PER_SECOND);
  const renewal = setInterval(async () => {
    token = await clientCredentials(service.url); // tokens expire after a quarter of an hour
  }, 120_000);
  return {
    stop: async () => {
      clearInterval(timer);
      clearInterval(renewal);
      await Promise.all(underWay);
      return { sent, failures };
    },
  };
}

/** One sample every 20 seconds, with the highest values of that time, so that a garbage collection does not look like a change. */
async function observe({ service, worker, database }) {
  const samples = [];
  const end = performance.now() + SECONDS * 1_000;
  while (performance.now() < end) {
    const values = [];
    for (let n = 0; n < SAMPLES && performance.now() < end; n += 1) {
      values.push(await look({ service, worker, database }));
      await delay(SAMPLE_EVERY_MS);
    }
    await age(database);
    const highest = Object.fromEntries(Object.keys(BOUNDS).map((name) => [name, Math.max(...values.map((one) => one[name]))]));
    samples.push({ at: performance.now(), ...highest });
  }
  return samples;
}

async function look({ service, worker, database }) {
  const { rows } = await database.query(
    `SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND application_name <> 'bench') AS connections,
      (SELECT sum(pg_total_relation_size(oid))::float8 / 1048576 FROM pg_class
        WHERE relkind = 'r' AND relnamespace IN ('public'::regnamespace, 'graphile_worker'::regnamespace)) AS size,
      (SELECT count(*)::int FROM graphile_worker._private_jobs) + (SELECT count(*)::int FROM transcoding_jobs)
        + (SELECT count(*)::int FROM subscription_runs WHERE finished_at IS NULL) AS waiting`,
  );
  const [{ connections, size, waiting }] = rows;
  return {
    'memory of the service': memoryOf(service.pid),
    'memory of the worker': memoryOf(worker.pid),
    'file handles of the service': handlesOf(service.pid),
    'file handles of the worker': handlesOf(worker.pid),
    'connections to PostgreSQL': connections,
    'tables and indexes': size,
    'rows in queues': waiting,
  };
}

const memoryOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024;
const handlesOf = (pid) => readdirSync(`/proc/${pid}/fd`).length;

async function age(database) {
  for (const [table, column] of Object.entries(TABLES))
    await database.query(
      `UPDATE ${table} SET ${column} = ${column} - interval '${AGED}' WHERE ${column} BETWEEN now() - interval '1 hour' AND now() - interval '1 minute'`,
    );
}

/** Growth by linear regression over the second half, when caches are full and as many records are deleted as are written. */
function judge(samples) {
  const half = samples.slice(Math.floor(samples.length / 2));
  const middle = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanAt = middle(half.map(({ at }) => at));
  return Object.entries(BOUNDS).map(([name, { share, least, unit }]) => {
    const mean = middle(half.map((one) => one[name]));
    const covariance = half.reduce((sum, one) => sum + (one.at - meanAt) * (one[name] - mean), 0);
    const slope = covariance / half.reduce((sum, one) => sum + (one.at - meanAt) ** 2, 0);
    const growth = slope * (half.at(-1).at - half[0].at);
    const bound = Math.max(least, share * mean);
    const shown = (value) => `${value.toFixed(1)}${unit && ` ${unit}`}`;
    const note = `${shown(half[0][name])} to ${shown(half.at(-1)[name])}, slope ${shown(slope * 3.6e6)} an hour (at most ${shown(bound)} in this time)`;
    return { name, note, ratio: Math.min(9.99, bound / Math.max(growth, bound / 9.99)), target: 1 };
  });
}
