/** A map, because extensions come from strangers: an object would know a `constructor`. */
const MIME_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ mp4: 'video/mp4', m4v: 'video/mp4', webm: 'video/webm', ogv: 'video/ogg', mov: 'video/quicktime', mkv: 'video/x-matroska' },
    ...{ avi: 'video/x-msvideo', mpg: 'video/mpeg', mpeg: 'video/mpeg', mxf: 'application/mxf', wmv: 'video/x-ms-wmv' },
    ...{ mp3: 'audio/mpeg', m4a: 'audio/mp4', aac: 'audio/aac', wav: 'audio/wav', flac: 'audio/flac', ogg: 'audio/ogg', oga: 'audio/ogg' },
    ...{ opus: 'audio/ogg', weba: 'audio/webm', aif: 'audio/aiff', aiff: 'audio/aiff', wma: 'audio/x-ms-wma' },
    ...{ jpg: 'image/jpeg', jpeg: 'image/jpeg', png: 'image/png', gif: 'image/gif', webp: 'image/webp', avif: 'image/avif' },
    ...{ svg: 'image/svg+xml', bmp: 'image/bmp', tif: 'image/tiff', tiff: 'image/tiff', heic: 'image/heic' },
    ...{ psd: 'image/vnd.adobe.photoshop', eps: 'application/postscript', ai: 'application/postscript' },
    ...{ pdf: 'application/pdf', rtf: 'application/rtf', txt: 'text/plain', csv: 'text/csv', md: 'text/markdown' },
    ...{ doc: 'application/msword', xls: 'application/vnd.ms-excel', ppt: 'application/vnd.ms-powerpoint' },
    docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    odt: 'application/vnd.oasis.opendocument.text',
    ods: 'application/vnd.oasis.opendocument.spreadsheet',
    odp: 'application/vnd.oasis.opendocument.presentation',
    ...{
      zip: 'application/zip',
      gz: 'application/gzip',
      tar: 'application/x-tar',
      rar: 'application/vnd.rar',
      '7z': 'application/x-7z-compressed',
    },
    ...{ json: 'application/json', xml: 'application/xml', vtt: 'text/vtt', srt: 'application/x-subrip' },
  }),
);

const UNKNOWN = 'application/octet-stream';

/** What browsers show by themselves. An SVG is left out: it may carry scripts of strangers. */
const PICTURES = new Set(['jpg', 'jpeg', 'png', 'gif', 'webp', 'avif', 'bmp']);
const PLAYABLE = new Set(['mp4', 'm4v', 'webm', 'ogv', 'mp3', 'm4a', 'aac', 'wav', 'flac', 'ogg', 'oga', 'opus', 'weba']);
/** What is inside of them where browsers in general play it, as ffprobe names it. */
const PLAYABLE_CODECS = new Set(['h264', 'vp8', 'vp9', 'av1', 'theora', 'aac', 'mp3', 'opus', 'vorbis', 'flac', 'pcm_s16le', 'pcm_u8']);
const SUBTITLES = new Set(['vtt', 'srt']);

/** Media type of a file by its extension (without dot); `application/octet-stream` where nobody knows. */
export const mimeTypeOf = (extension: string): string => MIME_TYPES.get(extension.toLowerCase()) ?? UNKNOWN;

export const isPicture = (extension: string): boolean => PICTURES.has(extension.toLowerCase());

/** Whether browsers in general play it. `codec`: what is inside; null where nobody knows, which is taken for what suits the extension. */
export const isPlayable = (extension: string, codec: string | null = null): boolean =>
  PLAYABLE.has(extension.toLowerCase()) && (codec === null || PLAYABLE_CODECS.has(codec));

/** Media type of a file for a browser that is to say whether it plays it: with what is inside where that is not to be expected. */
export function playedTypeOf(extension: string, codec: string | null): string {
  const type = mimeTypeOf(extension);
  if (codec === null || PLAYABLE_CODECS.has(codec)) return type;
  return `${type}; codecs="${codec === 'hevc' ? 'hvc1' : codec}"`; // the one of them that some browsers play
}

export const isSubtitle = (extension: string): boolean => SUBTITLES.has(extension.toLowerCase());
