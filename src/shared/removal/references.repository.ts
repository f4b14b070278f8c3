import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';
import {
  countOfCustomer,
  countReferring,
  deleteOfCustomer,
  deleteReferring,
  transferReferring,
  WITHOUT_TIME_LIMIT,
} from './removal.queries.js';
import { type Reference, referencesTo, type StoredTable, storedTables, tablesOfCustomers } from './stored-tables.js';

/** The number of rows, by `table.column` or by table; entries without rows are omitted. */
export type RowCounts = Readonly<Record<string, number>>;

/** Rows that reference a row: those deleted together with it, and those that prevent its deletion. */
export interface Referring {
  readonly deleted: RowCounts;
  readonly kept: RowCounts;
}

/** Counts, transfers and deletes rows that reference a user or a customer, found by the foreign keys of all entities. */
@Injectable()
export class ReferencesRepository {
  private known: ReadonlyMap<string, StoredTable> | null = null;

  constructor(private readonly database: Database) {}

  /** Counts the rows that reference a user (by id), or a client application (by client_id). */
  async countTo(target: 'users' | 'clients', id: number | string): Promise<Referring> {
    const deleted: Record<string, number> = {};
    const kept: Record<string, number> = {};
    for (const reference of referencesTo(this.tables, target)) {
      const count = await this.count(countReferring(reference), id);
      const name = `${reference.table}.${reference.column}`;
      if (count > 0) (reference.cascades ? deleted : kept)[name] = count;
    }
    return { deleted, kept };
  }

  /** Transfers everything that would prevent a user's deletion to another user; call it in a transaction. */
  async transfer(userId: number, to: number): Promise<void> {
    await this.database.query(WITHOUT_TIME_LIMIT);
    for (const reference of this.toUsers(false)) {
      const table = this.tables.get(reference.table);
      if (table) await this.database.query(transferReferring(reference, table), [userId, to]);
    }
  }

  /** Deletes everything that is deleted together with the user. */
  async deleteDependent(userId: number): Promise<void> {
    for (const reference of this.toUsers(true)) await this.database.query(deleteReferring(reference), [userId]);
  }

  /** Counts the rows of a customer, by table. */
  async countOfCustomer(customerId: number): Promise<RowCounts> {
    const counts: Record<string, number> = {};
    for (const table of tablesOfCustomers(this.tables).toSorted()) {
      const count = await this.count(countOfCustomer(this.tables, table), customerId);
      if (count > 0) counts[table] = count;
    }
    return counts;
  }

  /** Deletes the rows of a customer in an order that the foreign keys permit; call it in a transaction. */
  async deleteOfCustomer(customerId: number): Promise<void> {
    await this.database.query(WITHOUT_TIME_LIMIT);
    for (const table of tablesOfCustomers(this.tables)) await this.database.query(deleteOfCustomer(this.tables, table), [customerId]);
  }

  private async count(text: string, id: number | string): Promise<number> {
    return await this.database.transaction(async () => {
      await this.database.query(WITHOUT_TIME_LIMIT);
      return (await this.database.queryOne<{ count: number }>(text, [id]))?.count ?? 0;
    });
  }

  private toUsers(cascades: boolean): Reference[] {
    return referencesTo(this.tables, 'users').filter((reference) => reference.cascades === cascades);
  }

  private get tables(): ReadonlyMap<string, StoredTable> {
    this.known ??= storedTables(this.database.entities);
    return this.known;
  }
}
