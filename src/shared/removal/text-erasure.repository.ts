import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';
import { SecretBoxService } from '../secrets/index.js';
import type { Relation } from './person-fields.js';
import type { PersonPattern } from './person-pattern.js';
import { customerOf, nextVersion, type RowCounts, WITHOUT_TIME_LIMIT } from './references.repository.js';
import { isJson } from './rewrite-json.js';
import { pathsToUsers, type Reference, type StoredTable, storedTables, type Tables, type TextColumn } from './stored-tables.js';

/** Kept low, because a row may contain several megabytes of text. */
const ROWS_AT_A_TIME = 20;

/**
 * The accounts module erases the person's rows in the table of users, and its other rows contain other people's names. Triggers write the
 * search entries of media containers, and the containers are searched themselves.
 */
const NOT_SEARCHED = ['users', 'media_search_entries'];

/** Columns that name a user as `user:ID`, without a foreign key because the rows outlive users. */
const NAMING_USERS: Readonly<Record<string, readonly string[]>> = { audit_records: ['actor', 'on_behalf_of', 'subject'] };

/** The person to erase. */
export interface ErasedPerson {
  /** The user and the senders of the person. */
  readonly userIds: readonly number[];
  /** The person's customers. Rows of other customers do not belong to the person. */
  readonly customerIds: readonly number[];
  /** Rows of other customers stay as they are; absent: all rows are searched. */
  readonly onlyCustomerId?: number;
  readonly pattern: PersonPattern;
}

/** The results of a search, by `table.column`. */
export interface Traces {
  /** Texts that mention the person. */
  readonly texts: RowCounts;
  /** Texts that mention the person and identify a row, so that they cannot be changed. */
  readonly identifiers: RowCounts;
  /** Texts that contain the address in a URL, a rule or a tag of someone else, where it stays. */
  readonly inUse: RowCounts;
  /** Texts that no known secret can decrypt. */
  readonly unreadable: RowCounts;
  /** Whether the search found no text to change; texts that another transaction changed meanwhile count as found. */
  readonly isClean: boolean;
}

interface Row {
  /** The primary key as text. */
  readonly id: readonly string[];
  readonly texts: readonly (string | null)[];
  readonly isOwn: boolean;
  readonly customerId: number | null;
}

/** A decrypted column of a row. */
interface OpenedText {
  readonly column: TextColumn;
  readonly stored: string;
  readonly plain: string;
}

type Counter = Record<keyof Omit<Traces, 'isClean'>, Record<string, number>>;

/**
 * Finds a person in every table and erases the address, the full name beside it and in the person's own rows, and names in fields (PersonFields), also in sealed texts. Each row is changed by a separate
 * UPDATE, and only if its texts are still those that were read, so that running processes are neither delayed nor overwritten. Raw SQL, because the
 * tables and columns belong to all modules.
 */
@Injectable()
export class TextErasureRepository {
  constructor(
    private readonly database: Database,
    private readonly box: SecretBoxService,
  ) {}

  /** Searches all tables; with `erase` it also replaces the matches. */
  async search(person: ErasedPerson, { erase }: { erase: boolean }): Promise<Traces> {
    const tables = storedTables(this.database.entities);
    const counter: Counter = { texts: {}, identifiers: {}, inUse: {}, unreadable: {} };
    for (const table of tables.values()) {
      if (table.texts.length > 0 && !NOT_SEARCHED.includes(table.name)) await this.searchTable({ tables, table, person, erase, counter });
    }
    return { ...counter, isClean: Object.keys(counter.texts).length === 0 };
  }

  private async searchTable({ tables, table, person, erase, counter }: Search): Promise<void> {
    for (let last: readonly string[] | null = null; ; ) {
      const rows: readonly Row[] = await this.findMentions({ tables, table, person }, last);
      for (const row of rows) {
        const changes = this.findChanges(table, row, person, counter);
        if (erase && changes.length > 0) await this.write(table, row, changes);
      }
      last = rows.at(-1)?.id ?? null;
      if (rows.length < ROWS_AT_A_TIME) return;
    }
  }

  /**
   * Finds rows that may mention the person, ordered by their keys, after the keys `last`. Every text that mentions the person contains at least one
   * of the hints. Sealed texts cannot be searched in SQL, so all rows that have one are read.
   */
  private async findMentions(
    { tables, table, person }: Pick<Search, 'tables' | 'table' | 'person'>,
    last: readonly string[] | null,
  ): Promise<readonly Row[]> {
    const { keys, texts, name } = table;
    const names = keys.map((key) => `t.${key.name}`).join(', ');
    const behind = `(${names}) > (${keys.map(({ type }, index) => `$${index + 3}::${type}`).join(', ')})`;
    const own = belongsToUsers(tables, name);
    const clear = texts.filter(({ purpose }) => purpose === null).map(readColumn);
    const sealed = texts.filter(({ purpose }) => purpose !== null).map((column) => `t.${column.name} IS NOT NULL`);
    const mentions = `EXISTS (SELECT FROM unnest($2::text[]) AS hint WHERE strpos(words.found, hint) > 0 OR strpos(words.lower, hint) > 0)`;
    return await this.database.transaction(async () => {
      await this.database.query(WITHOUT_TIME_LIMIT);
      const { rows } = await this.database.query<Row & object>(
        `SELECT ARRAY[${keys.map((key) => `t.${key.name}::text`).join(', ')}] AS id, ARRAY[${texts.map(readColumn).join(', ')}] AS texts,
            ${own} AS "isOwn", ${customerOf(tables, name)} AS "customerId"
          FROM ${name} t CROSS JOIN LATERAL (
            SELECT found, lower(found) AS lower FROM concat_ws(chr(10), ${['NULL', ...clear].join(', ')}) AS found
          ) AS words
          WHERE (${[own, mentions, ...sealed].join(' OR ')}) ${last === null ? '' : `AND ${behind}`} ORDER BY ${names} LIMIT ${ROWS_AT_A_TIME}`,
        [person.userIds, person.pattern.hints, ...(last ?? [])],
      );
      return rows;
    });
  }

  private findChanges({ name, texts }: StoredTable, row: Row, person: ErasedPerson, counter: Counter): (OpenedText & { next: string })[] {
    const { pattern, onlyCustomerId } = person;
    if (onlyCustomerId !== undefined && row.customerId !== null && row.customerId !== onlyCustomerId) return [];
    const isOwnCustomer = row.customerId === null || person.customerIds.includes(row.customerId);
    const isOwn = row.isOwn && isOwnCustomer; // support staff also edit records of other customers
    const opened = texts.flatMap((column, index) => this.open(name, column, row.texts[index] ?? null, counter));
    const isMentioned = opened.some(({ plain }) => pattern.isIn(plain));
    return opened.flatMap((text) => {
      const { column, plain } = text;
      const place = `${name}.${column.name}`;
      const next = eraseFrom(text, pattern, { isOwn, isMentioned });
      if (column.isIdentifier) {
        if (next !== plain || pattern.isIn(plain)) count(counter.identifiers, place);
        return [];
      }
      if (pattern.isIn(next)) count(counter.inUse, place);
      if (next === plain) return [];
      count(counter.texts, place);
      return [{ ...text, next }];
    });
  }

  private open(table: string, column: TextColumn, stored: string | null, counter: Counter): OpenedText[] {
    if (stored === null) return [];
    if (column.purpose === null) return [{ column, stored, plain: stored }];
    const opened = this.box.tryOpen(column.purpose, stored);
    if (!opened) count(counter.unreadable, `${table}.${column.name}`);
    return opened ? [{ column, stored, plain: opened.plain }] : [];
  }

  /** Replaces texts of a row, if all of them are still those that were read. */
  private async write(
    { name, keys, version }: StoredTable,
    { id }: Row,
    changes: readonly (OpenedText & { next: string })[],
  ): Promise<void> {
    const values = changes.flatMap(({ column: { purpose }, next, stored }) => [
      purpose === null ? next : this.box.seal(purpose, next),
      stored,
    ]);
    const replaced = changes.map(({ column }, index) => `${column.name} = ${writeColumn(column, `$${index * 2 + 1}`)}`);
    const isUnchanged = changes.map(({ column }, index) => `${readColumn(column)} = $${index * 2 + 2}`);
    const isRow = keys.map((key, index) => `t.${key.name} = $${values.length + index + 1}::${key.type}`);
    await this.database.query(
      `UPDATE ${name} t SET ${[...replaced, ...nextVersion(version)].join(', ')} WHERE ${[...isRow, ...isUnchanged].join(' AND ')}`,
      [...values, ...id],
    );
  }
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
  const named = (NAMING_USERS[table] ?? []).map((column) => `t.${column} = ANY(SELECT 'user:' || id FROM unnest($1::int[]) AS id)`);
  return ['cardinality($1::int[]) < 0', ...paths, ...named].join(' OR ');
}

/** A column of any form, read as one text. */
const readColumn = ({ name, form }: TextColumn): string => (form === 'list' ? `to_json(t.${name})::text` : `t.${name}::text`);

const writeColumn = ({ form }: TextColumn, parameter: string): string => {
  if (form === 'json') return `${parameter}::jsonb`;
  return form === 'list' ? `ARRAY(SELECT json_array_elements_text(${parameter}::json))` : parameter;
};

interface Search {
  readonly tables: Tables;
  readonly table: StoredTable;
  readonly person: ErasedPerson;
  readonly erase: boolean;
  readonly counter: Counter;
}

function eraseFrom({ column: { mode, form }, plain }: OpenedText, pattern: PersonPattern, relation: Relation): string {
  if (mode === 'never' || (mode === 'own-rows' && !relation.isOwn)) return plain;
  const inUrls = mode === 'everywhere';
  if (form !== 'text' || isJson(plain)) return pattern.eraseJson(plain, { ...relation, inUrls });
  return pattern.erase(plain, { inUrls, withNames: relation.isOwn || pattern.isIn(plain) });
}

const count = (counts: Record<string, number>, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};
