import type { OpenAPIObject } from '@nestjs/swagger';
import { errorCatalogue } from '../shared/errors/index.js';
import { ERROR_CODES, statusOfKind } from '../shared/http/index.js';
import { IDEMPOTENCY_HEADER } from '../shared/idempotency/index.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** Turns the codes of each operation, its own and the general ones, into responses with an example for every code. */
export function addErrorResponses(document: OpenAPIObject): void {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation) describe(operation, path);
    }
  }
}

function describe(operation: Operation, path: string): void {
  const extended = operation as Operation & { [ERROR_CODES]?: readonly string[] };
  const codes = new Set([...(extended[ERROR_CODES] ?? []), ...generalCodes(operation, path)]);
  delete extended[ERROR_CODES];
  for (const [status, ofStatus] of byStatus(codes)) operation.responses[status] = response(ofStatus);
}

/** What any operation may answer, by what it is. */
function generalCodes(operation: Operation, path: string): string[] {
  const codes: string[] = [];
  if (operation.security?.length)
    codes.push('unauthenticated', 'token_invalid', 'token_expired', 'device_mismatch', 'insufficient_scope', 'rate_limited');
  if (operation.parameters?.length || operation.requestBody) codes.push('validation_failed', 'malformed_request');
  if (operation.requestBody) codes.push('payload_too_large');
  if (isIdempotent(operation)) codes.push('invalid_idempotency_key', 'idempotency_key_reused');
  if (path.includes('{')) codes.push('not_found');
  return codes;
}

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
  const examples = Object.fromEntries(codes.map((code) => [code, { value: { code, detail: errorCatalogue.get(code)?.meaning } }]));
  const schema = { $ref: '#/components/schemas/ProblemResponse' };
  return { description: lines.join('\n\n'), content: { 'application/problem+json': { schema, examples } } };
}
