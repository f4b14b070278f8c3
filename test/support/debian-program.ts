import { existsSync } from 'node:fs';
import { type Program, spawnProgram } from './app/program.js';

/** The file of a program from Debian's packages, whatever stands first in PATH. Throws when it is missing: its tests are not skipped. */
export function debianProgram(name: string): string {
  const file = [`/usr/bin/${name}`, `/usr/sbin/${name}`].find((path) => existsSync(path));
  if (file) return file;
  throw new Error(`/usr/bin/${name} is missing: run \`npm run test:install\` as root.`);
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What a program that came to its end said, on both channels, and its exit code; null: it was killed. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** A program that hangs is killed after this. */
const MAX_WAIT_MS = 60_000;

/** Runs one of Debian's programs to its end. */
export async function runDebianProgram(name: string, args: readonly string[], options: RunOptions): Promise<Outcome> {
  const program = spawnProgram({ command: [debianProgram(name), ...args], ...options });
  const timer = setTimeout(() => program.process.kill('SIGKILL'), MAX_WAIT_MS);
  const code = await program.ended;
  clearTimeout(timer);
  return { code, output: program.output.stdout + program.output.stderr };
}

/** Starts one of Debian's programs that runs on. It is killed with the process that started it, so that a killed test run leaves none. */
export function startDebianProgram(name: string, args: readonly string[], options: RunOptions): Program {
  return spawnProgram({ command: [debianProgram('setpriv'), '--pdeathsig', 'KILL', debianProgram(name), ...args], ...options });
}
