import type { FieldProblem } from '../../../shared/errors/index.js';
import { tooLarge } from '../../../shared/validation/index.js';

/** Bytes of JSON (contract section 12.10): every item becomes a row that lists show. */
const MAX_METADATA = 32_768;
/** Of a whole batch: what clients put beside the fields of the service, to recognise their items. */
const MAX_UNKNOWN = 16_384;
/** A field of the service that is longer is refused for its length, and counts as unknown. */
const MAX_KNOWN_CHARACTERS = 1_024;

const KNOWN: ReadonlySet<string> = new Set(['type', 'fileName', 'originalFileExtension', 'fileSize', 'checksum', 'uuid']);

/** Why a payload is more than a batch may keep, whatever else is wrong with its items; nothing: it may be kept. An item after the other (`inTurns`). */
export function* findOversized(payload: readonly unknown[]): Generator<void, FieldProblem[]> {
  const problems: FieldProblem[] = [];
  let unknown = 0;
  for (const [index, item] of payload.entries()) {
    const isItem = typeof item === 'object' && item !== null && !Array.isArray(item);
    const bytes = isItem && 'metadata' in item ? bytesOf(item.metadata) : 0;
    if (bytes > MAX_METADATA) problems.push(tooLarge(`payload.${index}.metadata`, MAX_METADATA, bytes));
    unknown += isItem ? unknownBytesOf(item) : bytesOf(item);
    yield;
  }
  if (unknown > MAX_UNKNOWN) problems.push(unknownTooLarge(unknown));
  return problems;
}

const unknownBytesOf = (item: object): number =>
  Object.entries(item).reduce((sum, [name, value]) => (isKnown(name, value) ? sum : sum + bytesOf(name) + bytesOf(value)), 0);

function isKnown(name: string, value: unknown): boolean {
  if (name === 'metadata') return true;
  if (!KNOWN.has(name)) return false;
  return typeof value === 'string' ? value.length <= MAX_KNOWN_CHARACTERS : typeof value !== 'object' || value === null;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

const unknownTooLarge = (bytes: number): FieldProblem => ({
  path: 'payload',
  code: 'too_large',
  message: `fields that the service does not know may have ${MAX_UNKNOWN} bytes of JSON in all items together, and have ${bytes}`,
});
