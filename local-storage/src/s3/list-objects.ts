import { StorageError, type XmlFields, xmlAnswer, xmlDocument } from '../http/messages.js';
import { OWNER } from '../settings.js';
import { type Entry, positionOf } from '../store/key-index.js';
import { versionOf } from '../store/object-store.js';
import type { ObjectDescription } from '../store/sealed-file.js';
import { type Call, encoder, integerQuery, type Operation, query, S3_NAMESPACE } from './call.js';
import { quoted } from './object-details.js';

const MAX_KEYS = 1_000;
const COMMON = ['prefix', 'delimiter', 'max-keys', 'encoding-type'];
const listing = { method: 'GET', on: 'bucket', action: 's3:ListBucket' } as const;

export const listObjectsV2: Operation = {
  ...listing,
  marker: 'list-type',
  parameters: [...COMMON, 'continuation-token', 'start-after', 'fetch-owner'],
  run: async (call) => {
    if (query(call, 'list-type') !== '2') throw new StorageError('InvalidArgument', 'Invalid list-type.');
    const token = query(call, 'continuation-token');
    const startAfter = query(call, 'start-after');
    const page = await readPage(call, token === undefined ? startAfter : decodeToken(token));
    const encode = encoder(call);
    const content = {
      ...shared(call, page),
      KeyCount: page.keys.length + page.prefixes.length,
      ContinuationToken: token,
      NextContinuationToken: page.last && encodeToken(page.last),
      StartAfter: startAfter && encode(startAfter),
      Contents: contents(call, page, { owner: query(call, 'fetch-owner') === 'true' }),
      CommonPrefixes: page.prefixes.map((prefix) => ({ Prefix: encode(prefix) })),
    };
    return xmlAnswer(xmlDocument('ListBucketResult', content, S3_NAMESPACE));
  },
};

/** The first version of the operation, which some clients still use. */
export const listObjects: Operation = {
  ...listing,
  parameters: [...COMMON, 'marker'],
  run: async (call) => {
    const page = await readPage(call, query(call, 'marker'));
    const encode = encoder(call);
    const content = {
      ...shared(call, page),
      Marker: encode(query(call, 'marker') ?? ''),
      NextMarker: page.last && encode(page.last),
      Contents: contents(call, page, { owner: true }),
      CommonPrefixes: page.prefixes.map((prefix) => ({ Prefix: encode(prefix) })),
    };
    return xmlAnswer(xmlDocument('ListBucketResult', content, S3_NAMESPACE));
  },
};

async function readPage(call: Call, after: string | undefined): Promise<Page> {
  const keys = await call.stores.objects.index.keys();
  const limit = integerQuery(call, 'max-keys', { fallback: MAX_KEYS, max: MAX_KEYS });
  return listPage(keys, { prefix: query(call, 'prefix') ?? '', delimiter: query(call, 'delimiter') ?? '', after: after ?? '', limit });
}

function shared(call: Call, page: Page): XmlFields {
  const encode = encoder(call);
  const delimiter = query(call, 'delimiter');
  return {
    Name: call.bucket,
    Prefix: encode(query(call, 'prefix') ?? ''),
    Delimiter: delimiter && encode(delimiter),
    MaxKeys: integerQuery(call, 'max-keys', { fallback: MAX_KEYS, max: MAX_KEYS }),
    EncodingType: query(call, 'encoding-type'),
    IsTruncated: page.last !== undefined,
  };
}

function contents(call: Call, page: Page, { owner }: { owner: boolean }): XmlFields[] {
  const encode = encoder(call);
  const entries = page.keys.map((key) => call.stores.objects.index.get(key)).filter((entry): entry is Entry => entry !== undefined);
  return entries.map(({ key, size, etag, modifiedAt, checksum }) => ({
    Key: encode(key),
    LastModified: new Date(modifiedAt).toISOString(),
    ETag: quoted(etag),
    ChecksumAlgorithm: checksum?.algorithm,
    ChecksumType: checksum?.type,
    Size: size,
    StorageClass: 'STANDARD',
    Owner: owner ? OWNER : undefined,
  }));
}

const encodeToken = (last: string): string => Buffer.from(last).toString('base64url');

function decodeToken(token: string): string {
  const last = Buffer.from(token, 'base64url').toString();
  if (token === '' || encodeToken(last) !== token)
    throw new StorageError('InvalidArgument', 'The continuation token provided is incorrect');
  return last;
}

interface PageRequest {
  readonly prefix: string;
  /** Keys that contain it after the prefix are grouped into one common prefix; empty: no grouping. */
  readonly delimiter: string;
  /** The page begins after this key or common prefix. */
  readonly after: string;
  /** Maximum number of keys and common prefixes together. */
  readonly limit: number;
}

interface Page {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
  /** The position after which the next page begins; undefined on the last page. */
  readonly last?: string;
}

/** One page of a listing of sorted keys. A common prefix is skipped in one step, however many keys it contains. */
export function listPage(sorted: readonly string[], { prefix, delimiter, after, limit }: PageRequest): Page {
  const keys: string[] = [];
  const prefixes: string[] = [];
  let last: string | undefined;
  let at = Math.max(positionOf(sorted, prefix), after === '' ? 0 : positionOf(sorted, after, { after: true }));
  while (at < sorted.length) {
    const key = sorted[at] ?? '';
    if (!key.startsWith(prefix)) break;
    const group = groupOf(key, prefix, delimiter);
    const next = group === null ? at + 1 : positionBehind(sorted, group, at);
    if (group !== null && group === after) {
      at = next; // already listed on the previous page
      continue;
    }
    if (keys.length + prefixes.length >= limit) return { keys, prefixes, last };
    if (group === null) keys.push(key);
    else prefixes.push(group);
    last = group ?? key;
    at = next;
  }
  return { keys, prefixes };
}

/** The common prefix that represents a key; null if the key itself is listed. */
function groupOf(key: string, prefix: string, delimiter: string): string | null {
  const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
  return end === -1 ? null : key.slice(0, end + delimiter.length);
}

/** The first key at or after `from` that does not begin with `group`; keys with a common prefix are adjacent. */
function positionBehind(sorted: readonly string[], group: string, from: number): number {
  let [low, high] = [from, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]?.startsWith(group)) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface ListedVersion {
  readonly version: ObjectDescription;
  readonly isLatest: boolean;
}

export const listObjectVersions: Operation = {
  method: 'GET',
  on: 'bucket',
  marker: 'versions',
  parameters: ['prefix', 'delimiter', 'key-marker', 'version-id-marker', 'max-keys', 'encoding-type'],
  action: 's3:ListBucketVersions',
  run: async (call) => {
    if (query(call, 'delimiter')) throw new StorageError('NotImplemented', 'A delimiter is not supported here.');
    const limit = integerQuery(call, 'max-keys', { fallback: MAX_KEYS, max: MAX_KEYS });
    const found = await readVersions(call, limit + 1);
    const shown = found.slice(0, limit);
    const last = shown.length < found.length ? shown.at(-1)?.version : undefined;
    const encode = encoder(call);
    const content = {
      Name: call.bucket,
      Prefix: encode(query(call, 'prefix') ?? ''),
      KeyMarker: encode(query(call, 'key-marker') ?? ''),
      VersionIdMarker: query(call, 'version-id-marker') ?? '',
      NextKeyMarker: last && encode(last.key),
      NextVersionIdMarker: last && versionOf(last),
      MaxKeys: limit,
      EncodingType: query(call, 'encoding-type'),
      IsTruncated: last !== undefined,
      Version: shown.filter(({ version }) => !version.deleteMarker).map((one) => ({ ...fieldsOf(one, encode), ...dataOf(one) })),
      DeleteMarker: shown.filter(({ version }) => version.deleteMarker).map((one) => fieldsOf(one, encode)),
    };
    return xmlAnswer(xmlDocument('ListVersionsResult', content, S3_NAMESPACE));
  },
};

/** The versions after the markers, sorted by key; for each key the newest first. */
async function readVersions(call: Call, limit: number): Promise<ListedVersion[]> {
  const { objects } = call.stores;
  const [prefix = '', keyMarker = '', versionMarker = ''] = ['prefix', 'key-marker', 'version-id-marker'].map((name) => query(call, name));
  const keys = await objects.index.keysOfVersions();
  const found: ListedVersion[] = [];
  const start = Math.max(positionOf(keys, prefix), positionOf(keys, keyMarker, { after: keyMarker !== '' && versionMarker === '' }));
  for (let at = start; at < keys.length && found.length < limit; at += 1) {
    const key = keys[at] ?? '';
    if (!key.startsWith(prefix)) break;
    const versions = (await objects.versionsOfKey(key)).map((version, index) => ({ version, isLatest: index === 0 }));
    const behind = key === keyMarker ? versions.findIndex(({ version }) => versionOf(version) === versionMarker) + 1 : 0;
    found.push(...versions.slice(behind));
  }
  return found.slice(0, limit);
}

const fieldsOf = ({ version, isLatest }: ListedVersion, encode: (text: string) => string) => ({
  Key: encode(version.key),
  VersionId: versionOf(version),
  IsLatest: isLatest,
  LastModified: new Date(version.modifiedAt).toISOString(),
  Owner: OWNER,
});

const dataOf = ({ version: { etag, size } }: ListedVersion) => ({ ETag: quoted(etag), Size: size, StorageClass: 'STANDARD' });
