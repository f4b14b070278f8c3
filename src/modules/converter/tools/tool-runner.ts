import { createWriteStream } from 'node:fs';
import { access, readdir, rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import type { Step } from '../../formats/index.js';
import { explainExit } from './explain-exit.js';
import { Isolation } from './isolation.js';
import { LineReader } from './line-reader.js';
import { type ProcessEnd, runProcess } from './run-process.js';
import { type RunRequest, ToolFailure, type ToolFailureReason } from './run-request.js';
import { toolEnvironment } from './tool-environment.js';
import { Toolbox } from './toolbox.js';

/** A program said more than the file may hold that it becomes. */
class TooMuch extends Error {}

/** Runs programs of the toolbox, held in by what the machine has for that. */
@Injectable()
export class ToolRunner {
  /** Folders in which programs run now. */
  private readonly places = new Map<string, { runs: number; readonly ready: Promise<void> }>();

  constructor(
    private readonly toolbox: Toolbox,
    private readonly isolation: Isolation,
  ) {}

  /**
   * Runs a program to its end; when this answers or throws, nothing of it runs any more. Throws ToolFailure when it did not do its work, and
   * the reason of `signal` when that ended it.
   */
  async run(request: RunRequest): Promise<void> {
    const { step, folder } = request;
    const file = await this.toolbox.executable(step.program);
    if (file === null) throw missing(step);
    return await this.inFolder(folder, async () => await this.start(request, file));
  }

  /** Runs in a folder that belongs to the programs. What the service put there is given away while none runs that could exchange it. */
  private async inFolder(folder: string, work: () => Promise<void>): Promise<void> {
    const place = this.places.get(folder) ?? { runs: 0, ready: this.isolation.giveAway(folder) };
    place.runs += 1;
    this.places.set(folder, place);
    try {
      await place.ready;
      await work();
    } finally {
      place.runs -= 1;
      if (place.runs === 0) this.places.delete(folder);
    }
  }

  private async start(request: RunRequest, file: string): Promise<void> {
    const { step, folder, limits, signal } = request;
    const command = [...(await this.isolation.enclose({ file, folder, limits })), file, ...step.argv];
    const consume = await this.consumerOf(request);
    signal.throwIfAborted();
    const began = performance.now();
    const settings = { command, cwd: folder, env: toolEnvironment(folder), seconds: limits.seconds, signal, consume };
    const end = await runProcess(settings).catch(async (error: unknown) => {
      throw (await isThere(file)) ? error : missing(step);
    });
    if (end.exit.code === 0 && !end.ended) return;
    signal.throwIfAborted();
    if (!(await isThere(file))) throw missing(step);
    throw await this.failureOf(request, end, (performance.now() - began) / 1_000);
  }

  /** Who takes its standard output: the file, whoever wants its lines, nobody. */
  private async consumerOf({ step, folder, limits, onLine }: RunRequest): Promise<((stdout: Readable) => Promise<void>) | undefined> {
    if (step.stdout !== null) {
      const file = path.join(folder, step.stdout);
      await rm(file, { force: true }); // never through a link that a program before it left there
      return async (stdout) => await pipeline(stdout, atMost(limits.fileBytes), createWriteStream(file, { flags: 'wx' }));
    }
    if (!onLine) return undefined;
    const reader = new LineReader(onLine);
    return async (stdout) => {
      for await (const chunk of stdout) reader.add(chunk as Buffer);
      reader.end();
    };
  }

  private async failureOf({ step, folder, limits }: RunRequest, { exit, ended, words }: ProcessEnd, seconds: number): Promise<unknown> {
    const failure = (reason: ToolFailureReason, sentence: string) =>
      new ToolFailure(reason, `${nameOf(step)} ${sentence}.`, words.text(folder));
    if (ended?.by === 'clock') return failure('time', `took longer than ${limits.seconds} seconds`);
    if (ended?.by === 'consumer' && !(ended.error instanceof TooMuch)) return ended.error;
    if (ended || (await hasFullFile(folder, limits.fileBytes))) return failure('size', 'wrote more than it may');
    const program = typeof step.program === 'string' ? step.program : 'tool';
    const cause = explainExit(exit, program, seconds * availableParallelism() >= limits.cpuSeconds);
    return failure(cause.reason, cause.sentence);
  }
}

const nameOf = ({ program }: Step): string => (typeof program === 'string' ? program : program.tool);

const missing = (step: Step): ToolFailure => new ToolFailure('missing', `${nameOf(step)} is not installed here.`, '');

const isThere = async (file: string): Promise<boolean> =>
  await access(file).then(
    () => true,
    () => false,
  );

const atMost = (bytes: number) =>
  async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let taken = 0;
    for await (const chunk of source) {
      taken += chunk.length;
      if (taken > bytes) throw new TooMuch();
      yield chunk;
    }
  };

/**
 * Programs that do not heed the signal learn of the limit as of a full disk, and say so in words of their own; their file ends right at the
 * limit.
 */
async function hasFullFile(folder: string, bytes: number): Promise<boolean> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { size } = await stat(path.join(entry.parentPath, entry.name));
    if (size === Math.trunc(bytes)) return true;
  }
  return false;
}
