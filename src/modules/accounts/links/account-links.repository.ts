import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThanOrEqual, MoreThan, MoreThanOrEqual, type Repository } from 'typeorm';
import { Database } from '../../../shared/database/index.js';
import { HousekeepingService } from '../../../shared/jobs/index.js';
import { AccountLink, type LinkPurpose } from './account-link.entity.js';

/** Stores the links that are mailed to users. */
@Injectable()
export class AccountLinksRepository {
  constructor(
    private readonly database: Database,
    housekeeping: HousekeepingService,
  ) {
    // A day longer than they are valid, because recent links are counted to limit the mails to one person.
    housekeeping.expire('account_links', `expires_at < $1::timestamptz - interval '1 day'`);
  }

  async insert(link: Pick<AccountLink, 'tokenHash' | 'userId' | 'purpose' | 'expiresAt'> & Partial<AccountLink>): Promise<void> {
    await this.links.insert(link);
  }

  /** Finds a link that is still good at `now`. */
  async findOpen(tokenHash: string, now: Date): Promise<AccountLink | null> {
    return await this.links.findOneBy({ tokenHash, ...isOpen(now) });
  }

  /** Uses up a link; false if it was used in the meantime or has expired, so that of several concurrent uses one succeeds. */
  async markUsed(id: string, now: Date): Promise<boolean> {
    return (await this.links.update({ id, ...isOpen(now) }, { usedAt: now })).affected === 1;
  }

  /** Withdraws the links of a user that are still good. */
  async markWithdrawn(userId: number, purposes: readonly LinkPurpose[], now: Date): Promise<void> {
    await this.links.update({ userId, purpose: In([...purposes]), ...isOpen(now) }, { usedAt: now });
  }

  /** Withdraws all links of a user that are still good. */
  async markAllWithdrawn(userId: number, now: Date): Promise<void> {
    await this.links.update({ userId, ...isOpen(now) }, { usedAt: now });
  }

  /** Withdraws the links that are still good about changes at `since` or later. */
  async markNoticesWithdrawn(userId: number, since: Date, now: Date): Promise<void> {
    await this.links.update({ userId, purpose: 'not-me', createdAt: MoreThanOrEqual(since), ...isOpen(now) }, { usedAt: now });
  }

  /** Whether a notice was denied after `since`, only of changes until `ofChangesUntil` if it is given. */
  async existsDenial(
    userId: number,
    { since, ofChangesUntil }: { readonly since: Date; readonly ofChangesUntil: Date | null },
  ): Promise<boolean> {
    const changes = ofChangesUntil === null ? {} : { createdAt: LessThanOrEqual(ofChangesUntil) };
    return await this.links.existsBy({ userId, purpose: 'not-me', usedAt: MoreThan(since), ...changes });
  }

  async deleteByToken(tokenHash: string): Promise<void> {
    await this.links.delete({ tokenHash });
  }

  async countSince(userId: number, purpose: LinkPurpose, since: Date): Promise<number> {
    return await this.links.countBy({ userId, purpose, createdAt: MoreThan(since) });
  }

  private get links(): Repository<AccountLink> {
    return this.database.repository(AccountLink);
  }
}

const isOpen = (now: Date) => ({ usedAt: IsNull(), expiresAt: MoreThan(now) });
