/** An error of the token, authorization and revocation endpoints (RFC 6749 section 5.2). */
export class OAuthErrorResponse {
  /** @example "invalid_grant" */
  error: string;
  /** @example "grant request is invalid" */
  error_description?: string;
}
