import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** A step before Nest, on Node's own request and response. It responds, or calls `next`; `next(error)` results in a problem document. */
export type Step = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** Runs the steps in order; requests that no step answers reach `last`. Each step may continue once; a thrown error counts as `next(error)`. */
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

/** What the first steps determined about a request before any framework sees it. */
export interface RequestContext {
  /** Correlates the response, log lines and problem documents. */
  readonly id: string;
  /** The client's address according to the trusted proxy chain (TRUST_PROXY). */
  readonly clientAddress: string;
  /** The key by which limits count: the address; for IPv6 its /64. */
  readonly clientNetwork: string;
  /** The original Host header; `headers.host` itself is pinned to PUBLIC_URL. */
  readonly host: string;
  readonly startedAt: bigint;
}

declare module 'node:http' {
  interface IncomingMessage {
    context: RequestContext;
  }
}

/** The client that the header `clientid` names, without a prefix (as in the dropsite guide) or with one; null if there is none. */
export function clientIdHeader(request: IncomingMessage, prefixes: readonly string[]): string | null {
  const { clientid } = request.headers;
  return (typeof clientid === 'string' ? clientid : prefixedHeader(request, prefixes, 'clientid')) || null;
}

/** A proxy on this machine also connects from loopback; any of these headers shows that the request came through a proxy. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'];

export const hasProxyHeader = (headers: IncomingMessage['headers']): boolean => PROXY_HEADERS.some((name) => headers[name] !== undefined);

/** The value of a header of this service, such as `device`, under any configured prefix (`x-service-device`). */
export function prefixedHeader(request: IncomingMessage, prefixes: readonly string[], name: string): string | undefined {
  for (const prefix of prefixes) {
    const value = request.headers[`${prefix}-${name}`];
    if (typeof value === 'string') return value;
  }
  return undefined;
}
