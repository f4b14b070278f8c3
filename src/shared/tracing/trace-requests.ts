import type { IncomingMessage } from 'node:http';
import { hasProxyHeader, type Step } from '../http/index.js';
import { routeOf } from '../metrics.js';
import { isLoopback } from '../validation/index.js';
import { startTrace } from './spans.js';

/** Version 00 of W3C Trace Context; an all-zero id is invalid. */
const TRACEPARENT = /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-([\da-f]{2})$/;
const SAMPLED = 1;
const CHANGES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** Traces of probes, scrapes and page assets would be useless. */
const QUIET = /^\/(health|metrics|assets)(\/|$)/;

/**
 * Traces requests: API requests that may change something, requests that continue the trace of a trusted caller, and a `share` of all others,
 * because tracing thousands of introspections a second would cost more than it is worth.
 *
 * A trusted caller is a program on this machine that is not behind a proxy (such as the service itself): its `traceparent` is the parent. Other
 * callers may send any `traceparent`, so the trace begins here and only links to the caller's.
 */
export function traceRequests(share: number, random: () => number = Math.random): Step {
  return (request, response, next) => {
    const { method = '', url = '' } = request;
    if (QUIET.test(url)) return next();
    const given = readTraceparent(request);
    const isContinued = given !== null && isTrusted(request);
    const isTraced = isContinued ? given.isSampled : (CHANGES.has(method) && url.startsWith('/v5/')) || random() < share;
    if (!isTraced) return next();
    const place = isContinued ? { parent: given.text } : given ? { link: given.text } : {};
    const attributes = { 'http.request.method': method, 'request.id': request.context.id };
    startTrace({ name: method, kind: 'server', attributes }, place, (span) => {
      response.once('close', () => {
        const [route, status] = [routeOf(request), response.statusCode];
        span?.rename(`${method} ${route}`);
        span?.add({ 'http.route': route, 'http.response.status_code': status });
        span?.end(status >= 500 ? new Error(String(status)) : undefined);
      });
      next();
    });
  };
}

function readTraceparent({ headers }: IncomingMessage): { readonly text: string; readonly isSampled: boolean } | null {
  const { traceparent: text } = headers;
  const [, flags] = TRACEPARENT.exec(typeof text === 'string' ? text : '') ?? [];
  return flags === undefined ? null : { text: String(text), isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

const isTrusted = ({ headers, socket }: IncomingMessage): boolean => !hasProxyHeader(headers) && isLoopback(socket.remoteAddress ?? '');
