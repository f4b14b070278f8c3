export interface BucketLocation {
  readonly bucket: string;
  readonly region: string;
  readonly endpoint?: string | null;
  readonly accelerated?: boolean;
}

/**
 * The URL of a bucket, without a trailing slash. On AWS the bucket is part of the host (unless its name contains a dot, which no certificate covers);
 * with an endpoint it is part of the path.
 */
export function bucketUrl({ bucket, region, endpoint, accelerated = false }: BucketLocation): string {
  if (endpoint) return `${withoutSlashes(endpoint)}/${bucket}`;
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  if (bucket.includes('.')) return `https://s3.${region}.${domain}/${bucket}`;
  return accelerated ? `https://${bucket}.s3-accelerate.${domain}` : `https://${bucket}.s3.${region}.${domain}`;
}

/** The URL without slashes at its end. A pattern would look at each run of slashes once per slash. */
function withoutSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}

/** The URL of an object. */
export const objectUrl = (location: BucketLocation, key: string): string =>
  `${bucketUrl(location)}/${key.split('/').map(encodeURIComponent).join('/')}`;
