import { sha256Hex } from './signature/canonical-request.js';
import { signRequest } from './signature/sign-request.js';
import type { ObjectStorageAddress } from './start-object-storage.js';

const PATIENCE_MS = 2_000;
const BODY = 'Action=GetCallerIdentity&Version=2011-06-15';

/** Whether the storage of this data directory answers at its address: only that one knows the key. */
export async function answers({ endpoint, region, key }: ObjectStorageAddress): Promise<boolean> {
  const request = {
    method: 'POST',
    url: new URL(endpoint),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: sha256Hex(BODY),
  };
  const { host: _, ...headers } = signRequest(request, { key, region, service: 'sts', at: new Date() });
  try {
    const { ok } = await fetch(endpoint, { method: 'POST', headers, body: BODY, signal: AbortSignal.timeout(PATIENCE_MS) });
    return ok;
  } catch {
    return false; // nobody listens there, or somebody else
  }
}
