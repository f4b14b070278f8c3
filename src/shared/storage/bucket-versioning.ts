import { GetBucketVersioningCommand, HeadObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { SharedWork } from '../shared-work.js';
import { isDenied } from './storage.errors.js';

/** Whether a bucket keeps versions of its objects, and whether the service may read them. */
export interface BucketVersioning {
  /** never: no object has versions; suspended: new objects get none; unknown: the service may not read the status. */
  readonly status: 'enabled' | 'suspended' | 'never' | 'unknown';
  readonly readable: boolean;
}

/** Error codes of storages that do not support versioning. */
const UNKNOWN_OPERATION = ['NotImplemented', 'MethodNotAllowed'];
/** No object of the service has this key: the request only tests whether versions may be read. */
const ABSENT_KEY = 'renditions/check/versions';

/** Reads the versioning status of a bucket. Throws if the storage does not respond. */
export async function readBucketVersioning(client: S3Client, Bucket: string): Promise<BucketVersioning> {
  const status = await readStatus(client, Bucket);
  // Older policies grant neither permission; some storages reveal whether the second is missing only when an object is requested.
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

/** Tests whether versions may be read: a request for version `null` returns 403 without the permission, even if the object does not exist. */
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

/** Once an operator has enabled versioning, the service uses it within a minute. */
const KEPT_MS = 60_000;
/** After a look that failed, the next one. */
const RETRY_MS = 10_000;

/**
 * What is known of the versioning of a bucket. It is read again in the background, because a delivery must not wait for the storage. A refusal after
 * an answer changes nothing: it may be the login that is refused, and what was known is still true.
 */
export class KnownVersioning {
  private known: BucketVersioning | null = null;
  private readonly looks = new SharedWork<BucketVersioning>();
  private lookedAt = Number.NEGATIVE_INFINITY;
  isLastLookFailed = false;

  /** `read` asks the storage. `now`: milliseconds. */
  constructor(
    private readonly read: () => Promise<BucketVersioning>,
    private readonly now = () => performance.now(),
  ) {}

  /** The last answer; null: there has been none. */
  get last(): BucketVersioning | null {
    if (!this.isFresh) void this.look();
    return this.known;
  }

  /** The last answer, or the first one. Throws if there has been none and the storage fails. */
  async get(): Promise<BucketVersioning> {
    return this.last ?? (await this.look());
  }

  private get isFresh(): boolean {
    return this.now() - this.lookedAt < (this.isLastLookFailed ? RETRY_MS : KEPT_MS);
  }

  private look(): Promise<BucketVersioning> {
    return this.looks.get(async () => {
      try {
        const found = await this.read();
        this.isLastLookFailed = found.status === 'unknown' && this.known !== null && this.known.status !== 'unknown';
        if (!this.isLastLookFailed || this.known === null) this.known = found;
        return this.known;
      } catch (error) {
        this.isLastLookFailed = true;
        throw error;
      } finally {
        this.lookedAt = this.now();
      }
    });
  }
}

/** What the operator must change so that accepted files cannot be replaced; null if nothing. */
export function versioningProblem({ status, readable }: BucketVersioning, bucket: string): string | null {
  const meanwhile = 'Until then an uploader can replace a file after its success; such a file is no longer delivered (object_changed).';
  if (status === 'unknown') {
    return `Whether the bucket ${bucket} keeps versions is unknown: grant s3:GetBucketVersioning and the rights for versions (docs/operations-install.md). ${meanwhile}`;
  }
  if (status !== 'enabled') {
    return `The bucket ${bucket} keeps no versions: enable its versioning (docs/operations-install.md). ${meanwhile}`;
  }
  if (!readable)
    return `The service may not read versions in the bucket ${bucket}: grant s3:GetObjectVersion (docs/operations-install.md). ${meanwhile}`;
  return null;
}
