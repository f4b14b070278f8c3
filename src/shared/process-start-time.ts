import { readFileSync } from 'node:fs';

/** The start time of every living process on a system without /proc. */
const UNKNOWN = 'unknown';

/**
 * The start time of a living process, in clock ticks since boot, as text; null if it has ended. A pid alone does not identify a process,
 * because pids are reused (in a container after every restart). A zombie counts as ended, because a container may lack a process that reaps it.
 */
export function processStartTime(pid: number): string | null {
  if (!exists(pid)) return null;
  // "pid (name) state ppid …": the name may contain spaces and parentheses. Fields 3 and 22 are the state and the start time, see proc(5).
  const fields = readProc(pid, 'stat')
    ?.replace(/^.*\) /s, '')
    .split(' ');
  if (fields === undefined) return UNKNOWN;
  return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? UNKNOWN);
}

/** Whether the process with this pid and start time is still running; without /proc, any living process with the pid counts. */
export function isStillRunning(pid: number, startTime: string): boolean {
  const current = processStartTime(pid);
  return current !== null && (current === startTime || current === UNKNOWN);
}

/** The program name of a living process, for example `postgres`; null if the system does not provide it. */
export function processName(pid: number): string | null {
  return readProc(pid, 'comm')?.trim() ?? null;
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // it exists but belongs to another user
  }
}

function readProc(pid: number, file: 'stat' | 'comm'): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null; // no /proc, a hidden process, or one that has just ended
  }
}
