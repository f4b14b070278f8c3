import type pg from 'pg';

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
