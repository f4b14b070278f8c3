import type { IncomingMessage } from 'node:http';
import { Provider } from 'oidc-provider';
import type { Authorization } from '../../access/index.js';
import type { SupportToken } from '../token-endpoint/support-tokens.js';
import type { StoredRecord } from './oidc-records.repository.js';

/** What one request to the provider has already read or decided; nothing is read twice, and nothing outlives the request. */
export interface RequestScope {
  /** The authorization that the request's grant stands for. */
  authorization: Authorization | null;
  /** Records read by their model and identifier. */
  readonly records: Map<string, StoredRecord | null>;
  /** The token request asked for fewer scopes than the code or the refresh token carries. */
  narrowedScope: string | null;
  /** The token request binds the login to a device that could not be named at authorize. */
  deviceFromCode: string | null;
  /** The token acts for another user, for support. */
  support: SupportToken | null;
  /** When the access token that was just signed expires, in Unix seconds. */
  accessTokenExpiresAt: number;
}

const scopes = new WeakMap<IncomingMessage, RequestScope>();

export function requestScope(request: IncomingMessage): RequestScope {
  let scope = scopes.get(request);
  if (!scope) {
    scope = { authorization: null, records: new Map(), narrowedScope: null, deviceFromCode: null, support: null, accessTokenExpiresAt: 0 };
    scopes.set(request, scope);
  }
  return scope;
}

/** The scope of the request that oidc-provider is working on; null outside of one. */
export function currentRequestScope(): RequestScope | null {
  const request = Provider.ctx?.req;
  return request ? requestScope(request) : null;
}
