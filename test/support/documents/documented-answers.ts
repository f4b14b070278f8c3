import { readFileSync } from 'node:fs';
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Json = Record<string, unknown>;
type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Response = Exclude<NonNullable<Operation['responses'][string]>, { $ref: string }>;

const METHODS = ['get', 'put', 'post', 'delete'] as const;
type Method = (typeof METHODS)[number];

/** Pages for people, their forms and files, and Swagger UI: no operations, so the document does not describe them (contract section 1). */
const PAGES = [
  /^\/$/,
  /^\/(account|assets|console|d|dev|docs|fixedPreviewImages|l)(\/|$)/,
  /^\/v4\/(interaction|logout|authorize)\//,
  /^\/v4\/logout$/,
  /^\/v4\/saml\/[^/]+\/acs$/,
  /^\/v5\/deliverEmbed\/[^/]+\/(player|sign-in)(\/|$)/,
];

/** As much of an answer as the document describes. */
export interface Answer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Compares answers of the service with openapi.json: status, content type, headers, and every member, also one that is not described. */
export class DocumentedAnswers {
  private readonly document = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject;
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly validators = new Map<object, ValidateFunction>();
  private readonly templates: readonly { readonly path: string; readonly pattern: RegExp }[];
  /** The operations that were compared. */
  readonly seen = new Set<string>();
  /** Those of them that answered with something: no error, and no empty list. */
  readonly answered = new Set<string>();

  constructor() {
    addFormats.default(this.ajv);
    for (const [name, schema] of Object.entries(this.document.components?.schemas ?? {})) {
      this.ajv.addSchema(closed(schema) as Json, `#/components/schemas/${name}`);
    }
    // Fixed paths first: /v5/s3/success is no /v5/s3/{…}.
    const paths = Object.keys(this.document.paths).sort((a, b) => a.split('{').length - b.split('{').length);
    this.templates = paths.map((path) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
    }));
  }

  /** The documented operations of a method. */
  operations(method: Method): string[] {
    return this.templates.filter(({ path }) => this.document.paths[path]?.[method]).map(({ path }) => `${method} ${path}`);
  }

  /** What the document does not say of an answer; empty: it says all of it. */
  differences(answer: Answer): string[] {
    const { status, body } = answer;
    const method = answer.method === 'HEAD' ? 'get' : answer.method.toLowerCase();
    const template = this.templates.find(({ path, pattern }) => pattern.test(answer.path) && this.document.paths[path]?.[method as Method]);
    if (!template) return this.isNoOperation(answer) ? [] : [`${method} ${answer.path} ${status}: no such operation`];
    const name = `${method} ${template.path}`;
    const documented = this.document.paths[template.path]?.[method as Method]?.responses[status] as Response | undefined;
    this.seen.add(name);
    if (status === 405) return []; // of a fixed address beside ids, or HEAD of an address without GET
    if (!documented) return [`${name}: no status ${status} (${body.slice(0, 200)})`];
    if (status < 400 && body !== '[]') this.answered.add(name);
    return [...this.findMissingHeaders(documented, answer), ...this.compareContent(documented, answer)].map(
      (difference) => `${name} ${status}${difference}`,
    );
  }

  /** What the document does not say of a webhook whose body is the event. */
  webhookDifferences({ headers, body }: Pick<Answer, 'headers' | 'body'>): string[] {
    const name = String((JSON.parse(body) as Json).name);
    const { parameters = [], requestBody } = this.document.webhooks?.[name]?.post ?? {};
    const missing = parameters.flatMap((one) =>
      'name' in one && headers[one.name] === undefined ? [`${name}: no header ${one.name}`] : [],
    );
    const content = requestBody && 'content' in requestBody ? requestBody.content['application/json'] : undefined;
    return [...missing, ...this.validate(content ?? {}, body).map((difference) => `${name}${difference}`)];
  }

  /** A page, a preflight request, or a refusal at an address that does not exist. */
  private isNoOperation({ method, path, status }: Answer): boolean {
    return status >= 400 || method === 'OPTIONS' || PAGES.some((pattern) => pattern.test(path));
  }

  private findMissingHeaders({ headers = {} }: Response, answer: Answer): string[] {
    const required = Object.entries(headers).filter(([, header]) => this.resolve(header).required);
    const missing = required.filter(([name]) => answer.headers[name.toLowerCase()] === undefined);
    return missing.filter(([name]) => answer.method !== 'HEAD' || name !== 'Location').map(([name]) => `: no header ${name}`);
  }

  private resolve(header: object): { readonly required?: boolean } {
    if (!('$ref' in header)) return header;
    const { headers = {} } = this.document.components ?? {};
    return headers[String(header.$ref).split('/').at(-1) ?? ''] as { readonly required?: boolean };
  }

  private compareContent({ content }: Response, { method, status, headers, body }: Answer): string[] {
    if (status >= 300 && status < 400) return []; // clients read the header; the body is a note for people (RFC 9110 section 15.4)
    const [type = ''] = String(headers['content-type'] ?? '').split(';');
    if (!content) return body === '' ? [] : [`: a body of ${type}`];
    const documented = content[type] ?? content['*/*'];
    if (!documented) return [`: no content type ${type} (${body.slice(0, 200)})`];
    if (method === 'HEAD' || !/[/+]json$/.test(type)) return []; // application/x-ndjson is text
    return this.validate(documented, body);
  }

  private validate(content: { readonly schema?: object }, body: string): string[] {
    const validate = this.validators.get(content) ?? this.ajv.compile(closed(content.schema ?? false) as Json);
    this.validators.set(content, validate);
    return validate(JSON.parse(body)) ? [] : describe(validate);
  }
}

const MAX_DESCRIBED = 20;

/** The place in the JSON, and what is wrong there. */
const describe = ({ errors }: ValidateFunction): string[] =>
  (errors ?? [])
    .slice(0, MAX_DESCRIBED)
    .map(({ instancePath, message, params }: ErrorObject) => ` ${instancePath}: ${message} ${JSON.stringify(params)}`);

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schema, in which a member that is not described is a mistake. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isObject(schema)) return schema;
  const parts = Object.entries(schema).map(([keyword, value]) => [
    keyword,
    keyword === 'properties' ? closedMembers(value) : closed(value),
  ]);
  const isOpen = schema.properties === undefined || schema.additionalProperties !== undefined;
  return { ...Object.fromEntries(parts), ...(!isOpen && { additionalProperties: false }) };
}

const closedMembers = (members: unknown): unknown =>
  isObject(members) ? Object.fromEntries(Object.entries(members).map(([name, member]) => [name, closed(member)])) : members;

let documented: DocumentedAnswers | null = null;
let found: string[] | null = null;
const permitted: RegExp[] = [];

/** From now on the answers of all applications of the test file are compared with the document. */
export function startComparing(): void {
  found = [];
}

/** The differences since the last call, apart from those that the test permitted. */
export function takeDifferences(): string[] {
  const patterns = permitted.splice(0);
  return (found?.splice(0) ?? []).filter((difference) => !patterns.some((pattern) => pattern.test(difference)));
}

/** For a test that provokes what the document does not promise, such as an error 500: differences like this are permitted until its end. */
export function permitDifferences(pattern: RegExp): void {
  permitted.push(pattern);
}

/** Compares every answer of a server before it is sent, whoever asked. */
export function compareAnswersOf(server: Server): void {
  if (!found) return;
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const path = pathOf(request);
    onAnswer(response, (answer) => {
      documented ??= new DocumentedAnswers();
      found?.push(...documented.differences({ ...answer, method: request.method ?? '', path }));
    });
  });
}

/** Compares a request that a receiver of webhooks got, if its body is an event. */
export function compareWebhook(request: Pick<Answer, 'headers' | 'body'>): void {
  if (!found || !/^\{"id":"?\d+"?,"name":"event:/.test(request.body)) return;
  documented ??= new DocumentedAnswers();
  found.push(...documented.webhookDifferences(request));
}

const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0] ?? '/';

/** Calls back with the answer as it is about to end. Of an answer that is not JSON only the beginning is kept. */
function onAnswer(response: ServerResponse, report: (answer: Pick<Answer, 'status' | 'headers' | 'body'>) => void): void {
  const chunks: Buffer[] = [];
  let given: OutgoingHttpHeaders = {};
  const headers = () => ({ ...response.getHeaders(), ...given });
  const keep = (chunk: unknown, encoding: unknown): void => {
    if (chunks.length > 0 && !String(headers()['content-type']).includes('json')) return;
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const { writeHead, write, end } = response;
  response.writeHead = ((...args: unknown[]) => {
    const [named = {}] = args.filter(isObject);
    given = Object.fromEntries(Object.entries(named as OutgoingHttpHeaders).map(([name, value]) => [name.toLowerCase(), value]));
    return Reflect.apply(writeHead, response, args);
  }) as typeof writeHead;
  response.write = ((...args: unknown[]) => {
    keep(args[0], args[1]);
    return Reflect.apply(write, response, args);
  }) as typeof write;
  response.end = ((...args: unknown[]) => {
    keep(args[0], args[1]);
    if (!response.writableEnded) report({ status: response.statusCode, headers: headers(), body: Buffer.concat(chunks).toString() });
    return Reflect.apply(end, response, args);
  }) as typeof end;
}
