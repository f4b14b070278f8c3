import type { Principal } from '../accounts/index.js';

/** The client application of a token. */
export class TokenClient {
  /** @example "demo" */
  id: string;
}

/** The user whom a token acts for. */
export class TokenUser {
  /** @example 12 */
  id: number;
  /** Organization of the user. @example 3 */
  customerId: number;
  /** 0 for regular users, higher for administrators. @example 0 */
  adminLevel: number;
  /** Primary e-mail address. @example "ada@example.org" */
  email: string;
}

/** Customer-approved support access. */
export class TokenSupportAccess {
  /** The support user who was granted access. @example 4 */
  id: number;
}

/** The response of the token endpoint (RFC 6749 section 5.1 and the specification's Token response). */
export class TokenResponse {
  /** Access token (a JWT, RFC 9068). */
  access_token: string;
  /** Seconds until the access token expires. @example 900 */
  expires_in: number;
  /** Always bearer. @example "bearer" */
  token_type: string;
  /** Granted scopes, separated by spaces. @example "api" */
  scope?: string;
  /** Only with the scope offline_access. */
  refresh_token?: string;
  /** Only with the scope openid. */
  id_token?: string;
  /** When the access token expires (ISO 8601). */
  accessTokenExpiresAt: Date;
  /** The anti-CSRF value of the authorization request. @example "af0ifjsldkj" */
  state?: string;
  client: TokenClient;
  user?: TokenUser;
  /** Only when support staff acts as the user. */
  casa?: TokenSupportAccess;
  /**
   * Duplicate of access_token.
   * @deprecated
   */
  accessToken: string;
  /**
   * Unix timestamp in seconds of the expiry; use expires_in. @example 1763600900
   * @deprecated
   */
  accessTokenExpires: number;
  /**
   * Duplicate of token_type. @example "bearer"
   * @deprecated
   */
  tokenType: string;
}

/** The values of the specification's Token response that RFC 6749 section 5.1 does not define. */
export interface TokenResponseParts {
  readonly accessToken: string;
  /** Expiry of the access token in Unix seconds. */
  readonly expiresAt: number;
  readonly clientId: string | undefined;
  readonly user: Pick<Principal, 'id' | 'customerId' | 'adminLevel' | 'email'> | null;
  /** The anti-CSRF value of the client, if it sent one. */
  readonly state: unknown;
  /** The member of support staff who acts as the user. */
  readonly supportUserId?: number;
}

/** Returns the fields that the specification adds to the standard response, including the deprecated duplicates. */
export function toTokenResponseFields({ accessToken, expiresAt, clientId, user, state, supportUserId }: TokenResponseParts) {
  return {
    token_type: 'bearer',
    accessToken,
    tokenType: 'bearer',
    accessTokenExpires: expiresAt,
    accessTokenExpiresAt: new Date(expiresAt * 1000).toISOString(),
    ...(state === undefined ? {} : { state }),
    client: { id: clientId },
    ...(supportUserId === undefined ? {} : { casa: { id: supportUserId } }),
    ...(user ? { user: { id: user.id, customerId: user.customerId, adminLevel: user.adminLevel, email: user.email } } : {}),
  };
}
