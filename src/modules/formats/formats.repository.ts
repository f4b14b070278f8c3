import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../shared/database/index.js';
import { Quotas } from '../../shared/quotas/index.js';
import { MAX_ID } from '../../shared/validation/index.js';
import { Format } from './format.entity.js';

const MARK = `UPDATE formats SET flag = 1, destroy_job_id = $2 WHERE id = $1`;

/** In the order of their ids, in which destructions lock them too. */
const KEEP = `SELECT id FROM formats WHERE id = ANY($1::int[]) AND destroy_job_id IS NULL AND (flag = 0 OR id = ANY($2::int[]))
  ORDER BY id FOR KEY SHARE`;

const LOCK_OWNED = `SELECT id FROM formats WHERE id = ANY($1::int[]) AND customer_id IS NOT NULL ORDER BY id FOR UPDATE`;

const FIND_UNUSED = `SELECT id, customer_id AS "customerId" FROM formats
  WHERE id = ANY($1::int[]) AND customer_id IS NOT NULL AND flag = 1 AND destroy_job_id IS NULL
    AND NOT EXISTS (SELECT FROM media_items WHERE media_items.format_id = formats.id) ORDER BY id`;

const COUNT = `SELECT count(*)::int AS count FROM (SELECT FROM formats WHERE customer_id = $1 AND destroy_job_id IS NULL LIMIT $2) AS counted`;

/** Every query on formats. */
@Injectable()
export class FormatsRepository {
  constructor(
    private readonly database: Database,
    quotas: Quotas,
  ) {
    quotas.countBy('formats', async (customerId, atMost) => await this.count(customerId, atMost));
  }

  /** Held until the transaction ends, so that changes at the same time do not take each other back. Managed formats are nobody's to lock. */
  async lockForCustomer(customerId: number, id: number): Promise<Format | null> {
    if (Math.abs(id) > MAX_ID) return null;
    return await this.repository.findOne({ where: { id, customerId }, lock: { mode: 'pessimistic_write' } });
  }

  /** The customer's own that are not being destroyed; counted up to `atMost`. */
  private async count(customerId: number, atMost: number): Promise<number> {
    return (await this.database.queryOne<{ count: number }>(COUNT, [customerId, atMost]))?.count ?? 0;
  }

  /** Everything that a customer sees: its own formats and the blueprints. */
  async listVisible(customerId: number): Promise<Format[]> {
    const where = [{ customerId, destroyJobId: IsNull() }, { customerId: IsNull() }];
    return await this.repository.find({ where, order: { id: 'ASC' } });
  }

  async save(format: Partial<Format>): Promise<Format> {
    const { id } = await this.repository.save(this.repository.create(format));
    return await this.repository.findOneByOrFail({ id }); // with what the database filled in
  }

  async delete(id: number): Promise<void> {
    await this.repository.delete({ id });
  }

  /** It is not found any more, although its row has to stay until its media items are gone. */
  async markForDestruction(id: number, jobId: string): Promise<void> {
    await this.database.query(MARK, [id, jobId]);
  }

  /** Locks formats until the transaction ends and answers their ids; of those with flag 1 only the ones in `flagged`. */
  async keep(ids: readonly number[], flagged: readonly number[]): Promise<number[]> {
    return (await this.database.query<{ id: number }>(KEEP, [ids, flagged])).rows.map(({ id }) => id);
  }

  /** Holds those that belong to customers until the transaction ends. Blueprints stay free: uploads refer to them all the time. */
  async lockOwned(ids: readonly number[]): Promise<void> {
    await this.database.query(LOCK_OWNED, [ids]);
  }

  /** Those that were destroyed softly and have no media items left. */
  async findUnused(ids: readonly number[]): Promise<{ id: number; customerId: number }[]> {
    return (await this.database.query<{ id: number; customerId: number }>(FIND_UNUSED, [ids])).rows;
  }

  private get repository() {
    return this.database.repository(Format);
  }
}
