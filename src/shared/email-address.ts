import { toAsciiDomain } from './validation/parse-url.js';

/**
 * Returns the one spelling by which an e-mail address is stored and compared (RFC 6531, RFC 5891 section 4.4): NFC, in lower case, the domain as
 * A-labels (`jörg@exämple.test` becomes `jörg@xn--exmple-cua.test`). A text without a valid domain keeps what stands there.
 */
export function canonicalEmail(address: string): string {
  const text = address.trim().normalize('NFC').toLowerCase();
  const at = text.lastIndexOf('@');
  const domain = at === -1 ? '' : toAsciiDomain(text.slice(at + 1));
  return domain === '' ? text : `${text.slice(0, at)}@${domain}`;
}
