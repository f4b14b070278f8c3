import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type CryptoKey, errors, importJWK, type JWK, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { Config } from '../../shared/config/index.js';
import { Clock } from '../../shared/time/index.js';
import { type AccessTokenClaims, AUTHORIZATION_CLAIM, GENERATION_CLAIM, SUPPORT_CLAIM } from './access-token.js';
import { type KeySet, ServerKeys } from './server-keys.js';

/** Verified tokens by their SHA-256; enough for the clients of some minutes, about 10 MB. */
const CACHE_SIZE = 20_000;

export type Verification = { readonly claims: AccessTokenClaims } | { readonly refused: 'invalid' | 'expired' };

/**
 * Verifies the signature, issuer, type and expiry of our access tokens (RFC 9068 section 4). The result of the signature check is cached
 * until the token expires; whether the authorization still stands is asked for every request (TokenStates).
 */
@Injectable()
export class TokenVerifier {
  private readonly verified = new Map<string, AccessTokenClaims>();
  private publicKeys = new Map<string, Promise<CryptoKey | Uint8Array>>();

  constructor(
    private readonly config: Config,
    private readonly keys: ServerKeys,
    private readonly clock: Clock,
  ) {
    keys.onChange(() => this.forget());
  }

  async verify(token: string): Promise<Verification> {
    const id = hash('sha256', token, 'base64url');
    const cached = this.verified.get(id);
    if (cached) return this.unlessExpired(cached);
    try {
      const options = { issuer: this.config.publicUrl, typ: 'at+jwt', algorithms: ['ES256'], currentDate: this.clock.now() };
      const { payload } = await jwtVerify(token, this.keyFor, options);
      const claims = readClaims(payload);
      if (!claims) return { refused: 'invalid' };
      this.remember(id, claims);
      return { claims };
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error; // the keys cannot be read: nothing is known of the token
      return { refused: error instanceof errors.JWTExpired ? 'expired' : 'invalid' };
    }
  }

  private unlessExpired(claims: AccessTokenClaims): Verification {
    return claims.expiresAt * 1000 > this.clock.now().getTime() ? { claims } : { refused: 'expired' };
  }

  /** The public key of a `kid`; an unknown one makes the keys be read again, because a rotation may have happened elsewhere. */
  private readonly keyFor: JWTVerifyGetKey = async ({ kid }) => {
    const known = this.find(await this.keys.current(), kid) ?? (await this.findAgain(kid));
    if (!known) throw new errors.JWKSNoMatchingKey();
    return await known;
  };

  private async findAgain(kid: string | undefined): Promise<Promise<CryptoKey | Uint8Array> | null> {
    // A kid of ours is a UUID; anything else is not worth a statement.
    if (!kid || !/^[\w-]{1,64}$/.test(kid) || this.reloadedAt + 1_000 > this.clock.now().getTime()) return null;
    this.reloadedAt = this.clock.now().getTime();
    return this.find(await this.keys.reload(), kid);
  }

  private reloadedAt = 0;

  private find({ signing }: KeySet, kid: string | undefined): Promise<CryptoKey | Uint8Array> | null {
    const jwk = signing.find((key) => key.kid === kid);
    if (!jwk) return null;
    const known = this.publicKeys.get(jwk.kid) ?? importJWK(withoutPrivatePart(jwk), 'ES256');
    this.publicKeys.set(jwk.kid, known);
    return known;
  }

  private remember(id: string, claims: AccessTokenClaims): void {
    if (this.verified.size >= CACHE_SIZE) this.verified.delete(this.verified.keys().next().value ?? '');
    this.verified.set(id, claims);
  }

  private forget(): void {
    this.verified.clear();
    this.publicKeys = new Map();
  }
}

/** The members of a signing key that anyone may see. */
export const withoutPrivatePart = ({ kty, crv, x, y, kid, alg, use }: JWK): JWK => ({ kty, crv, x, y, kid, alg, use }) as JWK;

/** A number that an integer column can hold. */
const isId = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0 && Number(value) < 2 ** 31;

function readClaims(payload: JWTPayload): AccessTokenClaims | null {
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
    supportUserId,
  };
}
