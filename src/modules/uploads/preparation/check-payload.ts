import type { FieldProblem } from '../../../shared/errors.js';
import { tooLarge } from '../../../shared/validation/index.js';
import type { ItemProblem } from '../batches/upload-batch.entity.js';
import { type UploadKeyParts, uploadKey } from '../batches/upload-key.js';
import type { UploadItem } from '../credentials/credential-sets.js';
import { type CheckedItem, checkItem, isProblem } from './check-item.js';
import type { Problem } from './item-problems.js';

/** Bytes of JSON (contract section 12.10): every item becomes a row that lists show. */
const MAX_METADATA_BYTES = 32_768;
/** The maximum for a whole batch: fields that clients add to recognise their items. */
const MAX_UNKNOWN_BYTES = 16_384;
/** A longer text in a known field is refused for its length, and counts as unknown. */
const MAX_KNOWN_CHARACTERS = 1_024;

const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...['type', 'fileName', 'originalFileExtension', 'fileSize', 'checksum', 'uuid'],
  ...['mediaContainerId', 'role', 'language', 'label', 'default'],
]);

/** A payload whose items have been checked one by one. */
export interface CheckedPayload {
  readonly items: readonly CheckedItem[];
  readonly problems: readonly ItemProblem[];
  /** The problems that the caller's own rule found. */
  readonly refused: readonly ItemProblem[];
  /** The items with their keys, in the same order. */
  readonly uploads: readonly UploadItem[];
}

/** A further rule for valid items: why one is refused; null: it is accepted. */
export type ItemRule = (item: CheckedItem) => Problem | null;

/** Determines which items of a payload can be uploaded and under which keys, and which cannot. Pauses after every item (`inTurns`). */
export function* checkPayload(
  payload: readonly unknown[],
  batch: UploadKeyParts,
  refuse: ItemRule = () => null,
): Generator<void, CheckedPayload> {
  const items: CheckedItem[] = [];
  const problems: ItemProblem[] = [];
  const refused: ItemProblem[] = [];
  for (const [index, sent] of payload.entries()) {
    const checked = checkItem(sent, index);
    const refusal = isProblem(checked) ? null : refuse(checked);
    if (isProblem(checked)) problems.push({ index, ...checked });
    else if (refusal) refused.push({ index, ...refusal });
    else items.push(checked);
    yield;
  }
  const uploads = items.map(({ index, type, fileSize, fileExtension }) => ({
    key: uploadKey(batch, index, fileExtension),
    type,
    size: fileSize,
  }));
  return { items, problems: [...problems, ...refused, ...findRepeated(items)], refused, uploads };
}

/** Removes from a payload the items that `reasonOf` refuses, and reports them. */
export function refuseItems(checked: CheckedPayload, reasonOf: (item: CheckedItem) => Problem | null): CheckedPayload {
  const kept: number[] = [];
  const refused: ItemProblem[] = [];
  for (const [position, item] of checked.items.entries()) {
    const reason = reasonOf(item);
    if (reason) refused.push({ index: item.index, ...reason });
    else kept.push(position);
  }
  const only = <T>(all: readonly T[]): T[] => kept.map((position) => all[position] as T);
  return { ...checked, items: only(checked.items), uploads: only(checked.uploads), problems: [...checked.problems, ...refused] };
}

/** Finds originals that equal an earlier one of the same request by name, extension and size, or by checksum. */
function findRepeated(items: readonly CheckedItem[]): ItemProblem[] {
  const firstIndexes = new Map<string, number>();
  const repeated: ItemProblem[] = [];
  for (const item of items.filter(({ track }) => track === null)) {
    const fingerprints = fingerprintsOf(item);
    const earlier = fingerprints.map((fingerprint) => firstIndexes.get(fingerprint)).find((index) => index !== undefined);
    if (earlier !== undefined) repeated.push({ ...duplicate(item.index, `item ${earlier} of this request`), duplicateOfIndex: earlier });
    for (const fingerprint of fingerprints) if (!firstIndexes.has(fingerprint)) firstIndexes.set(fingerprint, item.index);
  }
  return repeated;
}

const fingerprintsOf = ({ fileName, fileExtension, fileSize, checksum }: CheckedItem): string[] => [
  JSON.stringify(['name', fileName, fileExtension, fileSize]),
  ...(checksum === null ? [] : [JSON.stringify(['checksum', checksum])]),
];

/** The problem of an item whose file already exists in a media container. */
export const describeExisting = (index: number, mediaContainerId: number): ItemProblem => ({
  ...duplicate(index, `media container ${mediaContainerId}`),
  mediaContainerId,
});

const duplicate = (index: number, what: string): ItemProblem => ({
  index,
  code: 'duplicate',
  message: `The same file already exists: ${what}. Upload it anyway, or omit it.`,
});

/**
 * Why a payload is larger than a batch may store, regardless of other problems of its items; empty if it is not. Pauses after every item (`inTurns`).
 */
export function* findOversized(payload: readonly unknown[]): Generator<void, FieldProblem[]> {
  const problems: FieldProblem[] = [];
  let unknown = 0;
  for (const [index, item] of payload.entries()) {
    const isItem = typeof item === 'object' && item !== null && !Array.isArray(item);
    const bytes = isItem && 'metadata' in item ? bytesOf(item.metadata) : 0;
    if (bytes > MAX_METADATA_BYTES) problems.push(tooLarge(`payload.${index}.metadata`, MAX_METADATA_BYTES, bytes));
    unknown += isItem ? unknownBytesOf(item) : bytesOf(item);
    yield;
  }
  if (unknown > MAX_UNKNOWN_BYTES) problems.push(unknownTooLarge(unknown));
  return problems;
}

const unknownBytesOf = (item: object): number =>
  Object.entries(item).reduce((sum, [name, value]) => (isKnown(name, value) ? sum : sum + bytesOf(name) + bytesOf(value)), 0);

function isKnown(name: string, value: unknown): boolean {
  if (name === 'metadata') return true;
  if (!KNOWN_FIELDS.has(name)) return false;
  return typeof value === 'string' ? value.length <= MAX_KNOWN_CHARACTERS : typeof value !== 'object' || value === null;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

const unknownTooLarge = (bytes: number): FieldProblem => ({
  path: 'payload',
  code: 'too_large',
  message: `fields that the service does not know may have at most ${MAX_UNKNOWN_BYTES} bytes of JSON in all items together, and have ${bytes}`,
});
