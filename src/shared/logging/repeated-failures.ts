import { isDatabaseDown, isError } from '../errors.js';

/** After the first line of a cause, how long its further failures are counted until the next line. */
const PERIOD_MS = 60_000;
/** Causes that are remembered; beyond that every failure has its line. */
const MAX_CAUSES = 1_000;

/** Writes a line; `count`: how many failures it reports. */
type Write = (count: number) => void;

interface Cause {
  /** Failures since the last line. */
  count: number;
  /** Writes the latest of them. */
  write: Write;
}

/**
 * Reduces the failures of one cause to a line at once, and then one a minute with their number: a database that does not answer would otherwise
 * fill the log with the stack of every request.
 */
export class RepeatedFailures {
  private readonly causes = new Map<string, Cause>();

  constructor(private readonly schedule: (work: () => void, ms: number) => void = (work, ms) => void setTimeout(work, ms).unref()) {}

  /** Whether the failure was written; otherwise it is counted. */
  note(cause: string, write: Write): boolean {
    const known = this.causes.get(cause);
    if (known) {
      known.count += 1;
      known.write = write;
      return false;
    }
    write(1);
    if (this.causes.size < MAX_CAUSES) {
      this.causes.set(cause, { count: 0, write });
      this.schedule(() => this.report(cause), PERIOD_MS);
    }
    return true;
  }

  /** Writes what has been counted since the last lines, when the process ends. */
  writeCounts(): void {
    for (const { count, write } of this.causes.values()) if (count > 0) write(count);
    this.causes.clear();
  }

  private report(cause: string): void {
    const { count = 0, write } = this.causes.get(cause) ?? {};
    if (count === 0 || !write) return void this.causes.delete(cause);
    write(count);
    this.causes.set(cause, { count: 0, write });
    this.schedule(() => this.report(cause), PERIOD_MS);
  }
}

/** Members of a line that tell causes apart; a line about another system than PostgreSQL names it by its operation. */
const NAMING = ['operation', 'host', 'bucket', 'status', 'chore', 'problem', 'check', 'accessKey'] as const;

/** The cause of a line about a failure; null: the line is not about one, or is about one of a kind. */
export function causeOf(members: unknown, message: string): string | null {
  if (typeof members !== 'object' || members === null) return null;
  const { err, operation } = members as { err?: unknown; operation?: unknown };
  if (operation === undefined && isDatabaseDown(err)) return causeInDatabase(err);
  if (!isError(err) && operation === undefined) return null;
  const named = NAMING.map((name) => String((members as Record<string, unknown>)[name] ?? ''));
  return [message, ...named, ...(isError(err) ? describe(err) : [])].join('\n');
}

/**
 * PostgreSQL answers but cannot run the statement now: a full disk or no connection left (class 53), a lock or a statement that took too
 * long.
 */
const CANNOT_DO = /^(53...|55P03|57014)$/;

function causeInDatabase(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && CANNOT_DO.test(code) ? `database ${code}` : 'database';
}

/** A code says what happened wherever it happened; other errors are told apart by the place that threw them. */
function describe(error: Error): string[] {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? [error.name, code] : [error.name, error.message, error.stack?.split('\n    at ')[1] ?? ''];
}
