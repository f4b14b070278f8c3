import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { errorCode } from '../../../src/embedded/data-directory.js';
import { findPort } from '../../../src/process/find-port.js';
import type { Program } from '../app/program.js';
import { eventually } from '../eventually.js';
import { giveToServer, startPostgresProgram } from './debian-postgres.js';

/** Kills of programs lose nothing that was written, and this test does not switch the machine off. */
const SETTINGS = { fsync: 'off', listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '100' };

const PRIMARY = 'primary';

/** Debian's PostgreSQL on a data directory of its own. */
export interface PostgresServer {
  readonly port: number;
  readonly host: string;
  readonly url: string;
  query(sql: string): Promise<Record<string, unknown>[]>;
  start(): Promise<void>;
  /** Fast shutdown. */
  stop(): Promise<void>;
  /** All of its processes fall silent, as on a machine that is cut off. */
  freeze(): void;
  kill(): void;
}

/** A new server, with the database `media` of the user `media`. */
export async function startPrimary(folder: string): Promise<PostgresServer> {
  giveToServer(folder);
  const dataDir = path.join(folder, PRIMARY);
  await run('initdb', ['-D', dataDir, '-U', 'media', '--auth=trust', '--no-sync', '--locale=C.UTF-8', '--encoding=UTF8']);
  const server = await serverOn(dataDir);
  await server.start();
  await server.query('CREATE DATABASE media');
  return server;
}

/** A streaming replica, without whose confirmation the primary acknowledges no commit from now on. */
export async function startStandby(folder: string, primary: PostgresServer): Promise<PostgresServer> {
  const dataDir = path.join(folder, 'standby');
  const source = `postgres://media@${primary.host}/postgres?application_name=standby`;
  await run('pg_basebackup', ['-d', source, '-D', dataDir, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']);
  const standby = await serverOn(dataDir);
  await standby.start();
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
  await primary.query('SELECT pg_reload_conf()');
  await eventually(async () => (await primary.query(`SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`)).length === 1);
  return standby;
}

async function serverOn(dataDir: string): Promise<PostgresServer> {
  const port = await findPort('127.0.0.1', 0);
  const host = `127.0.0.1:${port}`;
  let running: Program | undefined;
  const query = async (sql: string) => {
    const client = new pg.Client({ connectionString: `postgres://media@${host}/postgres`, connectionTimeoutMillis: 5_000 });
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql).finally(async () => await client.end())).rows;
  };
  const signal = (name: NodeJS.Signals) => {
    const pid = running?.process.pid ?? 0;
    for (const target of [...childrenOf(pid), pid]) sendIfRunning(target, name);
  };
  return {
    port,
    host,
    url: `postgres://media@${host}/media`,
    query,
    start: async () => {
      const settings = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      const server = startPostgresProgram('postgres', ['-D', dataDir, ...settings]);
      running = server;
      await eventually(async () => {
        if (server.process.exitCode !== null) throw new Error(server.output.stderr);
        return await query('SELECT 1').catch(() => null);
      });
    },
    stop: async () => void (await running?.end('SIGINT')),
    freeze: () => signal('SIGSTOP'),
    kill: () => signal('SIGKILL'),
  };
}

/** A standby without a primary is read-only: what an old primary is when it comes back fenced. */
export function makeReadOnly(folder: string): void {
  writeFileSync(path.join(folder, PRIMARY, 'standby.signal'), '');
}

/** A process that served a connection may just have ended. */
function sendIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

async function run(name: string, args: readonly string[]): Promise<void> {
  const program = startPostgresProgram(name, args);
  if ((await program.ended) !== 0) throw new Error(`${name}: ${program.output.stderr}`);
}

function childrenOf(pid: number): number[] {
  const parentOf = (child: number) => {
    try {
      return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${child}/stat`, 'utf8'))?.[1]);
    } catch {
      return 0; // it has ended
    }
  };
  return readdirSync('/proc')
    .map(Number)
    .filter((child) => child > 0 && parentOf(child) === pid);
}
