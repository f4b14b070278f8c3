import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';
import type { SealedColumn } from './secret-box.service.js';

/** A column with its SQL names, and the primary key of its table. */
export interface StoredColumn extends SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly keys: readonly { readonly name: string; readonly type: string }[];
}

export interface SealedText {
  /** The primary key as text. */
  readonly id: readonly string[];
  readonly sealed: string;
}

/** Reads and replaces sealed texts. Raw SQL, because the columns belong to many tables and a page is found by comparing composite keys. */
@Injectable()
export class SealedTextsRepository {
  constructor(private readonly database: Database) {}

  columnOf(sealed: SealedColumn): StoredColumn {
    const { metadata } = this.database.repository(sealed.entity);
    const column = metadata.findColumnWithPropertyName(sealed.property)?.databaseName;
    if (!column) throw new Error(`${metadata.name}.${sealed.property} is no column.`);
    const keys = metadata.primaryColumns.map(({ databaseName, type }) => ({ name: databaseName, type: String(type) }));
    return { ...sealed, table: metadata.tableName, column, keys };
  }

  /** Lists a page of a column, ordered by the primary keys, after the key `after`. */
  async list(
    { table, column, keys }: StoredColumn,
    { after, limit }: { readonly after: readonly string[] | null; readonly limit: number },
  ): Promise<readonly SealedText[]> {
    const names = keys.map(({ name }) => `t.${name}`).join(', '); // qualified, because ORDER BY prefers output names
    const ids = keys.map(({ name }) => `t.${name}::text`).join(', ');
    const values = keys.map(({ type }, index) => `$${index + 1}::${type}`).join(', ');
    const behind = after === null ? '' : `AND (${names}) > (${values})`;
    const { rows } = await this.database.query<SealedText & object>(
      `SELECT ARRAY[${ids}] AS id, t.${column} AS sealed FROM ${table} t
        WHERE t.${column} IS NOT NULL ${behind} ORDER BY ${names} LIMIT ${limit}`,
      after ?? [],
    );
    return rows;
  }

  /** Replaces a text; false if it has changed in the meantime. */
  async replace({ table, column, keys }: StoredColumn, { id, sealed }: SealedText, next: string): Promise<boolean> {
    const isRow = keys.map(({ name, type }, index) => `${name} = $${index + 3}::${type}`).join(' AND ');
    const { rowCount } = await this.database.query(`UPDATE ${table} SET ${column} = $1 WHERE ${isRow} AND ${column} = $2`, [
      next,
      sealed,
      ...id,
    ]);
    return rowCount === 1;
  }
}
