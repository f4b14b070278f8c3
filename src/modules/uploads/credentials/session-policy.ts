/** STS refuses longer ones. */
const MAX_POLICY_CHARACTERS = 2_048;
/** An independent S3 (radosgw) does not bear longer lists of resources. */
const MAX_RESOURCE_CHARACTERS = 1_700;

/** All that an uploader needs: to put the object, in parts or whole, to see what has arrived, and to give up. */
const ACTIONS = ['s3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'];

/** Characters that would be more than themselves in a resource (wildcards and policy variables). */
const LIVE = /[*?$]/;

/** A policy that allows uploading under exactly these keys of the bucket. */
export function sessionPolicy(bucket: string, keys: readonly string[]): string {
  const live = keys.find((key) => LIVE.test(key));
  if (live !== undefined) throw new Error(`The key ${live} would match others too.`);
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: ACTIONS, Resource: keys.map((key) => resource(bucket, key)) }],
  });
}

/** Whether one policy can name all these keys. */
export function fitsPolicy(bucket: string, keys: readonly string[]): boolean {
  const resources = keys.reduce((sum, key) => sum + resource(bucket, key).length, 0);
  return resources <= MAX_RESOURCE_CHARACTERS && sessionPolicy(bucket, keys).length <= MAX_POLICY_CHARACTERS;
}

const resource = (bucket: string, key: string): string => `arn:aws:s3:::${bucket}/${key}`;
