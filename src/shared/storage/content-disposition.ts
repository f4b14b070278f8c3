/** What a name may consist of in a quoted string that every client understands (RFC 6266, appendix D: no `%`, `"`, `\` or other alphabets). */
const NOT_PLAIN = /[^\x20-\x7e]|["%\\]/g;

/** Characters that RFC 5987 lets stand in `filename*`, of those that encodeURIComponent leaves alone. */
const NOT_ATTR_CHAR = /['()*]/g;

/** The header that names a file (RFC 6266): in ASCII for everybody, and as it is for those who read `filename*`. */
export function contentDisposition(disposition: 'inline' | 'attachment', fileName: string): string {
  const name = fileName.replace(/[\p{Cc}\p{Cs}/\\]/gu, '_'); // no line breaks, no halves of surrogate pairs, no folders
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').replace(NOT_PLAIN, '_');
  const encoded = encodeURIComponent(name).replace(NOT_ATTR_CHAR, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
