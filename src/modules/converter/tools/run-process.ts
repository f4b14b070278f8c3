import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import { CpuMeter } from './cpu-meter.js';
import type { Exit } from './tool-run.js';

/** The length of the stored end of an output, enough to determine why a program failed. */
const KEPT_CHARACTERS = 4_096;
/** UTF-8 takes up to four bytes per character, and removing folder names shortens the text. */
const KEPT_BYTES = 4 * KEPT_CHARACTERS;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours start with one
const COLORS = /\u001b\[[\d;]*m/g;
/** Matches the folders of an absolute path, but not URLs, fractions and relative paths. */
const FOLDERS = /(?<![\w.:/])(?:\/[^\s/:'"()]+)+\//g;

/** Keeps the end of a program's output. */
export class OutputTail {
  private kept = Buffer.alloc(0);

  add(chunk: Buffer): void {
    const all = Buffer.concat([this.kept, chunk.subarray(-KEPT_BYTES)]);
    this.kept = Buffer.from(all.subarray(-KEPT_BYTES));
  }

  /** The text for the owner of the media: without control characters, and without folders of this machine. */
  text(folder: string): string {
    return this.kept
      .toString('utf8')
      .replaceAll('\r', '\n')
      .replace(COLORS, '')
      .replace(CONTROL, '')
      .replaceAll(`${folder}/`, '')
      .replace(FOLDERS, '')
      .replace(/\n{2,}/g, '\n')
      .trim()
      .slice(-KEPT_CHARACTERS);
  }
}

/** Longer lines are cut; the lines that matter contain only numbers and names. */
const MAX_LINE_CHARACTERS = 8_192;

/** Splits a program's output into lines; the last one need not end with a line feed. */
export class LineReader {
  private readonly decoder = new StringDecoder('utf8');
  private started = '';

  constructor(private readonly onLine: (line: string) => void) {}

  add(chunk: Buffer): void {
    const [rest = '', ...following] = this.decoder.write(chunk).split('\n');
    this.started = (this.started + rest).slice(0, MAX_LINE_CHARACTERS);
    for (const next of following) {
      this.onLine(this.started.replace(/\r$/, ''));
      this.started = next.slice(0, MAX_LINE_CHARACTERS);
    }
  }

  end(): void {
    if (this.started !== '') this.onLine(this.started);
    this.started = '';
  }
}

/** How long processes that a program started and that cannot be killed may delay the end of a run. */
const PROCESSES_END_WITHIN_MS = 5_000;
const PROCESS_POLL_MS = 2;
/**
 * The descriptor of a pipe that closes when the last process that has it open ends. bubblewrap (`--info-fd`) writes there the id of the process whose
 * end ends the sandbox, and closes its copy.
 */
export const PRESENCE_FD = 3;

interface ProcessRequest {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Limit of the wall-clock time, in seconds. */
  readonly seconds: number;
  /** Limit of the processor time of the program and all processes that it starts, in seconds; absent: unlimited. */
  readonly cpuSeconds?: number;
  /** Kills the program when it is aborted. */
  readonly signal?: AbortSignal;
  /** Consumes the standard output; an error that it throws kills the program. Without a consumer the standard output is part of `output`. */
  readonly consume?: (stdout: Readable) => Promise<void>;
}

export interface ProcessEnd {
  readonly exit: Exit;
  /** Why this process killed the program: a time limit, the signal, or an error of `consume`; null: the program ended by itself. */
  readonly ended: { readonly by: 'clock' | 'cpu' | 'signal' } | { readonly by: 'consumer'; readonly error: unknown } | null;
  readonly output: OutputTail;
  /** Processor time of the program and all processes that it started, in seconds. */
  readonly cpuSeconds: number;
}

/**
 * Runs a program without a shell, in its own process group, which is killed when the program ends. Returns when the program, every process that has
 * its pipes open, and its sandbox have ended. Throws the system's error if the program cannot be started.
 */
export async function runProcess({
  command: [file = '', ...argv],
  cwd,
  env,
  seconds,
  cpuSeconds,
  signal,
  consume,
}: ProcessRequest): Promise<ProcessEnd> {
  const child = spawn(file, argv, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  const output = new OutputTail();
  let ended: ProcessEnd['ended'] = null;
  const end = (why: ProcessEnd['ended']) => {
    ended ??= why;
    killGroup(child);
  };
  const onAbort = () => end({ by: 'signal' });
  signal?.addEventListener('abort', onAbort);
  const clock = setTimeout(() => end({ by: 'clock' }), seconds * 1_000);
  const meter = new CpuMeter(child.pid, (used) => used > (cpuSeconds ?? Number.POSITIVE_INFINITY) && end({ by: 'cpu' }));
  const [, stdout, stderr, presence] = child.stdio as unknown as [null, Readable, Readable, Readable];
  stderr.on('data', (chunk: Buffer) => output.add(chunk));
  let sandbox = '';
  presence
    .on('error', () => {})
    .on('data', (chunk: Buffer) => {
      sandbox = `${sandbox}${chunk.toString()}`.slice(0, KEPT_CHARACTERS);
    });
  if (!consume) stdout.on('data', (chunk: Buffer) => output.add(chunk));
  const consumed = consume?.(stdout).catch((error: unknown) => end({ by: 'consumer', error }));
  try {
    const exit = await closed(child, [stdout, stderr, presence]);
    await consumed;
    await sandboxEnded(sandbox);
    return { exit, ended, output, cpuSeconds: meter.used };
  } finally {
    clearTimeout(clock);
    meter.stop();
    signal?.removeEventListener('abort', onAbort);
  }
}

async function closed(child: ChildProcess, pipes: readonly Readable[]): Promise<Exit> {
  let destroyTimer: NodeJS.Timeout | undefined;
  child.once('exit', () => {
    killGroup(child); // kills processes that the program left running
    destroyTimer = setTimeout(() => {
      for (const pipe of pipes) pipe.destroy();
    }, PROCESSES_END_WITHIN_MS);
  });
  try {
    return await new Promise<Exit>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ code, signal }));
    });
  } finally {
    clearTimeout(destroyTimer);
  }
}

/**
 * Waits for the end of the sandbox. bubblewrap exits before the first process of its sandbox; when that process has ended, the system has killed all
 * others.
 */
async function sandboxEnded(report: string): Promise<void> {
  const pid = /"child-pid": (\d+)/.exec(report)?.[1];
  const deadline = performance.now() + PROCESSES_END_WITHIN_MS;
  while (pid !== undefined && runs(pid) && performance.now() < deadline) await delay(PROCESS_POLL_MS);
}

/** Whether a process runs. A zombie does not: in a container without an init it may stay for ever. */
function runs(pid: string): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return; // it was never started
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // no process is left
  }
}
