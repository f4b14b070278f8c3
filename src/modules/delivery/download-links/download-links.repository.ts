import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { Database } from '../../../shared/database/index.js';
import { Quotas } from '../../../shared/quotas/index.js';
import { DownloadLink } from './download-link.entity.js';

/** What the column holds; PostgreSQL refuses to compare with more. */
const MAX_ID = 2_147_483_647;

/** Which download links: those behind `after`, of them only `id` if it is given. */
export interface DownloadLinkPage {
  readonly id?: number | null;
  readonly after: number;
  readonly limit: number;
}

const COUNT = `SELECT count(*)::int AS count FROM (SELECT FROM download_links WHERE customer_id = $1 LIMIT $2) AS counted`;

/** Every query on download links. */
@Injectable()
export class DownloadLinksRepository {
  constructor(
    private readonly database: Database,
    quotas: Quotas,
  ) {
    quotas.countBy('downloadLinks', async (customerId, atMost) => await this.count(customerId, atMost));
  }

  /** Counted up to `atMost`. */
  private async count(customerId: number, atMost: number): Promise<number> {
    return (await this.database.queryOne<{ count: number }>(COUNT, [customerId, atMost]))?.count ?? 0;
  }

  async findByLink(link: string): Promise<DownloadLink | null> {
    return await this.repository.findOneBy({ link });
  }

  async findForCustomer(customerId: number, id: number): Promise<DownloadLink | null> {
    return await this.repository.findOneBy({ id, customerId });
  }

  /** A page in the order of their ids. */
  async list(customerId: number, { id, after, limit }: DownloadLinkPage): Promise<DownloadLink[]> {
    if (Math.max(after, id ?? 0) > MAX_ID || (id ?? MAX_ID) <= after) return [];
    return await this.repository.find({ where: { customerId, id: id ?? MoreThan(after) }, order: { id: 'ASC' }, take: limit });
  }

  async insert(link: Partial<DownloadLink>): Promise<DownloadLink> {
    return await this.repository.save(this.repository.create(link));
  }

  /** False when there is none. */
  async delete(customerId: number, id: number): Promise<boolean> {
    return ((await this.repository.delete({ id, customerId })).affected ?? 0) > 0;
  }

  private get repository() {
    return this.database.repository(DownloadLink);
  }
}
