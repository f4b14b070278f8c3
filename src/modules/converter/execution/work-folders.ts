import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { Log } from '../../../shared/logging/index.js';
import { Clock } from '../../../shared/time/index.js';
import { lives, ownMark, readMark, writeMark } from './process-mark.js';

/** Whether a process of another machine or container lives cannot be seen; one that does touches its folders every minute. */
const FORSAKEN_AFTER_MS = 3_600_000;

/** Enough to notice a full disk. */
const TRIAL_BYTES = 65_536;

/** Folders of this process that are in use, whoever made them. */
const inUse = new Set<string>();

/**
 * The folders in which jobs are worked on, below the system's temporary folder, where only this user sees them. A folder's name tells the
 * process that made it, so that what a dead one left is known.
 */
@Injectable()
export class WorkFolders {
  private readonly parent = path.join(tmpdir(), `media-delivery-work-${process.getuid?.() ?? 'user'}`);
  private readonly mark = ownMark();

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Runs the work in a new folder of its own, which is gone afterwards, whatever happens. */
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

  /** Why no job can be worked on here, as a sentence for the operator; null: folders can be made and written. */
  async findProblem(): Promise<string | null> {
    try {
      await this.using(async (folder) => await writeFile(path.join(folder, 'trial'), Buffer.alloc(TRIAL_BYTES)));
      return null;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = code === undefined ? message : `It cannot be written (${code}).`; // the message of the system names another folder each time
      return `The temporary folder ${path.dirname(this.parent)} cannot be used. ${reason} Mount one there that can be written, or name one in TMPDIR.`;
    }
  }

  /** Removes what processes of this machine left behind when they died, and shows others that the folders of this one are in use. */
  async sweep(): Promise<void> {
    await this.open();
    for (const name of await readdir(this.parent)) {
      const folder = path.join(this.parent, name);
      if (inUse.has(folder)) await this.touch(folder);
      else if (await this.isForsaken(name, folder)) await this.remove(folder);
    }
  }

  /** Refuses a folder that somebody else put there. */
  private async open(): Promise<void> {
    await mkdir(this.parent, { mode: 0o700, recursive: true });
    const found = await lstat(this.parent);
    const isOurs = found.isDirectory() && (process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0));
    if (!isOurs) throw new Error(`${this.parent} is no folder that only this user sees: remove it.`);
  }

  private async isForsaken(name: string, folder: string): Promise<boolean> {
    const mark = readMark(name);
    if (mark === null) return false;
    if (mark.namespace === this.mark.namespace) return writeMark(mark) !== writeMark(this.mark) ? !lives(mark) : !inUse.has(folder);
    const found = await lstat(folder).catch(() => null); // somebody else may sweep, too
    return found !== null && found.mtimeMs < this.clock.now().getTime() - FORSAKEN_AFTER_MS;
  }

  private async touch(folder: string): Promise<void> {
    const now = this.clock.now();
    await utimes(folder, now, now).catch(() => {}); // it may just have been removed
  }

  private async remove(folder: string): Promise<void> {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch((err: unknown) => {
      this.log.warn({ err }, 'cannot remove the folder of a job; tried again within a minute');
    });
  }
}
