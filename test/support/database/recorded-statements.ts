import pg from 'pg';

export interface RecordedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

type Query = (this: pg.Client, ...args: unknown[]) => unknown;

/** What standing connections send every few seconds, whatever the work is. */
const PING = 'SELECT 1';

/** Runs `work` and returns the SQL statements that the connections of this process sent meanwhile, in order and without pings. */
export async function recordStatements(work: () => Promise<unknown>): Promise<RecordedStatement[]> {
  const recorded: RecordedStatement[] = [];
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const original = prototype.query;
  prototype.query = function (...args) {
    const [first, second] = args;
    const statement = typeof first === 'string' ? { text: first, values: second } : (first as Partial<RecordedStatement>);
    const { text = '', values } = statement;
    if (text !== PING) recorded.push({ text, values: Array.isArray(values) ? values : [] });
    return original.apply(this, args);
  };
  try {
    await work();
  } finally {
    prototype.query = original;
  }
  return recorded;
}
