import { readFileSync, readlinkSync } from 'node:fs';

/**
 * A process as its number alone does not tell it: numbers come again, and machines and containers that share a folder count each for
 * itself. Where the system does not tell, namespace and time are 0.
 */
export interface ProcessMark {
  /** Of the process namespace in which the number counts. */
  readonly namespace: string;
  readonly pid: number;
  /** When it began, in ticks since the machine did. */
  readonly startedAt: string;
}

export const ownMark = (): ProcessMark => ({ namespace: readNamespace(), pid: process.pid, startedAt: readStart(process.pid) ?? '0' });

/** As part of a file's name. */
export const writeMark = ({ namespace, pid, startedAt }: ProcessMark): string => `${namespace}-${pid}-${startedAt}`;

/** Of a name that begins with one and goes on with a dash; null: none that is. */
export function readMark(name: string): ProcessMark | null {
  const [, namespace, pid, startedAt] = /^(\d+)-(\d+)-(\d+)-/.exec(name) ?? [];
  return namespace === undefined || startedAt === undefined ? null : { namespace, pid: Number(pid), startedAt };
}

/** Whether a process of the own namespace goes on. */
export function lives({ pid, startedAt }: ProcessMark): boolean {
  if (startedAt !== '0') return readStart(pid) === startedAt;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function readNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0'; // not Linux
  }
}

/** Field 22 of proc(5); the name before it may hold anything, but ends with the last bracket. Null: no such process. */
export function readStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? null : (rest[18] ?? null);
  } catch {
    return null;
  }
}
