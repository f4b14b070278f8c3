import { spawn } from 'node:child_process';
import { chownSync, cpSync, lchownSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Instruction, Stage } from '../app/dockerfile.js';

const NOBODY = { uid: 65_534, gid: 65_534 };
/** As whom the lines run: not root, whatever the tests run as. */
export const unprivileged = process.getuid?.() === 0 ? NOBODY : {};

/** What a machine needs to reach a package registry; everything else of the environment stays out. */
const NETWORK = /^(https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_(file|dir)|npm_config_registry)$/i;

/** A stage of the Dockerfile as a folder in which its lines were executed. */
export interface BuiltStage {
  readonly folder: string;
  /** Where WORKDIR is, below `folder`. */
  readonly workdir: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly instructions: readonly Instruction[];
}

interface Surroundings {
  /** The folder that the image is built from. */
  readonly context: string;
  readonly stages: ReadonlyMap<string, BuiltStage>;
}

/** Executes a stage's COPY and RUN lines in order. Throws with the output of a line that fails. */
export async function buildStage(stage: Stage, folder: string, { context, stages }: Surroundings): Promise<BuiltStage> {
  const home = path.join(folder, 'home');
  mkdirSync(home, { recursive: true });
  giveAway(home);
  let workdir = folder;
  const environment: Record<string, string> = {};
  for (const instruction of stage.instructions) {
    if (instruction.kind === 'WORKDIR') {
      workdir = path.join(folder, instruction.path);
      mkdirSync(workdir, { recursive: true });
      chownSync(workdir, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
    } else if (instruction.kind === 'ENV') Object.assign(environment, instruction.variables);
    else if (instruction.kind === 'COPY') copy(instruction, workdir, sourceFolder(instruction.from, { context, stages }));
    else if (instruction.kind === 'RUN') {
      giveAway(workdir); // in an image RUN is root's; here it is done by a user who owns only this folder
      await run(instruction.command, { cwd: workdir, env: { ...environment, HOME: home } });
    }
  }
  return { folder, workdir, environment: { ...environment, HOME: home }, instructions: stage.instructions };
}

function sourceFolder(from: string | null, { context, stages }: Surroundings): string {
  if (from === null) return context;
  const stage = stages.get(from);
  if (!stage) throw new Error(`There is no stage ${from} before this one.`);
  return stage.folder;
}

/** A folder's content goes into the target; several sources, or a target that ends with a slash, go below it under their own names. */
function copy({ sources, target }: Extract<Instruction, { kind: 'COPY' }>, workdir: string, source: string): void {
  const isFolder = target.endsWith('/') || sources.length > 1;
  for (const name of sources) {
    const destination = path.join(workdir, target, isFolder ? path.basename(name) : '');
    cpSync(path.join(source, name), destination, { recursive: true, verbatimSymlinks: true });
  }
}

function giveAway(folder: string): void {
  const { uid, gid } = unprivileged as Partial<typeof NOBODY>;
  if (uid === undefined || gid === undefined) return;
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) lchownSync(path.join(folder, entry), uid, gid);
  chownSync(folder, uid, gid);
}

async function run(command: string, { cwd, env }: { cwd: string; env: Record<string, string> }): Promise<void> {
  const child = spawn('sh', ['-c', command], {
    ...unprivileged,
    cwd,
    env: { ...outsideWorld(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`RUN ${command}: code ${code}\n${output}`);
}

/** PATH, and what leads to the network. */
export function outsideWorld(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name, value]) => value !== undefined && (name === 'PATH' || NETWORK.test(name)));
  return Object.fromEntries(entries) as Record<string, string>;
}
