import { mimeTypeOf } from '../../../shared/media-types/index.js';
import type { Measured } from '../../formats/index.js';
import type { NewRendition } from '../../media/index.js';

/** What a file is, by its extension. */
export interface RenditionKind {
  readonly type: NewRendition['type'];
  readonly contentType: string;
  /** How ffprobe measures it; null: there is nothing to measure. */
  readonly measured: Pick<Measured, 'holds' | 'demuxer'> | null;
}

type Entry = readonly [extension: string, kind: RenditionKind];

const media = (type: 'video' | 'audio', ...extensions: string[]): Entry[] =>
  extensions.map((extension) => [extension, { type, contentType: mimeTypeOf(extension), measured: { holds: 'media', demuxer: null } }]);
/** The demuxer is named, because ffprobe takes a name that ends in .jpg for the first of many pictures. */
const picture = (extension: string, demuxer: string): Entry => [
  extension,
  { type: 'image', contentType: mimeTypeOf(extension), measured: { holds: 'image', demuxer } },
];

/** What converters make. */
const KINDS: ReadonlyMap<string, RenditionKind> = new Map<string, RenditionKind>([
  ...media('video', 'mp4', 'm4v', 'mov', 'webm', 'mkv', 'ts'),
  ...media('audio', 'mp3', 'm4a', 'aac', 'flac', 'wav', 'ogg', 'opus'),
  picture('jpg', 'jpeg_pipe'),
  picture('png', 'png_pipe'),
  picture('webp', 'webp_pipe'),
  picture('gif', 'gif'),
  picture('tiff', 'tiff_pipe'),
  ['pdf', { type: 'document', contentType: mimeTypeOf('pdf'), measured: null }],
]);

const OTHERS: ReadonlyMap<string, string> = new Map([
  ['json', mimeTypeOf('json')],
  ['txt', `${mimeTypeOf('txt')}; charset=utf-8`],
]);

/** What is neither is of its original's type, and anything. */
export const kindOf = (extension: string, original: NewRendition['type']): RenditionKind =>
  KINDS.get(extension) ?? { type: original, contentType: OTHERS.get(extension) ?? 'application/octet-stream', measured: null };

/** Whether it is a picture that the service makes, so that it carries the metadata that belongs there. */
export const isMadePicture = (extension: string): boolean => KINDS.get(extension)?.type === 'image';
