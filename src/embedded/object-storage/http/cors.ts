import type { IncomingMessage } from 'node:http';

/** Any page may use the storage: what it needs are signatures, which no browser adds by itself, and there are no cookies. */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': [
    'ETag',
    'Content-Length',
    'Content-Range',
    'Content-Disposition',
    'Last-Modified',
    'Accept-Ranges',
    'x-amz-request-id',
    'x-amz-id-2',
    'x-amz-checksum-crc32',
    'x-amz-checksum-crc32c',
    'x-amz-checksum-crc64nvme',
    'x-amz-checksum-sha1',
    'x-amz-checksum-sha256',
    'x-amz-checksum-type',
  ].join(', '),
};

const MAX_AGE_SECONDS = 3_600;

/** The answer to a preflight request. Headers are allowed by name, because `*` does not include Authorization. */
export function preflightHeaders({ headers }: IncomingMessage): Record<string, string> {
  return {
    ...CORS_HEADERS,
    'access-control-allow-methods': 'GET, HEAD, PUT, POST, DELETE',
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
    'access-control-max-age': String(MAX_AGE_SECONDS),
    vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
  };
}
