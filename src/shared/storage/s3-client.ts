import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type GetObjectCommandOutput,
  type HeadObjectCommandOutput,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  ListPartsCommand,
  type ListPartsCommandOutput,
  type S3Client,
  type _Error as S3Error,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { Config } from '../config/index.js';
import type { ListedVersion, OpenMultipartUpload, ReadObject } from './object-storage.port.js';
import { isDenied, isUnanswered, noAnswer } from './storage.errors.js';

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
    if (abortSignal.aborted) throw noAnswer(TRIAL_TIMEOUT_MS);
    throw error;
  }
}

/** Whether a part answers a trial, be it with a refusal. */
export async function answers(call: (options: { readonly abortSignal: AbortSignal }) => Promise<unknown>): Promise<boolean> {
  return await tryCall(call).then(
    () => true,
    (error: unknown) => !isUnanswered(error),
  );
}

/** A call that takes longer is suspected to have no answer. */
const SLOW_MS = 3_000;
/** What a slow call has left after a trial had an answer. With both it is answered within 10 seconds (contract section 14.10). */
const REST_MS = 3_000;

/** Runs a call that answers soon or never. `isAway` is asked once the call is slow, within TRIAL_TIMEOUT_MS: whether the part does not answer. */
export async function inTime<T>(call: () => Promise<T>, isAway: () => Promise<boolean>): Promise<T> {
  const answered = new AbortController();
  const pause = async (ms: number) => await delay(ms, undefined, { signal: answered.signal, ref: false });
  const timeout = async (): Promise<never> => {
    await pause(SLOW_MS);
    if (await isAway()) throw noAnswer(SLOW_MS);
    await pause(REST_MS);
    throw noAnswer(SLOW_MS + REST_MS);
  };
  try {
    return await Promise.race([call(), timeout()]);
  } finally {
    answered.abort();
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

/** Pages of the open multipart uploads with a prefix; the SDK has no paginator for them. */
export async function* listMultipartUploads(client: S3Client, bucket: string, prefix: string): AsyncGenerator<OpenMultipartUpload[], void> {
  let position: { KeyMarker?: string; UploadIdMarker?: string } | null = {};
  while (position) {
    const page: ListMultipartUploadsCommandOutput = await client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...position }),
    );
    yield (page.Uploads ?? []).map(({ Key: key = '', UploadId: multipartId = '', Initiated: initiatedAt = new Date() }) => ({
      ...{ key, multipartId, initiatedAt },
    }));
    position = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : null;
  }
}

/** Pages of the versions and delete markers with a prefix, sorted by key; the SDK has no paginator for them. */
export async function* listObjectVersions(client: S3Client, bucket: string, prefix: string): AsyncGenerator<ListedVersion[], void> {
  let position: { KeyMarker?: string; VersionIdMarker?: string } | null = {};
  while (position) {
    const page: ListObjectVersionsCommandOutput = await client.send(
      new ListObjectVersionsCommand({ Bucket: bucket, Prefix: prefix, ...position }),
    );
    const found = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? []).map((marker) => ({ ...marker, Size: 0 }))].map(
      ({ Key: key = '', VersionId: versionId = 'null', Size: size = 0 }) => ({ key, versionId, size }),
    );
    yield found.sort((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)));
    position = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker } : null;
  }
}

/** Pages of the sizes of parts. The paginator of the SDK ignores IsTruncated and does not end with storages that always name a next marker. */
export async function* listPartSizes(
  client: S3Client,
  upload: { Bucket: string; Key: string; UploadId: string },
): AsyncGenerator<number[], void> {
  let position: { PartNumberMarker?: string } | null = {};
  while (position) {
    const page: ListPartsCommandOutput = await client.send(new ListPartsCommand({ ...upload, ...position }));
    yield (page.Parts ?? []).map(({ Size: size = 0 }) => size);
    position = page.IsTruncated ? { PartNumberMarker: page.NextPartNumberMarker } : null;
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

/** Converts the response of GetObject to the port's type. */
export function toReadObject({ Body, ContentLength = 0, ContentRange, ContentType, ETag }: GetObjectCommandOutput): ReadObject {
  const [, start, end, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(ContentRange ?? '') ?? [];
  return {
    body: Body as Readable, // in Node always a Readable; the SDK's type also covers browsers
    size: ContentLength,
    etag: unquoted(ETag),
    contentType: ContentType ?? null,
    range: start === undefined ? null : { start: Number(start), end: Number(end), total: Number(total) },
  };
}

/**
 * The CRC-32 of a whole object, as an unsigned number. Null: the storage keeps none, or one of the checksums of its parts, which ends with `-` and
 * their number.
 */
export function crc32Of({ ChecksumCRC32: text = '', ChecksumType, ETag }: HeadObjectCommandOutput): number | null {
  const isOfParts = ChecksumType === undefined ? (ETag ?? '').includes('-') : ChecksumType !== 'FULL_OBJECT';
  return !isOfParts && CRC32.test(text) ? Buffer.from(text, 'base64').readUInt32BE() : null;
}

/** Four bytes in base64. */
const CRC32 = /^[\w+/]{6}==$/;

/** An error with the code of the first failed deletion as its name. */
export function notDeleted(count: number, { Key, Code, Message }: S3Error): Error {
  const error = new Error(`${count} objects were not deleted; ${Key}: ${Code} ${Message}`);
  error.name = Code ?? 'Error';
  return error;
}

/** An entity tag without the quotes of HTTP. */
export const unquoted = (etag = ''): string => etag.replaceAll('"', '');
