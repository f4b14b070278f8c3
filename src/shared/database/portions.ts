/** A part of a list that is ordered by id: so many rows behind `after`. */
export interface Portion {
  readonly after: number;
  readonly limit: number;
}

/** Before the size of the rows is known; few enough that the largest ones fit into memory for many readers at once. */
const INITIAL_ROWS = 8;
/** Rows that follow may be larger than those before, so portions grow by steps. */
const MAX_GROWTH = 4;
const MAX_ROWS = 200;
/** Bytes of JSON that a reader holds at a time, about. */
const PORTION_BYTES = 1_048_576;

/**
 * The rows of a list, a portion at a time, so that memory depends neither on their number nor on their size. No connection is kept while the
 * reader is busy with a portion.
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
