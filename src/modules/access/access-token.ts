/** What a verified access token (RFC 9068) says. Rights are not in it; they are read from the database. */
export interface AccessTokenClaims {
  readonly jti: string;
  readonly userId: number;
  readonly clientId: string;
  readonly scope: string;
  readonly audience: readonly string[];
  /** Unix seconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The authorized application, claim `authorization_id`; null for client credentials. */
  readonly authorizationId: number | null;
  /** The generation of that authorization when the token was issued, claim `authorization_generation`. */
  readonly generation: number;
  /** The member of support staff who acts as the user, claim `casa.id`; null for a login of the user. */
  readonly supportUserId: number | null;
}

/** Name of the claim that carries the id of the authorized application. */
export const AUTHORIZATION_CLAIM = 'authorization_id';

/** Name of the claim that carries the generation of the authorization. */
export const GENERATION_CLAIM = 'authorization_generation';

/** Name of the claim that tells who acts as the user: `{ id }`. */
export const SUPPORT_CLAIM = 'casa';

/** The claims that tie a token to an authorization. */
export const authorizationClaims = ({ id, generation }: { id: number; generation: number }) => ({
  [AUTHORIZATION_CLAIM]: id,
  [GENERATION_CLAIM]: generation,
});
