import { setTimeout } from 'node:timers/promises';
import { completeEnvironment } from '../embedded/complete-environment.js';
import { type Config, loadConfig } from '../shared/config/index.js';
import { createLog, type Log } from '../shared/logging/index.js';
import { banner } from './banner.js';
import { findPort } from './find-port.js';
import { onEnd } from './on-end.js';

/** Beyond the grace time of the requests: the processes, background jobs and the embedded database end. */
const END_WITHIN_SECONDS = 15;
/** Ctrl-C during the start: what is half-way is finished, so that it can be undone, but not for longer than a person waits. */
const START_PATIENCE_MS = 5_000;

/** What a start needs and leaves. */
interface Start {
  readonly config: Config;
  readonly log: Log;
  /** What has been started so far, each as the function that ends it, the newest last. */
  readonly parts: (() => Promise<void>)[];
  readonly interrupted: AbortSignal;
}

/** Prepares database and demo, serves with WEB_CONCURRENCY processes, prints the banner, and ends everything in order. */
export async function supervise(): Promise<void> {
  const config = await withFreePort(loadConfig());
  const log = createLog({ level: config.logLevel, service: config.serviceName });
  const interruption = new AbortController();
  const parts: Start['parts'] = [];
  const starting = start({ config, log, parts, interrupted: interruption.signal });
  onEnd({
    log,
    signals: ['SIGINT', 'SIGTERM', 'SIGHUP'], // the last: the terminal was closed
    withinSeconds: config.shutdownGraceSeconds + END_WITHIN_SECONDS,
    stop: async () => {
      interruption.abort();
      const nothingToUndo = parts.length === 0 && config.databaseUrl && config.s3Bucket;
      if (!nothingToUndo) await Promise.race([starting.catch(() => {}), setTimeout(START_PATIENCE_MS)]);
      await endAll(parts);
    },
  });
  try {
    await starting;
  } catch (error) {
    if (interruption.signal.aborted) return; // the end is under way
    await endAll(parts);
    throw error;
  }
}

/** What takes long to load is imported here: a wrong configuration or a taken port is told at once, and the database starts meanwhile. */
async function start({ config: given, log, parts, interrupted }: Start): Promise<void> {
  const modules = import('./serve-all.js');
  modules.catch(() => {}); // heard below, unless the database fails first
  const environment = await completeEnvironment(given, { keepRunning: log });
  parts.push(environment.stop);
  const { migrate, serveAll } = await modules;
  interrupted.throwIfAborted();
  await migrate(environment.config.databaseUrl);
  interrupted.throwIfAborted();
  const service = await serveAll(environment, log);
  parts.push(service.stop);
  interrupted.throwIfAborted();
  console.log(banner(environment.config, service.demo));
}

async function endAll(parts: Start['parts']): Promise<void> {
  for (let part = parts.pop(); part; part = parts.pop()) await part();
}

/** PORT=0 becomes the port that the system chooses, so that PUBLIC_URL can name it. The storage's port stays as it was asked for. */
async function withFreePort(config: Config): Promise<Config> {
  const port = await findPort(config.host, config.port);
  return port === config.port ? config : { ...loadConfig({ ...process.env, PORT: String(port) }), storagePort: config.storagePort };
}
