import type { Incoming } from '../http/incoming.js';
import { toAmzTime } from './amz-time.js';
import { canonicalRequest, sha256Hex } from './canonical-request.js';
import { type Scope, scopeText, signatureOf, signingKey } from './signing-key.js';

/** A request that is to be sent. */
export interface Unsigned {
  readonly method: string;
  readonly url: URL;
  /** Lower-case names; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  /** Hash of the body, or how it is sent. */
  readonly payload: string;
}

/** With what, and when. */
export interface Signing {
  readonly key: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly region: string;
  readonly service: string;
  readonly at: Date;
}

/** The headers of a request with its signature. */
export function signRequest({ method, url, headers, payload }: Unsigned, { key, region, service, at }: Signing): Record<string, string> {
  const time = toAmzTime(at);
  const scope: Scope = { date: time.slice(0, 8), region, service };
  const all: Record<string, string> = { ...headers, host: url.host, 'x-amz-date': time };
  const signedHeaders = Object.keys(all).sort();
  const query: Incoming['query'] = [...url.searchParams];
  const request = { method, path: decodeURIComponent(url.pathname), query, headers: new Map(Object.entries(all)) };
  const canonical = canonicalRequest(request, { signedHeaders, payload });
  const text = ['AWS4-HMAC-SHA256', time, scopeText(scope), sha256Hex(canonical)].join('\n');
  const signature = signatureOf(signingKey(key.secretAccessKey, scope), text);
  const credential = `${key.accessKeyId}/${scopeText(scope)}`;
  return {
    ...all,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${signedHeaders.join(';')}, Signature=${signature}`,
  };
}
