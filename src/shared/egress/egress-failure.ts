/** The reasons for which a request can fail. */
export type EgressFailureCode =
  | 'blocked address'
  | 'dns'
  | 'http-4xx'
  | 'http-5xx'
  | 'invalid answer'
  | 'invalid header'
  | 'invalid url'
  | 'plain http'
  | 'redirect'
  | 'refused'
  | 'reset'
  | 'stopped'
  | 'failed'
  | 'timeout'
  | 'tls'
  | 'unreachable';

/** A code and a sentence for people. It contains the host name but nothing else of URL, headers and bodies, which may contain secrets. */
export class EgressFailure {
  constructor(
    readonly code: EgressFailureCode,
    readonly sentence: string,
  ) {}

  /** `timeout: hooks.example.org did not answer within 15 s` */
  toString(): string {
    return `${this.code}: ${this.sentence}`;
  }
}

/** Carries a failure through library code that only supports Error objects. */
export class EgressError extends Error {
  constructor(readonly failure: EgressFailure) {
    super(failure.toString());
  }
}

/** Codes of Node, OpenSSL and undici, most specific first, because each of several addresses may have failed in another way. */
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

/** Converts an error of a request to `host`. Only the error's code is used, because its message may quote what was sent. */
export function toEgressFailure(error: unknown, host: string): EgressFailure {
  if (error instanceof EgressError) return error.failure;
  const codes = codesOf(error);
  for (const [pattern, code, words] of KINDS) {
    const found = codes.find((candidate) => pattern.test(candidate));
    if (found)
      return new EgressFailure(code, code === 'tls' || code === 'invalid answer' ? `${host} ${words} (${found})` : `${host} ${words}`);
  }
  return new EgressFailure('failed', `${host} could not be asked (${codes[0]})`);
}

/** The error's own code (its name, if undici omits the code), and the codes of its inner errors, one for each address that was tried. */
function codesOf(error: unknown): string[] {
  const { code, name, errors } = error as { code?: unknown; name?: unknown; errors?: unknown };
  return [typeof code === 'string' ? code : String(name), ...(Array.isArray(errors) ? errors.flatMap(codesOf) : [])];
}
