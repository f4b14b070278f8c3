import { completeEnvironment } from '../embedded/complete-environment.js';
import { type Config, loadConfig } from '../shared/config/index.js';
import { createLog } from '../shared/logging/index.js';
import { banner } from './banner.js';
import { findPort } from './find-port.js';
import { runUntilEnd, type Start } from './run-until-end.js';

/** Prepares database and demo, serves with WEB_CONCURRENCY processes, prints the banner, and ends everything in order. */
export async function supervise(): Promise<void> {
  const config = await withFreePort(loadConfig());
  const log = createLog({ level: config.logLevel, service: config.serviceName });
  await runUntilEnd({ config, log }, start);
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

/** PORT=0 becomes the port that the system chooses, so that PUBLIC_URL can name it. The storage's port stays as it was asked for. */
async function withFreePort(config: Config): Promise<Config> {
  const port = await findPort(config.host, config.port);
  return port === config.port ? config : { ...loadConfig({ ...process.env, PORT: String(port) }), storagePort: config.storagePort };
}
