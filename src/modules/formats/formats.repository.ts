import { Injectable } from '@nestjs/common';
import { In, IsNull, MoreThan } from 'typeorm';
import { Database } from '../../shared/database/index.js';
import { Format } from './format.entity.js';

/** What the column holds; PostgreSQL refuses to compare with more. */
const MAX_ID = 2_147_483_647;

/** Which formats: those behind `after`, of them only those of `id` and `mediaType` if these are given. */
export interface FormatPage {
  readonly id?: number;
  readonly mediaType?: string;
  readonly after: number;
  readonly limit: number;
}

/** Every query on formats. */
@Injectable()
export class FormatsRepository {
  constructor(private readonly database: Database) {}

  async findById(id: number): Promise<Format | null> {
    return Math.abs(id) > MAX_ID ? null : await this.repository.findOneBy({ id });
  }

  async findMany(ids: readonly number[]): Promise<Format[]> {
    return await this.repository.findBy({ id: In(ids.filter((id) => Math.abs(id) <= MAX_ID)) });
  }

  /** Held until the transaction ends, so that changes at the same time do not take each other back. Managed formats are nobody's to lock. */
  async lockForCustomer(customerId: number, id: number): Promise<Format | null> {
    if (Math.abs(id) > MAX_ID) return null;
    return await this.repository.findOne({ where: { id, customerId }, lock: { mode: 'pessimistic_write' } });
  }

  /** Everything that a customer sees: its own formats and the blueprints. */
  async listVisible(customerId: number, after = 0): Promise<Format[]> {
    const where = [
      { customerId, id: MoreThan(after) },
      { customerId: IsNull(), id: MoreThan(after) },
    ];
    return await this.repository.find({ where, order: { id: 'ASC' } });
  }

  async save(format: Partial<Format>): Promise<Format> {
    const { id } = await this.repository.save(this.repository.create(format));
    return await this.repository.findOneByOrFail({ id }); // with what the database filled in
  }

  async delete(id: number): Promise<void> {
    await this.repository.delete({ id });
  }

  private get repository() {
    return this.database.repository(Format);
  }
}
