import type { INestApplicationContext } from '@nestjs/common';
import type { Environment } from '../embedded/complete-environment.js';
import { declareDemo } from '../embedded/declare-demo.js';
import type { Demo } from '../embedded/demo.js';
import { ConsoleClientService } from '../modules/console/index.js';
import { ClientsService } from '../modules/oauth/index.js';
import type { Config } from '../shared/config/index.js';
import { Database } from '../shared/database/index.js';
import type { Log } from '../shared/logging/index.js';
import { collectClusterMetrics } from './cluster-metrics.js';
import { createContext } from './create-context.js';
import { openMetricsPort } from './metrics-port.js';
import { serve, stopServing } from './serve.js';
import { startWebProcesses } from './web-processes.js';

export { migrations } from '../../migrations/index.js';
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
  let demo: Demo | null = null;
  const app = await serve(config, log, {
    clustered: false,
    prepare: async (prepared) => {
      demo = await prepareOnce(prepared, { config, embedded }, log);
    },
  });
  return { demo, stop: async () => await stopServing(app, config) };
}

/** Serves the metrics of this process, or of all forked processes, on METRICS_PORT. Returns a function that stops it. */
export const openMetrics = async (config: Config, log: Log): Promise<() => Promise<void>> =>
  await openMetricsPort(config, log, config.webConcurrency > 1 ? collectClusterMetrics : undefined);

type Settings = Pick<Environment, 'config' | 'embedded'>;

async function prepareAlone(settings: Settings, log: Log): Promise<Demo | null> {
  const context = await createContext(settings.config);
  try {
    return await prepareOnce(context, settings, log);
  } finally {
    await context.close();
  }
}

/** Does the work that is needed once for all web processes. Workers and commands of the administration do not declare anything by themselves. */
async function prepareOnce(app: INestApplicationContext, { config, embedded }: Settings, log: Log): Promise<Demo | null> {
  const demo = await app.get(Database).transaction(async () => {
    await app.get(ConsoleClientService).declare();
    return embedded ? await declareDemo(app, config) : null;
  });
  await warnOfClients(app, log);
  return demo;
}

/** Clients that were registered before the rules of today keep working; the log names those that the operator should change. */
async function warnOfClients(app: INestApplicationContext, log: Log): Promise<void> {
  const clients = app.get(ClientsService);
  const { withOtherCharacters, withReservedIds, actingForOtherCustomers } = await clients.findIrregular();
  const warnings = {
    'public clients that do not require PKCE; once all their installations send it, declare requirePkce: true':
      await clients.findWithoutPkce(),
    'client ids with characters other than ASCII letters, digits and ._~-; they go on to work, but new ones are refused':
      withOtherCharacters,
    "clients of customers with ids that are reserved for the service; they go on to work as the customers' own": withReservedIds,
    'clients of customers that act as a user of another customer; only operators may change them': actingForOtherCustomers,
  };
  for (const [message, ids] of Object.entries(warnings)) if (ids.length > 0) log.warn({ clients: ids }, message);
}
