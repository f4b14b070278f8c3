import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Json = Record<string, unknown>;

/** Answers whose members are not all known: what was sent is repeated, or a standard adds more. */
const OPEN = new Set([
  'ProblemResponse',
  'ProcessedItemResponse',
  'PreparedItemResponse',
  'UploadProblemResponse',
  'ServerMetadataResponse',
]);

/** Compares answers of the service with openapi.json: status, content type and every member, also one that is not described. */
export class DocumentedAnswers {
  private readonly document = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject;
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly templates: readonly { readonly path: string; readonly pattern: RegExp }[];
  /** The operations that were compared. */
  readonly seen = new Set<string>();
  /** Those of them that answered with something: no error, and no empty list. */
  readonly answered = new Set<string>();

  constructor() {
    addFormats.default(this.ajv);
    for (const [name, schema] of Object.entries(this.document.components?.schemas ?? {})) {
      this.ajv.addSchema(closed(name, schema as Json), `#/components/schemas/${name}`);
    }
    // Fixed paths first: /v5/s3/success is no /v5/s3/{…}.
    const paths = Object.keys(this.document.paths).sort((a, b) => a.split('{').length - b.split('{').length);
    this.templates = paths.map((path) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    }));
  }

  /** The documented operations of a method. */
  operations(method: 'get' | 'put' | 'post' | 'delete'): string[] {
    return this.templates.filter(({ path }) => this.document.paths[path]?.[method]).map(({ path }) => `${method} ${path}`);
  }

  /** What the document does not say of an answer; empty: it says all of it. */
  async differences(method: string, url: string, response: Response): Promise<string[]> {
    const { pathname } = new URL(url);
    const template = this.templates.find(({ path, pattern }) => pattern.test(pathname) && this.document.paths[path]?.[method as 'get']);
    const operation = template && (this.document.paths[template.path]?.[method as 'get'] as Operation);
    const name = `${method} ${template?.path ?? pathname}`;
    if (!operation) return [`${name}: no such operation`];
    this.seen.add(name);
    const answer = operation.responses[response.status];
    if (!answer || '$ref' in answer) return [`${name}: no status ${response.status}`];
    const text = await response.text();
    if (response.status < 400 && text !== '[]') this.answered.add(name);
    const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
    const content = answer.content?.[type];
    if (!content) return text === '' && !answer.content ? [] : [`${name} ${response.status}: no content type ${type}`];
    if (!type.endsWith('json')) return [];
    const validate: ValidateFunction = this.ajv.compile(content.schema ?? false);
    if (validate(JSON.parse(text))) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${name} ${response.status} ${instancePath}: ${message} ${JSON.stringify(params)}`,
    );
  }
}

/** The schema, in which a member that is not described is a mistake. */
function closed(name: string, schema: Json): Json {
  return OPEN.has(name) || !schema.properties || schema.additionalProperties !== undefined
    ? schema
    : { ...schema, additionalProperties: false };
}
