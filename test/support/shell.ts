import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Block } from './documents/document.js';

export interface Terminal {
  readonly cwd: string;
  /** All of the environment; nothing of this process's own gets in. */
  readonly env: Readonly<Record<string, string>>;
}

/** Commands under way in a bash of their own. */
export interface Running {
  readonly child: ChildProcess;
  stdout: string;
  stderr: string;
  /** Whether all processes that print have ended. */
  isOver: boolean;
  /** The exit code, null after a signal. */
  readonly ended: Promise<number | null>;
}

/** Starts commands; the first that fails ends them (set -e). They are a process group of their own, as a terminal makes one. */
export function startCommands(commands: string, { cwd, env }: Terminal): Running {
  const child = spawn('bash', ['-c', `set -e -o pipefail\n${commands}`], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const ended = once(child, 'close').then(([code]) => {
    running.isOver = true;
    return code as number | null;
  });
  const running: Running = { child, stdout: '', stderr: '', isOver: false, ended };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    running.stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    running.stderr += chunk;
  });
  return running;
}

/** A signal to all processes of the group, as Ctrl-C sends it; resolves when they have ended. */
export async function interrupt({ child, isOver, ended }: Running, signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
  if (child.pid !== undefined && !isOver) process.kill(-child.pid, signal);
  await ended;
}

const MARK = '\u0001'; // no command prints it

/** Starts the blocks of a document one after the other in one shell, so that variables live on as in a terminal. */
export function startBlocks(blocks: readonly Block[], terminal: Terminal): Running {
  // Each in a file of its own and not on stdin, which the commands might read.
  const lines = blocks.map(({ commands }, index) => {
    const file = path.join(terminal.cwd, `block-${index}.sh`);
    writeFileSync(file, commands);
    return `. '${file}'; printf '${MARK}'`;
  });
  return startCommands(lines.join('\n'), terminal);
}

/** What each block printed to stdout so far; a block that did not come to its end is missing. */
export const printedByBlock = ({ stdout }: Running): string[] => stdout.split(MARK).slice(0, -1);
