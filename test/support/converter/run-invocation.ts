import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { locateSharp } from '../../../src/modules/converter/tools/sharp-program.js';
import { buildInvocation, type InvocationRequest } from '../../../src/modules/formats/converters/build-invocation.js';
import type { Step, TextFile } from '../../../src/modules/formats/converters/converter.js';
import { type Outcome, runDebianProgram } from '../debian-program.js';

/** Files that a job is given. */
export interface JobInputs {
  readonly source: string;
  readonly watermark?: string;
  readonly audioWatermark?: string;
}

/**
 * Runs what `buildInvocation` wants, in a new folder below `parent`; answers the file that was made. Throws with what the programs said.
 */
export async function make(parent: string, request: InvocationRequest, inputs: JobInputs): Promise<string> {
  const folder = mkdtempSync(path.join(parent, 'job-'));
  const invocation = buildInvocation({ ...request, folder });
  if (invocation.kind !== 'run') throw new Error(`Nothing to run: ${JSON.stringify(invocation)}`);
  for (const [role, name] of Object.entries(invocation.inputs) as [keyof JobInputs, string | null][]) {
    const file = inputs[role];
    if (name !== null && file !== undefined) copyFileSync(file, path.join(folder, name));
  }
  for (const file of invocation.files) write(folder, file);
  for (const step of invocation.steps) await runStep(folder, step);
  return path.join(folder, invocation.output);
}

function write(folder: string, { name, content }: TextFile): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), content);
}

/** Runs one step of an invocation in its folder, with its text files. */
export async function runStep(folder: string, { program, leading, argv, stdout }: Step, files: readonly TextFile[] = []): Promise<void> {
  if (typeof program !== 'string') throw new Error('Only the programs of the service are run here.');
  for (const file of files) write(folder, file);
  const first = leading ? leading.argv(readFileSync(path.join(folder, leading.file), 'utf8')) : [];
  const all = [...first, ...argv];
  const output = program === 'sharp' ? await runSharp(folder, all) : await run(folder, program, all);
  if (stdout !== null) writeFileSync(path.join(folder, stdout), output);
}

/** Runs the program of the service that makes images. */
async function runSharp(folder: string, argv: readonly string[]): Promise<string> {
  const { file = '', leading = [] } = locateSharp() ?? {};
  return (await promisify(execFile)(file, [...leading, ...argv], { cwd: folder })).stdout;
}

/** Runs one of Debian's programs and answers what it said. Throws with it when it fails. */
export async function run(folder: string, program: string, argv: readonly string[]): Promise<string> {
  const { code, output }: Outcome = await runDebianProgram(program, argv, { cwd: folder });
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${output}`);
  return output;
}
