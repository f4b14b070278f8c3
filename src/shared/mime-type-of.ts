/** A map, because extensions are untrusted: an object would have a member such as `constructor`. */
const MIME_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ mp4: 'video/mp4', m4v: 'video/mp4', webm: 'video/webm', ogv: 'video/ogg', mov: 'video/quicktime', mkv: 'video/x-matroska' },
    ...{ avi: 'video/x-msvideo', mpg: 'video/mpeg', mpeg: 'video/mpeg', mxf: 'application/mxf', ts: 'video/mp2t', wmv: 'video/x-ms-wmv' },
    ...{ mp3: 'audio/mpeg', m4a: 'audio/mp4', aac: 'audio/aac', wav: 'audio/wav', flac: 'audio/flac', ogg: 'audio/ogg', oga: 'audio/ogg' },
    ...{ opus: 'audio/ogg', weba: 'audio/webm', aif: 'audio/aiff', aiff: 'audio/aiff', wma: 'audio/x-ms-wma' },
    ...{ jpg: 'image/jpeg', jpeg: 'image/jpeg', png: 'image/png', gif: 'image/gif', webp: 'image/webp', avif: 'image/avif' },
    ...{ svg: 'image/svg+xml', bmp: 'image/bmp', tif: 'image/tiff', tiff: 'image/tiff', heic: 'image/heic' },
    ...{ psd: 'image/vnd.adobe.photoshop', eps: 'application/postscript', ai: 'application/postscript' },
    ...{
      pdf: 'application/pdf',
      rtf: 'application/rtf',
      txt: 'text/plain',
      csv: 'text/csv',
      tsv: 'text/tab-separated-values',
      md: 'text/markdown',
    },
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

/** The media type for a file extension (without dot); `application/octet-stream` if unknown. */
export const mimeTypeOf = (extension: string): string => MIME_TYPES.get(extension.toLowerCase()) ?? UNKNOWN;
