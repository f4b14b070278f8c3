import pg from 'pg';
import { startTestContext, type TestContext } from '../app/test-context.js';
import { type RecordedStatement, recordStatements } from './recorded-statements.js';

/** A node of what EXPLAIN (FORMAT JSON) answers. */
export interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
}

/** The tables that a plan reads from their first row to their last. */
export const readWhole = (plan: Plan): string[] => [
  ...(plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? ''] : []),
  ...(plan.Plans ?? []).flatMap(readWhole),
];

/** How PostgreSQL would run a statement. */
export async function explain(client: pg.Client, sql: string, values: readonly unknown[] = []): Promise<Plan> {
  const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(`EXPLAIN (FORMAT JSON) ${sql}`, [...values]);
  const [first] = rows[0]?.['QUERY PLAN'] ?? [];
  if (!first) throw new Error(`No plan for ${sql}`);
  return first.Plan;
}

/** A statement that reads large tables from their first row to their last. */
export interface WholeRead {
  readonly text: string;
  readonly tables: readonly string[];
}

/** A database full of rows, the services on it, and a client of its own that asks how their statements run. */
export class FilledWorld {
  private constructor(
    readonly process: TestContext,
    readonly client: pg.Client,
    private readonly large: readonly string[],
  ) {}

  /** `seed`: statements that fill it, ANALYZE last. `large`: tables that nothing may read whole. */
  static async start({ seed, large }: { seed: readonly string[]; large: readonly string[] }): Promise<FilledWorld> {
    const process = await startTestContext();
    const client = new pg.Client({ connectionString: process.database.url });
    await client.connect();
    for (const sql of seed) await client.query(sql);
    return new FilledWorld(process, client, large);
  }

  /** What reads a large table whole of all that the work asks, with the values that it asks for. Fails where it asks nothing. */
  async wholeReads(work: () => Promise<unknown>): Promise<WholeRead[]> {
    return await this.find(work, async ({ text, values }) => await explain(this.client, text, values));
  }

  /** The same by the plan for values that are not known, which a prepared statement may get at any time. */
  async wholeReadsOncePrepared(work: () => Promise<unknown>): Promise<WholeRead[]> {
    await this.client.query('SET plan_cache_mode = force_generic_plan');
    return await this.find(work, async ({ text, values }) => {
      const literals = values.map((value) => pg.escapeLiteral(Array.isArray(value) ? `{${value.join()}}` : String(value)));
      await this.client.query('DEALLOCATE ALL');
      await this.client.query(`PREPARE it AS ${text}`);
      return await explain(this.client, `EXECUTE it${literals.length > 0 ? `(${literals.join(', ')})` : ''}`);
    });
  }

  /** The tables of which a statement that reads a large one whole is found to do so: all of them, unless the finding is broken. */
  async tablesFoundOut(): Promise<string[]> {
    const found: string[] = [];
    for (const table of this.large)
      found.push(...readWhole(await explain(this.client, `SELECT count(*) FROM ${table} WHERE ${table}::text LIKE '%x%'`)));
    return found;
  }

  async close(): Promise<void> {
    await this.client.end();
    await this.process.close();
  }

  private async find(work: () => Promise<unknown>, planOf: (statement: RecordedStatement) => Promise<Plan>): Promise<WholeRead[]> {
    const statements = (await recordStatements(work)).filter(({ text }) => !/^(BEGIN|START|COMMIT|ROLLBACK)/.test(text));
    if (statements.length === 0) throw new Error('Nothing was asked of the database.');
    const found: WholeRead[] = [];
    for (const statement of statements) {
      const tables = readWhole(await planOf(statement)).filter((table) => this.large.includes(table));
      if (tables.length > 0) found.push({ text: statement.text, tables });
    }
    return found;
  }
}
