import type { ObjectLiteral, QueryDeepPartialEntity, Repository } from 'typeorm';
import type { Database } from './database.js';

/** An INSERT with constant text and its values; it must not contain a WITH clause. */
export interface Insertion {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * JSON of any size as a parameter (`convert_from($1::bytea, 'UTF8')::jsonb`): the driver sends bytes unchanged, but scans a list of texts
 * character by character to escape it.
 */
export const asJsonBytes = (list: readonly unknown[]): Buffer => Buffer.from(JSON.stringify(list));

const joined = new Map<string, string>();

/** Sends insertions as one statement: atomic without a transaction, in one round trip. Foreign keys between them are checked at its end. */
export async function insertTogether(database: Database, insertions: readonly Insertion[]): Promise<void> {
  const { text, values } = together(insertions);
  await database.query(text, values);
}

/** Combines insertions into one statement. */
export function together(insertions: readonly Insertion[]): Insertion {
  const key = insertions.map(({ text }) => text).join('\0');
  const text = joined.get(key) ?? join(insertions);
  joined.set(key, text);
  return { text, values: insertions.flatMap(({ values }) => values) };
}

/** Each insertion numbers its own parameters, so they are renumbered. */
function join(insertions: readonly Insertion[]): string {
  let offset = 0;
  const parts = insertions.map(({ text, values }, index) => {
    const start = offset;
    offset += values.length;
    return `part_${index} AS (${text.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + start}`)})`;
  });
  return `WITH ${parts.join(', ')} SELECT`;
}

/**
 * Inserts a row unless one with the same key exists; returns whether this call inserted it. Of several simultaneous calls
 * exactly one returns true, so such a row can serve as a single-use token.
 */
export async function insertIfAbsent<Entity extends ObjectLiteral>(
  repository: Repository<Entity>,
  row: QueryDeepPartialEntity<Entity>,
): Promise<boolean> {
  const key = repository.metadata.primaryColumns.map(({ propertyName }) => propertyName);
  const insert = repository.createQueryBuilder().insert().values(row).orIgnore().returning(key).updateEntity(false);
  const { raw } = await insert.execute();
  return (raw as readonly unknown[]).length === 1;
}

/** How many ids a process draws from the sequence at a time; unused ones are skipped, as after any rollback. */
const RESERVE = 100;

/** Reserves ids of a table before its rows are inserted, so that rows that refer to each other can be inserted by one statement. */
export class IdPool {
  private readonly ids: number[] = [];
  private readonly sql: string;

  /** `table` must be a constant. */
  constructor(
    private readonly database: Database,
    table: string,
  ) {
    this.sql = `SELECT nextval(pg_get_serial_sequence('${table}', 'id'))::int AS id FROM generate_series(1, $1)`;
  }

  async take(count: number): Promise<number[]> {
    while (this.ids.length < count) {
      const { rows } = await this.database.query<{ id: number }>(this.sql, [Math.max(count, RESERVE)]);
      this.ids.push(...rows.map(({ id }) => id));
    }
    return this.ids.splice(0, count);
  }
}
