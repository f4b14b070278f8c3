import { mimeTypeOf } from '../../../shared/mime-type-of.js';
import type { Measured } from '../../formats/index.js';
import type { NewRendition } from '../../media/index.js';

/** The kind of a file, by its extension. */
export interface RenditionKind {
  readonly type: NewRendition['type'];
  readonly contentType: string;
  /** How ffprobe measures it; null: it is not measured. */
  readonly measured: Pick<Measured, 'holds' | 'demuxer'> | null;
}

type Entry = readonly [extension: string, kind: RenditionKind];

const media = (type: 'video' | 'audio', ...extensions: string[]): Entry[] =>
  extensions.map((extension) => [extension, { type, contentType: mimeTypeOf(extension), measured: { holds: 'media', demuxer: null } }]);
/** The demuxer is stated because ffprobe would take a name that ends in .jpg for the first of a sequence of images. */
const picture = (extension: string, demuxer: string): Entry => [
  extension,
  { type: 'image', contentType: mimeTypeOf(extension), measured: { holds: 'image', demuxer } },
];

/** The kinds of files that converters make, by extension. */
const KINDS: ReadonlyMap<string, RenditionKind> = new Map<string, RenditionKind>([
  ...media('video', 'mp4', 'm4v', 'mov', 'webm', 'mkv', 'ts'),
  ...media('audio', 'mp3', 'm4a', 'aac', 'flac', 'wav', 'ogg', 'opus'),
  picture('jpg', 'jpeg_pipe'),
  picture('png', 'png_pipe'),
  picture('webp', 'webp_pipe'),
  picture('gif', 'gif'),
  picture('tiff', 'tiff_pipe'),
  picture('avif', 'mov'),
  ['pdf', { type: 'document', contentType: mimeTypeOf('pdf'), measured: null }],
]);

const OTHERS: ReadonlyMap<string, string> = new Map([
  ['json', mimeTypeOf('json')],
  ['txt', `${mimeTypeOf('txt')}; charset=utf-8`],
]);

/** The kind of a rendition by its extension; with an unknown extension it has the type of its original. */
export const kindOf = (extension: string, original: NewRendition['type']): RenditionKind =>
  KINDS.get(extension) ?? { type: original, contentType: OTHERS.get(extension) ?? 'application/octet-stream', measured: null };

/** Whether the service makes images with this extension, into which it writes metadata. */
export const isMadePicture = (extension: string): boolean => KINDS.get(extension)?.type === 'image';
