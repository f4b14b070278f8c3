import cluster from 'node:cluster';
import { completeEnvironment, type Environment } from '../embedded/complete-environment.js';
import { declareDemo } from '../embedded/demo.js';
import { countOtherClients } from '../embedded/postgres/count-other-clients.js';
import { type Config, environmentName, loadConfig, settings } from '../shared/config/index.js';
import { migrate } from '../shared/database/migrate.js';
import { banner } from './banner.js';
import { answerMetrics } from './cluster-metrics.js';
import { createContext } from './create-context.js';
import { findPort } from './find-port.js';
import { onStop } from './on-stop.js';
import { serve, stopServing } from './serve.js';

/** Prepares database and demo, serves with WEB_CONCURRENCY processes, prints the banner, and stops everything in order. */
export async function supervise(): Promise<void> {
  const given = loadConfig();
  const port = await findPort(given.host, given.port);
  const config = port === given.port ? given : loadConfig({ ...process.env, PORT: String(port) });
  const environment = await completeEnvironment(config);
  try {
    await migrate(environment.config.databaseUrl);
    const stopWeb = config.webConcurrency > 1 ? await serveForked(environment) : await serveHere(environment);
    onStop(async () => {
      await stopWeb();
      await stopEmbedded(environment);
      process.exit(0); // forked processes' channels and idle keep-alive sockets would delay the end
    });
  } catch (error) {
    await stopEmbedded(environment);
    throw error;
  }
}

async function serveHere(environment: Environment): Promise<() => Promise<void>> {
  const { config } = environment;
  const app = await serve(config, { clustered: false });
  console.log(banner(config, environment.embedded ? await declareDemo(app, config) : null));
  return async () => await stopServing(app, config);
}

async function serveForked(environment: Environment): Promise<() => Promise<void>> {
  const { config } = environment;
  const login = environment.embedded ? await withContext(config) : null;
  answerMetrics();
  const env = environmentOf(config);
  let stopping = false;
  cluster.on('exit', () => {
    if (!stopping) cluster.fork(env); // a process that died is replaced; what it held in memory was only a cache
  });
  await Promise.all(Array.from({ length: config.webConcurrency }, async () => await forkOne(env)));
  console.log(banner(config, login));
  return async () => {
    stopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve).process.kill('SIGTERM'))));
  };
}

async function withContext(config: Config) {
  const context = await createContext(config);
  try {
    return await declareDemo(context, config);
  } finally {
    await context.close();
  }
}

async function forkOne(env: Record<string, string>): Promise<void> {
  const worker = cluster.fork(env);
  await new Promise<void>((resolve, reject) => {
    worker.once('listening', () => resolve());
    worker.once('exit', (code) => reject(new Error(`A web process ended with code ${code} before it listened.`)));
  });
}

/** The completed configuration as environment variables, for forked processes. */
function environmentOf(config: Config): Record<string, string> {
  const values = config as unknown as Record<string, unknown>;
  const entries = Object.keys(settings).map((name) => [environmentName(name), String(values[name] ?? '')] as const);
  return Object.fromEntries(entries);
}

/** Another program of the same data directory (a command line, a second service) keeps the database it works with. */
async function stopEmbedded(environment: Environment): Promise<void> {
  if (!environment.embedded) return;
  if ((await countOtherClients(environment.config.databaseUrl)) === 0) await environment.stop();
}
