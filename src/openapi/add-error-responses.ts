import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { errorCatalogue } from '../shared/errors/index.js';
import { ERROR_CODES, statusOfKind } from '../shared/http/index.js';
import { IDEMPOTENCY_HEADER } from '../shared/idempotency/index.js';
import { type Operation, operationsOf, takeExtension } from './operations.js';
import type { ProblemResponse } from './problem.dto.js';

const EXAMPLES = '#/components/examples/';

/** Turns the codes of each operation, its own and the general ones, into responses with an example for every code. */
export function addErrorResponses(document: OpenAPIObject): void {
  for (const { operation, path } of operationsOf(document)) {
    const own = takeExtension<readonly string[]>(operation, ERROR_CODES) ?? [];
    const codes = new Set([...own, ...generalCodes(operation, path)]);
    for (const [status, ofStatus] of byStatus(codes)) operation.responses[status] = response(ofStatus);
  }
  document.components = { ...document.components, examples: examplesOf(document) };
}

/** What any operation may answer, by what it is. */
function generalCodes(operation: Operation, path: string): string[] {
  if (operation.tags?.includes('Health')) return [];
  const codes: string[] = ['rate_limited', 'service_unavailable'];
  if (needsCaller(operation)) codes.push('unauthenticated', 'token_invalid', 'token_expired', 'device_mismatch', 'insufficient_scope');
  if (operation.parameters?.length || operation.requestBody) codes.push('validation_failed', 'malformed_request');
  if (operation.requestBody) codes.push('payload_too_large');
  if (isIdempotent(operation)) codes.push('invalid_idempotency_key', 'idempotency_key_reused', 'idempotent_answer_unreadable');
  if (path.includes('{')) codes.push('not_found');
  return codes;
}

/** Also one that is for callers and for others. */
const needsCaller = ({ security = [] }: Operation): boolean => security.some((one) => Object.keys(one).length > 0);

const isIdempotent = ({ parameters = [] }: Operation): boolean =>
  parameters.some((parameter) => 'name' in parameter && parameter.name === IDEMPOTENCY_HEADER.name);

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

function response(codes: readonly string[]) {
  const lines = codes.map((code) => `\`${code}\`: ${errorCatalogue.get(code)?.meaning}`);
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `${EXAMPLES}${code}` }]));
  const schema = { $ref: '#/components/schemas/ProblemResponse' };
  return { description: lines.join('\n\n'), content: { 'application/problem+json': { schema, examples } } };
}

/** A problem document of every code that an operation refers to. */
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
