import type { Policy } from './policy.js';

/** The only bucket, created at start. */
export const BUCKET = 'media';
export const REGION = 'us-east-1';
export const ACCOUNT = '000000000000';
export const ROLE_NAME = 'media-uploads';
export const ROLE_ARN = `arn:aws:iam::${ACCOUNT}:role/${ROLE_NAME}`;
export const ROLE_ID = 'AROAMEDIAUPLOADS0000';
export const SERVICE_ARN = `arn:aws:iam::${ACCOUNT}:user/service`;

/** The owner of every object in listings. */
export const OWNER = { ID: ACCOUNT, DisplayName: 'service' };

/** The maximum permissions of the role: everything in the bucket and nothing else. A session policy narrows them. */
export const ROLE_POLICY: Policy = [
  { effect: 'Allow', actions: ['s3:*'], resources: [`arn:aws:s3:::${BUCKET}`, `arn:aws:s3:::${BUCKET}/*`] },
];

/** The limits of S3. */
export const MAX_KEY_BYTES = 1024;
export const MAX_PUT_BYTES = 5 * 1024 ** 3;
export const MIN_PART_BYTES = 5 * 1024 ** 2;
export const MAX_PART_NUMBER = 10_000;
export const MAX_METADATA_BYTES = 2_048;
/** The maximum size of an XML document in a request: 10,000 parts with their checksums take less than 3 MB. */
export const MAX_DOCUMENT_BYTES = 4 * 1024 ** 2;
/** The maximum difference of a client's clock, in either direction. */
export const MAX_SKEW_MS = 15 * 60_000;
