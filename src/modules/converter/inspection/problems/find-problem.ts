import { detectImageType } from '../../../../shared/picture-header.js';
import { isDocument, isTakenDocument } from '../../../formats/index.js';
import type { FileProblem, MediaItem, MediaType } from '../../../media/index.js';
import { isCutOff } from '../../execution/is-cut-off.js';
import { EXAMPLES, NOUNS, nameContent, UNFINISHED } from '../../execution/source-inspector.service.js';
import { FileBytes } from './file-bytes.js';
import { isEncrypted } from './is-encrypted.js';
import { isUnfinished } from './is-unfinished.js';

/** The file of an item, and the type and extension that it should have. */
interface ExpectedFile extends Pick<MediaItem, 'fileExtension'> {
  readonly name: string;
  readonly mediaType: MediaType;
}

const HEAD_BYTES = 4_096;

/** The problem of a file that has no bytes. */
export const EMPTY: FileProblem = { code: 'empty', message: 'The file is empty. Upload it again, or remove it.' };

/**
 * Finds what is wrong with a file without a program: it is of another type, encrypted, or its end is missing. Null: nothing was found, so that its
 * programs decide. Parts of a large file may be zeros, because they were not fetched.
 */
export async function findProblem(expected: ExpectedFile): Promise<FileProblem | null> {
  const { name, mediaType } = expected;
  return await FileBytes.using(name, async (file) => {
    if (file.size === 0) return EMPTY;
    const noun = NOUNS[mediaType];
    const other = findOtherType(expected, await file.read(0, HEAD_BYTES));
    if (other !== null && (await isEncrypted(file))) return encrypted(noun);
    if (other !== null)
      return {
        code: 'wrong_type',
        message: `The file is not a ${noun}: it is ${other}. Upload ${EXAMPLES[mediaType]}, or this file as what it is.`,
      };
    if (mediaType === 'document' && (await isEncrypted(file))) return encrypted(noun);
    const isCut = (await isUnfinished(file)) || (mediaType === 'document' && (await isCutOff(name)));
    return isCut ? cutOff(noun) : null;
  });
}

/** The problem of a file whose end is missing. */
export const cutOff = (noun: string): FileProblem => ({
  code: 'cut_off',
  message: `The end of the ${noun} is missing. Upload the complete file again.`,
});

/** The problem of a file that opens with a password only. */
export const encrypted = (noun: string): FileProblem => ({
  code: 'encrypted',
  message: `The ${noun} cannot be opened without its password. Save it without a password, and upload it again.`,
});

/** Types of pictures that are films, too. */
const MOVING: ReadonlySet<string> = new Set(['gif', 'avif']);

/** What a file is instead of its type, as the end of a sentence that starts with `it is`; null: nothing else that is known. */
function findOtherType({ mediaType, fileExtension }: ExpectedFile, head: Buffer): string | null {
  const name = nameContent(head) ?? nameMedia(head);
  if (name === null || UNFINISHED.includes(name)) return null;
  const picture = detectImageType(head);
  switch (mediaType) {
    case 'image':
      return picture === null && name !== 'an SVG drawing' ? name : null;
    case 'document':
      return isTakenDocument(fileExtension) && !isDocument(fileExtension, head) && !isSame(fileExtension, name) ? name : null;
    default:
      return nameMedia(head) === null && !(mediaType === 'video' && MOVING.has(picture ?? '')) && !isAnimated(head) ? name : null;
  }
}

/** A PDF behind other bytes is a PDF, though no reader may find it. */
const isSame = (fileExtension: string, name: string): boolean => fileExtension === 'pdf' && name === 'a PDF';

/** An animated PNG, which ffmpeg reads as a film. */
const isAnimated = (head: Buffer): boolean => head.includes('acTL', 0, 'latin1');

const MEDIA: readonly (readonly [offset: number, bytes: string, name: string])[] = [
  [4, 'ftyp', 'a film or sound (MP4)'],
  [0, '\x1a\x45\xdf\xa3', 'a film or sound (Matroska)'],
  [8, 'AVI ', 'a film (AVI)'],
  [8, 'WAVE', 'a sound (WAV)'],
  [0, 'ID3', 'a sound (MP3)'],
  [0, '\xff\xfb', 'a sound (MP3)'],
  [0, 'fLaC', 'a sound (FLAC)'],
  [0, 'OggS', 'a film or sound (Ogg)'],
];

/** What a film or sound is by its first bytes; null: neither, or unknown. */
function nameMedia(head: Buffer): string | null {
  if (detectImageType(head) !== null) return null;
  return MEDIA.find(([offset, bytes]) => head.toString('latin1', offset, offset + bytes.length) === bytes)?.[2] ?? null;
}
