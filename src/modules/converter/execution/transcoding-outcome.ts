import { DomainError } from '../../../shared/errors.js';
import { storageErrors } from '../../../shared/storage/index.js';
import { MissingProgram } from '../../formats/index.js';
import type { NewRendition, OriginalReport } from '../../media/index.js';
import { ToolFailure, type ToolFailureReason } from '../tools/tool-run.js';
import { executionErrors } from '../transcodings/transcodings.errors.js';

/** A problem that may be temporary; the transcoding is tried again a few times. */
export class TemporaryFailure extends Error {
  override readonly name: string = 'TemporaryFailure';
}

/**
 * A problem of the environment, such as an unavailable storage or a full disk. It is not the fault of the transcoding, which waits until the problem
 * is solved.
 */
export class Outage extends TemporaryFailure {
  override readonly name = 'Outage';
}

/** The work is expected to take longer than its place is for; `seconds` may be Infinity: unknown. */
export class ExpectedLonger extends Error {
  override readonly name = 'ExpectedLonger';

  constructor(readonly seconds: number) {
    super(`The work is expected to take ${seconds} seconds.`);
  }
}

/**
 * How an attempt ended:
 * - `made`: the rendition is in the storage; null: the format is the original itself. `others`: the other sounds of a film; `message`: what is
 *   missing, as a sentence;
 * - `skipped`: the original does not need the rendition, so none is made; `reason` is a sentence;
 * - `failed`: it cannot be made, and trying again would not help; `log` is the last output of the program, for the owner of the media;
 * - `elsewhere`: this original needs a program that this machine does not have;
 * - `longer`: it is expected to take longer than its place is for;
 * - `later`: a problem that may go away (a program that was killed). With `isOutage` (storage, disk) it goes away when the outage ends,
 *   and until then the attempts do not count.
 */
export type TranscodingOutcome =
  | {
      readonly kind: 'made';
      readonly rendition: NewRendition | null;
      readonly others?: readonly NewRendition[];
      readonly message?: string;
      readonly source: OriginalReport;
    }
  | { readonly kind: 'skipped'; readonly reason: string; readonly source: OriginalReport }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly log: string | null }
  | { readonly kind: 'elsewhere'; readonly program: string }
  | { readonly kind: 'longer'; readonly expectedSeconds: number }
  | { readonly kind: 'later'; readonly reason: string; readonly isOutage?: true };

/** The failures of programs that every further attempt would repeat; the other failures may be temporary. */
const PERMANENT: Partial<Record<ToolFailureReason, keyof typeof executionErrors>> = {
  exit: 'tool_failed',
  time: 'took_too_long',
  size: 'size_limit_exceeded',
};

/** What the person whose file it is can do. */
const ADVICE: Partial<Record<ToolFailureReason, readonly string[]>> = {
  time: ['Upload a file with fewer pages, pixels or minutes, or divide it.'],
};

const later = (reason: string): TranscodingOutcome => ({ kind: 'later', reason });
const outage = (reason: string): TranscodingOutcome => ({ kind: 'later', reason, isOutage: true });

/** The outcome of an attempt that threw; null: the error is unexpected. */
export function outcomeOfError(error: unknown): TranscodingOutcome | null {
  if (error instanceof ToolFailure) {
    const { reason, message, log } = error;
    const code = PERMANENT[reason];
    if (!code) return later(message);
    return { kind: 'failed', code, message: [message, ...(ADVICE[reason] ?? [])].join(' '), log: log === '' ? null : log };
  }
  if (error instanceof DomainError) {
    const { code, detail } = error;
    const isPermanent = code in executionErrors || code === 'object_changed';
    if (isPermanent) return { kind: 'failed', code, message: detail, log: null };
    return code in storageErrors ? outage(detail) : later(detail);
  }
  if (error instanceof MissingProgram) return { kind: 'elsewhere', program: error.program };
  if (error instanceof ExpectedLonger) return { kind: 'longer', expectedSeconds: error.seconds };
  if (error instanceof Outage) return outage(error.message);
  if (error instanceof TemporaryFailure) return later(error.message);
  if (error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM'].includes(String(error.code))) {
    return outage(`The worker's machine has no room left (${error.code}).`);
  }
  return null;
}
