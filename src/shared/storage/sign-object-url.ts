import { AwsV4Signer } from 'aws4fetch';
import { bucketUrl } from './bucket-url.js';
import { contentDisposition } from './content-disposition.js';
import type { ObjectUrlOptions, StorageLocation } from './object-storage.js';

export interface SigningCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Derived keys by secret, day and region: one for most of a process's life. */
const derivedKeys = new Map<string, ArrayBuffer>();
/** Roles give new secrets every hour or so; the map begins anew rather than to keep all of them. */
const MAX_DERIVED_KEYS = 100;

/** URL that reads one object for a while (SigV4 in the query), with the headers that its answer shall have. */
export async function signObjectUrl(
  location: StorageLocation,
  credentials: SigningCredentials,
  options: ObjectUrlOptions,
): Promise<string> {
  if (derivedKeys.size > MAX_DERIVED_KEYS) derivedKeys.clear();
  const signer = new AwsV4Signer({
    ...{ url: unsignedUrl(location, options).href, method: 'GET', service: 's3', region: location.region, signQuery: true },
    ...{ ...credentials, cache: derivedKeys },
  });
  const { url } = await signer.sign();
  url.search = url.search.replaceAll('+', '%20'); // a plus is a space in forms only; not every storage reads it so
  return url.href;
}

/** The address of an object and what is asked of the answer; the fake uses it as it is. */
export function unsignedUrl(
  location: StorageLocation,
  { key, version, expiresInSeconds, disposition, fileName, contentType }: ObjectUrlOptions,
): URL {
  const url = new URL(`${bucketUrl(location)}/${key.split('/').map(encodeURIComponent).join('/')}`);
  if (version !== null) url.searchParams.set('versionId', version);
  url.searchParams.set('response-content-disposition', contentDisposition(disposition, fileName));
  if (contentType !== undefined) url.searchParams.set('response-content-type', contentType);
  url.searchParams.set('X-Amz-Expires', String(expiresInSeconds));
  return url;
}
