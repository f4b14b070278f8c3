import { hostname } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { completeEnvironment } from '../embedded/complete-environment.js';
import { type Config, loadConfig } from '../shared/config/index.js';
import { createLog } from '../shared/logging/index.js';
import { runUntilEnd, type Start } from './run-until-end.js';

/**
 * By default V8 grows the heap of a process that allocates little by a tenth, and file buffers count as growth: a worker that processed
 * single images ran a full garbage collection for each of them, 50 ms before or after their programs.
 */
const HEAP_GROWTH = '--heap-growing-percent=50';

/** Runs the service's background jobs in this process, and serves only its own requests. */
export async function work(): Promise<void> {
  setFlagsFromString(HEAP_GROWTH);
  const config = loadConfig();
  const log = createLog({ level: config.logLevel, service: config.serviceName, format: config.logFormat });
  await runUntilEnd({ config, log }, start);
}

/** Imports as in supervise.ts. A service with the same DATA_DIR may be running; its database and storage are adopted then. */
async function start({ config: given, log, parts, interrupted }: Start): Promise<void> {
  const modules = Promise.all([
    import('../../migrations/index.js'),
    import('../modules/converter/index.js'),
    import('../shared/database/migrate.js'),
    import('./serve.js'),
    import('./metrics-port.js'),
  ]);
  modules.catch(() => {}); // awaited below, unless the database fails first
  const environment = await completeEnvironment(given, { keepRunning: log, interrupted });
  parts.push(environment.stop);
  const [{ migrations }, { ToolboxService }, { migrate }, { serve, stopServing }, { openMetricsPort }] = await modules;
  interrupted.throwIfAborted();
  await migrate(environment.config.databaseUrl, migrations);
  interrupted.throwIfAborted();
  parts.push(await openMetricsPort(environment.config, log));
  const config = forWork(environment.config);
  const app = await serve(config, log, { clustered: false });
  parts.push(async () => await stopServing(app, { ...config, trustProxy: '' })); // there is no proxy in front of it
  try {
    const programs = await app.get(ToolboxService, { strict: false }).programs();
    log.info({ host: hostname(), programs }, 'worker is ready');
  } catch (err) {
    log.error({ err, host: hostname() }, 'worker runs, but cannot start programs; /health/ready of the service names the reason');
  }
}

/** Instructions of subscriptions call this process on a private port; PUBLIC_URL remains that of the service. */
const forWork = (config: Config): Config => ({ ...config, worker: 'inline', webConcurrency: 1, host: '127.0.0.1', port: 0 });
