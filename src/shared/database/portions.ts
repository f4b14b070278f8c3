/** A part of a list that is ordered by id: a number of rows after the id `after`. */
export interface Portion {
  readonly after: number;
  readonly limit: number;
}

/** Used before the size of the rows is known; few enough that the largest rows fit into memory for many simultaneous readers. */
const INITIAL_ROWS = 8;
/** Later rows may be larger than earlier ones, so portions grow gradually. */
const MAX_GROWTH = 4;
const MAX_ROWS = 200;
/** Approximate number of bytes of JSON that a reader holds at a time. */
const PORTION_BYTES = 1_048_576;

/**
 * Yields the rows of a list in portions, so that memory depends neither on their number nor on their size. No connection is held while the
 * reader processes a portion.
 */
export async function* inPortions<Row extends { readonly id: number }>(
  { after, limit }: Portion,
  read: (portion: Portion) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let next = { after, limit: Math.min(INITIAL_ROWS, limit) };
  for (let left = limit; next.limit > 0; ) {
    const rows = await read(next);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    if (rows.length < next.limit) return;
    left -= rows.length;
    next = { after: last.id, limit: Math.min(rowsThatFit(rows), MAX_GROWTH * rows.length, left) };
  }
}

function rowsThatFit(rows: readonly object[]): number {
  const bytes = JSON.stringify(rows).length / rows.length;
  return Math.min(Math.max(Math.floor(PORTION_BYTES / bytes), 1), MAX_ROWS);
}
