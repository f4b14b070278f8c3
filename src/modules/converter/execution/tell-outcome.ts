import { DomainError } from '../../../shared/errors/index.js';
import { ToolFailure, type ToolFailureReason } from '../tools/run-request.js';
import { executionErrors } from './execution.errors.js';
import { Hindrance } from './hindrance.js';
import type { JobOutcome } from './job-outcome.js';

/** Failures of programs that come again whenever it is tried; the others may pass. */
const LASTING: Partial<Record<ToolFailureReason, keyof typeof executionErrors>> = {
  exit: 'tool_failed',
  time: 'time_limit_exceeded',
  size: 'size_limit_exceeded',
};

const later = (reason: string): JobOutcome => ({ kind: 'later', reason });

/** What became of a job whose work threw; null: nobody foresaw that. */
export function tellOutcome(error: unknown): JobOutcome | null {
  if (error instanceof ToolFailure) {
    const { reason, message, log } = error;
    const code = LASTING[reason];
    return code ? { kind: 'failed', code, message, log: log === '' ? null : log } : later(message);
  }
  if (error instanceof DomainError) {
    const { code, detail } = error;
    const isLasting = code in executionErrors || code === 'object_changed';
    return isLasting ? { kind: 'failed', code, message: detail, log: null } : later(detail);
  }
  if (error instanceof Hindrance) return later(error.message);
  if (error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM'].includes(String(error.code))) {
    return later(`The worker's machine has no room left (${error.code}).`);
  }
  return null;
}
