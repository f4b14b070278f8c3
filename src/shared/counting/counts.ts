import { isDatabaseDown } from '../errors.js';
import type { Log } from '../logging/index.js';
import { SeriesCounter } from '../series-counter.js';

/** Keys that a process collects in an interval. Each takes some hundred bytes, and one statement still writes all of them within seconds. */
const MAX_KEYS = 50_000;
/** A statement that PostgreSQL refuses this often in a row would be refused for ever. */
const MAX_REFUSALS = 3;

const lost = new SeriesCounter({
  name: 'counts_lost_total',
  help: 'Counted rows that were not written: because PostgreSQL did not say whether it had written them, refused them, or there were too many.',
  labels: ['counts'],
});

/** What is counted, and how it is written. */
export interface CountsOptions<Row> {
  readonly name: string;
  /** Combines two rows of one key, the earlier one first. */
  readonly merge: (earlier: Row, later: Row) => Row;
  /** Writes all rows with one statement. Returns those that the next one has to write. */
  readonly write: (rows: ReadonlyMap<string, Row>) => Promise<ReadonlyMap<string, Row>>;
}

/** Figures that a process adds up in memory, by key, until CountingService writes them. */
export class Counts<Row> {
  private rows = new Map<string, Row>();
  private refusals = 0;
  private readonly lost;

  constructor(
    private readonly options: CountsOptions<Row>,
    private readonly log: Log,
  ) {
    this.lost = lost.series({ counts: options.name });
  }

  /** Adds to the row of a key; it takes about a microsecond and never waits. */
  add(key: string, row: Row): void {
    const earlier = this.rows.get(key);
    if (earlier !== undefined) this.rows.set(key, this.options.merge(earlier, row));
    else if (this.rows.size < MAX_KEYS) this.rows.set(key, row);
    else this.lost.count += 1;
  }

  /**
   * Writes what was added since the last call. Rows are written again only if PostgreSQL said that it had not written them, so that nothing is counted
   * twice.
   */
  async write(): Promise<void> {
    const { rows } = this;
    if (rows.size === 0) return;
    this.rows = new Map();
    try {
      this.putBack(await this.options.write(rows));
      this.refusals = 0;
    } catch (err) {
      this.refusals = isDatabaseDown(err) ? MAX_REFUSALS : this.refusals + 1;
      const isOver = this.refusals >= MAX_REFUSALS;
      this.log.warn(
        { err, counts: this.options.name, rows: rows.size },
        isOver ? 'counts were lost' : 'counts were not written, trying again',
      );
      if (!isOver) return this.putBack(rows);
      this.refusals = 0;
      this.lost.count += rows.size;
    }
  }

  /** Rows that were added meanwhile are later ones. */
  private putBack(rows: ReadonlyMap<string, Row>): void {
    const added = this.rows;
    this.rows = new Map(rows);
    for (const [key, row] of added) this.add(key, row);
  }
}
