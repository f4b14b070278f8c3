import { decodeJwt } from 'jose';
import type { Principal } from '../accounts/index.js';

/** What an answer with an access token is made of, beside what RFC 6749 section 5.1 asks for. */
export interface TokenResponseParts {
  readonly accessToken: string;
  readonly clientId: string | undefined;
  readonly user: Pick<Principal, 'id' | 'customerId' | 'adminLevel' | 'email'> | null;
  /** The anti-CSRF value of the client, if there is one. */
  readonly state: unknown;
  /** The member of support staff who acts as the user. */
  readonly supportUserId?: number;
}

/** The fields that the specification's Token response adds to the standard's, the deprecated duplicates included. */
export function tokenResponseFields({ accessToken, clientId, user, state, supportUserId }: TokenResponseParts) {
  const expiresAt = decodeJwt(accessToken).exp ?? 0; // what the token itself says, to the second
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
