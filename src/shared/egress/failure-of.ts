import { EgressError } from './egress-error.js';
import { EgressFailure, type EgressFailureCode } from './egress-failure.js';

/** Codes of Node, OpenSSL and undici, the most telling first: of several addresses each may have failed in its own way. */
const KINDS: readonly (readonly [RegExp, EgressFailureCode, string])[] = [
  [/^ECONNREFUSED$/, 'refused', 'refused the connection'],
  [
    /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO$|CRL_|UNABLE_TO_|HOSTNAME_|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_)|CERT/,
    'tls',
    'offers no TLS that can be trusted',
  ],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'timeout', 'did not take the connection in time'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'reset', 'closed the connection before it had answered'],
  [/^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM|EINVAL)$/, 'unreachable', 'cannot be reached from here'],
  [/^(HTTPParserError$|HPE_|UND_ERR_HEADERS_OVERFLOW$|UND_ERR_RES_)/, 'invalid answer', 'answered in no valid HTTP'],
  [/^UND_ERR_(DESTROYED|CLOSED)$/, 'stopped', 'was not asked to the end, because the service stopped'],
];

/** What an error while asking `host` means. Of the error's own words only its code is told; they may quote what was sent. */
export function failureOf(error: unknown, host: string): EgressFailure {
  if (error instanceof EgressError) return error.failure;
  const codes = codesOf(error);
  for (const [pattern, code, words] of KINDS) {
    const found = codes.find((candidate) => pattern.test(candidate));
    if (found)
      return new EgressFailure(code, code === 'tls' || code === 'invalid answer' ? `${host} ${words} (${found})` : `${host} ${words}`);
  }
  return new EgressFailure('failed', `${host} could not be asked (${codes[0]})`);
}

/** Its own code (its name, where undici forgets the code), and those of the errors in it: one for each address that was tried. */
function codesOf(error: unknown): string[] {
  const { code, name, errors } = error as { code?: unknown; name?: unknown; errors?: unknown };
  return [typeof code === 'string' ? code : String(name), ...(Array.isArray(errors) ? errors.flatMap(codesOf) : [])];
}
