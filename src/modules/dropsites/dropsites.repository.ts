import { Injectable } from '@nestjs/common';
import { IsNull, LessThanOrEqual, MoreThan } from 'typeorm';
import { LinkUsesRepository } from '../../shared/counting/index.js';
import { countUpTo, Database, type Portion } from '../../shared/database/index.js';
import { HousekeepingService } from '../../shared/jobs/index.js';
import { QuotasService } from '../../shared/quotas/index.js';
import { DELETED_LINKS_DAYS, type LinkState } from '../../shared/resources/index.js';
import { MAX_ID } from '../../shared/validation/index.js';
import type { DropsiteLinks } from '../library/index.js';
import { Dropsite } from './dropsite.entity.js';

/** A page of dropsites with an id above `after`; with `id` only that one. */
export interface DropsitePage extends Portion {
  readonly id?: number | null;
  /** Ended: past its expiry, which it is too if it was deleted. Default: active; with an id all that were not deleted. */
  readonly state?: LinkState;
}

/** Reads and writes dropsites. */
@Injectable()
export class DropsitesRepository implements DropsiteLinks {
  constructor(
    private readonly database: Database,
    quotas: QuotasService,
    uses: LinkUsesRepository,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('dropsites', `ended_at < $1::timestamptz - interval '${DELETED_LINKS_DAYS} days'`);
    quotas.countBy('dropsites', async (customerId, atMost) => await countUpTo(this.repository, { customerId, endedAt: IsNull() }, atMost));
    uses.register(
      'dropsite',
      (used) => `UPDATE dropsites AS dropsite SET last_used_at = greatest(dropsite.last_used_at, locked.hour)
        FROM (SELECT id, hour FROM ${used} JOIN dropsites USING (id) FOR NO KEY UPDATE OF dropsites SKIP LOCKED) AS locked
        WHERE dropsite.id = locked.id RETURNING dropsite.id`,
    );
  }

  /** Finds a dropsite by its link, even one that was deleted. */
  async findByLink(link: string): Promise<Dropsite | null> {
    return await this.repository.findOneBy({ link });
  }

  async findId(customerId: number, link: string): Promise<number | null> {
    return (await this.repository.findOneBy({ link, customerId }))?.id ?? null;
  }

  /** Finds a dropsite that was not deleted. */
  async findById(id: number): Promise<Dropsite | null> {
    return await this.repository.findOneBy({ id, endedAt: IsNull() });
  }

  /** Finds a dropsite that was not deleted. */
  async findForCustomer(customerId: number, id: number): Promise<Dropsite | null> {
    return await this.repository.findOneBy({ id, customerId, endedAt: IsNull() });
  }

  /** A dropsite of the customer, even one that was deleted, locked until the transaction ends, so that concurrent changes do not overwrite each other. */
  async lockForCustomer(customerId: number, id: number): Promise<Dropsite | null> {
    return await this.repository.findOne({ where: { id, customerId }, lock: { mode: 'pessimistic_write' } });
  }

  /** The oldest dropsite with this owner and name that was not deleted. */
  async findByName(ownerId: number, name: string): Promise<Dropsite | null> {
    return await this.repository.findOne({ where: { ownerId, name, endedAt: IsNull() }, order: { id: 'ASC' } });
  }

  /** A page of dropsites in the order of their ids. */
  async list(customerId: number, { id, after, limit, state }: DropsitePage, now: Date): Promise<Dropsite[]> {
    if (Math.max(after, id ?? 0) > MAX_ID || (id ?? MAX_ID) <= after) return [];
    const where = { customerId, id: id ?? MoreThan(after) };
    const states = {
      all: [{}],
      notDeleted: [{ endedAt: IsNull() }],
      ended: [{ expiresAt: LessThanOrEqual(now) }],
      active: [{ expiresAt: IsNull() }, { expiresAt: MoreThan(now) }],
    };
    return await this.repository.find({
      where: states[state ?? (id ? 'notDeleted' : 'active')].map((one) => ({ ...where, ...one })),
      order: { id: 'ASC' },
      take: limit,
    });
  }

  async save(dropsite: Partial<Dropsite>): Promise<Dropsite> {
    const { id } = await this.repository.save(this.repository.create(dropsite));
    return await this.repository.findOneByOrFail({ id }); // with the defaults of the database
  }

  /** Deletes a dropsite: it ends, and stays in lists of ended ones for a time. `expiresAt` too, because processes of version 1.0 do not know `endedAt`. */
  async delete({ id, expiresAt }: Dropsite, { at, by }: { readonly at: Date; readonly by: number }): Promise<void> {
    const ends = expiresAt && expiresAt < at ? expiresAt : at;
    await this.repository.update({ id }, { endedAt: at, endedBy: by, expiresAt: ends });
  }

  /** Counts a completed batch, in the transaction that completes it. `updatedAt` and `version` stay, because they are for changes by users. */
  async countUpload(id: number): Promise<void> {
    await this.repository.update(
      { id },
      { countUploads: () => 'count_uploads + 1', updatedAt: () => 'updated_at', version: () => 'version' },
    );
  }

  private get repository() {
    return this.database.repository(Dropsite);
  }
}
