import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { findPort } from '../../../src/process/find-port.js';
import { environmentName, settings } from '../../../src/shared/config/index.js';
import { eventually } from '../eventually.js';
import { interrupt, type Running, startCommands, type Terminal } from '../shell.js';
import { makeTestFolder, removeTestFolder } from './test-cluster.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const START_MS = 60_000;

/** Hides a developer's own .env. */
const NO_SETTINGS = Object.fromEntries(Object.keys(settings).map((name) => [environmentName(name), '']));

/** What readers of the documents have before them: a clone of the repository, in which the service runs. */
export interface Clone {
  readonly terminal: Terminal;
  readonly service: Running;
  readonly demo: { readonly email: string; readonly password: string };
  /** Puts the ports of this clone in place of those that documents name. */
  withPorts(text: string): string;
  /** The other way round. */
  withoutPorts(text: string): string;
  close(): Promise<void>;
}

/** Starts the service by `commands` in a folder of its own. The build has to be there (`scripts/build.mjs`). */
export async function startClone(commands: string): Promise<Clone> {
  const folder = makeTestFolder();
  try {
    linkFiles(folder);
    const ports = { '3000': await findPort('127.0.0.1', 0), '8080': await findPort('127.0.0.1', 0) };
    const env = { HOME: path.join(folder, 'home'), DATA_DIR: path.join(folder, 'data'), PORT: String(ports['3000']), STORAGE_PORT: '0' };
    // Documents have the service call programs of theirs on this machine.
    const allowed = { EGRESS_ALLOWLIST: '127.0.0.1' };
    const terminal = {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', npm_config_update_notifier: 'false', ...NO_SETTINGS, ...env, ...allowed },
    };
    const service = startCommands(commands, terminal);
    await Promise.race([service.ended, eventually(() => service.stdout.includes('Ctrl-C stops everything'), START_MS)]);
    const [, email = '', password = ''] = /E-mail: (\S+)\n +Password: (\S+)/.exec(service.stdout) ?? [];
    return {
      terminal,
      service,
      demo: { email, password },
      withPorts: (text) => text.replace(/(?<!\d)(3000|8080)(?!\d)/g, (port) => String(ports[port as keyof typeof ports])),
      withoutPorts: (text) => text.replaceAll(String(ports['3000']), '3000'),
      close: async () => {
        await interrupt(service, 'SIGKILL');
        await removeTestFolder(folder);
      },
    };
  } catch (error) {
    await removeTestFolder(folder);
    throw error;
  }
}

/** This repository's programs and packages, and a data directory of its own. */
function linkFiles(folder: string): void {
  for (const name of ['package.json', 'scripts', 'dist', 'node_modules', 'samples', 'sdk'])
    symlinkSync(path.join(ROOT, name), path.join(folder, name));
  mkdirSync(path.join(folder, 'home'));
  symlinkSync(path.join(folder, 'data'), path.join(folder, '.data')); // where removeTestFolder() looks for a server that was left behind
}

/** A stale build takes about 15 s, more when the machine is busy. */
export const BUILD_MS = 180_000;

/** Builds what programs run, if it is stale. */
export async function buildProgram(): Promise<void> {
  const build = startCommands('node scripts/build.mjs', { cwd: ROOT, env: { PATH: process.env.PATH ?? '' } });
  if ((await build.ended) !== 0) throw new Error(`The build failed: ${build.stderr}`);
}
