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

/** A request must not wait for the storage longer than its client waits. */
const CONNECTION_TIMEOUT_MS = 2_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** The first attempt and two more, with the SDK's jittered delays. */
const MAX_ATTEMPTS = 3;

/** The time limit of a call that only shows whether the storage answers. */
const TRIAL_TIMEOUT_MS = 3_000;

/** Makes a call that only shows whether the storage answers. */
export async function tryCall(call: (options: { readonly abortSignal: AbortSignal }) => Promise<unknown>): Promise<void> {
  const abortSignal = AbortSignal.timeout(TRIAL_TIMEOUT_MS);
  try {
    await call({ abortSignal });
  } catch (error) {
    if (abortSignal.aborted) throw new Error(`no answer within ${TRIAL_TIMEOUT_MS / 1_000} seconds`);
    throw error;
  }
}

/** Callers log failures themselves; the SDK would write to the console that it does not repeat a stream. */
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Options of the clients of S3 and STS. Without `storageKey` the AWS SDK looks for credentials in its usual places. */
export function awsClientOptions({ awsRegion, storageKey }: Config, endpoint: string) {
  return {
    region: awsRegion,
    maxAttempts: MAX_ATTEMPTS,
    cacheMiddleware: true, // middleware is resolved once for a command, not for every call
    requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS, throwOnRequestTimeout: true },
    ...(endpoint && { endpoint }),
    ...(storageKey && { credentials: storageKey }),
  };
}

/** Options of the client of the bucket; path-style addresses outside AWS. */
export function s3ClientOptions(config: Config) {
  return {
    ...awsClientOptions(config, config.s3Endpoint),
    forcePathStyle: config.s3Endpoint !== '',
    requestChecksumCalculation: 'WHEN_REQUIRED', // some storages do not accept checksums that follow a stream
    logger: SILENT,
  } as const;
}

/** The open multipart uploads under a prefix, page by page; the SDK has no paginator for them. */
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

/** The versions and delete markers under a prefix, in the order of their keys, page by page; the SDK has no paginator for them. */
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

/** Null for an object, version or multipart upload that does not exist; a missing bucket is an error like any other. */
export async function unlessMissing<T>(answer: Promise<T>, { VersionId }: { VersionId?: string | undefined } = {}): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof S3ServiceException)) throw error;
    if (['NotFound', 'NoSuchKey', 'NoSuchVersion', 'NoSuchUpload'].includes(error.name)) return null;
    // After a move to another storage the recorded versions may not even have the format of its versions.
    if (VersionId !== undefined && ['InvalidArgument', 'InvalidVersionId'].includes(error.name)) return null;
    throw error;
  }
}

/** Null when the call is denied and that is expected. */
export async function unlessDenied<T>(answer: Promise<T>, isExpected = true): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isExpected && isDenied(error)) return null;
    throw error;
  }
}
