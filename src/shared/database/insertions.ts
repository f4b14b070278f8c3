import type { ObjectLiteral, QueryDeepPartialEntity, Repository } from 'typeorm';
import type { Database } from './database.js';

/** An INSERT, a constant text with its values; no WITH of its own. */
export interface Insertion {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * JSON of any size as a parameter (`convert_from($1::bytea, 'UTF8')::jsonb`): the driver sends bytes as they are, where it looks through a list of
 * texts character by character to escape it.
 */
export const asJsonBytes = (list: readonly unknown[]): Buffer => Buffer.from(JSON.stringify(list));

const joined = new Map<string, string>();

/** Several insertions as one statement: all or nothing without a transaction, in one round trip. Foreign keys among them are checked at its end. */
export function together(insertions: readonly Insertion[]): Insertion {
  const key = insertions.map(({ text }) => text).join('\0');
  const text = joined.get(key) ?? join(insertions);
  joined.set(key, text);
  return { text, values: insertions.flatMap(({ values }) => values) };
}

/** Each keeps its own numbering of parameters, so they are counted on. */
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
 * Inserts a row unless one with the same key exists; whether this call inserted it. Of several calls at the same moment
 * exactly one returns true, which makes a row of this kind a token that can be used once.
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

/** Numbers that a process draws ahead; those that it does not use are skipped, as after any rollback. */
const RESERVE = 100;

/** Ids of a table, known before their rows are inserted, so that rows that refer to each other can go in one statement. */
export class IdPool {
  private readonly ids: number[] = [];
  private readonly sql: string;

  /** `table` is a constant of the code. */
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
