import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';

/** The uses of a link since they were last written. */
export interface UsedLink {
  readonly id: number;
  readonly uses: number;
  /** The beginning of the hour of the last use. */
  readonly hour: Date;
}

/**
 * Returns an UPDATE of a table of links from the rows of `used` (id, uses, hour), which returns their ids. It must skip rows that are locked, so that it
 * never waits for a request, nor in a circle with one; they are written ten seconds later.
 */
export type LinkUseStatement = (used: string) => string;

/** Writes the uses of links: the modules that own their tables declare how. */
@Injectable()
export class LinkUsesRepository {
  private readonly kinds: { readonly kind: string; readonly statement: LinkUseStatement }[] = [];

  constructor(private readonly database: Database) {}

  /** Declares a kind of link by the repository that owns its table; must be called before the application starts. */
  register(kind: string, statement: LinkUseStatement): void {
    this.kinds.push({ kind, statement });
  }

  /** Adds uses, of which each link has one row. Returns which links were written, as `<kind> <id>`. */
  async add(uses: readonly (UsedLink & { readonly kind: string })[]): Promise<ReadonlySet<string>> {
    // Raw SQL, because one statement writes several tables. It is the same text each time, so it is prepared once.
    const parts = this.kinds.map(({ kind, statement }) => ({ kind, statement, rows: uses.filter((one) => one.kind === kind) }));
    const text = parts.map(({ statement }, index) => partOf(statement, index)).join(', ');
    const results = parts.map(({ kind }, index) => `SELECT '${kind} ' || id AS link FROM written_${index}`).join(' UNION ALL ');
    const values = parts.flatMap(({ rows }) => [rows.map(({ id }) => id), rows.map(({ uses: n }) => n), rows.map(({ hour }) => hour)]);
    const { rows } = await this.database.query<{ link: string }>(`WITH ${text} ${results}`, values);
    return new Set(rows.map(({ link }) => link));
  }
}

/** One kind of links in the statement; its parameters are ids, uses and hours. */
function partOf(statement: LinkUseStatement, index: number): string {
  const [ids, uses, hours] = [1, 2, 3].map((number) => `$${3 * index + number}`);
  const rows = `SELECT * FROM unnest(${ids}::int[], ${uses}::bigint[], ${hours}::timestamptz[]) AS row (id, uses, hour)`;
  return `used_${index} AS (${rows}), written_${index} AS (${statement(`used_${index}`)})`;
}
