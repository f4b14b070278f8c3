import { mimeTypeOf } from '../../shared/media-types/index.js';

/** Images that browsers show. SVG is left out, because an uploaded one may contain scripts. */
const PICTURES = new Set(['jpg', 'jpeg', 'png', 'gif', 'webp', 'avif', 'bmp']);
const PLAYABLE = new Set(['mp4', 'm4v', 'webm', 'ogv', 'mp3', 'm4a', 'aac', 'wav', 'flac', 'ogg', 'oga', 'opus', 'weba']);
/** Codecs that browsers in general play, as ffprobe names them. */
const PLAYABLE_CODECS = new Set(['h264', 'vp8', 'vp9', 'av1', 'theora', 'aac', 'mp3', 'opus', 'vorbis', 'flac', 'pcm_s16le', 'pcm_u8']);
const SUBTITLES = new Set(['vtt', 'srt']);

export const isPicture = (extension: string): boolean => PICTURES.has(extension.toLowerCase());

/** Whether browsers in general play a file. `codec` null: not known, so the usual one for the extension is assumed. */
export const isPlayable = (extension: string, codec: string | null = null): boolean =>
  PLAYABLE.has(extension.toLowerCase()) && (codec === null || PLAYABLE_CODECS.has(codec));

/** The media type with which a browser can decide whether it plays a file; it names the codec if that is an unusual one. */
export function playedTypeOf(extension: string, codec: string | null): string {
  const type = mimeTypeOf(extension);
  if (codec === null || PLAYABLE_CODECS.has(codec)) return type;
  return `${type}; codecs="${codec === 'hevc' ? 'hvc1' : codec}"`; // the variant that some browsers play
}

export const isSubtitle = (extension: string): boolean => SUBTITLES.has(extension.toLowerCase());
