import { lchown, readdir, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { SharedWork } from '../../../shared/shared-work.js';
import { type IsolationReport, NO_ISOLATION } from './converter-worker.entity.js';
import { isExecutable } from './find-program.js';
import { type BareParts, bareCommand, type LimitParts, limitingCommand } from './program-limits.js';
import { runProcess } from './run-process.js';
import {
  readSystemFiles,
  SANDBOX_ID,
  type SandboxKind,
  type SandboxView,
  type SystemFiles,
  sandboxCommand,
  sandboxKinds,
} from './sandbox.js';
import { probeSandbox, SANDBOX_PROBE_LIMITS } from './sandbox-probe.js';
import { searchPath, toolEnvironment } from './tool-environment.js';
import type { Enclosure, ToolLimits } from './tool-run.js';

/** Limits of the trial, in which the program `true` is run. */
const TRIAL_LIMITS: ToolLimits = { seconds: 10, cpuSeconds: 10, fileBytes: 1_048_576, memoryBytes: 1_073_741_824 };
const BUBBLEWRAP = 'bwrap';
const ADVICE = 'docs/converter.md, "How programs are isolated", says what the machine needs';

interface Sandbox {
  readonly kind: SandboxKind;
  readonly bubblewrap: string;
  readonly system: SystemFiles;
}

interface Found {
  readonly limits: LimitParts;
  readonly bare: BareParts;
  readonly sandbox: Sandbox | null;
  /** Why there is no sandbox. */
  readonly problem: string | null;
  readonly report: IsolationReport;
}

/**
 * The isolation of programs that this machine supports. It is determined once: each limit is tried, and a probe tries to break out of the sandbox.
 */
@Injectable()
export class IsolationService {
  private readonly found = new SharedWork<Found>({ keptMs: Number.POSITIVE_INFINITY });

  constructor(private readonly config: Config) {}

  /** The command that precedes a program. Throws if no program may run here. */
  async enclose({ file, folder, limits, reads = [] }: Enclosure): Promise<readonly string[]> {
    const refusal = await this.refusal();
    if (refusal !== null) throw new Error(refusal);
    const { limits: parts, bare, sandbox } = await this.find();
    const limiting = limitingCommand(parts, limits);
    if (!sandbox) return [...limiting, ...bareCommand(bare)];
    return [...limiting, ...commandOf(sandbox, this.viewOf(folder, [file, await realpath(file), ...reads]))];
  }

  /**
   * Makes the user that programs run as the owner of a folder and its files. Call it only while no program runs there, because a program could
   * replace files by links.
   */
  async giveAway(folder: string): Promise<void> {
    const { sandbox } = await this.find();
    if (sandbox?.kind.by !== 'root') return;
    await lchown(folder, SANDBOX_ID, SANDBOX_ID);
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      await lchown(path.join(entry.parentPath, entry.name), SANDBOX_ID, SANDBOX_ID);
    }
  }

  async report(): Promise<IsolationReport> {
    return (await this.find()).report;
  }

  /** Why programs must not run here, as a sentence for the operator; null: they may. */
  async refusal(): Promise<string | null> {
    const { problem } = await this.find();
    if (problem === null || !this.isRequired()) return null;
    return `Programs cannot be isolated on this machine: ${problem}; ${ADVICE}.`;
  }

  /** Why programs run without a sandbox, as a sentence for the operator; null: they have one. */
  async warning(): Promise<string | null> {
    const { problem } = await this.find();
    return problem === null || this.isRequired() ? null : `Programs run without a sandbox: ${problem}; ${ADVICE}.`;
  }

  private isRequired(): boolean {
    const { converterIsolation, nodeEnv } = this.config;
    return converterIsolation === 'required' || (converterIsolation === 'auto' && nodeEnv === 'production');
  }

  private async find(): Promise<Found> {
    return await this.found.get(async () => await this.determine());
  }

  private async determine(): Promise<Found> {
    const limits = await findParts<LimitParts>([[{ nice: true }], [{ expendable: true }], [{ limits: true }]], (parts) =>
      limitingCommand(parts, TRIAL_LIMITS),
    );
    const bare = await findParts<BareParts>(
      [[{ death: true }], [{ privileges: true, capabilities: true }, { privileges: true }]],
      bareCommand,
    );
    const nothing = { ...NO_ISOLATION, limits: limits.limits === true };
    const without = (problem: string): Found => ({ limits, bare, sandbox: null, problem, report: nothing });
    if (this.config.converterIsolation === 'none') return without('CONVERTER_ISOLATION is none');
    const bubblewrap = await findBubblewrap();
    if (bubblewrap === null) return without('bubblewrap is not installed (npm run install:tools)');
    const system = await readSystemFiles();
    let problem = '';
    for (const kind of sandboxKinds(process.getuid?.() === 0)) {
      const sandbox = { kind, bubblewrap, system };
      const probed = await this.probe(sandbox, limits).catch((error: Error) => error.message);
      const leaks = typeof probed === 'string' ? [] : Object.entries(probed).flatMap(([part, works]) => (works ? [] : [part]));
      if (typeof probed !== 'string' && leaks.length === 0)
        return { limits, bare, sandbox, problem: null, report: { ...nothing, ...probed } };
      problem = typeof probed === 'string' ? `bubblewrap does not work (${probed})` : `a sandbox of bubblewrap leaks (${leaks.join(', ')})`;
    }
    return without(problem);
  }

  private async probe(sandbox: Sandbox, limits: LimitParts) {
    const isRoot = sandbox.kind.by === 'root';
    const readable = [process.execPath, await realpath(process.execPath)];
    return await probeSandbox({
      enclose: (folder) => [...limitingCommand(limits, SANDBOX_PROBE_LIMITS), ...commandOf(sandbox, this.viewOf(folder, readable))],
      isRoot,
      secrets: [path.resolve('.env'), path.resolve('package.json')],
    });
  }

  private viewOf(folder: string, files: readonly string[]): SandboxView {
    const hidden = [path.resolve(this.config.dataDir), process.cwd()];
    return { folder, readable: [...files, ...this.config.converterReads], hidden };
  }
}

const commandOf = ({ kind, bubblewrap, system }: Sandbox, view: SandboxView): readonly string[] =>
  sandboxCommand(kind, bubblewrap, system, view);

async function findBubblewrap(): Promise<string | null> {
  for (const folder of searchPath()) {
    const file = path.join(folder, BUBBLEWRAP);
    if (await isExecutable(file)) return file;
  }
  return null;
}

/** Combines the first working entry of each row with the entries found before. */
async function findParts<Parts extends object>(
  rows: readonly (readonly Parts[])[],
  commandFor: (parts: Parts) => readonly string[],
): Promise<Parts> {
  let found = {} as Parts;
  for (const row of rows) {
    for (const parts of row) {
      const candidate = { ...found, ...parts };
      if (!(await works(commandFor(candidate)))) continue;
      found = candidate;
      break;
    }
  }
  return found;
}

async function works(command: readonly string[]): Promise<boolean> {
  const folder = tmpdir();
  const trial = { command: [...command, 'true'], cwd: folder, env: toolEnvironment(folder), seconds: TRIAL_LIMITS.seconds };
  return await runProcess(trial).then(
    ({ exit }) => exit.code === 0,
    () => false, // the program is not installed
  );
}
