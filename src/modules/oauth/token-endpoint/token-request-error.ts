import type { ServerResponse } from 'node:http';
import { DomainError } from '../../../shared/errors/index.js';
import { UnreadableBody } from '../provider/read-form.js';

type TokenError = 'invalid_request' | 'invalid_grant' | 'invalid_scope' | 'invalid_target' | 'unauthorized_client' | 'rate_limited';

/** An error of the token endpoint (RFC 6749 section 5.2), found before the code is touched. */
export class TokenRequestError extends Error {
  constructor(
    readonly error: TokenError,
    description: string,
    readonly status = 400,
  ) {
    super(description);
  }
}

/** What the token and revocation endpoints answer to an error that was found while the request was read; null: nobody expected it. */
export function asTokenRequestError(error: unknown, response: ServerResponse): TokenRequestError | null {
  if (error instanceof TokenRequestError) return error;
  if (error instanceof UnreadableBody) return new TokenRequestError('invalid_request', error.message);
  if (!(error instanceof DomainError) || error.code !== 'rate_limited') return null;
  response.setHeader('retry-after', String(error.extras.retryAfter));
  return new TokenRequestError('rate_limited', error.detail, 429);
}
