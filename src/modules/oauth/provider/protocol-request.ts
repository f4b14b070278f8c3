import type { IncomingMessage } from 'node:http';
import { Provider } from 'oidc-provider';
import type { Authorization } from '../../access/index.js';
import type { CheckedTokenRequest } from '../tokens/token-checks.service.js';
import type { StoredRecord } from './oidc-records.repository.js';

/**
 * What is known about one request to oidc-provider: our checks decide it before oidc-provider sees the request, and its callbacks and the
 * adapter need it. oidc-provider has no parameter for it, so it is filed under the request.
 */
export interface ProtocolRequest {
  /** A step of a sign-in inside a frame, which has cookies of its own. */
  readonly isFramed: boolean;
  /** For POST /v4/token with a code or refresh token that was found. */
  readonly token: CheckedTokenRequest | null;
  /** The authorization of the grant, so that it is read once. */
  authorization: Authorization | null;
  /** Records that were read, by `recordKey`. */
  readonly records: Map<string, StoredRecord | null>;
  /** When the access token that was signed for the answer expires, in Unix seconds. */
  accessTokenExpiresAt: number;
}

export const recordKey = (model: string, identifier: string): string => `${model}:${identifier}`;

const requests = new WeakMap<IncomingMessage, ProtocolRequest>();

/** Files what our checks found out, before oidc-provider gets the request. */
export function startProtocolRequest(request: IncomingMessage, known: Partial<ProtocolRequest> = {}): ProtocolRequest {
  const started = { isFramed: false, token: null, authorization: null, records: new Map(), accessTokenExpiresAt: 0, ...known };
  requests.set(request, started);
  return started;
}

/** For POST /v4/token: the code or refresh token was read by the checks, and the authorization of a refresh token too. */
export function startTokenRequest(request: IncomingMessage, token: CheckedTokenRequest | null): void {
  const records = new Map(token ? [[recordKey(token.model, token.identifier), token.record]] : []);
  startProtocolRequest(request, { token, records, authorization: token?.authorization ?? null });
}

export const protocolRequest = (request: IncomingMessage): ProtocolRequest => requests.get(request) ?? startProtocolRequest(request);

/** The request that oidc-provider is working on; null outside of one. */
export function currentProtocolRequest(): ProtocolRequest | null {
  const request = Provider.ctx?.req;
  return request ? protocolRequest(request) : null;
}
