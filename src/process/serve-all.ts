import type { INestApplicationContext } from '@nestjs/common';
import type { Environment } from '../embedded/complete-environment.js';
import { declareDemo } from '../embedded/declare-demo.js';
import type { Demo } from '../embedded/demo.js';
import { ClientsService } from '../modules/oauth/index.js';
import type { Config } from '../shared/config/index.js';
import type { Log } from '../shared/logging/index.js';
import { collectClusterMetrics } from './cluster-metrics.js';
import { createContext } from './create-context.js';
import { openMetricsPort } from './metrics-port.js';
import { serve, stopServing } from './serve.js';
import { startWebProcesses } from './web-processes.js';

export { hasConsole } from '../modules/console/index.js';
export { migrate } from '../shared/database/migrate.js';

/** The running service. */
interface Service {
  /** The demo data; null without the embedded database. */
  readonly demo: Demo | null;
  stop(): Promise<void>;
}

/** Serves requests in this process, or in WEB_CONCURRENCY forked processes. The database must already be migrated. */
export async function serveAll({ config, embedded }: Environment, log: Log): Promise<Service> {
  if (config.webConcurrency > 1) {
    const demo = await prepareAlone({ config, embedded }, log);
    return { demo, stop: await startWebProcesses(config, log) };
  }
  const app = await serve(config, log, { clustered: false });
  const stop = async () => await stopServing(app, config);
  try {
    const demo = embedded ? await declareDemo(app, config) : null;
    await warnOfClientsWithoutPkce(app, log);
    return { demo, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Serves the metrics of this process, or of all forked processes, on METRICS_PORT. Returns a function that stops it. */
export const openMetrics = async (config: Config, log: Log): Promise<() => Promise<void>> =>
  await openMetricsPort(config, log, config.webConcurrency > 1 ? collectClusterMetrics : undefined);

/** Does the work that is needed once for all web processes. */
async function prepareAlone({ config, embedded }: Pick<Environment, 'config' | 'embedded'>, log: Log): Promise<Demo | null> {
  const context = await createContext(config);
  try {
    const demo = embedded ? await declareDemo(context, config) : null;
    await warnOfClientsWithoutPkce(context, log);
    return demo;
  } finally {
    await context.close();
  }
}

/** Clients declared before PKCE became the default keep working; the log names those that the operator should change. */
async function warnOfClientsWithoutPkce(app: INestApplicationContext, log: Log): Promise<void> {
  const clients = await app.get(ClientsService).findWithoutPkce();
  if (clients.length === 0) return;
  log.warn({ clients }, 'public clients that do not require PKCE; once all their installations send it, declare requirePkce: true');
}
