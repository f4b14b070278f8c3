import type { IncomingMessage } from 'node:http';
import { Provider } from 'oidc-provider';
import type { Authorization } from '../../access/index.js';
import type { CheckedTokenRequest } from '../tokens/token-checks.service.js';
import type { StoredRecord } from './oidc-records.repository.js';

/**
 * The results of our checks of a request to oidc-provider, which its callbacks and the adapter need. oidc-provider has no parameter for them, so
 * they are stored by request.
 */
export interface ProtocolRequest {
  /** Whether it is a step of a sign-in inside a frame, which has separate cookies. */
  readonly isFramed: boolean;
  /** Present for POST /v4/token with a code or refresh token that was found. */
  readonly token: CheckedTokenRequest | null;
  /** The authorization of the grant, cached so that it is read once. */
  authorization: Authorization | null;
  /** The records read so far, by `recordKey`. */
  readonly records: Map<string, StoredRecord | null>;
  /** Expiry of the access token in the response, in Unix seconds. */
  accessTokenExpiresAt: number;
}

export const recordKey = (model: string, identifier: string): string => `${model}:${identifier}`;

const requests = new WeakMap<IncomingMessage, ProtocolRequest>();

/** Stores the results of our checks before oidc-provider receives the request. */
export function startProtocolRequest(request: IncomingMessage, known: Partial<ProtocolRequest> = {}): ProtocolRequest {
  const started = { isFramed: false, token: null, authorization: null, records: new Map(), accessTokenExpiresAt: 0, ...known };
  requests.set(request, started);
  return started;
}

/** Stores what the checks of POST /v4/token have read: the code or refresh token, and the authorization of a refresh token. */
export function startTokenRequest(request: IncomingMessage, token: CheckedTokenRequest | null): void {
  const records = new Map(token ? [[recordKey(token.model, token.identifier), token.record]] : []);
  startProtocolRequest(request, { token, records, authorization: token?.authorization ?? null });
}

export const protocolRequest = (request: IncomingMessage): ProtocolRequest => requests.get(request) ?? startProtocolRequest(request);

/** Returns the request that oidc-provider is processing; null outside a request. */
export function currentProtocolRequest(): ProtocolRequest | null {
  const request = Provider.ctx?.req;
  return request ? protocolRequest(request) : null;
}
