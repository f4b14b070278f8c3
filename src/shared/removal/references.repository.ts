import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';
import { pathToCustomer, type Reference, referencesTo, storedTables, type Tables, tablesOfCustomers } from './stored-tables.js';

/** The number of rows, by `table.column` or by table; entries without rows are omitted. */
export type RowCounts = Readonly<Record<string, number>>;

/** Rows that reference a row: those deleted together with it, and those that prevent its deletion. */
export interface Referring {
  readonly deleted: RowCounts;
  readonly kept: RowCounts;
}

/** Statements on whole tables may take longer than the limit for requests. Applies until the transaction ends. */
export const WITHOUT_TIME_LIMIT = 'SET LOCAL statement_timeout = 0';

/** An expression for the customer of a row of `table` with the alias `t`. */
export function customerOf(tables: Tables, table: string): string {
  if (table === 'customers') return 't.id';
  if (table === 'audit_records') return 't.customer_id'; // without a foreign key, because records outlive customers
  const read = (path: readonly Reference[], alias: string): string => {
    const [first, ...rest] = path;
    if (!first) return 'NULL::int';
    if (rest.length === 0) return `${alias}.${first.column}`;
    const parent = `${alias}_up`;
    return `(SELECT ${read(rest, parent)} FROM ${first.target} ${parent} WHERE ${parent}.${first.targetColumn} = ${alias}.${first.column})`;
  };
  return read(pathToCustomer(tables, table) ?? [], 't');
}

/** The change that increments the version of a row, if its table has one. */
export const nextVersion = (version: string | null): string[] => (version === null ? [] : [`${version} = ${version} + 1`]);

/**
 * Counts, transfers and deletes rows that reference a user or a customer. Raw SQL, because the tables and columns belong to all modules and are
 * found by their foreign keys.
 */
@Injectable()
export class ReferencesRepository {
  private known: Tables | null = null;

  constructor(private readonly database: Database) {}

  /** Counts the rows that reference a user (by id), or a client application (by client_id). */
  async countTo(target: 'users' | 'clients', id: number | string): Promise<Referring> {
    const deleted: Record<string, number> = {};
    const kept: Record<string, number> = {};
    for (const { table, column, cascades, restricts } of referencesTo(this.tables, target)) {
      if (!cascades && !restricts) continue;
      const count = await this.count(`SELECT count(*)::int AS count FROM ${table} WHERE ${column} = $1`, id);
      if (count > 0) (cascades ? deleted : kept)[`${table}.${column}`] = count;
    }
    return { deleted, kept };
  }

  /** Transfers everything that would prevent a user's deletion to another user; call it in a transaction. */
  async transfer(userId: number, to: number): Promise<void> {
    await this.database.query(WITHOUT_TIME_LIMIT);
    for (const { table, column } of this.toUsers().filter(({ restricts }) => restricts)) {
      const changes = [`${column} = $2`, ...nextVersion(this.tables.get(table)?.version ?? null)];
      await this.database.query(`UPDATE ${table} SET ${changes.join(', ')} WHERE ${column} = $1`, [userId, to]);
    }
  }

  /** Deletes everything that is deleted together with the user. */
  async deleteDependent(userId: number): Promise<void> {
    for (const { table, column } of this.toUsers().filter(({ cascades }) => cascades))
      await this.database.query(`DELETE FROM ${table} WHERE ${column} = $1`, [userId]);
  }

  /** Counts the rows of a customer, by table. */
  async countOfCustomer(customerId: number): Promise<RowCounts> {
    const counts: Record<string, number> = {};
    for (const table of tablesOfCustomers(this.tables).toSorted()) {
      const isOfCustomer = `${customerOf(this.tables, table)} = $1`;
      const count = await this.count(`SELECT count(*)::int AS count FROM ${table} t WHERE ${isOfCustomer}`, customerId);
      if (count > 0) counts[table] = count;
    }
    return counts;
  }

  /** Deletes the rows of a customer in an order that the foreign keys permit; call it in a transaction. */
  async deleteOfCustomer(customerId: number): Promise<void> {
    await this.database.query(WITHOUT_TIME_LIMIT);
    for (const table of tablesOfCustomers(this.tables)) {
      await this.database.query(`DELETE FROM ${table} t WHERE ${customerOf(this.tables, table)} = $1`, [customerId]);
    }
  }

  private async count(text: string, id: number | string): Promise<number> {
    return await this.database.transaction(async () => {
      await this.database.query(WITHOUT_TIME_LIMIT);
      return (await this.database.queryOne<{ count: number }>(text, [id]))?.count ?? 0;
    });
  }

  private toUsers(): Reference[] {
    return referencesTo(this.tables, 'users');
  }

  private get tables(): Tables {
    this.known ??= storedTables(this.database.entities);
    return this.known;
  }
}
