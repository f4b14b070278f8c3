import { tmpdir } from 'node:os';
import { Injectable } from '@nestjs/common';
import type { IsolationReport } from './converter-worker.entity.js';
import { type FileView, type IsolationParts, wrapperOf } from './isolation-parts.js';
import { runProcess } from './run-process.js';
import type { ToolLimits } from './run-request.js';
import { toolEnvironment } from './tool-environment.js';

/** One after the other; of the ways to get a part the better first, and the first that works counts. */
const WAYS: readonly (readonly IsolationParts[])[] = [
  [{ nice: true }],
  [{ expendable: true }],
  [{ limits: true }],
  [{ death: true }],
  [{ network: true }, { network: true, user: true }],
  [{ processes: true }, { processes: true, user: true }],
  [{ hidden: true }],
  [{ files: true }, { files: true, user: true }],
  [{ init: true }],
  [{ privileges: true, capabilities: true }, { privileges: true }],
];
/** Enough for a program that does nothing. */
const TRIAL_LIMITS: ToolLimits = { seconds: 10, cpuSeconds: 10, fileBytes: 1_048_576, memoryBytes: 1_073_741_824 };

/** What holds programs in on this machine: each part is tried once with a program that does nothing, and left out where it does not work. */
@Injectable()
export class Isolation {
  private parts: Promise<IsolationParts> | null = null;

  /** What stands before a program that runs with these limits, and sees these files. */
  async wrapper(limits: ToolLimits, view: FileView): Promise<readonly string[]> {
    return wrapperOf(await this.find(), limits, view);
  }

  async report(): Promise<IsolationReport> {
    const { limits = false, network = false, processes = false, files = false } = await this.find();
    return { limits, network, processes, files };
  }

  private async find(): Promise<IsolationParts> {
    this.parts ??= findParts();
    return await this.parts;
  }
}

async function findParts(): Promise<IsolationParts> {
  let found: IsolationParts = {};
  for (const ways of WAYS) found = (await firstThatWorks(ways.map((way) => ({ ...found, ...way })))) ?? found;
  return found;
}

async function firstThatWorks(candidates: readonly IsolationParts[]): Promise<IsolationParts | null> {
  for (const candidate of candidates) if (await works(candidate)) return candidate;
  return null;
}

async function works(parts: IsolationParts): Promise<boolean> {
  const folder = tmpdir();
  const command = [...wrapperOf(parts, TRIAL_LIMITS, { own: folder, hidden: [folder] }), 'true'];
  return await runProcess({ command, cwd: folder, env: toolEnvironment(folder), seconds: TRIAL_LIMITS.seconds }).then(
    ({ exit }) => exit.code === 0,
    () => false, // a program that is not there
  );
}
