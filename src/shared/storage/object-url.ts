import { AwsV4Signer } from 'aws4fetch';
import type { Config } from '../config/index.js';
import { contentDisposition } from './content-disposition.js';
import type { ObjectUrlOptions, StorageLocation } from './object-storage.port.js';

/** The URL of a bucket, without a trailing slash. On AWS the bucket is part of the host name; with an endpoint it is part of the path. */
export function bucketUrl({ bucket, region, endpoint }: StorageLocation, { accelerated = false } = {}): string {
  if (endpoint !== null) return `${endpoint.replace(/(?<!\/)\/+$/, '')}/${bucket}`;
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  if (bucket.includes('.')) return `https://s3.${region}.${domain}/${bucket}`; // AWS's certificate does not cover host names with additional dots
  return accelerated ? `https://${bucket}.s3-accelerate.${domain}` : `https://${bucket}.s3.${region}.${domain}`;
}

/** The origin to which browsers send uploads and from which they download files; the policies of pages must allow it. */
export const storageOrigin = (location: StorageLocation, options?: { accelerated: boolean }): string =>
  new URL(bucketUrl(location, options)).origin;

/** The origins from which pages load media: the storage, and the CDN in front of it if there is one. */
export const mediaOrigins = (location: StorageLocation, { mediaCdnUrl }: Pick<Config, 'mediaCdnUrl'>): readonly string[] => [
  storageOrigin(location),
  ...(mediaCdnUrl ? [new URL(mediaCdnUrl).origin] : []),
];

/** A key, encoded as the path of a URL. */
export const encodeKey = (key: string): string => key.split('/').map(encodeURIComponent).join('/');

export interface SigningCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Derived keys by secret, day and region. */
const derivedKeys = new Map<string, ArrayBuffer>();
/** Roles issue new secrets about every hour, so the map is cleared when it is full. */
const MAX_DERIVED_KEYS = 100;

/** A signed URL that reads one object until it expires (SigV4 in the query), with the given response headers. */
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
  url.search = url.search.replaceAll('+', '%20'); // a plus means a space only in forms, and some storages read it literally
  return url.href;
}

/** The unsigned URL of an object with its response headers; the fake returns it unchanged. */
export function unsignedUrl(
  location: StorageLocation,
  { key, version, expiresInSeconds, disposition, fileName, contentType }: ObjectUrlOptions,
): URL {
  const url = new URL(`${bucketUrl(location)}/${encodeKey(key)}`);
  if (version !== null) url.searchParams.set('versionId', version);
  url.searchParams.set('response-content-disposition', contentDisposition(disposition, fileName));
  if (contentType !== undefined) url.searchParams.set('response-content-type', contentType);
  url.searchParams.set('X-Amz-Expires', String(expiresInSeconds));
  return url;
}
