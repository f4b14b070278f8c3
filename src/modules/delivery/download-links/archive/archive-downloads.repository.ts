import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { Clock } from '../../../../shared/clock.js';
import { Database } from '../../../../shared/database/index.js';
import { HousekeepingService } from '../../../../shared/jobs/index.js';
import { ArchiveDownload } from './archive-download.entity.js';

/** Archives that are sent to one address at a time (contract section 13.5): each reads ahead, and a download manager needs no more. */
export const MAX_OF_ADDRESS = 4;
/** How long a download counts if the process that sends it was killed; a running one is renewed sooner. */
const EXPIRES_MS = 60_000;
export const RENEW_MS = 20_000;

/** Counts the archives that are being sent, across all processes. */
@Injectable()
export class ArchiveDownloadsRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('archive_downloads', 'expires_at < $1');
  }

  /** Counts a new download and returns its id; null: the address has as many as it may have. */
  async start(address: string): Promise<number | null> {
    return await this.database.transaction(async () => {
      await this.database.lock(`archive downloads ${address}`); // requests count one after another
      const current = await this.repository.countBy({ address, expiresAt: MoreThan(this.clock.now()) });
      if (current >= MAX_OF_ADDRESS) return null;
      return (await this.repository.save(this.repository.create({ address, expiresAt: this.nextExpiry() }))).id;
    });
  }

  async renew(id: number): Promise<void> {
    await this.repository.update({ id }, { expiresAt: this.nextExpiry() });
  }

  /** Ends a download, which counts for some more time, so that many small ones take as long as a large one. */
  async end(id: number, countsForMs: number): Promise<void> {
    if (countsForMs <= 0) await this.repository.delete({ id });
    else await this.repository.update({ id }, { expiresAt: new Date(this.clock.now().getTime() + countsForMs) });
  }

  private nextExpiry(): Date {
    return new Date(this.clock.now().getTime() + EXPIRES_MS);
  }

  private get repository() {
    return this.database.repository(ArchiveDownload);
  }
}
