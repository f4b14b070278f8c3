import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { importJWK, SignJWT } from 'jose';
import type { Authentication } from '../../shared/auth/index.js';
import { Clock } from '../../shared/clock.js';
import { Config } from '../../shared/config/index.js';
import { authenticationClaims, authorizationClaims } from './access-token-claims.js';
import type { Authorization } from './authorization.entity.js';
import { ServerKeysService } from './server-keys.service.js';

export interface NewAccessToken {
  readonly userId: number;
  readonly clientId: string;
  readonly scope: string;
  readonly authorization: Pick<Authorization, 'id' | 'generation'> | null;
  /** How and when the person signed in; absent: no person did. */
  readonly authentication?: Authentication;
  /** By default the lifetime of all access tokens. */
  readonly ttlSeconds?: number;
}

export interface IssuedAccessToken {
  readonly accessToken: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** Issues access tokens (RFC 9068) outside the OAuth flows: for the command line and for senders of a dropsite. */
@Injectable()
export class AccessTokenIssuerService {
  constructor(
    private readonly config: Config,
    private readonly keys: ServerKeysService,
    private readonly clock: Clock,
  ) {}

  async issue({ userId, clientId, scope, authorization, authentication = {}, ttlSeconds }: NewAccessToken): Promise<IssuedAccessToken> {
    const [key] = (await this.keys.current()).signing;
    if (!key) throw new Error('There is always a signing key.');
    const issuedAt = Math.floor(this.clock.now().getTime() / 1000);
    const expiresAt = issuedAt + (ttlSeconds ?? this.config.accessTokenTtlSeconds);
    const claims = {
      client_id: clientId,
      scope,
      ...(authorization && authorizationClaims(authorization)),
      ...authenticationClaims(authentication),
    };
    const accessToken = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid })
      .setIssuer(this.config.publicUrl)
      .setAudience(this.config.publicUrl)
      .setSubject(String(userId))
      .setJti(randomUUID())
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(await importJWK(key, 'ES256'));
    return { accessToken, expiresAt };
  }
}
