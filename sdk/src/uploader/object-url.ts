export interface BucketLocation {
  readonly bucket: string;
  readonly region: string;
  readonly endpoint?: string | null;
  readonly accelerated?: boolean;
}

/**
 * URL of a bucket, without a slash at its end. On AWS the bucket is part of the host (unless its name has a dot, which no certificate
 * covers); with an endpoint it is part of the path.
 */
export function bucketUrl({ bucket, region, endpoint, accelerated = false }: BucketLocation): string {
  if (endpoint) return `${endpoint.replace(/\/+$/, '')}/${bucket}`;
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  if (bucket.includes('.')) return `https://s3.${region}.${domain}/${bucket}`;
  return accelerated ? `https://${bucket}.s3-accelerate.${domain}` : `https://${bucket}.s3.${region}.${domain}`;
}

export const objectUrl = (location: BucketLocation, key: string): string =>
  `${bucketUrl(location)}/${key.split('/').map(encodeURIComponent).join('/')}`;
