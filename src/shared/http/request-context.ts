import type { IncomingMessage } from 'node:http';

/** What the front of the pipeline learned about a request before any framework saw it. */
export interface RequestContext {
  /** Correlates answer, log lines and problem documents. */
  readonly id: string;
  /** The client's address by the trusted proxy chain (TRUST_PROXY). */
  readonly clientAddress: string;
  /** What limits count for: the address, for IPv6 its /64. */
  readonly clientNetwork: string;
  /** The Host header as it was sent; `headers.host` itself is pinned to PUBLIC_URL. */
  readonly host: string;
  readonly startedAt: bigint;
}

declare module 'node:http' {
  interface IncomingMessage {
    context: RequestContext;
  }
}

/** The client that a request names by `clientid`, plain (the dropsite guide calls it so) or prefixed; null: none. */
export function clientIdHeader(request: IncomingMessage, prefixes: readonly string[]): string | null {
  const { clientid } = request.headers;
  return (typeof clientid === 'string' ? clientid : prefixedHeader(request, prefixes, 'clientid')) || null;
}

/** Value of one of our own headers, e.g. `device`, under any of the configured prefixes (`x-service-device`). */
export function prefixedHeader(request: IncomingMessage, prefixes: readonly string[], name: string): string | undefined {
  for (const prefix of prefixes) {
    const value = request.headers[`${prefix}-${name}`];
    if (typeof value === 'string') return value;
  }
  return undefined;
}
