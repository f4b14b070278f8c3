/** A column with sealed texts, and the primary key of its table. */
interface KeyedColumn {
  readonly table: string;
  readonly column: string;
  readonly keys: readonly { readonly name: string; readonly type: string }[];
}

/**
 * Records of a column, ordered by their keys, after the keys $1… if `isContinued`. Raw SQL, because the columns belong to many tables and
 * a page is found by comparing composite keys.
 */
export function findSealed({ table, column, keys }: KeyedColumn, limit: number, isContinued: boolean): string {
  const names = keys.map(({ name }) => `t.${name}`).join(', '); // qualified, because ORDER BY prefers output names
  const ids = keys.map(({ name }) => `t.${name}::text`).join(', ');
  const values = keys.map(({ type }, index) => `$${index + 1}::${type}`).join(', ');
  const behind = isContinued ? `AND (${names}) > (${values})` : '';
  return `SELECT ARRAY[${ids}] AS id, t.${column} AS sealed FROM ${table} t
    WHERE t.${column} IS NOT NULL ${behind} ORDER BY ${names} LIMIT ${limit}`;
}

/** Replaces the text $2 of the record with the keys $3… by $1, if it is still there. Raw SQL for the reason of `findSealed`. */
export function replaceSealed({ table, column, keys }: KeyedColumn): string {
  const isRow = keys.map(({ name, type }, index) => `${name} = $${index + 3}::${type}`).join(' AND ');
  return `UPDATE ${table} SET ${column} = $1 WHERE ${isRow} AND ${column} = $2`;
}
