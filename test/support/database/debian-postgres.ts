import { chownSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { migrations } from '../../../migrations/index.js';
import { findPort } from '../../../src/process/find-port.js';
import { migrate } from '../../../src/shared/database/migrate.js';
import { type Program, spawnProgram } from '../app/program.js';
import { makeTestFolder, removeTestFolder } from '../app/test-cluster.js';
import { debianProgram } from '../debian-program.js';
import { eventually } from '../eventually.js';

const HOST = '127.0.0.1';
const PROGRAMS = '/usr/lib/postgresql';
/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

/** A folder in which the server can make its data directory. */
export function giveToServer(folder: string): void {
  if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY);
}

/** A PostgreSQL from Debian's packages. Their pg_dump refuses the embedded server, which is newer. */
export interface DebianPostgres {
  /** The URL of a new database. */
  createDatabase(name: string, options?: { migrated?: boolean }): Promise<string>;
  stop(): Promise<void>;
}

export async function startDebianPostgres(): Promise<DebianPostgres> {
  const folder = makeTestFolder();
  const [data, port] = [path.join(folder, 'debian-postgres'), await findPort(HOST, 0)];
  mkdirSync(data);
  giveToServer(data);
  const urlOf = (database: string): string => `postgres://media@${HOST}:${port}/${database}`;
  const initialized = startPostgresProgram('initdb', ['-D', data, '-U', 'media', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N']);
  if ((await initialized.ended) !== 0) throw new Error(`initdb failed: ${initialized.output.stderr}`);
  const options = ['-c', `listen_addresses=${HOST}`, '-c', `unix_socket_directories=${data}`, '-c', 'fsync=off'];
  const server = startPostgresProgram('postgres', ['-D', data, '-p', String(port), ...options]);
  await eventually(async () => server.process.exitCode !== null || (await query(urlOf('postgres'), 'SELECT')));
  if (server.process.exitCode !== null) throw new Error(`postgres ended: ${server.output.stderr}`);
  return {
    createDatabase: async (name, { migrated = false } = {}) => {
      await query(urlOf('postgres'), `CREATE DATABASE ${name}`);
      if (migrated) await migrate(urlOf(name), migrations);
      return urlOf(name);
    },
    stop: async () => {
      await server.end('SIGQUIT');
      await removeTestFolder(folder);
    },
  };
}

/** One of the server's own programs, which Debian keeps out of PATH. It ends with this process. */
export function startPostgresProgram(name: string, args: readonly string[]): Program {
  const [version] = readdirSync(PROGRAMS).sort((one, other) => Number(other) - Number(one));
  const asNobody = process.getuid?.() === 0 ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
  const command = [debianProgram('setpriv'), ...asNobody, '--pdeathsig', 'KILL', `${PROGRAMS}/${version}/bin/${name}`, ...args];
  return spawnProgram({ command });
}

async function query(url: string, text: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.query(text);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED' || (error as { code?: string }).code === '57P03') return false;
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}
