import type { Limits } from '../../../shared/validation/index.js';
import {
  findTrackRole,
  MAX_LANGUAGE_CHARACTERS,
  MAX_NAME_CHARACTERS,
  MAX_TEXT_CHARACTERS,
  MEDIA_TYPES,
  type MediaType,
  type MetadataEntry,
  type NewTrack,
} from '../../media/index.js';
import { findTrackProblem, findTrackTypeProblem, isTrackItem, readTrack, TRACK_LIMITS, type TypedTrack } from './check-track.js';
import { CONTROL, isText, optional, type Problem, problem, required } from './item-problems.js';

/** A valid item of a request; name and extension as they are stored. */
export interface CheckedItem {
  readonly index: number;
  readonly type: MediaType;
  readonly fileName: string;
  readonly fileExtension: string;
  readonly fileSize: number;
  readonly checksum: string | null;
  readonly metadata: readonly MetadataEntry[];
  /** Null: an original, which gets its own media container. */
  readonly track: NewTrack | null;
}

const TYPES: ReadonlySet<unknown> = new Set(MEDIA_TYPES);
/** The largest object of S3: 5 TiB. */
const MAX_BYTES = 5 * 1024 ** 4;
const MAX_CHECKSUM_CHARACTERS = 256;
const MAX_METADATA = 100;
const EXTENSION = /^\.?[A-Za-z0-9]{0,16}$/;

/** The limits that `checkItem` checks, for OpenAPI. */
export const ITEM_LIMITS: Limits = {
  properties: {
    ...TRACK_LIMITS,
    fileName: { minLength: 1, maxLength: MAX_NAME_CHARACTERS },
    originalFileExtension: { pattern: EXTENSION.source },
    fileSize: { oneOf: [{ maximum: MAX_BYTES }] },
    checksum: { maxLength: MAX_CHECKSUM_CHARACTERS },
    metadata: {
      maxItems: MAX_METADATA,
      items: {
        properties: {
          title: { minLength: 1, maxLength: MAX_NAME_CHARACTERS },
          content: { maxLength: MAX_TEXT_CHARACTERS },
          language: { maxLength: MAX_LANGUAGE_CHARACTERS },
        },
      },
    },
  },
};

/**
 * Reads one item of a request: returns the fields to store, or why the item is refused. Written by hand instead of with class-validator, so that one
 * faulty item does not cause the refusal of the others, and so that 1,000 items with 100 metadata entries each are checked in milliseconds.
 */
export function checkItem(sent: unknown, index: number): CheckedItem | Problem {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return problem('type', 'An item must be an object.');
  const item = isTrackItem(sent as Record<string, unknown>) ? withTypeOfRole(sent) : (sent as Record<string, unknown>);
  return findProblem(item) ?? readItem(item, index);
}

/** Sets the type of a track by its role, regardless of what was sent. */
const withTypeOfRole = (sent: object & { readonly role?: unknown }): Record<string, unknown> => ({
  ...sent,
  type: findTrackRole(sent.role)?.type ?? 'document',
});

/** Whether an item was refused. */
export const isProblem = (checked: CheckedItem | Problem): checked is Problem => 'code' in checked;

function findProblem(item: Record<string, unknown>): Problem | null {
  const isTrack = isTrackItem(item);
  return (
    findTypeProblem(item) ??
    findTrackTypeProblem(item) ??
    findContentProblem(item as unknown as TypedItem) ??
    (isTrack ? findTrackProblem(item as unknown as TypedItem & TypedTrack, readFile(item)) : null) ??
    findMetadataProblem(item.metadata)
  );
}

/** An item in which every field has the correct type. */
interface TypedItem {
  readonly type: string;
  readonly fileName: string;
  readonly originalFileExtension?: string | null;
  readonly fileSize: number | string;
  readonly checksum?: string | null;
}

/** Finds missing fields and wrong types, which are reported before other problems. */
function findTypeProblem({ type, fileName, originalFileExtension, fileSize, checksum, metadata }: Record<string, unknown>): Problem | null {
  return (
    required('type', type, 'text') ??
    required('fileName', fileName, 'text') ??
    required('fileSize', toSize(fileSize) ?? fileSize, 'integer') ??
    optional('originalFileExtension', originalFileExtension, 'text') ??
    optional('checksum', checksum, 'text') ??
    optional('metadata', metadata, 'list')
  );
}

function findContentProblem({ type, fileName, originalFileExtension, fileSize, checksum }: TypedItem): Problem | null {
  if (!TYPES.has(type)) return problem('invalid_type', `type must be ${MEDIA_TYPES.slice(0, -1).join(', ')} or ${MEDIA_TYPES.at(-1)}.`);
  if (fileName.trim() === '') return problem('missing_file_name', 'fileName must not be empty.');
  if (fileName.length > MAX_NAME_CHARACTERS) {
    return problem('invalid_file_name', `fileName must have at most ${MAX_NAME_CHARACTERS} characters.`);
  }
  if (CONTROL.test(fileName)) return problem('invalid_file_name', 'fileName must not contain control characters.');
  if (!EXTENSION.test(originalFileExtension ?? '')) {
    return problem('invalid_file_extension', 'originalFileExtension must be up to 16 letters and digits, with or without a leading dot.');
  }
  if (!isText(checksum ?? '', MAX_CHECKSUM_CHARACTERS)) {
    return problem('invalid_checksum', `checksum must be a string of at most ${MAX_CHECKSUM_CHARACTERS} characters.`);
  }
  const size = toSize(fileSize);
  if (size === null) return problem('invalid_file_size', 'fileSize must be a whole number of bytes, 0 or more.');
  return size > MAX_BYTES ? problem('file_too_large', 'A file may have at most 5 TiB.') : null;
}

function findMetadataProblem(metadata: unknown): Problem | null {
  const entries = (metadata ?? []) as readonly unknown[];
  if (entries.length > MAX_METADATA) return problem('invalid_metadata', `metadata must have at most ${MAX_METADATA} entries.`);
  for (const [index, entry] of entries.entries()) {
    const found = findEntryProblem(entry, `metadata.${index}`);
    if (found) return found;
  }
  return null;
}

function findEntryProblem(entry: unknown, at: string): Problem | null {
  const mistyped = required(at, entry, 'object');
  if (mistyped) return mistyped;
  const { title, content, language } = entry as Record<string, unknown>;
  const found =
    required(`${at}.title`, title, 'text') ?? required(`${at}.content`, content, 'text') ?? optional(`${at}.language`, language, 'text');
  if (found) return found;
  const hasLanguage = isText(language ?? '', MAX_LANGUAGE_CHARACTERS);
  if (isText(title, MAX_NAME_CHARACTERS) && title !== '' && isText(content, MAX_TEXT_CHARACTERS) && hasLanguage) return null;
  const limits = `a title of 1 to ${MAX_NAME_CHARACTERS} characters, a content of at most ${MAX_TEXT_CHARACTERS}, a language of at most ${MAX_LANGUAGE_CHARACTERS}`;
  return problem('invalid_metadata', `${at} must have ${limits}.`);
}

/** Reads a number of bytes, or its digits as a text; numbers beyond the exact range are too large anyway. */
function toSize(sent: unknown): number | null {
  const size = typeof sent === 'string' && /^\d{1,16}$/.test(sent) ? Number(sent) : sent;
  return typeof size === 'number' && Number.isInteger(size) && size >= 0 ? size : null;
}

function readItem(item: Record<string, unknown>, index: number): CheckedItem {
  const { fileExtension, fileSize } = readFile(item);
  return {
    index,
    type: item.type as CheckedItem['type'],
    fileName: withoutExtension(String(item.fileName), fileExtension),
    fileExtension,
    fileSize,
    checksum: typeof item.checksum === 'string' && item.checksum !== '' ? item.checksum : null,
    metadata: ((item.metadata ?? []) as MetadataEntry[]).map(({ title, content, language }) => ({
      title,
      content,
      ...(language && { language }),
    })),
    track: isTrackItem(item) ? readTrack(item as unknown as TypedTrack) : null,
  };
}

const readFile = ({ originalFileExtension, fileName, fileSize }: Record<string, unknown>) => ({
  fileExtension: extensionOf(originalFileExtension, String(fileName)),
  fileSize: toSize(fileSize) ?? 0,
});

/** The extension in lower case, without dot; by default that of the file name. */
function extensionOf(sent: unknown, fileName: string): string {
  const named = typeof sent === 'string' ? sent.replace(/^\./, '') : '';
  return (named || (/[^/]\.([A-Za-z0-9]{1,16})$/.exec(fileName)?.[1] ?? '')).toLowerCase();
}

function withoutExtension(fileName: string, extension: string): string {
  const suffix = `.${extension}`;
  const endsWithIt = extension !== '' && fileName.toLowerCase().endsWith(suffix) && fileName.length > suffix.length;
  return endsWithIt ? fileName.slice(0, -suffix.length) : fileName;
}
