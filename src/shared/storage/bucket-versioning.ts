import { GetBucketVersioningCommand, HeadObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { isDenied } from './storage.errors.js';

/** Whether a bucket keeps versions of its objects, and whether the service may read them. */
export interface BucketVersioning {
  /** never: no object has versions; suspended: new objects get none; unknown: the service may not ask. */
  readonly status: 'enabled' | 'suspended' | 'never' | 'unknown';
  readonly readable: boolean;
}

/** Errors of storages without versions. */
const UNKNOWN_OPERATION = ['NotImplemented', 'MethodNotAllowed'];
/** No object of the service has this key: the request only shows whether versions may be read. */
const ABSENT_KEY = 'renditions/check/versions';

/** Reads the versioning of a bucket. Throws when the storage does not answer. */
export async function readBucketVersioning(client: S3Client, Bucket: string): Promise<BucketVersioning> {
  const status = await readStatus(client, Bucket);
  // Policies written before versions were used grant neither right; not every storage shows the second without trying it on an object.
  const readable = status === 'never' || (status !== 'unknown' && (await mayReadVersions(client, Bucket)));
  return { status, readable };
}

async function readStatus(client: S3Client, Bucket: string): Promise<BucketVersioning['status']> {
  try {
    const { Status } = await client.send(new GetBucketVersioningCommand({ Bucket }));
    if (Status === 'Enabled') return 'enabled';
    return Status === 'Suspended' ? 'suspended' : 'never';
  } catch (error) {
    if (isDenied(error)) return 'unknown';
    if (error instanceof Error && UNKNOWN_OPERATION.includes(error.name)) return 'never';
    throw error;
  }
}

/** Every object may have the version `null`. Without the right the answer is 403, also for an object that does not exist. */
async function mayReadVersions(client: S3Client, Bucket: string): Promise<boolean> {
  try {
    await client.send(new HeadObjectCommand({ Bucket, Key: ABSENT_KEY, VersionId: 'null' }));
    return true;
  } catch (error) {
    if (isDenied(error)) return false;
    if (error instanceof S3ServiceException && (error.$metadata.httpStatusCode ?? 500) < 500) return true;
    throw error;
  }
}

/** What the operator has to change so that accepted files cannot be replaced; null: nothing. */
export function versioningProblem({ status, readable }: BucketVersioning, bucket: string): string | null {
  const meanwhile = 'Until then an uploader can replace a file after its success; such a file is no longer delivered (object_changed).';
  if (status === 'unknown') {
    return `Whether the bucket ${bucket} keeps versions is unknown: grant s3:GetBucketVersioning and the rights for versions (docs/operations.md). ${meanwhile}`;
  }
  if (status !== 'enabled') {
    return `The bucket ${bucket} keeps no versions: enable its versioning (docs/operations.md). ${meanwhile}`;
  }
  if (!readable)
    return `The service may not read versions in the bucket ${bucket}: grant s3:GetObjectVersion (docs/operations.md). ${meanwhile}`;
  return null;
}
