import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { errors } from 'oidc-provider';
import { asDomainError, statusOfKind } from '../../../shared/http/index.js';
import { Log } from '../../../shared/logging/index.js';
import { Pages, sendPage } from '../../../shared/web/index.js';

const PAGE = new URL('../pages/error.eta', import.meta.url);

/** Plain words for the errors that people meet; the rest says what the error says. */
const HINTS: Readonly<Record<string, string>> = {
  invalid_redirect_uri: 'The application sent an address to return to that is not registered for it. Tell its maker.',
  invalid_client: 'The application is not registered here. Tell its maker.',
  invalid_request: 'The application sent a request that cannot be answered. Go back and try again, or tell its maker.',
  client_id_mismatch: 'The application sent a request that cannot be answered. Tell its maker.',
  session_not_found: 'The sign-in has expired or was finished in another tab. Go back to the application and start again.',
  csrf_mismatch: 'Go back to the application and start again.',
  rate_limited: 'Wait a moment, then go back and try again.',
};

interface Shown {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Errors for people: what a browser is shown where there is no place to redirect to. */
@Injectable()
export class ErrorPages {
  constructor(
    private readonly pages: Pages,
    private readonly log: Log,
  ) {}

  /** The page of an error code; `message` is one plain sentence. */
  render(code: string, message: string, requestId: string): string {
    return this.pages.render(PAGE, { title: 'That did not work', message: sentence(message), hint: HINTS[code] ?? null, code, requestId });
  }

  /** Answers a request with the page of whatever was thrown. */
  send(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    if (response.headersSent) return void response.destroy();
    const { id } = request.context;
    const shown = describe(error);
    if (shown.status >= 500) this.log.error({ err: error, requestId: id, url: request.url?.split('?')[0] }, 'unexpected error');
    const retryAfter = asDomainError(error)?.extras.retryAfter;
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
    sendPage(response, shown.status, this.render(shown.code, shown.message, id));
  }
}

function describe(error: unknown): Shown {
  if (error instanceof errors.SessionNotFound) {
    return { status: 400, code: 'session_not_found', message: 'There is no sign-in under way in this browser' };
  }
  const known = asDomainError(error);
  if (known) return { status: statusOfKind(known.kind), code: known.code, message: known.detail };
  return { status: 500, code: 'internal', message: 'Something went wrong here. Try again; if it stays, tell the operator' };
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
