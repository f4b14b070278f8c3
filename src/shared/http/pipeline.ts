import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** A step in front of Nest, on Node's own request and response. It answers, or calls `next`; `next(error)` ends in a problem document. */
export type Step = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** Runs the steps in order; what no step answers reaches `last`. A step goes on once, and what it throws counts like `next(error)`. */
export function pipeline(steps: readonly Step[], onError: (error: unknown, request: IncomingMessage, response: ServerResponse) => void) {
  return (last: RequestListener): RequestListener =>
    (request, response) => {
      const run = (index: number): void => {
        const step = steps[index] ?? (() => last(request, response));
        let wentOn = false;
        const next = (error?: unknown): void => {
          if (wentOn) return;
          wentOn = true;
          if (error === undefined) run(index + 1);
          else onError(error, request, response);
        };
        try {
          step(request, response, next);
        } catch (error) {
          wentOn = true;
          onError(error, request, response);
        }
      };
      run(0);
    };
}

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

/** A proxy on this machine connects from loopback too; any of these headers shows that the request came through one. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'];

export const hasProxyHeader = (headers: IncomingMessage['headers']): boolean => PROXY_HEADERS.some((name) => headers[name] !== undefined);

/** Value of one of our own headers, e.g. `device`, under any of the configured prefixes (`x-service-device`). */
export function prefixedHeader(request: IncomingMessage, prefixes: readonly string[], name: string): string | undefined {
  for (const prefix of prefixes) {
    const value = request.headers[`${prefix}-${name}`];
    if (typeof value === 'string') return value;
  }
  return undefined;
}
