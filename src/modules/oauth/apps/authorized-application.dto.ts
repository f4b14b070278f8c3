import type { AuthorizedApplication } from './authorized-applications.js';

/** An application that the user authorized, on one device. */
export class AuthorizedApplicationResponse {
  /** Identifier of the authorization; used to deauthorize. @example 7 */
  id: number;
  /** Identifier of the client application. @example "newsroom" */
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
  /** What the user granted, separated by spaces. @example "api openid" */
  scope: string;
}

export class DeauthorizedResponse {
  /** The authorizations that were ended. */
  deauthorized: AuthorizedApplicationResponse[];
}

export function toAuthorizedApplicationResponse(application: AuthorizedApplication): AuthorizedApplicationResponse {
  const { id, clientId, name, type, device, ip, userAgent, lastLogin, createdAt, updatedAt, env, platform, version, scope } = application;
  const seconds = lastLogin && Math.floor(lastLogin.getTime() / 1000);
  return {
    id,
    client_id: clientId,
    name,
    type,
    device,
    ip,
    userAgent,
    lastLogin: seconds,
    createdAt,
    updatedAt,
    env,
    platform,
    version,
    scope,
  };
}
