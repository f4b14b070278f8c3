import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Config } from '../config/index.js';
import { Database } from '../database/index.js';
import { clockDifference, explainClock } from './clock-difference.js';
import { HealthChecksService } from './health-checks.service.js';

const MEBIBYTE = 1_048_576;
/** Disk space that is left for other programs: with less free space, no rendition is made. */
export const MIN_FREE_BYTES = 256 * MEBIBYTE;
/** The tolerance for SAML responses is 5 seconds, for signed requests 10. */
const MAX_CLOCK_DIFFERENCE_SECONDS = 5;

/** How long a full disk of PostgreSQL is reported after a failed statement, because the check itself writes nothing. */
const DATABASE_FULL_MS = 60_000;

/** Checks the disk and clock of this machine, and whether PostgreSQL has space on its disk. */
@Injectable()
export class MachineChecksService implements OnModuleInit {
  private databaseFullUntil = 0;

  constructor(
    private readonly checks: HealthChecksService,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.checks.register('disk', { maxAgeSeconds: 10, findProblem: async () => await this.findDiskProblem() });
    this.checks.register('clock', { maxAgeSeconds: 30, findProblem: async () => await this.findClockDifference() });
  }

  private async findDiskProblem(): Promise<string | null> {
    const now = this.clock.now().getTime();
    if (this.database.takeDiskFull()) this.databaseFullUntil = now + DATABASE_FULL_MS;
    if (now < this.databaseFullUntil) return 'The disk of PostgreSQL is full: changes fail with 503.';
    const problems = await Promise.all(this.folders().map(findFullDisk));
    return problems.find((problem) => problem !== null) ?? null;
  }

  /** The folders of the embedded parts; a worker checks its own disk. */
  private folders(): string[] {
    const dataDir = path.resolve(this.config.dataDir);
    return existsSync(dataDir) ? [dataDir] : [];
  }

  /** Compares PostgreSQL's time with the machine's own clock, because an injected clock is right by definition. */
  private async findClockDifference(): Promise<string | null> {
    const askedAt = Date.now();
    const answer = await this.database.probe();
    if (!answer?.now) return null; // the database is down, which is reported separately
    const difference = clockDifference(answer.now, { askedAt, answeredAt: Date.now() });
    return Math.abs(difference) > MAX_CLOCK_DIFFERENCE_SECONDS ? explainClock(difference) : null;
  }
}

/** Why a disk has too little space, as a sentence for the operator that does not change while the disk is full; null if it has enough. */
export async function findFullDisk(folder: string): Promise<string | null> {
  const { bavail, bsize, ffree, files } = await statfs(folder);
  if (bavail * bsize < MIN_FREE_BYTES) return `The disk of ${folder} is full: less than ${MIN_FREE_BYTES / MEBIBYTE} MiB are free.`;
  return files > 0 && ffree === 0 ? `The disk of ${folder} is full: it can contain no more files.` : null;
}
