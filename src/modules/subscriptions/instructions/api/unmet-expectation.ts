import { isDeepStrictEqual } from 'node:util';
import { isSecret } from '../../../../shared/logging/index.js';

const MOST_SHOWN = 200; // characters of a value; a log entry is for people

/** What an answer has to say, and where. */
export interface Expectation {
  /** In dots; a number is an index of a list. */
  readonly path: string;
  readonly value: unknown;
}

/** The first expectation that the answer does not meet, in words: `data.id is 3, expected 4`; null: it meets all. */
export function unmetExpectation(answer: unknown, expected: readonly Expectation[]): string | null {
  for (const { path, value } of expected) {
    const found = valueAt(answer, path);
    if (!isDeepStrictEqual(found, value)) return describe(path, found, value);
  }
  return null;
}

function valueAt(answer: unknown, path: string): unknown {
  return path.split('.').reduce((holder: unknown, name) => {
    const isHolder = typeof holder === 'object' && holder !== null;
    return isHolder && Object.hasOwn(holder, name) ? (holder as Record<string, unknown>)[name] : undefined;
  }, answer);
}

/** Values that are secrets by a name on the way to them are not shown. */
function describe(path: string, found: unknown, expected: unknown): string {
  if (found === undefined) return `${path} is absent`;
  if (path.split('.').some(isSecret)) return `${path} is not as expected`;
  return `${path} is ${shown(found)}, expected ${shown(expected)}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value, (name, inner: unknown) => (isSecret(name) ? '[redacted]' : inner)) ?? 'undefined';
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
