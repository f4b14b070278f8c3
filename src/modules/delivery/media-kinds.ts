import { mimeTypeOf } from '../../shared/media-types/index.js';

/** What browsers show by themselves. An SVG is left out: it may carry scripts of strangers. */
const PICTURES = new Set(['jpg', 'jpeg', 'png', 'gif', 'webp', 'avif', 'bmp']);
const PLAYABLE = new Set(['mp4', 'm4v', 'webm', 'ogv', 'mp3', 'm4a', 'aac', 'wav', 'flac', 'ogg', 'oga', 'opus', 'weba']);
/** What is inside of them where browsers in general play it, as ffprobe names it. */
const PLAYABLE_CODECS = new Set(['h264', 'vp8', 'vp9', 'av1', 'theora', 'aac', 'mp3', 'opus', 'vorbis', 'flac', 'pcm_s16le', 'pcm_u8']);
const SUBTITLES = new Set(['vtt', 'srt']);

export const isPicture = (extension: string): boolean => PICTURES.has(extension.toLowerCase());

/** Whether browsers in general play it. `codec`: what is inside; null where that is not known, which is taken for what suits the extension. */
export const isPlayable = (extension: string, codec: string | null = null): boolean =>
  PLAYABLE.has(extension.toLowerCase()) && (codec === null || PLAYABLE_CODECS.has(codec));

/** Media type of a file for a browser that is to say whether it plays it: with what is inside where that is not to be expected. */
export function playedTypeOf(extension: string, codec: string | null): string {
  const type = mimeTypeOf(extension);
  if (codec === null || PLAYABLE_CODECS.has(codec)) return type;
  return `${type}; codecs="${codec === 'hevc' ? 'hvc1' : codec}"`; // the one of them that some browsers play
}

export const isSubtitle = (extension: string): boolean => SUBTITLES.has(extension.toLowerCase());
