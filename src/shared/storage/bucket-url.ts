import type { StorageLocation } from './object-storage.js';

/** URL of a bucket, without a slash at its end. On AWS the bucket is part of the host; with an endpoint it stands in the path. */
export function bucketUrl({ bucket, region, endpoint }: StorageLocation, { accelerated = false } = {}): string {
  if (endpoint !== null) return `${endpoint.replace(/\/+$/, '')}/${bucket}`;
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  if (bucket.includes('.')) return `https://s3.${region}.${domain}/${bucket}`; // no certificate covers it as a host
  return accelerated ? `https://${bucket}.s3-accelerate.${domain}` : `https://${bucket}.s3.${region}.${domain}`;
}

/** Where browsers send uploads and get files: the pages may talk to this origin. */
export const storageOrigin = (location: StorageLocation, options?: { accelerated: boolean }): string =>
  new URL(bucketUrl(location, options)).origin;
