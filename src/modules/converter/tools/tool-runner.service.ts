import { createWriteStream } from 'node:fs';
import { access, readdir, readFile, rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { SharedWork } from '../../../shared/shared-work.js';
import { inSpan } from '../../../shared/tracing/index.js';
import type { Step } from '../../formats/index.js';
import { CPU_POLL_MS } from './cpu-meter.js';
import type { Command } from './find-program.js';
import { IsolationService } from './isolation.service.js';
import { LineReader, type ProcessEnd, runProcess } from './run-process.js';
import { toolEnvironment } from './tool-environment.js';
import { explainExit, failureOf, type RunRequest, TOO_MUCH_CPU, ToolFailure, type ToolFailureReason, type ToolLimits } from './tool-run.js';
import { ToolboxService } from './toolbox.service.js';

/** The output of a program exceeds the size limit of the file. */
class OutputTooLarge extends Error {}

/** Runs programs of the toolbox with limits and isolation. */
@Injectable()
export class ToolRunnerService {
  /** The folders in which programs run now, with the number of programs. */
  private readonly folders = new Map<string, number>();
  /** Changes of the ownership of these folders. */
  private readonly ownership = new SharedWork<void, string>({ keptMs: Number.POSITIVE_INFINITY });

  constructor(
    private readonly toolbox: ToolboxService,
    private readonly isolation: IsolationService,
  ) {}

  /**
   * Runs a program to its end; when this returns or throws, none of its processes runs any more. Throws a ToolFailure if the program failed, and the
   * reason of `signal` if the signal ended it.
   */
  async run(request: RunRequest): Promise<void> {
    const { step, folder } = request;
    const program = await this.toolbox.executable(step.program);
    if (program === null) throw missing(step);
    const run = async () => await this.inFolder(folder, async () => await this.start(request, program));
    await inSpan({ name: `program ${step.program}` }, run);
  }

  /**
   * Runs `work` in a folder that the programs own. The ownership of its files is changed before the first program runs there, because a program could
   * replace them.
   */
  private async inFolder(folder: string, work: () => Promise<void>): Promise<void> {
    this.folders.set(folder, (this.folders.get(folder) ?? 0) + 1);
    try {
      await this.ownership.get(async () => await this.isolation.giveAway(folder), folder);
      await work();
    } finally {
      const runs = (this.folders.get(folder) ?? 1) - 1;
      if (runs > 0) this.folders.set(folder, runs);
      else {
        this.folders.delete(folder);
        this.ownership.forget(folder);
      }
    }
  }

  private async start(asked: RunRequest, { file, leading = [], reads }: Command): Promise<void> {
    const request = { ...asked, limits: withinBudget(asked) };
    const { step, folder, limits, budget, signal } = request;
    const enclosed = await this.isolation.enclose({ file, folder, limits, reads });
    const command = [...enclosed, file, ...leading, ...(await leadingOf(step, folder)), ...step.argv];
    const consume = await this.consumerOf(request);
    signal.throwIfAborted();
    const startedAt = performance.now();
    const { seconds, cpuSeconds } = limits;
    const settings = { command, cwd: folder, env: toolEnvironment(folder), seconds, cpuSeconds, signal, consume };
    const end = await runProcess(settings).catch(async (error: unknown) => {
      throw (await isThere(file)) ? error : missing(step);
    });
    budget?.spend(end.cpuSeconds);
    if (end.exit.code === 0 && !end.ended) {
      if (step.makes === undefined || (await isThere(path.join(folder, step.makes)))) return;
      throw new ToolFailure('exit', `${nameOf(step)} ${failureOf(step)}.`, end.output.text(folder));
    }
    signal.throwIfAborted();
    if (!(await isThere(file))) throw missing(step);
    throw await this.failureOf(request, end, (performance.now() - startedAt) / 1_000);
  }

  /** The consumer of the standard output: it writes a file or reads lines; undefined: the output is only stored. */
  private async consumerOf({ step, folder, limits, onLine }: RunRequest): Promise<((stdout: Readable) => Promise<void>) | undefined> {
    if (step.stdout !== null) {
      const file = path.join(folder, step.stdout);
      await rm(file, { force: true }); // so that nothing is written through a link that an earlier program left there
      return async (stdout) => await pipeline(stdout, atMost(limits.fileBytes), createWriteStream(file, { flags: 'wx' }));
    }
    if (!onLine) return undefined;
    const reader = new LineReader(onLine);
    return async (stdout) => {
      for await (const chunk of stdout) reader.add(chunk as Buffer);
      reader.end();
    };
  }

  private async failureOf(
    { step, folder, limits }: RunRequest,
    { exit, ended, output, cpuSeconds }: ProcessEnd,
    seconds: number,
  ): Promise<unknown> {
    const failure = (reason: ToolFailureReason, sentence: string) =>
      new ToolFailure(reason, `${nameOf(step)} ${sentence}.`, output.text(folder));
    if (ended?.by === 'clock') return failure('time', `took longer than ${Number(limits.seconds.toFixed(1))} seconds`);
    if (ended?.by === 'cpu') return failure('time', TOO_MUCH_CPU);
    if (ended?.by === 'consumer' && !(ended.error instanceof OutputTooLarge)) return ended.error;
    if (ended || (await hasFullFile(folder, limits.fileBytes))) return failure('size', 'wrote more than its limit');
    const program = typeof step.program === 'string' ? step.program : 'tool';
    const cores = availableParallelism();
    const mayHaveUsed = Math.min(seconds * cores, cpuSeconds + (CPU_POLL_MS / 1_000) * cores);
    const cause = explainExit(exit, program, mayHaveUsed >= limits.cpuSeconds);
    return failure(cause.reason, cause.sentence);
  }
}

/** The limits of the program, but no more than its transcoding has left. */
function withinBudget({ limits, budget }: RunRequest): ToolLimits {
  if (!budget) return limits;
  const { niceness } = budget.limits;
  const [seconds, cpuSeconds] = [Math.min(limits.seconds, budget.seconds), Math.min(limits.cpuSeconds, budget.cpuSeconds)];
  return { ...limits, seconds, cpuSeconds, niceness };
}

const leadingOf = async ({ leading }: Step, folder: string): Promise<readonly string[]> =>
  leading ? leading.argv(await readFile(path.join(folder, leading.file), 'utf8')) : [];

const nameOf = ({ program }: Step): string => (typeof program === 'string' ? program : program.tool);

const missing = (step: Step): ToolFailure => new ToolFailure('missing', `${nameOf(step)} is not installed here.`, '');

const isThere = async (file: string): Promise<boolean> =>
  await access(file).then(
    () => true,
    () => false,
  );

const atMost = (bytes: number) =>
  async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytesRead = 0;
    for await (const chunk of source) {
      bytesRead += chunk.length;
      if (bytesRead > bytes) throw new OutputTooLarge();
      yield chunk;
    }
  };

/** Whether a file has exactly the size of the limit. Programs that ignore the signal of the size limit report a full disk in their own words. */
async function hasFullFile(folder: string, bytes: number): Promise<boolean> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { size } = await stat(path.join(entry.parentPath, entry.name));
    if (size === Math.trunc(bytes)) return true;
  }
  return false;
}
