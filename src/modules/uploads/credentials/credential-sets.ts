/** STS rejects longer policies. */
const MAX_POLICY_CHARACTERS = 2_048;
/** radosgw, another S3-compatible storage, rejects longer lists of resources. */
const MAX_RESOURCE_CHARACTERS = 1_700;

/** The actions that an uploader needs: putting an object as a whole or in parts, listing the parts that have arrived, and aborting. */
const ACTIONS = ['s3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'];

/** Matches wildcards and policy variables, which would match other keys too. */
const WILDCARD = /[*?$]/;

/** The slowest expected upload, in bytes per second. */
const BYTES_PER_SECOND = 1024 * 1024;
/** The factor for slow periods, and for uploads that start late. */
const RESERVE = 1.5;

const MIN_LIFETIME_SECONDS = 15 * 60;
const MAX_LIFETIME_SECONDS = 12 * 60 * 60;

/** Bytes that can be uploaded with credentials of the longest lifetime. */
export const MAX_BYTES_PER_SET = (MAX_LIFETIME_SECONDS / RESERVE) * BYTES_PER_SECOND;

/** An item that needs credentials. */
export interface UploadItem {
  readonly key: string;
  readonly type: string;
  /** Bytes, as announced. */
  readonly size: number;
}

/**
 * Groups items, in their order, by the set of credentials that they share: all of one type, no more bytes than can be uploaded in 12 hours, and no
 * more keys than a policy can name. An item that alone exceeds that has its own set.
 */
export function groupItems<Item extends UploadItem>(bucket: string, items: readonly Item[]): Item[][] {
  const groups: Item[][] = [];
  const open = new Map<string, { group: Item[]; bytes: number }>();
  for (const item of items) {
    const last = open.get(item.type);
    if (
      last &&
      last.bytes + item.size <= MAX_BYTES_PER_SET &&
      fitsPolicy(
        bucket,
        [...last.group, item].map(({ key }) => key),
      )
    ) {
      last.group.push(item);
      last.bytes += item.size;
    } else {
      const group = [item];
      groups.push(group);
      open.set(item.type, { group, bytes: item.size });
    }
  }
  return groups;
}

/** A policy that permits uploads under exactly these keys of the bucket. */
export function sessionPolicy(bucket: string, keys: readonly string[]): string {
  const matchesOthers = keys.find((key) => WILDCARD.test(key));
  if (matchesOthers !== undefined) throw new Error(`The key ${matchesOthers} would also match other keys.`);
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: ACTIONS, Resource: keys.map((key) => resourceOf(bucket, key)) }],
  });
}

/** Whether one policy can name all these keys. */
export function fitsPolicy(bucket: string, keys: readonly string[]): boolean {
  const resources = keys.reduce((sum, key) => sum + resourceOf(bucket, key).length, 0);
  return resources <= MAX_RESOURCE_CHARACTERS && sessionPolicy(bucket, keys).length <= MAX_POLICY_CHARACTERS;
}

const resourceOf = (bucket: string, key: string): string => `arn:aws:s3:::${bucket}/${key}`;

/** The lifetime of credentials for this many bytes in seconds: whole minutes, at least 15 minutes, at most 12 hours (specification, Limits). */
export function credentialLifetime(bytes: number): number {
  const minutes = Math.ceil(((bytes / BYTES_PER_SECOND) * RESERVE) / 60);
  return Math.min(MAX_LIFETIME_SECONDS, Math.max(MIN_LIFETIME_SECONDS, minutes * 60));
}
