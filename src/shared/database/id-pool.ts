import type { Database } from './database.js';

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
