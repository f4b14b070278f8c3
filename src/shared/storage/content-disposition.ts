import { StringDecoder } from 'node:string_decoder';

/** Characters that some clients misinterpret in a quoted string (RFC 6266, appendix D). */
const NOT_PLAIN = /[^\x20-\x7e]|["%\\]/g;

/** Characters that encodeURIComponent leaves unchanged but RFC 5987 does not allow in `filename*`. */
const NOT_ATTR_CHAR = /['()*]/g;

/** Control characters, unpaired surrogates, slashes, and characters that change the writing direction, which could show `exe.gpj` as `jpg.exe`. */
const NOT_SAFE = /[\p{Cc}\p{Cs}\p{Bidi_Control}/\\]/gu;

/** Bytes in UTF-8, the limit of file systems. Longer names would result in URLs that storages and clients reject. */
const MAX_BYTES = 255;

/** The header with a file's name (RFC 6266): in ASCII for all clients, and unchanged for clients that support `filename*`. */
export function contentDisposition(disposition: 'inline' | 'attachment', fileName: string): string {
  const name = shortened(fileName.replace(NOT_SAFE, '_'));
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').replace(NOT_PLAIN, '_');
  const encoded = encodeURIComponent(name).replace(NOT_ATTR_CHAR, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Shortens a long name but keeps its extension. */
function shortened(name: string): string {
  const bytes = Buffer.from(name);
  if (bytes.length <= MAX_BYTES) return name;
  const [extension = ''] = /\.[a-z\d]{1,16}$/i.exec(name) ?? [];
  return new StringDecoder('utf8').write(bytes.subarray(0, MAX_BYTES - extension.length)) + extension; // drops an incomplete character
}
