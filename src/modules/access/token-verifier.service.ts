import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type CryptoKey, errors, importJWK, type JWK, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { cacheLookups } from '../../shared/cache-lookups.js';
import { Clock, MAX_TOKEN_CLOCK_SECONDS } from '../../shared/clock.js';
import { Config } from '../../shared/config/index.js';
import { SharedWork } from '../../shared/shared-work.js';
import { type AccessTokenClaims, readClaims } from './access-token-claims.js';
import { type KeySet, ServerKeysService } from './server-keys.service.js';

/** Verified tokens, cached by their SHA-256: enough for several minutes, and about 10 MB. */
const CACHE_SIZE = 20_000;

const lookups = cacheLookups('verified_tokens');

export type Verification = { readonly claims: AccessTokenClaims } | { readonly refused: 'invalid' | 'expired' };

/**
 * Verifies the signature, issuer, type and expiry of our access tokens (RFC 9068 section 4). The result of the signature check is cached
 * until the token expires; whether the token is still valid is read for every request (`TokenStatesService.find`).
 */
@Injectable()
export class TokenVerifierService {
  private readonly verified = new Map<string, AccessTokenClaims>();
  private readonly publicKeys = new SharedWork<CryptoKey | Uint8Array, string>({ keptMs: Number.POSITIVE_INFINITY });
  private reloadedAt = 0;

  constructor(
    private readonly config: Config,
    private readonly keys: ServerKeysService,
    private readonly clock: Clock,
  ) {
    keys.onChange(() => this.clearCache());
  }

  async verify(token: string): Promise<Verification> {
    const id = hash('sha256', token, 'base64url');
    const cached = this.verified.get(id);
    lookups[cached ? 'hit' : 'miss'].count += 1;
    if (cached) return this.checkExpiry(cached);
    try {
      const options = { issuer: this.config.publicUrl, typ: 'at+jwt', algorithms: ['ES256'], currentDate: this.clock.now() };
      const { payload } = await jwtVerify(token, this.keyFor, options);
      const claims = readClaims(payload);
      if (!claims || isFromFuture(claims, this.clock.now())) return { refused: 'invalid' };
      this.cache(id, claims);
      return { claims };
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error; // the keys cannot be read, so nothing is known about the token
      return { refused: error instanceof errors.JWTExpired ? 'expired' : 'invalid' };
    }
  }

  private checkExpiry(claims: AccessTokenClaims): Verification {
    return claims.expiresAt * 1000 > this.clock.now().getTime() ? { claims } : { refused: 'expired' };
  }

  /** Finds the public key with a `kid`. If it is unknown, the keys are read again, because another process may have rotated them. */
  private readonly keyFor: JWTVerifyGetKey = async ({ kid }) => {
    const known = (await this.findKey(await this.keys.current(), kid)) ?? (await this.reloadAndFind(kid));
    if (!known) throw new errors.JWKSNoMatchingKey();
    return known;
  };

  private async reloadAndFind(kid: string | undefined): Promise<CryptoKey | Uint8Array | null> {
    // The key ids of this service are UUIDs; others are not worth a statement.
    if (!kid || !/^[\w-]{1,64}$/.test(kid) || this.reloadedAt + 1_000 > this.clock.now().getTime()) return null;
    this.reloadedAt = this.clock.now().getTime();
    return await this.findKey(await this.keys.reload(), kid);
  }

  private async findKey({ signing }: KeySet, kid: string | undefined): Promise<CryptoKey | Uint8Array | null> {
    const jwk = signing.find((key) => key.kid === kid);
    return jwk ? await this.publicKeys.get(async () => await importJWK(withoutPrivatePart(jwk), 'ES256'), jwk.kid) : null;
  }

  private cache(id: string, claims: AccessTokenClaims): void {
    if (this.verified.size >= CACHE_SIZE) this.verified.delete(this.verified.keys().next().value ?? '');
    this.verified.set(id, claims);
  }

  private clearCache(): void {
    this.verified.clear();
    this.publicKeys.clear();
  }
}

/** Whether a token was issued later than the tolerance for clocks allows; the process that issued it has a wrong clock. */
const isFromFuture = ({ issuedAt }: AccessTokenClaims, now: Date): boolean => issuedAt > now.getTime() / 1_000 + MAX_TOKEN_CLOCK_SECONDS;

/** The public members of a signing key. */
const withoutPrivatePart = ({ kty, crv, x, y, kid, alg, use }: JWK): JWK => ({ kty, crv, x, y, kid, alg, use }) as JWK;
