import { Injectable } from '@nestjs/common';
import { IsNull, LessThanOrEqual, MoreThan } from 'typeorm';
import { LinkUsesService } from '../../shared/counting/index.js';
import { countUpTo, Database, type Portion } from '../../shared/database/index.js';
import type { LinkState } from '../../shared/http/index.js';
import { QuotasService } from '../../shared/quotas/index.js';
import { MAX_ID } from '../../shared/validation/index.js';
import { DropsiteLinks } from '../media/index.js';
import { Dropsite } from './dropsite.entity.js';

/** A page of dropsites with an id above `after`; with `id` only that one. */
export interface DropsitePage extends Portion {
  readonly id?: number | null;
  /** Ended: past its expiry. Default: active, or all with an id. */
  readonly state?: LinkState;
}

/** Reads and writes dropsites. */
@Injectable()
export class DropsitesRepository {
  constructor(
    private readonly database: Database,
    quotas: QuotasService,
    links: DropsiteLinks,
    uses: LinkUsesService,
  ) {
    links.register(async (customerId, link) => (await this.repository.findOneBy({ link, customerId }))?.id ?? null);
    quotas.countBy('dropsites', async (customerId, atMost) => await countUpTo(this.repository, { customerId }, atMost));
    uses.register(
      'dropsite',
      (used) => `UPDATE dropsites AS dropsite SET last_used_at = greatest(dropsite.last_used_at, locked.hour)
        FROM (SELECT id, hour FROM ${used} JOIN dropsites USING (id) FOR NO KEY UPDATE OF dropsites SKIP LOCKED) AS locked
        WHERE dropsite.id = locked.id RETURNING dropsite.id`,
    );
  }

  async findByLink(link: string): Promise<Dropsite | null> {
    return await this.repository.findOneBy({ link });
  }

  async findById(id: number): Promise<Dropsite | null> {
    return await this.repository.findOneBy({ id });
  }

  async findForCustomer(customerId: number, id: number): Promise<Dropsite | null> {
    return await this.repository.findOneBy({ id, customerId });
  }

  /** A dropsite of the customer, locked until the transaction ends, so that concurrent changes do not overwrite each other. */
  async lockForCustomer(customerId: number, id: number): Promise<Dropsite | null> {
    return await this.repository.findOne({ where: { id, customerId }, lock: { mode: 'pessimistic_write' } });
  }

  /** The oldest dropsite with this owner and name. */
  async findByName(ownerId: number, name: string): Promise<Dropsite | null> {
    return await this.repository.findOne({ where: { ownerId, name }, order: { id: 'ASC' } });
  }

  /** A page of dropsites in the order of their ids. */
  async list(customerId: number, { id, after, limit, state = id ? 'all' : 'active' }: DropsitePage, now: Date): Promise<Dropsite[]> {
    if (Math.max(after, id ?? 0) > MAX_ID || (id ?? MAX_ID) <= after) return [];
    const where = { customerId, id: id ?? MoreThan(after) };
    const states = {
      all: [{}],
      ended: [{ expiresAt: LessThanOrEqual(now) }],
      active: [{ expiresAt: IsNull() }, { expiresAt: MoreThan(now) }],
    };
    return await this.repository.find({ where: states[state].map((one) => ({ ...where, ...one })), order: { id: 'ASC' }, take: limit });
  }

  async save(dropsite: Partial<Dropsite>): Promise<Dropsite> {
    const { id } = await this.repository.save(this.repository.create(dropsite));
    return await this.repository.findOneByOrFail({ id }); // with the defaults of the database
  }

  async delete(id: number): Promise<void> {
    await this.repository.delete({ id });
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
