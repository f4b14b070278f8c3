import { hostname } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { completeEnvironment } from '../embedded/complete-environment.js';
import { type Config, loadConfig } from '../shared/config/index.js';
import { createLog } from '../shared/logging/index.js';
import { runUntilEnd, type Start } from './run-until-end.js';

/**
 * V8 lets the heap of a process that allocates little grow by a tenth, and the buffers of files that pass through count as growth: a worker of
 * single images collected everything for each of them, 50 ms of it before or after their programs.
 */
const HEAP_GROWTH = '--heap-growing-percent=50';

/** Does the background work of the service in this process, and serves only its own requests. */
export async function work(): Promise<void> {
  setFlagsFromString(HEAP_GROWTH);
  const config = loadConfig();
  const log = createLog({ level: config.logLevel, service: config.serviceName, format: config.logFormat });
  await runUntilEnd({ config, log }, start);
}

/** Imports as in supervise.ts. A service of the same DATA_DIR may run beside: database and storage are adopted then. */
async function start({ config: given, log, parts, interrupted }: Start): Promise<void> {
  const modules = Promise.all([
    import('../modules/converter/index.js'),
    import('../shared/database/migrate.js'),
    import('./serve.js'),
    import('./metrics-port.js'),
  ]);
  modules.catch(() => {}); // awaited below, unless the database fails first
  const environment = await completeEnvironment(given, { keepRunning: log, interrupted });
  parts.push(environment.stop);
  const [{ ToolboxService }, { migrate }, { serve, stopServing }, { openMetricsPort }] = await modules;
  interrupted.throwIfAborted();
  await migrate(environment.config.databaseUrl);
  interrupted.throwIfAborted();
  parts.push(await openMetricsPort(environment.config, log));
  const config = forWork(environment.config);
  const app = await serve(config, log, { clustered: false });
  parts.push(async () => await stopServing(app, { ...config, trustProxy: '' })); // no proxy is in front of it
  try {
    const programs = await app.get(ToolboxService, { strict: false }).programs();
    log.info({ host: hostname(), programs }, 'worker is ready');
  } catch (err) {
    log.error({ err, host: hostname() }, 'worker runs, but cannot start programs; /health/ready of the service names the reason');
  }
}

/** Instructions of subscriptions call this process itself, at a private port; PUBLIC_URL stays that of the service. */
const forWork = (config: Config): Config => ({ ...config, worker: 'inline', webConcurrency: 1, host: '127.0.0.1', port: 0 });
