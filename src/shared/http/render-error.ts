import type { IncomingMessage, ServerResponse } from 'node:http';
import { isDatabaseDown } from '../database/database-failures.js';
import { DomainError, defineErrors, generalErrors } from '../errors/index.js';
import type { Log } from '../logging/index.js';
import { sendJson, sendProblem } from './problem.js';

export const httpErrors = defineErrors({
  malformed_request: { kind: 'invalid', meaning: 'The request cannot be read: invalid JSON, a NUL byte, or a URL that is too long.' },
  service_unavailable: { kind: 'unavailable', meaning: 'The service cannot reach its database at the moment; try again later.' },
});

const RETRY_AFTER_SECONDS = 5; // a database that fails over is back within some seconds

interface WithStatus {
  readonly status?: number;
  readonly statusCode?: number;
  readonly type?: string;
}

/** The one place where an error of any origin becomes an answer: rules as they are, framework errors translated, the rest logged as 500. */
export function renderError(error: unknown, request: IncomingMessage, response: ServerResponse, log: Log): void {
  if (response.headersSent) return void response.destroy();
  const known = asDomainError(error);
  if (!known || (known !== error && known.kind === 'unavailable')) {
    log.error({ err: error, requestId: request.context.id, url: request.url?.split('?')[0] }, 'unexpected error');
  }
  if (known) return sendProblem(request, response, known);
  sendInternal(request, response);
}

/** A rule of ours as it is, and what Express, its body parser and Nest's router say by a status, and a database that is down; null: unexpected. */
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
    return httpErrors.service_unavailable(detail, { retryAfter: RETRY_AFTER_SECONDS });
  }
  return null;
}

function sendInternal(request: IncomingMessage, response: ServerResponse): void {
  const detail = 'Something went wrong here. Try again; if it stays, give the requestId to the operator.';
  const document = { type: 'about:blank', title: 'Internal Server Error', status: 500, detail, code: 'internal', message: detail };
  sendJson(response, 500, { ...document, requestId: request.context.id }, 'application/problem+json');
}
