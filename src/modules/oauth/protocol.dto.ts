import { ApiProperty } from '@nestjs/swagger';
import { HasFurtherMembers } from '../../shared/http/index.js';

/** A public key (RFC 7517 section 4; the last five members are defined by RFC 7518 section 6). */
export class JsonWebKeyResponse {
  /** @example "EC" */
  kty: string;
  /** @example "ES256" */
  alg?: string;
  /** @example "sig" */
  use?: string;
  /** @example "k-1" */
  kid?: string;
  /** Curve of an elliptic-curve key. @example "P-256" */
  crv?: string;
  /** For elliptic-curve keys. */
  x?: string;
  /** For elliptic-curve keys. */
  y?: string;
  /** For RSA keys. */
  n?: string;
  /** For RSA keys. */
  e?: string;
}

/** Public keys (RFC 7517 section 5). */
export class JsonWebKeySetResponse {
  keys: JsonWebKeyResponse[];
}

/** Metadata of the authorization server (RFC 8414 section 2); it has more members than these. */
@HasFurtherMembers()
export class ServerMetadataResponse {
  /** @example "https://media.example.org" */
  issuer: string;
  /** @example "https://media.example.org/v4/authorize" */
  authorization_endpoint: string;
  /** @example "https://media.example.org/v4/token" */
  token_endpoint: string;
  /** @example "https://media.example.org/v4/jwks" */
  jwks_uri: string;
  /** @example "https://media.example.org/v4/introspect" */
  introspection_endpoint: string;
  /** @example "https://media.example.org/v4/revoke" */
  revocation_endpoint: string;
  /** @example "https://media.example.org/v4/userinfo" */
  userinfo_endpoint: string;
  /** @example "https://media.example.org/v4/logout" */
  end_session_endpoint: string;
  /** @example ["code"] */
  response_types_supported: string[];
  /** @example ["authorization_code", "refresh_token", "client_credentials"] */
  grant_types_supported: string[];
  /** @example ["api", "openid"] */
  scopes_supported: string[];
  /** @example ["S256"] */
  code_challenge_methods_supported: string[];
}

export class SessionUser {
  /** @example 12 */
  id: number;
  /** @example "Ada" */
  firstname: string;
  /** @example "Lovelace" */
  lastname: string;
  /** E-mail address of the logged-in user. @example "ada@example.org" */
  email: string;
  /** Organization of the user. @example 3 */
  customerId: number;
}

export class SessionCustomer {
  /** @example 3 */
  id: number;
}

export class SessionDetails {
  user: SessionUser;
  customer: SessionCustomer;
  /** How the user signed in (RFC 8176). @example ["pwd", "otp", "mfa"] */
  amr?: string[];
  /** `mfa`: with a second factor, or with a passkey that verified the user. @example "mfa" */
  acr?: string;
}

/** Claims about the signed-in person (OpenID Connect Core 1.0 section 5.3.2); what is not granted or not known is absent. */
export class UserinfoResponse {
  /** User id. @example "12" */
  sub: string;
  /** First and last name; scope profile. @example "Ada Lovelace" */
  name?: string;
  /** Scope profile. @example "Ada" */
  given_name?: string;
  /** Scope profile. @example "Lovelace" */
  family_name?: string;
  /** Scope email. @example "ada@example.org" */
  email?: string;
}

/** The state of a token (RFC 7662 section 2.2). For an inactive token it contains only `active: false`. */
export class IntrospectionResponse {
  /** Whether the token is valid now. @example true */
  active: boolean;
  /** Client application that the token was issued to. @example "demo" */
  client_id?: string;
  /** Unix timestamp in seconds when the token expires. @example 1763600900 */
  exp?: number;
  /** Always bearer. @example "bearer" */
  token_type?: string;
  /** Unix timestamp in seconds when the token was issued. @example 1763600000 */
  iat?: number;
  /** Issuer. @example "https://media.example.org" */
  iss?: string;
  /** User id. @example "12" */
  sub?: string;
  /** Audience: a single one as a string, several as a list. @example "https://media.example.org" */
  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] })
  aud?: string | string[];
  /** Identifier of the token. */
  jti?: string;
  /** Granted scopes, separated by spaces. @example "api" */
  scope?: string;
  /** The signed-in user. */
  @ApiProperty({ name: 'ac:session', type: SessionDetails, required: false })
  'ac:session'?: SessionDetails;
}

/** An error of the token, authorization and revocation endpoints (RFC 6749 section 5.2). */
export class OAuthErrorResponse {
  /** @example "invalid_grant" */
  error: string;
  /** @example "grant request is invalid" */
  error_description?: string;
}
