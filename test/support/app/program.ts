import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../../src/embedded/data-directory.js';
import { environmentName, settings } from '../../../src/shared/config/index.js';
import { processStartTime } from '../../../src/shared/process-start-time.js';
import { eventually } from '../eventually.js';

export const REPOSITORY = path.resolve(import.meta.dirname, '../../..');
/** A stale build takes about 10 s, a start 1 to 3 s; more when other tests run beside. */
const MAX_WAIT_MS = 60_000;

/** The service as a process of its own, as `npm start` runs it. */
export interface Program {
  readonly process: ChildProcess;
  /** stdout and stderr so far. */
  readonly output: { stdout: string; stderr: string };
  /** The exit code; null when it was killed. */
  readonly ended: Promise<number | null>;
  /** Sends a signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface ProgramOptions extends Pick<SpawnOptions, 'uid' | 'gid' | 'detached' | 'cwd'> {
  /** Default: `node scripts/run.mjs main.js`. */
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts a program in the repository. Of the environment it sees PATH and HOME only, and no setting from a developer's .env. Its storage
 * listens where the system wants: the port after a free one may be taken.
 */
export function spawnProgram({ command, env, ...how }: ProgramOptions): Program {
  const [file = '', ...args] = command ?? [process.execPath, 'scripts/run.mjs', 'main.js'];
  const noSettings = Object.fromEntries(Object.keys(settings).map((name) => [environmentName(name), '']));
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(file, args, { cwd: REPOSITORY, env: { PATH, HOME, ...noSettings, STORAGE_PORT: '0', ...env }, ...how });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const end = async (signal: NodeJS.Signals = 'SIGINT') => {
    child.kill(signal);
    return await ended;
  };
  return { process: child, output, ended, end };
}

/** A started service, and what its banner says. */
export interface RunningProgram extends Program {
  readonly url: string;
  readonly login: { readonly email: string; readonly password: string };
}

/**
 * Starts the service and waits for its banner; its port is of the system's choosing unless PORT says otherwise. The port is chosen before it is
 * used, and another connection may take it in between: then the service is started again.
 */
export async function startProgram(options: ProgramOptions, tries = 3): Promise<RunningProgram> {
  const program = spawnProgram({ ...options, env: { PORT: '0', ...options.env } });
  const { process: child, output } = program;
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  await eventually(() => output.stdout.includes('Ctrl-C stops everything.') || isOver(), MAX_WAIT_MS);
  const isPortLost = () => options.env?.PORT === undefined && /^Port \d+ is taken/m.test(output.stderr);
  if (isOver() && tries > 1 && isPortLost()) return await startProgram(options, tries - 1);
  if (isOver()) throw new Error(`The program did not start:\n${output.stderr}${output.stdout}`);
  const read = (name: string) => new RegExp(`${name}: (\\S+)`).exec(output.stdout)?.[1] ?? '';
  return { ...program, url: read('Service'), login: { email: read('E-mail'), password: read('Password') } };
}

/** The living processes that belong to a data directory: by their command line (PostgreSQL) or their environment (ours). */
export function processesOf(dataDir: string): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Boolean);
  const isOurs = (pid: number) => ['cmdline', 'environ'].some((file) => readProc(pid, file).includes(dataDir));
  return pids.filter((pid) => pid !== process.pid && isOurs(pid) && processStartTime(pid) !== null);
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) return ''; // gone, or another user's
    throw error;
  }
}
