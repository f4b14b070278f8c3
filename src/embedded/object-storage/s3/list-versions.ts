import { xmlAnswer, xmlDocument } from '../http/answer.js';
import { StorageError } from '../http/storage-error.js';
import type { ObjectDescription } from '../store/descriptions.js';
import { versionOf } from '../store/earlier-versions.js';
import { positionOf } from '../store/key-index.js';
import { OWNER } from './bucket.js';
import { type Call, encoder, integerQuery, type Operation, query, S3_NAMESPACE } from './call.js';
import { quoted } from './object-details.js';

const MAX_KEYS = 1_000;

interface ListedVersion {
  readonly version: ObjectDescription;
  readonly isLatest: boolean;
}

export const listObjectVersions: Operation = {
  name: 'ListObjectVersions',
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

/** By key, of a key the newest first; from behind the markers. */
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
