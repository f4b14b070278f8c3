import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { DomainError, ErrorKind } from '../errors/index.js';

const STATUS: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  rate_limited: 429,
  unavailable: 503,
};

/** The status code of a kind of refusal. */
export const statusOfKind = (kind: ErrorKind): number => STATUS[kind];

/** Answers with a problem document (RFC 9457). `message` repeats `detail` for clients that read that name. */
export function sendProblem(request: IncomingMessage, response: ServerResponse, error: DomainError): void {
  const status = statusOfKind(error.kind);
  const { retryAfter, ...members } = error.extras;
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
  if (status === 401) response.setHeader('www-authenticate', challenge(error));
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

/** RFC 6750 section 3: no `error` when the request carried no credentials at all; only some characters may stand in a description. */
const challenge = ({ code, detail }: DomainError): string => {
  const description = detail.replaceAll('"', "'").replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?');
  return code === 'unauthenticated' ? 'Bearer' : `Bearer error="invalid_token", error_description="${description}"`;
};

/** Answers with JSON without a framework. */
export function sendJson(response: ServerResponse, status: number, body: unknown, type = 'application/json'): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
