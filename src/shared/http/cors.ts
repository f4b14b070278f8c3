import type { TrustedOriginsService } from '../auth/index.js';
import type { Step } from './pipeline.js';

const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const HEADERS = ['authorization', 'content-type', 'if-match', 'clientid', 'x-request-id', 'idempotency-key', 'range'];
const OWN_HEADERS = ['device', 'clientid', 'accesskey', 'rts', 'hash', 'version', 'identifier', 'authmeta'];
const EXPOSED =
  'ETag, Idempotency-Replayed, Link, Location, Retry-After, RateLimit, RateLimit-Policy, Total-Count, WWW-Authenticate, x-request-id';

/** Embed links with their playlists, segments and tracks: players run on pages of any origin and send no cookies. */
const PLAYABLE = /^\/v5\/deliverEmbed\/[^/?]/i;
/** `*` alone does not include Authorization. */
const PLAYER_CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': `${EXPOSED}, Content-Length, Content-Range`,
} as const;
const PLAYER_PREFLIGHT = { 'access-control-allow-methods': METHODS, 'access-control-allow-headers': '*, authorization' } as const;
const MAX_AGE = '600';

/**
 * CORS for the origins of registered clients and CORS_ORIGINS: the exact origin, with credentials. Pages of all other origins may read embed links
 * without credentials, and nothing else.
 */
export function cors(origins: TrustedOriginsService, headerPrefixes: readonly string[]): Step {
  const allowedHeaders = [...HEADERS, ...headerPrefixes.flatMap((prefix) => OWN_HEADERS.map((name) => `${prefix}-${name}`))].join(', ');
  return (request, response, next) => {
    const { origin } = request.headers;
    response.setHeader('vary', 'Origin'); // also without an Origin header; otherwise a cache could serve that response to a page
    if (!origin) return next();
    origins.isTrusted(origin).then((trusted) => {
      if (trusted) {
        response.setHeader('access-control-allow-origin', origin);
        response.setHeader('access-control-allow-credentials', 'true');
        response.setHeader('access-control-expose-headers', EXPOSED);
      }
      const isPlayer = !trusted && PLAYABLE.test(request.url ?? '');
      if (isPlayer) response.setHeaders(new Map(Object.entries(PLAYER_CORS)));
      if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return next();
      if (trusted) {
        response.setHeader('access-control-allow-methods', METHODS);
        response.setHeader('access-control-allow-headers', allowedHeaders);
        response.setHeader('access-control-max-age', MAX_AGE);
      } else if (isPlayer) response.setHeaders(new Map(Object.entries({ ...PLAYER_PREFLIGHT, 'access-control-max-age': MAX_AGE })));
      response.writeHead(204).end();
    }, next);
  };
}
