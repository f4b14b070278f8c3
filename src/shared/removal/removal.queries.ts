import { pathsToUsers, pathToCustomer, type Reference, type StoredTable, type TextColumn } from './stored-tables.js';

// Raw SQL, because the tables and columns belong to all modules and are found by their foreign keys.

type Tables = ReadonlyMap<string, StoredTable>;

/** An expression for the customer of a row of `table` with the alias `t`. */
function customerOf(tables: Tables, table: string): string {
  if (table === 'customers') return 't.id';
  const read = (path: readonly Reference[], alias: string): string => {
    const [first, ...rest] = path;
    if (!first) return 'NULL::int';
    if (rest.length === 0) return `${alias}.${first.column}`;
    const parent = `${alias}_up`;
    return `(SELECT ${read(rest, parent)} FROM ${first.target} ${parent} WHERE ${parent}.${first.targetColumn} = ${alias}.${first.column})`;
  };
  return read(pathToCustomer(tables, table) ?? [], 't');
}

/** The condition that a row of `table` with the alias `t` belongs to the users in parameter $1, or to something that belongs to them. */
function belongsToUsers(tables: Tables, table: string): string {
  const follow = (path: readonly Reference[], alias: string): string => {
    const [first, ...rest] = path;
    if (!first) return 'false';
    if (rest.length === 0) return `${alias}.${first.column} = ANY($1::int[])`;
    const parent = `${alias}_up`;
    const isParent = `${parent}.${first.targetColumn} = ${alias}.${first.column}`;
    return `EXISTS (SELECT FROM ${first.target} ${parent} WHERE ${isParent} AND ${follow(rest, parent)})`;
  };
  const paths = pathsToUsers(tables, table).map((path) => follow(path, 't'));
  return ['cardinality($1::int[]) < 0', ...paths].join(' OR ');
}

/** Statements on whole tables may take longer than the limit for requests. Applies until the transaction ends. */
export const WITHOUT_TIME_LIMIT = 'SET LOCAL statement_timeout = 0';

/** $1: the referenced row. */
export const countReferring = ({ table, column }: Reference): string => `SELECT count(*)::int AS count FROM ${table} WHERE ${column} = $1`;

/** $1: the old referenced row, $2: the new one. */
export const transferReferring = ({ column }: Reference, { name, version }: StoredTable): string =>
  `UPDATE ${name} SET ${[`${column} = $2`, ...nextVersion(version)].join(', ')} WHERE ${column} = $1`;

const nextVersion = (version: string | null): string[] => (version === null ? [] : [`${version} = ${version} + 1`]);

/** $1: the referenced row. */
export const deleteReferring = ({ table, column }: Reference): string => `DELETE FROM ${table} WHERE ${column} = $1`;

/** $1: customer. */
export const countOfCustomer = (tables: Tables, table: string): string =>
  `SELECT count(*)::int AS count FROM ${table} t WHERE ${customerOf(tables, table)} = $1`;

/** $1: customer. */
export const deleteOfCustomer = (tables: Tables, table: string): string => `DELETE FROM ${table} t WHERE ${customerOf(tables, table)} = $1`;

/** A column of any form, read as one text. */
const readColumn = ({ name, form }: TextColumn): string => (form === 'list' ? `to_json(t.${name})::text` : `t.${name}::text`);

const writeColumn = ({ form }: TextColumn, parameter: string): string => {
  if (form === 'json') return `${parameter}::jsonb`;
  return form === 'list' ? `ARRAY(SELECT json_array_elements_text(${parameter}::json))` : parameter;
};

/**
 * Rows that may mention a person, ordered by their keys, after the keys $3… if `isContinued`. $1: the person's users, $2: texts
 * of which every text that mentions the person contains at least one. Sealed texts cannot be searched in SQL, so all rows that have one are read.
 */
export function findMentions(tables: Tables, table: StoredTable, { limit, isContinued }: { limit: number; isContinued: boolean }): string {
  const { keys, texts, name } = table;
  const names = keys.map((key) => `t.${key.name}`).join(', ');
  const behind = `(${names}) > (${keys.map(({ type }, index) => `$${index + 3}::${type}`).join(', ')})`;
  const own = belongsToUsers(tables, name);
  const clear = texts.filter(({ purpose }) => purpose === null).map(readColumn);
  const sealed = texts.filter(({ purpose }) => purpose !== null).map((column) => `t.${column.name} IS NOT NULL`);
  const mentions = `EXISTS (SELECT FROM unnest($2::text[]) AS hint WHERE strpos(words.found, hint) > 0 OR strpos(words.lower, hint) > 0)`;
  return `SELECT ARRAY[${keys.map((key) => `t.${key.name}::text`).join(', ')}] AS id, ARRAY[${texts.map(readColumn).join(', ')}] AS texts,
      ${own} AS "isOwn", ${customerOf(tables, name)} AS "customerId"
    FROM ${name} t CROSS JOIN LATERAL (
      SELECT found, lower(found) AS lower FROM concat_ws(chr(10), ${['NULL', ...clear].join(', ')}) AS found
    ) AS words
    WHERE (${[own, mentions, ...sealed].join(' OR ')}) ${isContinued ? `AND ${behind}` : ''} ORDER BY ${names} LIMIT ${limit}`;
}

/** Replaces the columns with $1, $3, … if they still contain $2, $4, …; the last parameters are the keys of the row. */
export function replaceTexts({ name, keys, version }: StoredTable, columns: readonly TextColumn[]): string {
  const changes = columns.map((column, index) => `${column.name} = ${writeColumn(column, `$${index * 2 + 1}`)}`);
  const isUnchanged = columns.map((column, index) => `${readColumn(column)} = $${index * 2 + 2}`);
  const isRow = keys.map((key, index) => `t.${key.name} = $${columns.length * 2 + index + 1}::${key.type}`);
  return `UPDATE ${name} t SET ${[...changes, ...nextVersion(version)].join(', ')} WHERE ${[...isRow, ...isUnchanged].join(' AND ')}`;
}
