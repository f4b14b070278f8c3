import type { StorageLocation } from '../../../shared/storage/index.js';

/** Where browsers send what they upload: the page may talk to this origin. The page's own browser/object-url.js builds the whole URL. */
export function storageOrigin({ bucket, region, endpoint }: StorageLocation, { accelerated }: { accelerated: boolean }): string {
  if (endpoint !== null) return new URL(endpoint).origin;
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  if (bucket.includes('.')) return `https://s3.${region}.${domain}`; // no certificate covers it as a host
  return accelerated ? `https://${bucket}.s3-accelerate.${domain}` : `https://${bucket}.s3.${region}.${domain}`;
}
