import type { NewRendition } from '../../media/index.js';

/** What a file is, by its extension. */
export interface RenditionKind {
  readonly type: NewRendition['type'];
  readonly contentType: string;
  /** Of pictures: ffmpeg's name of the format; null: it goes by the content. */
  readonly demuxer: string | null;
}

const kind = (type: RenditionKind['type'], contentType: string, demuxer: string | null = null): RenditionKind => ({
  type,
  contentType,
  demuxer,
});

/** What converters make. */
const KINDS: ReadonlyMap<string, RenditionKind> = new Map([
  ['mp4', kind('video', 'video/mp4')],
  ['m4v', kind('video', 'video/mp4')],
  ['mov', kind('video', 'video/quicktime')],
  ['webm', kind('video', 'video/webm')],
  ['mkv', kind('video', 'video/x-matroska')],
  ['ts', kind('video', 'video/mp2t')],
  ['mp3', kind('audio', 'audio/mpeg')],
  ['m4a', kind('audio', 'audio/mp4')],
  ['aac', kind('audio', 'audio/aac')],
  ['flac', kind('audio', 'audio/flac')],
  ['wav', kind('audio', 'audio/wav')],
  ['ogg', kind('audio', 'audio/ogg')],
  ['opus', kind('audio', 'audio/ogg')],
  ['jpg', kind('image', 'image/jpeg', 'jpeg_pipe')],
  ['png', kind('image', 'image/png', 'png_pipe')],
  ['webp', kind('image', 'image/webp', 'webp_pipe')],
  ['gif', kind('image', 'image/gif', 'gif')],
  ['tiff', kind('image', 'image/tiff', 'tiff_pipe')],
  ['pdf', kind('document', 'application/pdf')],
]);

const OTHERS: ReadonlyMap<string, string> = new Map([
  ['json', 'application/json'],
  ['txt', 'text/plain; charset=utf-8'],
]);

/** What is neither is of its original's type, and anything. */
export const kindOf = (extension: string, original: NewRendition['type']): RenditionKind =>
  KINDS.get(extension) ?? kind(original, OTHERS.get(extension) ?? 'application/octet-stream');

/** Whether it is a picture that the service makes, so that it carries the metadata that belongs there. */
export const isMadePicture = (extension: string): boolean => KINDS.get(extension)?.type === 'image';
