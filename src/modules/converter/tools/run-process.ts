import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Exit } from './explain-exit.js';
import { LastWords } from './last-words.js';

/** So long after the end of a program what it started may still hold its pipes, when nothing can reach it. */
const PIPES_CLOSE_WITHIN_MS = 5_000;

export interface ProcessRequest {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Time by the clock. */
  readonly seconds: number;
  /** Ends it. */
  readonly signal?: AbortSignal;
  /** Takes its standard output; ends it by throwing. Without, that is among the last words. */
  readonly consume?: (stdout: Readable) => Promise<void>;
}

export interface ProcessEnd {
  readonly exit: Exit;
  /** Why it was ended here: its time, the signal, what `consume` threw; null: it ended by itself. */
  readonly ended: { readonly by: 'clock' | 'signal' } | { readonly by: 'consumer'; readonly error: unknown } | null;
  readonly words: LastWords;
}

/**
 * Runs a program without a shell, in a process group of its own, which ends with it. Answers when the program and whoever holds its pipes
 * are gone. Throws what the system says when it cannot be started.
 */
export async function runProcess({
  command: [file = '', ...argv],
  cwd,
  env,
  seconds,
  signal,
  consume,
}: ProcessRequest): Promise<ProcessEnd> {
  // Nobody reads or writes the fourth pipe: it closes when the last process that was started from here is gone.
  const child = spawn(file, argv, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  const words = new LastWords();
  let ended: ProcessEnd['ended'] = null;
  const end = (why: ProcessEnd['ended']) => {
    ended ??= why;
    killGroup(child);
  };
  const onAbort = () => end({ by: 'signal' });
  signal?.addEventListener('abort', onAbort);
  const clock = setTimeout(() => end({ by: 'clock' }), seconds * 1_000);
  const [, stdout, stderr, presence] = child.stdio as unknown as [null, Readable, Readable, Readable];
  stderr.on('data', (chunk: Buffer) => words.add(chunk));
  presence.on('error', () => {}).resume();
  if (!consume) stdout.on('data', (chunk: Buffer) => words.add(chunk));
  const consumed = consume?.(stdout).catch((error: unknown) => end({ by: 'consumer', error }));
  try {
    const exit = await closed(child, [stdout, stderr, presence]);
    await consumed;
    return { exit, ended, words };
  } finally {
    clearTimeout(clock);
    signal?.removeEventListener('abort', onAbort);
  }
}

async function closed(child: ChildProcess, pipes: readonly Readable[]): Promise<Exit> {
  let patience: NodeJS.Timeout | undefined;
  child.once('exit', () => {
    killGroup(child); // what it left behind
    patience = setTimeout(() => {
      for (const pipe of pipes) pipe.destroy();
    }, PIPES_CLOSE_WITHIN_MS);
  });
  try {
    return await new Promise<Exit>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ code, signal }));
    });
  } finally {
    clearTimeout(patience);
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return; // it was never started
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // nobody is left
  }
}
