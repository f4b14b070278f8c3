import type { FieldProblem } from '../../../shared/errors/index.js';
import { valueTypes } from '../../../shared/validation/index.js';

const BASE64 = /^[A-Za-z\d+/_ -]*={0,2}$/;
const MAX_FLAGS = 100;
const MISTYPED = {};

/** The list that was sent as base64 or base64url of its JSON (contract section 11). Any other value is left for `findFlagsProblems`. */
export function decodeFlags(value: unknown): unknown {
  if (value === undefined || value === null) return value;
  return typeof value === 'string' ? (decode(value) ?? value) : MISTYPED; // a list that is not encoded must not pass as decoded
}

function decode(text: string): number[] | null {
  if (!BASE64.test(text)) return null;
  try {
    const list: unknown = JSON.parse(Buffer.from(text.replaceAll(' ', '+'), 'base64').toString()); // a query makes a blank of a plus
    return Array.isArray(list) && list.length <= MAX_FLAGS && list.every(valueTypes.integer.accepts) ? (list as number[]) : null;
  } catch {
    return null;
  }
}

/** What is wrong with what `decodeFlags` made of it. */
export function findFlagsProblems(value: unknown): FieldProblem[] {
  if (Array.isArray(value)) return [];
  if (typeof value !== 'string') return [{ path: '', code: 'type', message: 'flags must be a text' }];
  const message = `flags must be a JSON list of up to ${MAX_FLAGS} whole numbers in base64 or base64url`;
  return [{ path: '', code: 'is_flag_list', message }];
}
