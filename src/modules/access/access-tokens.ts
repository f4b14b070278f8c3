import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { importJWK, SignJWT } from 'jose';
import { Config } from '../../shared/config/index.js';
import { Clock } from '../../shared/time/index.js';
import { authorizationClaims } from './access-token.js';
import { ServerKeys } from './server-keys.js';

/** Issues access tokens (RFC 9068) outside of the OAuth flows: for the command line, for dropsite senders, for calls of the service to itself. */
@Injectable()
export class AccessTokens {
  constructor(
    private readonly config: Config,
    private readonly keys: ServerKeys,
    private readonly clock: Clock,
  ) {}

  async issue(token: {
    userId: number;
    clientId: string;
    scope: string;
    authorization: { id: number; generation: number } | null;
    /** As long as other access tokens unless it says otherwise. */
    ttlSeconds?: number;
  }): Promise<string> {
    const [key] = (await this.keys.current()).signing;
    if (!key) throw new Error('There is always a signing key.');
    const now = Math.floor(this.clock.now().getTime() / 1000);
    const authorization = token.authorization ? authorizationClaims(token.authorization) : {};
    return await new SignJWT({ client_id: token.clientId, scope: token.scope, ...authorization })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid })
      .setIssuer(this.config.publicUrl)
      .setAudience(this.config.publicUrl)
      .setSubject(String(token.userId))
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + (token.ttlSeconds ?? this.config.accessTokenTtlSeconds))
      .sign(await importJWK(key, 'ES256'));
  }
}
