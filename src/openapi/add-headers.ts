import type { OpenAPIObject } from '@nestjs/swagger';
import { IDEMPOTENCY_HEADER } from '../shared/idempotency/index.js';
import { type Operation, operationsOf } from './operations.js';

const text = (description: string, example?: string) => ({ description, schema: { type: 'string' as const }, ...(example && { example }) });

/** The headers of answers, by their names. */
const HEADERS = {
  Deprecation: text('Since when the operation is deprecated (RFC 9745).', '@1763596800'),
  'Idempotency-Replayed': text('true: this is the answer to an earlier request with the same Idempotency-Key.', 'true'),
  Link: text('The next page, with rel="next" (RFC 8288); absent on the last one.', '</v5/format?limit=100&cursor=7>; rel="next"'),
  RateLimit: text('The remaining requests, and the seconds until the limit resets.', '"api";r=599;t=60'),
  'RateLimit-Policy': text('The limit, and its period in seconds.', '"api";q=600;w=60'),
  'Retry-After': text('Seconds to wait.', '5'),
  'WWW-Authenticate': text('What is wrong with the credentials (RFC 6750 section 3).', 'Bearer'),
};

type HeaderName = keyof typeof HEADERS;

/** Adds the headers that answers of many operations carry. */
export function addHeaders(document: OpenAPIObject): void {
  for (const { operation } of operationsOf(document)) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (!response || '$ref' in response) continue;
      const names = headersOf(operation, status);
      if (names.length === 0) continue;
      const references = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
      response.headers = { ...response.headers, ...(Object.fromEntries(references) as typeof response.headers) };
    }
  }
  document.components = { ...document.components, headers: HEADERS };
}

function headersOf(operation: Operation, status: string): HeaderName[] {
  const isSuccess = status.startsWith('2');
  const has = (name: string) => (operation.parameters ?? []).some((parameter) => 'name' in parameter && parameter.name === name);
  const names: HeaderName[] = [];
  if (isSuccess && operation.deprecated) names.push('Deprecation');
  if (isSuccess && has(IDEMPOTENCY_HEADER.name)) names.push('Idempotency-Replayed');
  if (isSuccess && has('cursor')) names.push('Link');
  if ('429' in operation.responses && (isSuccess || status === '429')) names.push('RateLimit', 'RateLimit-Policy');
  if (status === '429' || status === '503') names.push('Retry-After');
  if (status === '401') names.push('WWW-Authenticate');
  return names;
}
