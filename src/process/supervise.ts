import { completeEnvironment } from '../embedded/complete-environment.js';
import { DEMO_CLIENT_ID, type Demo, demoLoginFile } from '../embedded/demo.js';
import { type Config, loadConfig } from '../shared/config/index.js';
import { createLog } from '../shared/logging/index.js';
import { VERSION } from '../shared/version.js';
import { findPort } from './find-port.js';
import { runUntilEnd, type Start } from './run-until-end.js';

/** Prepares database and demo, serves with WEB_CONCURRENCY processes, prints the banner, and shuts down in order. */
export async function supervise(): Promise<void> {
  const config = await withFreePort(loadConfig());
  const log = createLog({ level: config.logLevel, service: config.serviceName, format: config.logFormat });
  await runUntilEnd({ config, log }, start);
}

/** Imports slow modules dynamically, so that a wrong configuration or a port in use is reported at once, and the database starts meanwhile. */
async function start({ config: given, log, parts, interrupted }: Start): Promise<void> {
  const modules = import('./serve-all.js');
  modules.catch(() => {}); // awaited below, unless the database fails first
  const environment = await completeEnvironment(given, { keepRunning: log, interrupted });
  parts.push(environment.stop);
  const { hasConsole, migrate, migrations, openMetrics, serveAll } = await modules;
  interrupted.throwIfAborted();
  await migrate(environment.config.databaseUrl, migrations);
  interrupted.throwIfAborted();
  parts.push(await openMetrics(environment.config, log));
  const service = await serveAll(environment, log);
  parts.push(service.stop);
  interrupted.throwIfAborted();
  console.log(banner(environment.config, { made: service.demo, hasConsole: hasConsole(environment.config) }));
}

/** Resolves PORT=0 to a port that the system chooses, so that PUBLIC_URL can contain it. The storage's port stays as configured. */
async function withFreePort(config: Config): Promise<Config> {
  const port = await findPort(config.host, config.port);
  return port === config.port ? config : { ...loadConfig({ ...process.env, PORT: String(port) }), storagePort: config.storagePort };
}

/** The text that a new user needs once the service responds. Each line has the form `Name: value`. */
export function banner(config: Config, { made, hasConsole }: { readonly made: Demo | null; readonly hasConsole: boolean }): string {
  const { publicUrl, serviceName, dataDir, s3Endpoint, mediaCdnUrl } = config;
  const storage = s3Endpoint && { Storage: s3Endpoint };
  const addresses = {
    Service: publicUrl,
    ...(hasConsole && { Console: `${publicUrl}/console` }),
    'API docs': `${publicUrl}/docs`,
    Account: `${publicUrl}/account`,
    ...storage,
    ...(mediaCdnUrl && { CDN: mediaCdnUrl }),
    ...(made && { Dropsite: made.dropsiteUrl }),
  };
  const demo = made && { 'E-mail': made.email, Password: made.password, Client: DEMO_CLIENT_ID, 'Kept in': demoLoginFile(dataDir) };
  const sections = [
    [`  ${serviceName} ${VERSION} is running.`],
    aligned(addresses),
    demo ? aligned(demo) : [],
    ['  Ctrl-C stops everything.'],
  ];
  const text = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `\n${text.join('\n\n')}\n`;
}

const NAME_WIDTH = 10;

const aligned = (values: Readonly<Record<string, string>>): string[] =>
  Object.entries(values).map(([name, value]) => `${name.padStart(NAME_WIDTH)}: ${value}`);
