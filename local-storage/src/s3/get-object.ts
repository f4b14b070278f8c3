import { type Answer, StorageError } from '../http/messages.js';
import type { ByteRange } from '../store/disk.js';
import { type OpenObject, versionOf } from '../store/object-store.js';
import type { ObjectDescription } from '../store/sealed-file.js';
import { arnOf, type Call, header, type Operation, query } from './call.js';
import { describingHeaders, isNotModified, quoted } from './object-details.js';

/** Query parameters that override response headers. */
const OVERRIDES = ['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-type', 'expires'];

const reading = { on: 'object', parameters: OVERRIDES.map((name) => `response-${name}`), action: 's3:GetObject' } as const;
const readingVersion = { ...reading, marker: 'versionId', action: 's3:GetObjectVersion' } as const;

export const getObject: Operation = {
  ...reading,
  method: 'GET',
  run: async (call) => {
    const object = await openOrFail(call);
    try {
      const { range, ...answer } = describe(call, object.description);
      if (range) return { ...answer, body: object.read(range) };
      await object.close();
      return answer;
    } catch (error) {
      await object.close();
      throw error;
    }
  },
};

export const headObject: Operation = {
  ...reading,
  method: 'HEAD',
  run: async (call) => {
    const versionId = query(call, 'versionId');
    const object = await call.stores.objects.findVersion(call.key, versionId);
    if (object === null || object.deleteMarker) throw withoutData(call, object, versionId);
    const { range: _, ...answer } = describe(call, object);
    return answer;
  },
};

export const getObjectVersion: Operation = { ...getObject, ...readingVersion };

export const headObjectVersion: Operation = { ...headObject, ...readingVersion };

/** The status and headers of the response, and the range of bytes to send. */
function describe(call: Call, object: ObjectDescription): Answer & { range?: ByteRange } {
  const headers: Record<string, string> = {
    ...describingHeaders(object, { checksums: header(call, 'x-amz-checksum-mode')?.toUpperCase() === 'ENABLED' }),
    ...(call.stores.objects.keepsVersions && { 'x-amz-version-id': versionOf(object) }),
    ...overrides(call),
  };
  if (isNotModified(call, object))
    return { status: 304, headers: { etag: headers.etag ?? '', 'last-modified': headers['last-modified'] ?? '' } };
  const ifRange = header(call, 'if-range');
  const part = ifRange === undefined || ifRange === quoted(object.etag) ? readRange(header(call, 'range'), object.size) : null;
  const range = part ?? { start: 0, end: object.size };
  const length = { 'content-length': range.end - range.start };
  if (part === null) return { status: 200, headers: { ...headers, ...length }, range };
  // The checksum covers the whole object; a client would compare it with the range.
  const partial = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('x-amz-checksum-')));
  return {
    status: 206,
    headers: { ...partial, ...length, 'content-range': `bytes ${range.start}-${range.end - 1}/${object.size}` },
    range,
  };
}

const ONE_RANGE = /^bytes=\s*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))\s*$/;

/**
 * Parses a Range header; null: the whole object, also for an invalid range or several ranges, which a server may ignore (RFC 9110, section 14.2).
 * @throws StorageError InvalidRange if the range is beyond the object
 */
export function readRange(range: string | undefined, size: number): ByteRange | null {
  const [match, first, last, suffix] = ONE_RANGE.exec(range ?? '') ?? [];
  if (match === undefined || (first && last && Number(last) < Number(first))) return null;
  const start = first === undefined ? Math.max(0, size - Number(suffix)) : Number(first);
  if (start >= size) throw new StorageError('InvalidRange', undefined, { RangeRequested: match, ActualObjectSize: String(size) });
  return { start, end: last ? Math.min(size, Number(last) + 1) : size };
}

function overrides(call: Call): Record<string, string> {
  const given = OVERRIDES.map((name) => [name, query(call, `response-${name}`)] as const);
  return Object.fromEntries(given.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

async function openOrFail(call: Call): Promise<OpenObject> {
  const versionId = query(call, 'versionId');
  const object = await call.stores.objects.open(call.key, versionId);
  if (object === null) throw withoutData(call, await call.stores.objects.findVersion(call.key, versionId), versionId);
  return object;
}

/** The error for a version without data: a delete marker that was requested by id is MethodNotAllowed, anything else does not exist. */
function withoutData(call: Call, found: ObjectDescription | null, versionId: string | undefined): StorageError {
  return found?.deleteMarker && versionId !== undefined ? new StorageError('MethodNotAllowed') : missing(call, versionId);
}

/** NoSuchKey or NoSuchVersion, but AccessDenied for callers who may not list the bucket and must not learn whether a key exists. */
export function missing({ identity, bucket, key }: Call, versionId?: string): StorageError {
  if (!identity.may({ action: 's3:ListBucket', resource: arnOf(bucket) })) return new StorageError('AccessDenied');
  if (versionId === undefined) return new StorageError('NoSuchKey', undefined, { Key: key });
  return new StorageError('NoSuchVersion', undefined, { Key: key, VersionId: versionId });
}
