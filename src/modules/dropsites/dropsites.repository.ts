import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { countUpTo, Database, type Portion } from '../../shared/database/index.js';
import { QuotasService } from '../../shared/quotas/index.js';
import { MAX_ID } from '../../shared/validation/index.js';
import { DropsiteLinks } from '../media/index.js';
import { Dropsite } from './dropsite.entity.js';

/** A page of dropsites with an id above `after`; with `id` only that one. */
export interface DropsitePage extends Portion {
  readonly id?: number | null;
}

/** Reads and writes dropsites. */
@Injectable()
export class DropsitesRepository {
  constructor(
    private readonly database: Database,
    quotas: QuotasService,
    links: DropsiteLinks,
  ) {
    links.register(async (customerId, link) => (await this.repository.findOneBy({ link, customerId }))?.id ?? null);
    quotas.countBy('dropsites', async (customerId, atMost) => await countUpTo(this.repository, { customerId }, atMost));
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
  async list(customerId: number, { id, after, limit }: DropsitePage): Promise<Dropsite[]> {
    if (Math.max(after, id ?? 0) > MAX_ID || (id ?? MAX_ID) <= after) return [];
    return await this.repository.find({ where: { customerId, id: id ?? MoreThan(after) }, order: { id: 'ASC' }, take: limit });
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
