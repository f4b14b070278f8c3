import {
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { Config } from '../config/index.js';
import type { ObjectVersion, OpenMultipartUpload } from './object-storage.port.js';
import { isDenied } from './storage.errors.js';

/** A request must not wait for the storage longer than its own client waits. */
const CONNECTION_TIMEOUT_MS = 2_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** The first attempt and two retries, with the SDK's jittered delays. */
const MAX_ATTEMPTS = 3;

/** The time limit of a call that only tests whether the storage responds. */
const TRIAL_TIMEOUT_MS = 3_000;

/** Makes a call that only tests whether the storage responds. */
export async function tryCall(call: (options: { readonly abortSignal: AbortSignal }) => Promise<unknown>): Promise<void> {
  const abortSignal = AbortSignal.timeout(TRIAL_TIMEOUT_MS);
  try {
    await call({ abortSignal });
  } catch (error) {
    if (abortSignal.aborted) throw new Error(`no answer within ${TRIAL_TIMEOUT_MS / 1_000} seconds`);
    throw error;
  }
}

/** Callers log failures themselves; the SDK would also print to the console that it cannot repeat a stream. */
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Options of the S3 and STS clients. Without `storageKey` the AWS SDK uses its default credential sources. */
export function awsClientOptions({ awsRegion, storageKey }: Config, endpoint: string) {
  return {
    region: awsRegion,
    maxAttempts: MAX_ATTEMPTS,
    cacheMiddleware: true, // resolves the middleware once per command, not for every call
    requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS, throwOnRequestTimeout: true },
    ...(endpoint && { endpoint }),
    ...(storageKey && { credentials: storageKey }),
  };
}

/** Options of the bucket's client; path-style URLs outside AWS. */
export function s3ClientOptions(config: Config) {
  return {
    ...awsClientOptions(config, config.s3Endpoint),
    forcePathStyle: config.s3Endpoint !== '',
    requestChecksumCalculation: 'WHEN_REQUIRED', // some storages do not accept checksums that follow a stream
    logger: SILENT,
  } as const;
}

/** The open multipart uploads with a prefix, page by page; the SDK has no paginator for them. */
export async function* listMultipartUploads(client: S3Client, bucket: string, prefix: string): AsyncGenerator<OpenMultipartUpload, void> {
  let position: { KeyMarker?: string; UploadIdMarker?: string } | null = {};
  while (position) {
    const page: ListMultipartUploadsCommandOutput = await client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...position }),
    );
    for (const { Key: key = '', UploadId: multipartId = '', Initiated: initiatedAt = new Date() } of page.Uploads ?? []) {
      yield { key, multipartId, initiatedAt };
    }
    position = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : null;
  }
}

/** The versions and delete markers with a prefix, sorted by key, page by page; the SDK has no paginator for them. */
export async function* listObjectVersions(client: S3Client, bucket: string, prefix: string): AsyncGenerator<ObjectVersion, void> {
  let position: { KeyMarker?: string; VersionIdMarker?: string } | null = {};
  while (position) {
    const page: ListObjectVersionsCommandOutput = await client.send(
      new ListObjectVersionsCommand({ Bucket: bucket, Prefix: prefix, ...position }),
    );
    const found = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].map(({ Key: key = '', VersionId: versionId = 'null' }) => ({
      key,
      versionId,
    }));
    yield* found.sort((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)));
    position = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker } : null;
  }
}

/** Null if the object, version or multipart upload does not exist; a missing bucket is still an error. */
export async function unlessMissing<T>(answer: Promise<T>, { VersionId }: { VersionId?: string | undefined } = {}): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof S3ServiceException)) throw error;
    if (['NotFound', 'NoSuchKey', 'NoSuchVersion', 'NoSuchUpload'].includes(error.name)) return null;
    // After a move to another storage, the recorded versions may not match its format of version ids.
    if (VersionId !== undefined && ['InvalidArgument', 'InvalidVersionId'].includes(error.name)) return null;
    throw error;
  }
}

/** Null if the call is denied and that is expected. */
export async function unlessDenied<T>(answer: Promise<T>, isExpected = true): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isExpected && isDenied(error)) return null;
    throw error;
  }
}
