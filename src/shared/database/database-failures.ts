import { isError } from '../errors/index.js';

/** SQLSTATE classes and codes of a server that cannot be worked with now: connection lost, shutting down, starting, no connection left, or a statement
 * that waited too long. */
const SQLSTATES = /^(08...|57P0[1-5]|57014|55P03|53...)$/;
const SYSTEM = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);
/** What pg says without a code. */
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error)/;

/** Whether a statement failed because PostgreSQL does not answer, so that the same request may succeed later. */
export function isDatabaseDown(error: unknown): boolean {
  if (!isError(error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return SYSTEM.has(code) || SQLSTATES.test(code);
  return MESSAGES.test(error.message);
}

const UNIQUE_VIOLATION = '23505';

/** Whether a statement failed because a row is there already. */
export const isUniqueViolation = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === UNIQUE_VIOLATION;
