import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { errors } from 'oidc-provider';
import { defineErrors } from '../../../shared/errors/index.js';
import { ProblemPages } from '../../../shared/web/index.js';

const interactionErrors = defineErrors({
  session_not_found: { kind: 'invalid', meaning: 'No sign-in is under way in this browser: it has expired or was finished elsewhere.' },
});

/** Plain words for the errors that people meet at sign-in; the rest says what the error says. */
const HINTS: Readonly<Record<string, string>> = {
  invalid_redirect_uri: 'The application sent an address to return to that is not registered for it. Tell its maker.',
  invalid_client: 'The application is not registered here. Tell its maker.',
  invalid_request: 'The application sent a request that cannot be answered. Go back and try again, or tell its maker.',
  client_id_mismatch: 'The application sent a request that cannot be answered. Tell its maker.',
  session_not_found: 'The sign-in has expired or was finished in another tab. Go back to the application and start again.',
  csrf_mismatch: 'Go back to the application and start again.',
};

/** The pages of problems, for what oidc-provider throws too. */
@Injectable()
export class ErrorPages {
  constructor(private readonly pages: ProblemPages) {
    pages.explain(HINTS);
  }

  /** The page of an error code; `message` is one plain sentence. */
  render(code: string, message: string, requestId: string): string {
    return this.pages.render(code, message, requestId);
  }

  /** Answers a request with the page of whatever was thrown. */
  send(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    this.pages.send(translate(error), request, response);
  }
}

const translate = (error: unknown): unknown =>
  error instanceof errors.SessionNotFound ? interactionErrors.session_not_found('There is no sign-in under way in this browser.') : error;
