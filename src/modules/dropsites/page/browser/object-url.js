/** @typedef {{ bucket: string, region: string, endpoint?: string | null, accelerated?: boolean }} BucketLocation */

/**
 * URL of a bucket, without a slash at its end. On AWS the bucket is part of the host (unless its name has a dot, which no certificate
 * covers); with an endpoint it is part of the path.
 * @param {BucketLocation} location
 */
export function bucketUrl({ bucket, region, endpoint, accelerated = false }) {
  if (endpoint) return `${endpoint.replace(/\/+$/, '')}/${bucket}`;
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  if (bucket.includes('.')) return `https://s3.${region}.${domain}/${bucket}`;
  return accelerated ? `https://${bucket}.s3-accelerate.${domain}` : `https://${bucket}.s3.${region}.${domain}`;
}

/**
 * @param {BucketLocation} location
 * @param {string} key
 */
export const objectUrl = (location, key) => `${bucketUrl(location)}/${key.split('/').map(encodeURIComponent).join('/')}`;
