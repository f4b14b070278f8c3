import { Injectable } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import { countUpTo, Database } from '../../shared/database/index.js';
import { QuotasService } from '../../shared/quotas/index.js';
import { MAX_ID } from '../../shared/validation/index.js';
import { MEDIA_TYPES, type MediaType } from '../media/index.js';
import type { Blueprint } from './blueprints/blueprint.js';
import { FORMAT_DESTROYED, Format } from './format.entity.js';

/** Reads and writes the table of formats: those of customers, and the blueprints. */
@Injectable()
export class FormatsRepository {
  constructor(
    private readonly database: Database,
    quotas: QuotasService,
  ) {
    // Formats that are being destroyed do not count.
    quotas.countBy(
      'formats',
      async (customerId, atMost) => await countUpTo(this.repository, { customerId, destroyJobId: IsNull() }, atMost),
    );
  }

  /** Lists what a customer sees: its own formats and the blueprints. */
  async listVisible(customerId: number): Promise<Format[]> {
    const where = [{ customerId, destroyJobId: IsNull() }, { customerId: IsNull() }];
    return await this.repository.find({ where, order: { id: 'ASC' } });
  }

  /**
   * A text that is another one after each change of what a customer sees. `ctid` and `xmin` together identify the version of a row, even of a change that
   * is rolled back.
   */
  async stampVisible(customerId: number): Promise<string> {
    // Raw SQL: TypeORM knows no system columns.
    const sql = `SELECT md5(string_agg(concat_ws(' ', id, ctid, xmin), ',' ORDER BY id)) AS stamp
      FROM formats WHERE (customer_id = $1 AND destroy_job_id IS NULL) OR customer_id IS NULL`;
    return (await this.database.queryOne<{ stamp: string | null }>(sql, [customerId]))?.stamp ?? '';
  }

  /** Finds the ids of the blueprints of originals by media type. */
  async findOriginals(): Promise<Readonly<Record<MediaType, number>>> {
    const keys = new Map(MEDIA_TYPES.map((type) => [`original-${type}`, type]));
    const found = await this.repository.find({ select: { id: true, blueprintKey: true }, where: { blueprintKey: In([...keys.keys()]) } });
    return Object.fromEntries(found.map(({ id, blueprintKey }) => [keys.get(blueprintKey ?? ''), id])) as Record<MediaType, number>;
  }

  async save(format: Partial<Format>): Promise<Format> {
    const { id } = await this.repository.save(this.repository.create(format));
    return await this.repository.findOneByOrFail({ id }); // with the values that the database sets
  }

  async delete(id: number): Promise<void> {
    await this.repository.delete({ id });
  }

  /** Hides a format from its customer. Its row stays until its media items are gone. */
  async markForDestruction(id: number, destroyJobId: string): Promise<void> {
    await this.repository.update({ id }, { flag: FORMAT_DESTROYED, destroyJobId });
  }

  /** Locks a customer's format until the transaction ends, so that concurrent changes do not undo each other. Blueprints are not found. */
  async lockForCustomer(customerId: number, id: number): Promise<Format | null> {
    if (Math.abs(id) > MAX_ID) return null;
    return await this.repository.findOne({ where: { id, customerId }, lock: { mode: 'pessimistic_write' } });
  }

  /** Keeps formats from being destroyed until the transaction ends, and returns their ids; those with flag 1 only if in `flagged`. */
  async lockExisting(ids: readonly number[], flagged: readonly number[]): Promise<number[]> {
    // Raw SQL, because every upload runs it and a prepared statement is cheaper. Locks in the order of the ids, as destructions do.
    const { rows } = await this.database.query<{ id: number }>(
      `SELECT id FROM formats WHERE id = ANY($1::int[]) AND destroy_job_id IS NULL AND (flag = 0 OR id = ANY($2::int[]))
        ORDER BY id FOR KEY SHARE`,
      [ids, flagged],
    );
    return rows.map(({ id }) => id);
  }

  /** Locks the formats of customers until the transaction ends. Blueprints are not locked, because every upload refers to them. */
  async lockOwned(ids: readonly number[]): Promise<void> {
    const where = { id: In([...ids]), customerId: Not(IsNull()) };
    await this.repository.find({ select: { id: true }, where, order: { id: 'ASC' }, lock: { mode: 'pessimistic_write' } });
  }

  /** Finds softly destroyed formats of customers (flag 1), which wait for the removal of their media items. */
  async findSoftlyDestroyed(ids: readonly number[]): Promise<number[]> {
    const where = { id: In([...ids]), customerId: Not(IsNull()), flag: FORMAT_DESTROYED, destroyJobId: IsNull() };
    return (await this.repository.find({ select: { id: true }, where, order: { id: 'ASC' } })).map(({ id }) => id);
  }

  /** Stores the blueprints of this version. */
  async seed(blueprints: readonly Blueprint[]): Promise<void> {
    const values = [
      blueprints.map(({ key }) => key),
      blueprints.map(({ name }) => name),
      blueprints.map(({ converter }) => converter),
      blueprints.map(({ usage }) => usage),
      blueprints.map(({ settings }) => JSON.stringify(settings)),
    ];
    // Raw SQL, because one statement inserts new blueprints, updates changed ones, and does not write the others: a conflict would use up an
    // id, and the documents name those of a new installation.
    await this.database.query(
      `INSERT INTO formats AS stored (blueprint_key, name, converter, usage, settings)
        SELECT wanted.blueprint_key, wanted.name, wanted.converter, wanted.usage, wanted.settings
          FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::jsonb[]) WITH ORDINALITY
            AS wanted (blueprint_key, name, converter, usage, settings, position)
          WHERE NOT EXISTS (SELECT FROM formats AS same WHERE same.blueprint_key = wanted.blueprint_key AND
            (same.name, same.converter, same.usage, same.settings) = (wanted.name, wanted.converter, wanted.usage, wanted.settings))
          ORDER BY wanted.position
        ON CONFLICT (blueprint_key) DO UPDATE SET name = excluded.name, converter = excluded.converter, usage = excluded.usage,
          settings = excluded.settings, version = stored.version + 1, updated_at = now()`,
      values,
    );
  }

  private get repository() {
    return this.database.repository(Format);
  }
}
