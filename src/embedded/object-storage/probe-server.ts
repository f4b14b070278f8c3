import { toAmzTime } from './signature/amz-time.js';
import { canonicalRequest, sha256Hex } from './signature/canonical-request.js';
import { scopeText, signatureOf, signingKey } from './signature/signing-key.js';
import type { ObjectStorageAddress } from './start-object-storage.js';

const PATIENCE_MS = 2_000;
const BODY = 'Action=GetCallerIdentity&Version=2011-06-15';

/** Whether the storage of this data directory answers at its address: only that one knows the key. */
export async function answers({ endpoint, region, key }: ObjectStorageAddress): Promise<boolean> {
  const time = toAmzTime(new Date());
  const scope = { date: time.slice(0, 8), region, service: 'sts' };
  const headers = { host: new URL(endpoint).host, 'x-amz-date': time };
  const signedHeaders = Object.keys(headers);
  const request = { method: 'POST', path: '/', query: [], headers: new Map(Object.entries(headers)) };
  const canonical = canonicalRequest(request, { signedHeaders, payload: sha256Hex(BODY) });
  const text = ['AWS4-HMAC-SHA256', time, scopeText(scope), sha256Hex(canonical)].join('\n');
  const signature = signatureOf(signingKey(key.secretAccessKey, scope), text);
  const authorization = `AWS4-HMAC-SHA256 Credential=${key.accessKeyId}/${scopeText(scope)}, SignedHeaders=${signedHeaders.join(';')}, Signature=${signature}`;
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const { ok } = await fetch(endpoint, {
      method: 'POST',
      headers: { 'x-amz-date': time, authorization, 'content-type': 'application/x-www-form-urlencoded' },
      body: BODY,
      signal,
    });
    return ok;
  } catch {
    return false; // nobody listens there, or somebody else
  }
}
