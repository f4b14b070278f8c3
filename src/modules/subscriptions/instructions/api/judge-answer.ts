import { isDeepStrictEqual } from 'node:util';
import { isSecret } from '../../../../shared/logging/index.js';
import type { Attempt, Outcome } from '../instruction.js';
import { fillPlaceholders, MAX_INSERTED_LENGTH } from '../placeholders.js';
import type { ApiInstructionDto, ExpectationDto } from './api-instruction.dto.js';
import type { LoopbackAnswer } from './loopback.service.js';

const EXPECTATION_FAILED = 417;
/** A run stores no answer with more JSON characters than placeholders can insert, because each attempt decrypts all of it. */
const TOO_LONG = `result: the answer has more than ${MAX_INSERTED_LENGTH} characters, too many to keep under a name`;
const MAX_DETAIL_LENGTH = 500; // longer lists of problems do not help
const MAX_SHOWN_LENGTH = 200; // characters of a value; a log entry is for people

/**
 * Determines the outcome of an attempt: first by the status, then by the expectations, then by whether the result can be stored. `path`: without its
 * query.
 */
export function judgeAnswer(
  answer: LoopbackAnswer,
  { instruction, subscription, values }: Attempt<ApiInstructionDto>,
  path: string,
): Omit<Outcome, 'payload'> {
  if ('failure' in answer) return { succeeded: false, statusCode: 0, reason: `${answer.failure.code}: ${path} ${answer.failure.words}` };
  const { statusCode, body, retryAfterSeconds } = answer;
  if (statusCode < 200 || statusCode > 299) {
    const reason = describeRefusal({ method: instruction.method, path, statusCode, answer: body, userId: subscription.lastEditorId });
    return { succeeded: false, statusCode, reason, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  }
  const filled = fillPlaceholders(instruction.expected ?? [], values) as ExpectationDto[];
  const expected = filled.map(({ value }, index) => ({ path: instruction.expected?.[index]?.path ?? '', value }));
  const unmet = findUnmetExpectation(body, expected);
  if (unmet !== null) return { succeeded: false, statusCode: EXPECTATION_FAILED, reason: `expectation: ${unmet}` };
  const result = instruction.as === undefined ? undefined : { name: instruction.as, value: body };
  if (result && JSON.stringify(body).length > MAX_INSERTED_LENGTH) return { succeeded: false, statusCode, reason: TOO_LONG, final: true };
  return { succeeded: true, statusCode, reason: null, ...(result && { result }) };
}

/** Describes the first expectation that the answer does not meet: `data.id is 3, expected 4`; null: it meets all. */
export function findUnmetExpectation(answer: unknown, expected: readonly ExpectationDto[]): string | null {
  for (const { path, value } of expected) {
    const found = valueAt(answer, path);
    if (!isDeepStrictEqual(found, value)) return describeMismatch(path, found, value);
  }
  return null;
}

interface Refusal {
  readonly method: string;
  readonly path: string;
  readonly statusCode: number;
  /** Usually a problem document (contract section 1). */
  readonly answer: unknown;
  readonly userId: number;
}

/** Describes a refusal: `http-4xx: v5/format/9 answered 404 not_found. There is no format 9.` */
function describeRefusal({ method, path, statusCode, answer, userId }: Refusal): string {
  const { code, detail } = (typeof answer === 'object' && answer !== null ? answer : {}) as { code?: unknown; detail?: unknown };
  const words = typeof detail === 'string' ? ` ${detail.slice(0, MAX_DETAIL_LENGTH)}` : '';
  const answered = typeof code === 'string' ? `${statusCode} ${code}` : String(statusCode);
  if (statusCode === 401 || statusCode === 403) return `rights: the user ${userId} may not ${method} ${path}, ${answered}.${words}`;
  return `http-${Math.floor(statusCode / 100)}xx: ${path} answered ${answered}.${words}`;
}

function valueAt(answer: unknown, path: string): unknown {
  return path.split('.').reduce((holder: unknown, name) => {
    const isHolder = typeof holder === 'object' && holder !== null;
    return isHolder && Object.hasOwn(holder, name) ? (holder as Record<string, unknown>)[name] : undefined;
  }, answer);
}

/** Describes an unmet expectation. A value is not shown if its path contains the name of a secret. */
function describeMismatch(path: string, found: unknown, expected: unknown): string {
  if (found === undefined) return `${path} is absent`;
  if (path.split('.').some(isSecret)) return `${path} is not as expected`;
  return `${path} is ${shorten(found)}, expected ${shorten(expected)}`;
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value, (name, inner: unknown) => (isSecret(name) ? '[redacted]' : inner)) ?? 'undefined';
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}
