/** RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Any of these could end the header and begin another, or the body. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;
/** Headers of the connection (RFC 9110 section 7.6.1), and those that define target and length of a request: the client sets them itself. */
const RESERVED = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What is wrong with a header of a request, for a person and without its value; null: nothing. */
export function whyHeaderRefused(name: string, value: string): string | null {
  if (!TOKEN.test(name)) return 'the name of a header is not valid';
  const lower = name.toLowerCase();
  if (RESERVED.has(lower) || lower.startsWith('proxy-')) return `the header ${lower} cannot be set`;
  return CONTROL.test(value) ? `the header ${lower} has a line break or another control character in its value` : null;
}
