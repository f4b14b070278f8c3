import type { JWTPayload } from 'jose';
import type { Authentication } from '../../shared/auth/index.js';
import { isId } from '../../shared/validation/index.js';
import type { Authorization } from './authorization.entity.js';

/** The claims of a verified access token (RFC 9068). It contains no rights; those are read from the database. */
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
  /** How and when the person signed in (RFC 9068 section 2.2.1); empty if no person did. */
  readonly authentication: Authentication;
  /** The member of support staff who acts as the user, claim `casa.id`; null when the user acts. */
  readonly supportUserId: number | null;
}

const AUTHORIZATION_CLAIM = 'authorization_id';
const GENERATION_CLAIM = 'authorization_generation';
const SUPPORT_CLAIM = 'casa';

/** The claims that bind a token to an authorization. */
export const authorizationClaims = ({ id, generation }: Pick<Authorization, 'id' | 'generation'>) => ({
  [AUTHORIZATION_CLAIM]: id,
  [GENERATION_CLAIM]: generation,
});

/** The claim of the member of support staff who acts as the user. */
export const supportClaim = (id: number) => ({ [SUPPORT_CLAIM]: { id } });

/** The claims of a token whose signature was verified; null when one is missing or of the wrong type. */
export function readClaims(payload: JWTPayload): AccessTokenClaims | null {
  const { jti, sub, iat, exp, aud, scope, client_id: clientId } = payload;
  const userId = Number(sub);
  const authorizationId = payload[AUTHORIZATION_CLAIM] ?? null;
  const generation = payload[GENERATION_CLAIM] ?? 0;
  const supportUserId = SUPPORT_CLAIM in payload ? ((payload[SUPPORT_CLAIM] as { id?: unknown } | null)?.id ?? 0) : null;
  if (!jti || !iat || !exp || !aud || !isId(userId) || typeof clientId !== 'string') return null;
  if (authorizationId !== null && !isId(authorizationId)) return null;
  if (supportUserId !== null && !isId(supportUserId)) return null;
  if (typeof generation !== 'number' || !Number.isInteger(generation)) return null;
  return {
    jti,
    userId,
    clientId,
    scope: typeof scope === 'string' ? scope : '',
    audience: Array.isArray(aud) ? aud : [aud],
    issuedAt: iat,
    expiresAt: exp,
    authorizationId,
    generation,
    authentication: readAuthentication(payload),
    supportUserId,
  };
}

/** The claims of a token that say how and when the person signed in (RFC 9068 section 2.2.1). */
export const authenticationClaims = ({ acr, amr, authTime }: Authentication) => ({
  ...(acr && { acr }),
  ...(amr && { amr: [...amr] }),
  ...(authTime !== undefined && { auth_time: authTime }),
});

/** The parts of a token, or of a session with its time as `auth_time`, that say how and when the person signed in. */
export const readAuthentication = ({ acr, amr, auth_time: authTime }: Readonly<Record<string, unknown>>): Authentication => ({
  ...(typeof acr === 'string' && { acr }),
  ...(Array.isArray(amr) && { amr: amr.map(String) }),
  ...(typeof authTime === 'number' && Number.isInteger(authTime) && { authTime }),
});
