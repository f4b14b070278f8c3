import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeScript } from '../converter/tool-scripts.js';
import { eventually } from '../eventually.js';
import { type Program, type ProgramOptions, type RunningProgram, spawnProgram } from './program.js';

const MAX_WAIT_MS = 60_000;
const READY = '"msg":"worker is ready"';

/** Starts `npm run worker` and waits until it says that it is ready. */
export async function startWorker({
  command = [process.execPath, 'scripts/run.mjs', 'worker.js'],
  env,
}: Pick<ProgramOptions, 'command' | 'env'>): Promise<Program> {
  const program = spawnProgram({ command, env });
  const { process: child, output } = program;
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  await eventually(() => output.stdout.includes(READY) || isOver(), MAX_WAIT_MS);
  if (isOver()) throw new Error(`The worker did not start:\n${output.stderr}${output.stdout}`);
  return program;
}

/** A token of the demo user of a service; its lifetime is longer than a test. */
export async function demoToken({ url, login }: Pick<RunningProgram, 'url' | 'login'>, dataDir: string): Promise<string> {
  const command = [process.execPath, 'scripts/run.mjs', 'admin/main.js', 'token', '--user', login.email, '--client', 'demo'];
  const program = spawnProgram({ command, env: { DATA_DIR: dataDir, PUBLIC_URL: url, ACCESS_TOKEN_TTL_SECONDS: '3600' } });
  if ((await program.ended) !== 0) throw new Error(program.output.stderr);
  return (JSON.parse(program.output.stdout) as { access_token: string }).access_token;
}

/** Has the operator of a data directory offer a shell script that makes of the file `$1` the file `$2`; answers where it is. */
export function offerScript(dataDir: string, name: string, lines: string): string {
  const file = writeScript(path.join(dataDir, 'bin', name), lines);
  writeFileSync(path.join(dataDir, 'cli-tools.json'), JSON.stringify([{ name, command: [file, '{input}', '{output}'] }]));
  return file;
}
