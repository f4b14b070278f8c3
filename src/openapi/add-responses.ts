import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { errorCatalogue } from '../shared/errors.js';
import { ERROR_CODES, PROBLEM_PAGES, statusOfKind, TAGGED } from '../shared/http/index.js';
import { IDEMPOTENCY_HEADER } from '../shared/idempotency/index.js';
import { type Operation, operationsOf, takeExtension } from './operations.js';
import type { ProblemResponse } from './problem.dto.js';

const EXAMPLES = '#/components/examples/';

/** Converts the error codes of each operation, its own and the general ones, to responses with an example for every code. */
export function addErrorResponses(document: OpenAPIObject): void {
  for (const { operation, path } of operationsOf(document)) {
    const own = takeExtension<readonly string[]>(operation, ERROR_CODES) ?? [];
    const codes = new Set([...own, ...generalCodes(operation, path)]);
    const hasPages = takeExtension<boolean>(operation, PROBLEM_PAGES) ?? false;
    for (const [status, ofStatus] of byStatus(codes)) operation.responses[status] = response(ofStatus, hasPages);
  }
  document.components = { ...document.components, examples: examplesOf(document) };
}

/** The codes that any operation may return because of its properties. */
function generalCodes(operation: Operation, path: string): string[] {
  const codes: string[] = ['malformed_request'];
  if (operation.tags?.includes('Health')) return codes;
  codes.push('rate_limited', 'service_unavailable');
  if (needsCaller(operation)) codes.push('unauthenticated', 'token_invalid', 'token_expired', 'device_mismatch', 'insufficient_scope');
  if (hasInput(operation)) codes.push('validation_failed');
  if (operation.requestBody) codes.push('payload_too_large');
  if (hasParameter(operation, 'If-Match')) codes.push('precondition_failed');
  if (hasParameter(operation, IDEMPOTENCY_HEADER.name))
    codes.push('invalid_idempotency_key', 'idempotency_key_reused', 'idempotent_answer_unreadable');
  if (path.includes('{')) codes.push('not_found');
  return codes;
}

/** Whether the operation accepts callers; also true if it serves anonymous requests too. */
const needsCaller = ({ security = [] }: Operation): boolean => security.some((one) => Object.keys(one).length > 0);

/** No rule applies to the headers of operations. */
const hasInput = ({ parameters = [], requestBody }: Operation): boolean =>
  Boolean(requestBody) || parameters.some((parameter) => 'in' in parameter && parameter.in !== 'header');

const hasParameter = ({ parameters = [] }: Operation, name: string): boolean =>
  parameters.some((parameter) => 'name' in parameter && parameter.name === name);

function byStatus(codes: ReadonlySet<string>): Map<number, string[]> {
  const groups = new Map<number, string[]>();
  for (const code of codes) {
    const definition = errorCatalogue.get(code);
    if (!definition) throw new Error(`The error code ${code} is documented but not declared.`);
    const status = statusOfKind(definition.kind);
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return new Map([...groups].sort(([a], [b]) => a - b));
}

function response(codes: readonly string[], hasPage: boolean) {
  const lines = codes.map((code) => `\`${code}\`: ${errorCatalogue.get(code)?.meaning}`);
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `${EXAMPLES}${code}` }]));
  const schema = { $ref: '#/components/schemas/ProblemResponse' };
  const page = hasPage && { 'text/html': { schema: { type: 'string' as const } } };
  return { description: lines.join('\n\n'), content: { 'application/problem+json': { schema, examples }, ...page } };
}

/** An example problem document for every code that an operation references. */
function examplesOf({ paths }: OpenAPIObject) {
  const references = JSON.stringify(paths).matchAll(/"#\/components\/examples\/(\w+)"/g);
  const codes = new Set([...references].map(([, code = '']) => code));
  return Object.fromEntries([...codes].sort().map((code) => [code, { value: problemOf(code) }]));
}

function problemOf(code: string): ProblemResponse {
  const { kind, meaning: detail = '' } = errorCatalogue.get(code) ?? {};
  const status = kind ? statusOfKind(kind) : 500;
  const title = STATUS_CODES[status] ?? '';
  return { type: 'about:blank', title, status, detail, code, message: detail, requestId: '3f0c7d1e-8a1b-4b52-9d5e-6f1d2c3b4a59' };
}

/** Recorded by test/e2e/request-examples.spec.ts, which compares them with the responses of the service. */
const RECORDED = new URL(
  import.meta.url.includes('/dist/') ? '../../../src/openapi/response-examples.json' : './response-examples.json',
  import.meta.url,
);

/** Adds a complete example of a successful response to the operations that people use first. */
export function addResponseExamples(document: OpenAPIObject): void {
  const examples = JSON.parse(readFileSync(RECORDED, 'utf8')) as Readonly<Record<string, unknown>>;
  for (const { method, path, operation } of operationsOf(document)) {
    const example = examples[`${method} ${path}`];
    const status = Object.keys(operation.responses).findLast((one) => one.startsWith('2')); // 201 rather than 200
    const response = status === undefined ? undefined : operation.responses[status];
    const content = response && 'content' in response ? response.content?.['application/json'] : undefined;
    if (example !== undefined && content) content.example = example;
  }
}

const text = (description: string, example: string) => ({ description, schema: { type: 'string' as const }, example });

/** The definitions of common response headers. */
const HEADERS = {
  Deprecation: { ...text('Since when the operation is deprecated (RFC 9745).', '@1763596800'), required: true },
  ETag: text('The version of the resource, for If-Match (RFC 9110 section 8.8.3).', '"3-7"'),
  'Idempotency-Replayed': text('true: this is the answer to an earlier request with the same Idempotency-Key.', 'true'),
  Link: text(
    'The next page, with rel="next" (RFC 8288), if this one is full; it may be empty.',
    '</v5/format?limit=100&cursor=7>; rel="next"',
  ),
  RateLimit: text('The remaining requests, and the seconds until the limit resets.', '"api";r=599;t=60'),
  'RateLimit-Policy': text('The limit, and its period in seconds.', '"api";q=600;w=60'),
  'Retry-After': { ...text('Seconds to wait.', '5'), required: true },
  'Retry-After-If-Known': text('Seconds to wait.', '5'),
  'WWW-Authenticate': { ...text('What is wrong with the credentials (RFC 6750 section 3).', 'Bearer'), required: true },
};

type HeaderName = keyof typeof HEADERS;

/** Adds the response headers that many operations share. */
export function addHeaders(document: OpenAPIObject): void {
  for (const { operation } of operationsOf(document)) {
    const isTagged = takeExtension<boolean>(operation, TAGGED) ?? false;
    for (const [status, response] of Object.entries(operation.responses)) {
      if (!response || '$ref' in response) continue;
      const names = headersOf(operation, status);
      if (isTagged && (status.startsWith('2') || status === '304')) names.push('ETag');
      if (names.length === 0) continue;
      const references = names.map((name) => [name.replace('-If-Known', ''), { $ref: `#/components/headers/${name}` }]);
      response.headers = { ...response.headers, ...(Object.fromEntries(references) as typeof response.headers) };
    }
  }
  document.components = { ...document.components, headers: HEADERS };
}

/** Whether a quota applies: a 429 of most quotas has no Retry-After, because no time is known after which the request would succeed. */
const isLimited = ({ responses }: Operation): boolean => JSON.stringify(responses['429']).includes(`${EXAMPLES}quota_exceeded`);

function headersOf(operation: Operation, status: string): HeaderName[] {
  const isSuccess = status.startsWith('2');
  const names: HeaderName[] = [];
  if (isSuccess && operation.deprecated) names.push('Deprecation');
  if (isSuccess && hasParameter(operation, IDEMPOTENCY_HEADER.name)) names.push('Idempotency-Replayed');
  if (isSuccess && hasParameter(operation, 'cursor')) names.push('Link');
  if ('429' in operation.responses && (isSuccess || status === '429')) names.push('RateLimit', 'RateLimit-Policy');
  if (status === '429') names.push(isLimited(operation) ? 'Retry-After-If-Known' : 'Retry-After');
  if (status === '503') names.push('Retry-After-If-Known');
  if (status === '401') names.push('WWW-Authenticate');
  return names;
}
