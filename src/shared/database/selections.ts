import type { Database } from './database.js';

/** A SELECT with constant text and its values; it must not contain a WITH clause. */
export interface Selection {
  readonly text: string;
  readonly values: readonly unknown[];
}

interface PartRow {
  readonly part: number;
  readonly row: object;
}

const joined = new Map<string, string>();

/**
 * Runs several SELECTs as one statement, so that modules keep the SQL of their tables and a request waits for one round trip. Returns the rows of
 * each, unordered. They are transferred as JSON: types other than text, number, boolean, JSON and null become text, such as a time in ISO 8601.
 */
export async function selectTogether(database: Database, selections: readonly Selection[]): Promise<object[][]> {
  const key = selections.map(({ text }) => text).join('\0');
  const text = joined.get(key) ?? join(selections);
  joined.set(key, text);
  const { rows } = await database.query<PartRow>(
    text,
    selections.flatMap(({ values }) => values),
  );
  const parts = selections.map((): object[] => []);
  for (const { part, row } of rows) parts[part]?.push(row);
  return parts;
}

/** Each selection numbers its own parameters, so they are renumbered. */
function join(selections: readonly Selection[]): string {
  let offset = 0;
  const parts = selections.map(({ text, values }, index) => {
    const start = offset;
    offset += values.length;
    const numbered = text.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + start}`);
    return `SELECT ${index} AS part, to_jsonb(selected) AS row FROM (${numbered}) selected`;
  });
  return parts.join(' UNION ALL ');
}
