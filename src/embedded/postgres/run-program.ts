import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { StartupError } from '../../shared/errors/startup-error.js';
import type { ServerUser } from './server-user.js';
import { PROGRAM_ENV } from './server-user.js';
import { errorCode } from './to-startup-error.js';

/** A program of PostgreSQL with absolute paths in its arguments. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

const ERROR = /^.*?(error|FATAL|PANIC): +/;
const PROGRAM_NAME = /^initdb: /;

/** Starts a program as the server's user. */
export function spawnAs({ prefix, identity }: ServerUser, { file, args }: Command, options: SpawnOptions): ChildProcess {
  const [program = file, ...words] = [...prefix, file, ...args];
  return spawn(program, words, { ...options, ...identity, env: PROGRAM_ENV, cwd: '/' });
}

/** Runs a program to its end. Throws StartupError with its own reason when it fails. */
export async function runProgram(user: ServerUser, command: Command): Promise<void> {
  const child = spawnAs(user, command, { stdio: ['ignore', 'ignore', 'pipe'] });
  const output = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  const [status] = await once(child, 'close').catch((error: unknown) => {
    throw notRunnable(command.file, error);
  });
  if (status !== 0)
    throw new StartupError(`${path.basename(command.file)} of PostgreSQL failed: ${reasonIn(await output) || `exit status ${status}`}`);
}

/** Why a program could not even be started. The kernel says ENOENT also when the C library that the program wants is missing (musl). */
export function notRunnable(file: string, error: unknown): StartupError {
  const code = errorCode(error) ?? String(error);
  const why = code === 'ENOENT' ? 'it needs glibc, which this system (musl?) does not have' : `the system says ${code}`;
  return new StartupError(`The embedded PostgreSQL cannot run here (${file}: ${why}): set DATABASE_URL to a PostgreSQL of your own.`, {
    cause: error,
  });
}

function reasonIn(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  // The first line with an error is the reason; what follows are hints and what was removed again.
  const reason = lines.find((line) => ERROR.test(line)) ?? lines.at(-1) ?? '';
  return reason.replace(ERROR, '').replace(PROGRAM_NAME, '');
}
