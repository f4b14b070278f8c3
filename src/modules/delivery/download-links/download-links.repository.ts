import { Injectable } from '@nestjs/common';
import { IsNull, MoreThan } from 'typeorm';
import { LinkUsesRepository } from '../../../shared/counting/index.js';
import { countUpTo, Database, type Portion } from '../../../shared/database/index.js';
import { HousekeepingService } from '../../../shared/jobs/index.js';
import { QuotasService } from '../../../shared/quotas/index.js';
import { DELETED_LINKS_DAYS, type LinkState } from '../../../shared/resources/index.js';
import { MAX_ID } from '../../../shared/validation/index.js';
import { DownloadLink } from './download-link.entity.js';

/** Which download links to list: those with an id greater than `after`, or only the one with `id`. */
export interface DownloadLinkPage extends Portion {
  readonly id?: number | null;
  /** Default: active; with an id all that were not deleted. */
  readonly state?: LinkState;
}

/** Whether a link has ended: it is past its end, which it is too if it was deleted, or each of its containers is in the trash, removed or past its own (migration CountLinkUses). */
const HAS_ENDED = `(coalesce(link."end" <= :now, false) OR NOT EXISTS (
  SELECT FROM unnest(link.media_container_ids) AS container (id) WHERE NOT media_container_has_ended(container.id, :now)))`;

/** Reads and writes download links. */
@Injectable()
export class DownloadLinksRepository {
  constructor(
    private readonly database: Database,
    quotas: QuotasService,
    uses: LinkUsesRepository,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('download_links', `ended_at < $1::timestamptz - interval '${DELETED_LINKS_DAYS} days'`);
    quotas.countBy(
      'downloadLinks',
      async (customerId, atMost) => await countUpTo(this.repository, { customerId, endedAt: IsNull() }, atMost),
    );
    uses.register(
      'downloadLink',
      (used) => `UPDATE download_links AS link SET uses = link.uses + locked.uses, last_used_at = greatest(link.last_used_at, locked.hour)
        FROM (SELECT id, u.uses, hour FROM ${used} AS u JOIN download_links USING (id) FOR NO KEY UPDATE OF download_links SKIP LOCKED) AS locked
        WHERE link.id = locked.id RETURNING link.id`,
    );
  }

  /** Finds a link by its address, even one that was deleted. */
  async findByLink(link: string): Promise<DownloadLink | null> {
    return await this.repository.findOneBy({ link });
  }

  /** Finds a link that was not deleted. */
  async findForCustomer(customerId: number, id: number): Promise<DownloadLink | null> {
    return await this.repository.findOneBy({ id, customerId, endedAt: IsNull() });
  }

  /** A page of the customer's links, ordered by id. */
  async list(customerId: number, { id, after, limit, state }: DownloadLinkPage, now: Date): Promise<DownloadLink[]> {
    if (Math.max(after, id ?? 0) > MAX_ID || (id ?? MAX_ID) <= after) return [];
    const where = { customerId, id: id ?? MoreThan(after), ...(id && !state && { endedAt: IsNull() }) };
    const query = this.repository.createQueryBuilder('link').where(where).orderBy('link.id').take(limit);
    const wanted = state ?? (id ? 'all' : 'active');
    if (wanted !== 'all') query.andWhere(wanted === 'ended' ? HAS_ENDED : `NOT ${HAS_ENDED}`, { now });
    return await query.getMany();
  }

  async insert(link: Partial<DownloadLink>): Promise<DownloadLink> {
    return await this.repository.save(this.repository.create(link));
  }

  /**
   * Deletes a link: it ends, and stays in lists of ended links for a time. False: it does not exist. `end` too, because processes of version 1.0 do not
   * know `endedAt`.
   */
  async delete(customerId: number, id: number, { at, by }: { readonly at: Date; readonly by: number }): Promise<boolean> {
    const { affected } = await this.repository
      .createQueryBuilder()
      .update({ endedAt: at, endedBy: by, end: () => 'least("end", :at::timestamptz)' })
      .where({ id, customerId, endedAt: IsNull() })
      .setParameters({ at })
      .execute();
    return (affected ?? 0) > 0;
  }

  private get repository() {
    return this.database.repository(DownloadLink);
  }
}
