import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { lstat, mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { findFullDisk } from '../../../shared/health/machine-checks.service.js';
import { Log } from '../../../shared/logging/index.js';
import { isStillRunning, processStartTime } from '../../../shared/process-start-time.js';

/**
 * Identifies a process. Its number alone does not: numbers are reused, and machines and containers that share a folder count separately.
 * If the system does not provide them, the namespace is 0 and the time is unknown.
 */
export interface ProcessMark {
  /** The process namespace of the number. */
  readonly namespace: string;
  readonly pid: number;
  /** The start time of the process, as processStartTime returns it. */
  readonly startedAt: string;
}

/** The mark of this process. */
export const ownMark = (): ProcessMark => ({
  namespace: readNamespace(),
  pid: process.pid,
  startedAt: processStartTime(process.pid) ?? 'unknown',
});

/** As part of a file name. */
export const writeMark = ({ namespace, pid, startedAt }: ProcessMark): string => `${namespace}-${pid}-${startedAt}`;

/** Reads the mark at the start of a file name; null when the name has no mark. */
function readMark(name: string): ProcessMark | null {
  const [, namespace, pid, startedAt] = /^(\d+)-(\d+)-(\d+|unknown)-/.exec(name) ?? [];
  return namespace === undefined || startedAt === undefined ? null : { namespace, pid: Number(pid), startedAt };
}

/** Whether a process of this process's namespace still runs. */
const isAlive = ({ pid, startedAt }: ProcessMark): boolean => isStillRunning(pid, startedAt);

function readNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0'; // not Linux
  }
}

/** Whether processes of other machines and containers run cannot be seen; a running one touches its folders every minute. */
const ABANDONED_AFTER_MS = 3_600_000;

/** Bytes that are written as a trial, enough to detect a full disk. */
const TRIAL_BYTES = 65_536;

/** The folders that all instances of the class in this process use. */
const inUse = new Set<string>();

/**
 * The folders in which transcodings are worked on, below the system's temporary folder, readable only by this user. A folder's name contains
 * the process that made it, so that folders of dead processes can be found.
 */
@Injectable()
export class WorkFoldersService {
  private readonly parent = path.join(tmpdir(), `media-delivery-work-${process.getuid?.() ?? 'user'}`);
  private readonly mark = ownMark();

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Runs the work in a new folder, which is removed afterwards in any case. */
  async using<T>(work: (folder: string) => Promise<T>): Promise<T> {
    await this.open();
    const folder = path.join(this.parent, `${writeMark(this.mark)}-${randomUUID()}`);
    inUse.add(folder);
    try {
      await mkdir(folder, { mode: 0o700 });
      return await work(folder);
    } finally {
      await this.remove(folder);
      inUse.delete(folder);
    }
  }

  /** Why folders cannot be created and written here, as a sentence for the operator; null: they can. */
  async findProblem(): Promise<string | null> {
    try {
      await this.using(async (folder) => await writeFile(path.join(folder, 'trial'), Buffer.alloc(TRIAL_BYTES)));
      return await findFullDisk(path.dirname(this.parent));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = code === undefined ? message : `It cannot be written (${code}).`; // the system's message names a different folder each time
      return `The temporary folder ${path.dirname(this.parent)} cannot be used. ${reason} Mount a writable folder there, or set TMPDIR to one.`;
    }
  }

  /** Removes the folders of processes that died, and shows others that the folders of this one are in use. */
  async removeAbandoned(): Promise<void> {
    await this.open();
    for (const name of await readdir(this.parent)) {
      const folder = path.join(this.parent, name);
      if (inUse.has(folder)) await this.touch(folder);
      else if (await this.isAbandoned(name, folder)) await this.remove(folder);
    }
  }

  /** Refuses a folder that another user made. */
  private async open(): Promise<void> {
    await mkdir(this.parent, { mode: 0o700, recursive: true });
    const found = await lstat(this.parent);
    const isOurs = found.isDirectory() && (process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0));
    if (!isOurs) throw new Error(`${this.parent} is not a folder that only this user can read: remove it.`);
  }

  private async isAbandoned(name: string, folder: string): Promise<boolean> {
    const mark = readMark(name);
    if (mark === null) return false;
    if (mark.namespace === this.mark.namespace) return writeMark(mark) !== writeMark(this.mark) ? !isAlive(mark) : !inUse.has(folder);
    const found = await lstat(folder).catch(() => null); // another process may remove it at the same time
    return found !== null && found.mtimeMs < this.clock.now().getTime() - ABANDONED_AFTER_MS;
  }

  private async touch(folder: string): Promise<void> {
    const now = this.clock.now();
    await utimes(folder, now, now).catch(() => {}); // it may just have been removed
  }

  private async remove(folder: string): Promise<void> {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch((err: unknown) => {
      this.log.warn({ err }, 'cannot remove the folder of a transcoding; trying again within a minute');
    });
  }
}
