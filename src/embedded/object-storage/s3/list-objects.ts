import { xmlAnswer } from '../http/answer.js';
import { StorageError } from '../http/storage-error.js';
import { type XmlFields, xmlDocument } from '../http/xml.js';
import type { Entry } from '../store/key-index.js';
import { OWNER } from './bucket.js';
import { type Call, integerQuery, type Operation, query } from './call.js';
import { listPage, type Page } from './list-page.js';
import { S3_NAMESPACE } from './namespace.js';
import { quoted } from './object-details.js';
import { encoder } from './url-encoding.js';

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
