import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';
import { SecretBoxService } from '../secrets/index.js';
import type { Relation } from './person-fields.js';
import type { PersonPattern } from './person-pattern.js';
import type { RowCounts } from './references.repository.js';
import { findMentions, replaceTexts, WITHOUT_TIME_LIMIT } from './removal.queries.js';
import { isJson } from './rewrite-json.js';
import { type StoredTable, storedTables, type TextColumn } from './stored-tables.js';

/** Kept low, because a row may contain several megabytes of text. */
const ROWS_AT_A_TIME = 20;

/**
 * The accounts module erases the person's rows in the table of users, and its other rows contain other people's names. Triggers write the
 * search entries of media containers, and the containers are searched themselves.
 */
const NOT_SEARCHED = ['users', 'media_search_entries'];

/** The person to erase. */
export interface ErasedPerson {
  /** The user and the senders of the person. */
  readonly userIds: readonly number[];
  /** The person's customers. Rows of other customers do not belong to the person. */
  readonly customerIds: readonly number[];
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
 * Finds a person in every table and erases the address in texts and the names in fields (PersonFields), also in sealed texts. Each row is changed by a separate
 * UPDATE, and only if its texts are still those that were read, so that running processes are neither delayed nor overwritten.
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
      const text = findMentions(tables, table, { limit: ROWS_AT_A_TIME, isContinued: last !== null });
      const rows: readonly Row[] = await this.read(text, [person.userIds, person.pattern.hints, ...(last ?? [])]);
      for (const row of rows) {
        const changes = this.findChanges(table, row, person, counter);
        if (erase && changes.length > 0) await this.write(table, row, changes);
      }
      last = rows.at(-1)?.id ?? null;
      if (rows.length < ROWS_AT_A_TIME) return;
    }
  }

  private async read(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return await this.database.transaction(async () => {
      await this.database.query(WITHOUT_TIME_LIMIT);
      return (await this.database.query<Row & object>(text, values)).rows;
    });
  }

  private findChanges({ name, texts }: StoredTable, row: Row, person: ErasedPerson, counter: Counter): (OpenedText & { next: string })[] {
    const { pattern } = person;
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

  private async write(table: StoredTable, { id }: Row, changes: readonly (OpenedText & { next: string })[]): Promise<void> {
    const values = changes.flatMap(({ column: { purpose }, next, stored }) => [
      purpose === null ? next : this.box.seal(purpose, next),
      stored,
    ]);
    const columns = changes.map(({ column }) => column);
    await this.database.query(replaceTexts(table, columns), [...values, ...id]);
  }
}

interface Search {
  readonly tables: ReadonlyMap<string, StoredTable>;
  readonly table: StoredTable;
  readonly person: ErasedPerson;
  readonly erase: boolean;
  readonly counter: Counter;
}

function eraseFrom({ column: { mode, form }, plain }: OpenedText, pattern: PersonPattern, relation: Relation): string {
  if (mode === 'never' || (mode === 'own-rows' && !relation.isOwn)) return plain;
  const inUrls = mode === 'everywhere';
  return form !== 'text' || isJson(plain) ? pattern.eraseJson(plain, { ...relation, inUrls }) : pattern.erase(plain, { inUrls });
}

const count = (counts: Record<string, number>, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};
