import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { countUpTo, Database, type Portion } from '../../../shared/database/index.js';
import { QuotasService } from '../../../shared/quotas/index.js';
import { MAX_ID } from '../../../shared/validation/index.js';
import { DownloadLink } from './download-link.entity.js';

/** Which download links to list: those with an id greater than `after`, or only the one with `id`. */
export interface DownloadLinkPage extends Portion {
  readonly id?: number | null;
}

/** Reads and writes download links. */
@Injectable()
export class DownloadLinksRepository {
  constructor(
    private readonly database: Database,
    quotas: QuotasService,
  ) {
    quotas.countBy('downloadLinks', async (customerId, atMost) => await countUpTo(this.repository, { customerId }, atMost));
  }

  async findByLink(link: string): Promise<DownloadLink | null> {
    return await this.repository.findOneBy({ link });
  }

  async findForCustomer(customerId: number, id: number): Promise<DownloadLink | null> {
    return await this.repository.findOneBy({ id, customerId });
  }

  /** A page of the customer's links, ordered by id. */
  async list(customerId: number, { id, after, limit }: DownloadLinkPage): Promise<DownloadLink[]> {
    if (Math.max(after, id ?? 0) > MAX_ID || (id ?? MAX_ID) <= after) return [];
    return await this.repository.find({ where: { customerId, id: id ?? MoreThan(after) }, order: { id: 'ASC' }, take: limit });
  }

  async insert(link: Partial<DownloadLink>): Promise<DownloadLink> {
    return await this.repository.save(this.repository.create(link));
  }

  /** Deletes a link; false: it does not exist. */
  async delete(customerId: number, id: number): Promise<boolean> {
    return ((await this.repository.delete({ id, customerId })).affected ?? 0) > 0;
  }

  private get repository() {
    return this.database.repository(DownloadLink);
  }
}
