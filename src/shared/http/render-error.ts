import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request } from 'express';
import { isForeignKeyViolation } from '../database/index.js';
import { DomainError, defineErrors, type ErrorKind, generalErrors, isDatabaseDown } from '../errors.js';
import { Log } from '../logging/index.js';

const STATUS: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  rate_limited: 429,
  unavailable: 503,
};

/** The HTTP status code of an error kind. */
export const statusOfKind = (kind: ErrorKind): number => STATUS[kind];

/** Sends a problem document (RFC 9457). `message` repeats `detail` for clients that read that name. */
export function sendProblem(request: IncomingMessage, response: ServerResponse, error: DomainError): void {
  const status = statusOfKind(error.kind);
  const { retryAfter, allow, ...members } = error.extras;
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
  if (allow !== undefined) response.setHeader('allow', allow.join(', '));
  if (status === 401 || error.code === INSUFFICIENT_SCOPE) response.setHeader('www-authenticate', challenge(error));
  const document = {
    type: 'about:blank',
    title: STATUS_CODES[status],
    status,
    detail: error.detail,
    code: error.code,
    message: error.detail,
    requestId: request.context.id,
  };
  sendJson(response, status, { ...document, ...members, ...document }, 'application/problem+json');
}

/** The only refusal of a valid token that has a challenge (RFC 6750 section 3.1). */
const INSUFFICIENT_SCOPE = 'insufficient_scope';

/** RFC 6750 section 3: no `error` if the request carried no credentials; only some characters are allowed in a description. */
const challenge = ({ code, detail }: DomainError): string => {
  const description = detail.replaceAll('"', "'").replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?');
  const error = code === INSUFFICIENT_SCOPE ? code : 'invalid_token';
  return code === 'unauthenticated' ? 'Bearer' : `Bearer error="${error}", error_description="${description}"`;
};

/** Sends a JSON response without a framework. */
export function sendJson(response: ServerResponse, status: number, body: unknown, type = 'application/json'): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

export const httpErrors = defineErrors({
  malformed_request: { kind: 'invalid', meaning: 'The request cannot be read: invalid JSON, a NUL byte, or a URL that is too long.' },
  method_not_allowed: { kind: 'method_not_allowed', meaning: 'The address exists, but not with this method; `Allow` lists its methods.' },
});

/** The refusal of a request to an address that has other methods (RFC 9110 section 15.5.6). */
export const methodNotAllowed = (allow: readonly string[]): DomainError =>
  httpErrors.method_not_allowed(`This address has no such method; use ${allow.join(' or ')}.`, { allow });

const RETRY_AFTER_SECONDS = 5; // a database that fails over is back within a few seconds

interface WithStatus {
  readonly status?: number;
  readonly statusCode?: number;
  readonly type?: string;
}

/** The one place where any error becomes a response: domain errors unchanged, framework errors translated, the rest logged as 500. */
export function renderError(error: unknown, request: IncomingMessage, response: ServerResponse, log: Log): void {
  if (response.headersSent) return void response.destroy();
  const known = asDomainError(error);
  if (!known || (known !== error && known.kind === 'unavailable') || isForeignKeyViolation(error)) {
    log.error({ err: error, requestId: request.context.id, url: request.url?.split('?')[0] }, 'unexpected error');
  }
  if (known) return sendProblem(request, response, known);
  sendInternal(request, response);
}

/** Converts an error: domain errors unchanged, HTTP errors of Express, its body parser and Nest, and an unavailable database; null: unexpected. */
export function asDomainError(error: unknown): DomainError | null {
  if (error instanceof DomainError) return error;
  const { status, statusCode, type } = (error ?? {}) as WithStatus;
  const code = status ?? statusCode;
  if (code === 413) return generalErrors.payload_too_large('The request body is too large for this operation.');
  if (type === 'entity.parse.failed') return httpErrors.malformed_request('The request body is not valid JSON.');
  if (code === 404) return generalErrors.not_found('No operation has this address; see /docs for all operations.');
  if (code !== undefined && code >= 400 && code < 500) return httpErrors.malformed_request('The request cannot be read.');
  if (isDatabaseDown(error)) {
    const detail = 'The service cannot answer at the moment. Try again in a few seconds.';
    return generalErrors.service_unavailable(detail, { retryAfter: RETRY_AFTER_SECONDS });
  }
  if (isForeignKeyViolation(error)) return generalErrors.not_found('Something that this request names was deleted at the same time.');
  return null;
}

function sendInternal(request: IncomingMessage, response: ServerResponse): void {
  const detail = 'Something went wrong here. Try again; if it stays, give the requestId to the operator.';
  const document = { type: 'about:blank', title: 'Internal Server Error', status: 500, detail, code: 'internal', message: detail };
  sendJson(response, 500, { ...document, requestId: request.context.id }, 'application/problem+json');
}

/** Sends the response for any error thrown by a handler, guard or pipe, and for a request that no route answers. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly log: Log,
    private readonly host: HttpAdapterHost,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    // Nest throws NotFoundException for a request without a route.
    const shown = error instanceof NotFoundException ? this.explainMissingRoute(request) : (this.findOtherMethods(error, request) ?? error);
    renderError(shown, request, http.getResponse<ServerResponse>(), this.log);
  }

  /** The refusal of a request to a fixed address, such as `/v5/mediacontainer/bulk`, whose last part another route took for an id and refused. */
  private findOtherMethods(error: unknown, request: Request): DomainError | null {
    if (!(error instanceof DomainError) || !OF_OTHER_ROUTE.has(error.kind)) return null;
    const allowed = this.methodsOf(request.path);
    return allowed.length > 0 && !allowed.includes(request.method) ? methodNotAllowed(allowed) : null;
  }

  /** Why no route answers a request: the address has other methods, or is unknown. */
  protected explainMissingRoute(request: Request): DomainError {
    const allowed = this.methodsOf(request.path);
    const isWrongMethod = allowed.length > 0 && !allowed.includes(request.method);
    return isWrongMethod
      ? methodNotAllowed(allowed)
      : generalErrors.not_found('No operation has this address; see /docs for all operations.');
  }

  /** The methods of the routes with a path, if there are any without parameters only of these; empty: it has no route. */
  private methodsOf(path: string): string[] {
    const { stack } = this.host.httpAdapter.getInstance<{ readonly router: { readonly stack: readonly RouterLayer[] } }>().router;
    const found = stack.flatMap((layer) => (layer.route && layer.match(path) ? layer.route : []));
    const fixed = found.filter((route) => !PARAMETER.test(route.path));
    const routes = fixed.length > 0 ? fixed : found;
    const methods = new Set(routes.flatMap((route) => Object.keys(route.methods).map((name) => name.toUpperCase())));
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods].sort();
  }
}

/** A part of a route's path that matches any text. */
const PARAMETER = /[:*]/;

/** How a route with a parameter may refuse a request that was not meant for it. */
const OF_OTHER_ROUTE: ReadonlySet<ErrorKind> = new Set(['invalid', 'unauthenticated', 'forbidden', 'not_found']);

/** An entry of Express's router: a route, or a middleware, which has none. */
interface RouterLayer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): unknown;
}
