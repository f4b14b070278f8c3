import { readlinkSync } from 'node:fs';
import { isStillRunning, processStartTime } from '../../../shared/processes/index.js';

/**
 * A process as its number alone does not tell it: numbers come again, and machines and containers that share a folder count each for
 * itself. Where the system does not tell, the namespace is 0 and the time is unknown.
 */
export interface ProcessMark {
  /** Of the process namespace in which the number counts. */
  readonly namespace: string;
  readonly pid: number;
  /** As processStartTime says it. */
  readonly startedAt: string;
}

export const ownMark = (): ProcessMark => ({
  namespace: readNamespace(),
  pid: process.pid,
  startedAt: processStartTime(process.pid) ?? 'unknown',
});

/** As part of a file's name. */
export const writeMark = ({ namespace, pid, startedAt }: ProcessMark): string => `${namespace}-${pid}-${startedAt}`;

/** Of a name that begins with one and goes on with a dash; null: none that is. */
export function readMark(name: string): ProcessMark | null {
  const [, namespace, pid, startedAt] = /^(\d+)-(\d+)-(\d+|unknown)-/.exec(name) ?? [];
  return namespace === undefined || startedAt === undefined ? null : { namespace, pid: Number(pid), startedAt };
}

/** Whether a process of the own namespace goes on. */
export const lives = ({ pid, startedAt }: ProcessMark): boolean => isStillRunning(pid, startedAt);

function readNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0'; // not Linux
  }
}
