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
