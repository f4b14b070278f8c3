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

const media = (extension: string, contentType: `${'video' | 'audio'}/${string}`): Entry => [
  extension,
  { type: contentType.startsWith('video') ? 'video' : 'audio', contentType, measured: { holds: 'media', demuxer: null } },
];
/** The demuxer is named, because ffprobe takes a name that ends in .jpg for the first of many pictures. */
const picture = (extension: string, contentType: string, demuxer: string): Entry => [
  extension,
  { type: 'image', contentType, measured: { holds: 'image', demuxer } },
];

/** What converters make. */
const KINDS: ReadonlyMap<string, RenditionKind> = new Map<string, RenditionKind>([
  media('mp4', 'video/mp4'),
  media('m4v', 'video/mp4'),
  media('mov', 'video/quicktime'),
  media('webm', 'video/webm'),
  media('mkv', 'video/x-matroska'),
  media('ts', 'video/mp2t'),
  media('mp3', 'audio/mpeg'),
  media('m4a', 'audio/mp4'),
  media('aac', 'audio/aac'),
  media('flac', 'audio/flac'),
  media('wav', 'audio/wav'),
  media('ogg', 'audio/ogg'),
  media('opus', 'audio/ogg'),
  picture('jpg', 'image/jpeg', 'jpeg_pipe'),
  picture('png', 'image/png', 'png_pipe'),
  picture('webp', 'image/webp', 'webp_pipe'),
  picture('gif', 'image/gif', 'gif'),
  picture('tiff', 'image/tiff', 'tiff_pipe'),
  ['pdf', { type: 'document', contentType: 'application/pdf', measured: null }],
]);

const OTHERS: ReadonlyMap<string, string> = new Map([
  ['json', 'application/json'],
  ['txt', 'text/plain; charset=utf-8'],
]);

/** What is neither is of its original's type, and anything. */
export const kindOf = (extension: string, original: NewRendition['type']): RenditionKind =>
  KINDS.get(extension) ?? { type: original, contentType: OTHERS.get(extension) ?? 'application/octet-stream', measured: null };

/** Whether it is a picture that the service makes, so that it carries the metadata that belongs there. */
export const isMadePicture = (extension: string): boolean => KINDS.get(extension)?.type === 'image';
