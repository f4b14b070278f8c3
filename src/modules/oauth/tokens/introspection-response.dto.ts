import { ApiProperty } from '@nestjs/swagger';

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
}

/** The state of a token (RFC 7662 section 2.2). An inactive token answers `active: false` and nothing else. */
export class IntrospectionResponse {
  /** Whether the token may be used now. @example true */
  active: boolean;
  /** Client application that the token was issued to. @example "newsroom" */
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
  /** Audience: one as text, several as a list. @example "https://media.example.org" */
  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] })
  aud?: string | string[];
  /** Identifier of the token. */
  jti?: string;
  /** Granted scopes, separated by spaces. @example "api" */
  scope?: string;
  /** Who is logged in. */
  @ApiProperty({ name: 'ac:session', type: SessionDetails, required: false })
  'ac:session'?: SessionDetails;
}
