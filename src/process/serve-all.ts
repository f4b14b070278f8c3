import type { Environment } from '../embedded/complete-environment.js';
import { declareDemo } from '../embedded/declare-demo.js';
import type { Demo } from '../embedded/demo.js';
import type { Config } from '../shared/config/index.js';
import type { Log } from '../shared/logging/index.js';
import { createContext } from './create-context.js';
import { serve, stopServing } from './serve.js';
import { startWebProcesses } from './web-processes.js';

export { migrate } from '../shared/database/migrate.js';

/** The service as it answers requests. */
interface Service {
  /** With the embedded database. */
  readonly demo: Demo | null;
  stop(): Promise<void>;
}

/** Answers requests in this process, or in as many others as WEB_CONCURRENCY says. The database is migrated. */
export async function serveAll({ config, embedded }: Environment, log: Log): Promise<Service> {
  if (config.webConcurrency > 1) {
    const demo = embedded ? await declareDemoAlone(config) : null;
    return { demo, stop: await startWebProcesses(config, log) };
  }
  const app = await serve(config, log, { clustered: false });
  const stop = async () => await stopServing(app, config);
  try {
    return { demo: embedded ? await declareDemo(app, config) : null, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function declareDemoAlone(config: Config): Promise<Demo> {
  const context = await createContext(config);
  return await declareDemo(context, config).finally(async () => await context.close());
}
