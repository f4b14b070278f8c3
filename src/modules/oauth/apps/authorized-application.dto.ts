import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { CastInteger } from '../../../shared/http/index.js';
import type { Authorization } from '../../access/index.js';
import type { Client } from '../clients/client.entity.js';

/** The authorized application to end. */
export class AuthorizedApplicationIdDto {
  /** @example 1 */
  @CastInteger()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  id: number;
}

/** The authorized applications to end: those that match every selector. At least one is required. */
export class DeauthorizeDto {
  /** Identifier of the authorized application. @example 7 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  id?: number;

  /** Identifier of the client application. @example "demo" */
  @IsOptional()
  @IsString()
  @MaxLength(256)
  client_id?: string;

  /**
   * Use client_id.
   * @deprecated
   */
  @IsOptional()
  @IsString()
  @MaxLength(256)
  clientId?: string;

  /** Device identifier. @example "b7f1c0de" */
  @IsOptional()
  @IsString()
  @MaxLength(512)
  device?: string;
}

/** An application that the user authorized, on one device. */
export class AuthorizedApplicationResponse {
  /** Identifier of the authorization; used to deauthorize. @example 7 */
  id: number;
  /** Identifier of the client application. @example "demo" */
  client_id: string;
  /** Display name of the application. @example "Newsroom" */
  name: string;
  /** Classification of the application: web, mobile or desktop. @example "web" */
  type: string;
  /** Device identifier; null if none was named. @example "b7f1c0de" */
  device: string | null;
  /** IP address that the authorization request came from. @example "203.0.113.7" */
  ip: string | null;
  /** User agent used during authorization. @example "Mozilla/5.0 (X11; Linux x86_64)" */
  userAgent: string | null;
  /** Unix timestamp in seconds of the latest successful authentication with this authorization. @example 1763600000 */
  lastLogin: number | null;
  /** When the application was first authorized (ISO 8601). */
  createdAt: Date;
  /** When the authorization was last modified (ISO 8601). */
  updatedAt: Date;
  /** Environment named at authorize. @example "staging" */
  env: string | null;
  /** Login platform named at authorize. @example "web" */
  platform: string | null;
  /** API version named at authorize. @example "v4" */
  version: string | null;
  /** Granted scopes, separated by spaces. @example "api openid" */
  scope: string;
}

export class DeauthorizedResponse {
  /** The authorizations that were ended. */
  deauthorized: AuthorizedApplicationResponse[];
}

/** `client` is null when the registration has been removed. */
export function toAuthorizedApplicationResponse(authorization: Authorization, client: Client | null): AuthorizedApplicationResponse {
  const { id, clientId, device, ip, userAgent, lastLogin, createdAt, updatedAt, env, platform, version, scope } = authorization;
  return {
    id,
    client_id: clientId,
    name: client?.name ?? clientId,
    type: client?.type ?? 'web',
    device,
    ip,
    userAgent,
    lastLogin: lastLogin && Math.floor(lastLogin.getTime() / 1000),
    createdAt,
    updatedAt,
    env,
    platform,
    version,
    scope,
  };
}
