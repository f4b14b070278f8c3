import { readFileSync } from 'node:fs';

/** Where a system has no /proc, a living process has this start time. */
const UNKNOWN = 'unknown';

/**
 * When a living process started, in clock ticks since boot, as text; null when it is gone. A pid alone does not name a
 * process, because pids come again (in a container after every restart). A zombie counts as gone, because a container may have no process that reaps it.
 */
export function processStartTime(pid: number): string | null {
  if (!exists(pid)) return null;
  // "pid (name) state ppid …": the name may hold blanks and parentheses. Fields 3 and 22 are the state and the start time, see proc(5).
  const fields = readProc(pid, 'stat')
    ?.replace(/^.*\) /s, '')
    .split(' ');
  if (fields === undefined) return UNKNOWN;
  return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? UNKNOWN);
}

/** Whether the process that had this pid and start time still runs; in doubt (no /proc) a living pid is taken for it. */
export function isStillRunning(pid: number, startTime: string): boolean {
  const current = processStartTime(pid);
  return current !== null && (current === startTime || current === UNKNOWN);
}

/** The name of a living process's program, for example `postgres`; null when the system does not tell. */
export function processName(pid: number): string | null {
  return readProc(pid, 'comm')?.trim() ?? null;
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // there, but another user's
  }
}

function readProc(pid: number, file: 'stat' | 'comm'): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null; // no /proc, a hidden process, or one that ended just now
  }
}
