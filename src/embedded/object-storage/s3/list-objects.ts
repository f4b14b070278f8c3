import { type XmlFields, xmlAnswer, xmlDocument } from '../http/answer.js';
import { StorageError } from '../http/storage-error.js';
import type { Entry } from '../store/key-index.js';
import { positionOf } from '../store/key-index.js';
import { OWNER } from './bucket.js';
import { type Call, encoder, integerQuery, type Operation, query, S3_NAMESPACE } from './call.js';
import { quoted } from './object-details.js';

const MAX_KEYS = 1_000;
const COMMON = ['prefix', 'delimiter', 'max-keys', 'encoding-type'];
const listing = { method: 'GET', on: 'bucket', action: 's3:ListBucket' } as const;

export const listObjectsV2: Operation = {
  ...listing,
  name: 'ListObjectsV2',
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

/** The first version, which some clients still use. */
export const listObjects: Operation = {
  ...listing,
  name: 'ListObjects',
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
  /** Keys that go on beyond it are shown as one common prefix; empty: none. */
  readonly delimiter: string;
  /** The page begins behind this key or common prefix. */
  readonly after: string;
  /** Of keys and common prefixes together. */
  readonly limit: number;
}

interface Page {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
  /** What the next page begins behind; undefined: this is the last one. */
  readonly last?: string;
}

/** One page of a listing of sorted keys. A common prefix is passed by in one step, however many keys are below it. */
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
      at = next; // shown at the end of the page before
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

/** The common prefix that a key is shown as; null when it is shown itself. */
function groupOf(key: string, prefix: string, delimiter: string): string | null {
  const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
  return end === -1 ? null : key.slice(0, end + delimiter.length);
}

/** The first key at or after `from` that does not begin with `group`; those that do stand together. */
function positionBehind(sorted: readonly string[], group: string, from: number): number {
  let [low, high] = [from, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]?.startsWith(group)) low = middle + 1;
    else high = middle;
  }
  return low;
}
