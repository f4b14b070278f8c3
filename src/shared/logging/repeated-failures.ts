import { isDatabaseDown, isError } from '../errors.js';

/** After a line about a cause, how long further failures are counted before the next line. */
const PERIOD_MS = 60_000;
/** Maximum number of tracked causes; beyond it, every failure gets its own line. */
const MAX_CAUSES = 1_000;

/** Writes a line; `count` is the number of failures that it reports. */
type Write = (count: number) => void;

interface Cause {
  /** Failures since the last line. */
  count: number;
  /** Writes the latest failure. */
  write: Write;
}

/**
 * Reduces failures of the same cause to an immediate line, and then one line a minute with their number: an unavailable database would otherwise
 * fill the log with the stack of every request.
 */
export class RepeatedFailures {
  private readonly causes = new Map<string, Cause>();

  constructor(private readonly schedule: (work: () => void, ms: number) => void = (work, ms) => void setTimeout(work, ms).unref()) {}

  /** Returns true if the failure was written; otherwise it is counted. */
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

  /** Writes the failures counted since the last lines, when the process ends; a later one of the same cause gets no further line. */
  writeCounts(): void {
    for (const cause of this.causes.values()) {
      if (cause.count > 0) cause.write(cause.count);
      cause.count = 0;
    }
  }

  private report(cause: string): void {
    const { count = 0, write } = this.causes.get(cause) ?? {};
    if (count === 0 || !write) return void this.causes.delete(cause);
    write(count);
    this.causes.set(cause, { count: 0, write });
    this.schedule(() => this.report(cause), PERIOD_MS);
  }
}

/** Members of a line that distinguish causes; a line about a system other than PostgreSQL identifies it by its operation. */
const NAMING = ['operation', 'host', 'bucket', 'status', 'chore', 'problem', 'check', 'accessKey'] as const;

/** The cause of a line about a failure; null if the line reports no failure, or one without an identifiable cause. */
export function causeOf(members: unknown, message: string): string | null {
  if (typeof members !== 'object' || members === null) return null;
  const { err, operation } = members as { err?: unknown; operation?: unknown };
  if (operation === undefined && isDatabaseDown(err)) return causeInDatabase(err);
  if (!isError(err) && operation === undefined) return null;
  const named = NAMING.map((name) => String((members as Record<string, unknown>)[name] ?? ''));
  return [message, ...named, ...(isError(err) ? describe(err) : [])].join('\n');
}

/**
 * PostgreSQL responds but cannot run the statement now: a full disk or no connection left (class 53), a lock or a statement that took too
 * long.
 */
const CANNOT_DO = /^(53...|55P03|57014)$/;

function causeInDatabase(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && CANNOT_DO.test(code) ? `database ${code}` : 'database';
}

/** A code identifies an error wherever it occurred; other errors are distinguished by the place that threw them. */
function describe(error: Error): string[] {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? [error.name, code] : [error.name, error.message, error.stack?.split('\n    at ')[1] ?? ''];
}
