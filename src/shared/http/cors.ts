import type { ServerResponse } from 'node:http';
import type { TrustedOriginsService } from '../auth/index.js';
import { readersOf } from '../auth/origin-rules.js';
import type { Step } from './pipeline.js';

const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const HEADERS = ['authorization', 'content-type', 'if-match', 'if-none-match', 'clientid', 'x-request-id', 'idempotency-key', 'range'];
const OWN_HEADERS = ['device', 'clientid', 'accesskey', 'rts', 'hash', 'version', 'identifier', 'authmeta'];
const EXPOSED =
  'ETag, Idempotency-Replayed, Link, Location, Retry-After, RateLimit, RateLimit-Policy, Total-Count, WWW-Authenticate, x-request-id';
const MAX_AGE = '600';

/** What a response says to a page that may read it; `preflight` only in the response to OPTIONS. */
interface Permission {
  readonly headers: Readonly<Record<string, string>>;
  readonly preflight: Readonly<Record<string, string>>;
}

/** `*` alone does not include Authorization. */
const TO_ALL: Permission = {
  headers: { 'access-control-allow-origin': '*', 'access-control-expose-headers': `${EXPOSED}, Content-Length, Content-Range` },
  preflight: { 'access-control-allow-methods': METHODS, 'access-control-allow-headers': '*, authorization' },
};

/** CORS as origin-rules.ts says: a response that no rule opens has no `Access-Control-Allow-*` header, whatever the origin. */
export function cors(origins: TrustedOriginsService, headerPrefixes: readonly string[]): Step {
  const allowedHeaders = [...HEADERS, ...headerPrefixes.flatMap((prefix) => OWN_HEADERS.map((name) => `${prefix}-${name}`))].join(', ');

  const toOrigin = (origin: string, withCookies: boolean): Permission => ({
    headers: {
      'access-control-allow-origin': origin,
      ...(withCookies && { 'access-control-allow-credentials': 'true' }),
      'access-control-expose-headers': EXPOSED,
    },
    preflight: { 'access-control-allow-methods': METHODS, 'access-control-allow-headers': allowedHeaders },
  });

  const find = async (origin: string, method: string, url: string): Promise<Permission | null> => {
    const readers = readersOf(method, url);
    if (readers === 'all') return TO_ALL;
    return readers !== 'none' && (await origins.isTrusted(origin)) ? toOrigin(origin, readers === 'clients') : null;
  };

  return (request, response, next) => {
    const { origin, 'access-control-request-method': asked } = request.headers;
    response.setHeader('vary', 'Origin'); // also without an Origin header; otherwise a cache could serve that response to a page
    if (!origin) return next();
    const isPreflight = request.method === 'OPTIONS' && asked !== undefined;
    find(origin, isPreflight ? asked : (request.method ?? ''), request.url ?? '').then((permission) => {
      if (permission) set(response, permission.headers);
      if (!isPreflight) return next();
      if (permission) set(response, { ...permission.preflight, 'access-control-max-age': MAX_AGE });
      response.writeHead(204).end();
    }, next);
  };
}

const set = (response: ServerResponse, headers: Permission['headers']): void => void response.setHeaders(new Map(Object.entries(headers)));
