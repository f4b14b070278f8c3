import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../shared/database/index.js';
import { MAX_ID } from '../../shared/validation/index.js';
import { Format } from './format.entity.js';

const MARK = `UPDATE formats SET flag = 1, destroy_job_id = $2 WHERE id = $1`;

const UNUSED = `flag = 1 AND destroy_job_id IS NULL AND id = ANY($1::int[])
  AND NOT EXISTS (SELECT FROM media_items WHERE media_items.format_id = formats.id)`;

const CUSTOMERS_WITH_DESTROYED = `SELECT DISTINCT customer_id AS "customerId" FROM formats WHERE ${UNUSED}`;

const LOCK_DESTROYED = `SELECT id FROM formats WHERE ${UNUSED} AND customer_id = $2 ORDER BY id FOR UPDATE`;

/** Every query on formats. */
@Injectable()
export class FormatsRepository {
  constructor(private readonly database: Database) {}

  /** Held until the transaction ends, so that changes at the same time do not take each other back. Managed formats are nobody's to lock. */
  async lockForCustomer(customerId: number, id: number): Promise<Format | null> {
    if (Math.abs(id) > MAX_ID) return null;
    return await this.repository.findOne({ where: { id, customerId }, lock: { mode: 'pessimistic_write' } });
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

  /** Whose formats of these were destroyed softly and have no media items left. */
  async customersWithDestroyed(ids: readonly number[]): Promise<number[]> {
    return (await this.database.query<{ customerId: number }>(CUSTOMERS_WITH_DESTROYED, [ids])).rows.map(({ customerId }) => customerId);
  }

  /** Deletes those of one customer; answers their ids. */
  async deleteDestroyed(customerId: number, ids: readonly number[]): Promise<number[]> {
    const { rows } = await this.database.query<{ id: number }>(LOCK_DESTROYED, [ids, customerId]);
    for (const { id } of rows) await this.delete(id);
    return rows.map(({ id }) => id);
  }

  private get repository() {
    return this.database.repository(Format);
  }
}
