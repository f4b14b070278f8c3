import { checksumHeader } from '../body/checksum.js';
import { StorageError } from '../http/messages.js';
import { MAX_METADATA_BYTES } from '../settings.js';
import type { Condition } from '../store/object-store.js';
import type { ObjectDescription, ObjectDetails } from '../store/sealed-file.js';
import { type Call, header } from './call.js';

const KEPT_HEADERS = ['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-type', 'expires'];
const METADATA = 'x-amz-meta-';
/** Headers that are rejected, because accepting and ignoring them would promise something that is not done. */
const NOT_IMPLEMENTED =
  /^x-amz-(server-side-encryption|tagging|object-lock|website-redirect|grant|write-offset)|^x-amz-copy-source-(if|server)|^x-amz-server-side/;

/** Reads the headers and metadata of a new object. @throws StorageError if something is not supported or the metadata is too large */
export function readDetails(headers: ReadonlyMap<string, string>): ObjectDetails {
  const refused = [...headers.keys()].find((name) => NOT_IMPLEMENTED.test(name));
  if (refused) throw new StorageError('NotImplemented', `The header ${refused} is not supported here.`);
  const metadata = [...headers]
    .filter(([name]) => name.startsWith(METADATA))
    .map(([name, value]) => [name.slice(METADATA.length), value] as const);
  const bytes = metadata.flat().reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > MAX_METADATA_BYTES) throw new StorageError('MetadataTooLarge');
  return { headers: keptHeaders(headers), metadata: Object.fromEntries(metadata) };
}

/** Omits aws-chunked, which describes the transfer and is not a property of the object. */
function keptHeaders(headers: ReadonlyMap<string, string>): Record<string, string> {
  const kept: Record<string, string> = { 'content-type': 'binary/octet-stream' };
  for (const name of KEPT_HEADERS) {
    const value = headers.get(name);
    if (value) kept[name] = value;
  }
  const encodings = (kept['content-encoding'] ?? '').split(',').map((one) => one.trim());
  const own = encodings.filter((one) => one !== '' && one !== 'aws-chunked').join(',');
  if (own) kept['content-encoding'] = own;
  else delete kept['content-encoding'];
  return kept;
}

/** The header with the id of the version that was written or read; none in a bucket without versioning. */
export const versionHeader = ({ versionId }: Pick<ObjectDescription, 'versionId'>): Record<string, string> =>
  versionId === undefined ? {} : { 'x-amz-version-id': versionId };

export const quoted = (etag: string): string => `"${etag}"`;

/** The response headers that describe an object; with `checksums`, including its checksum. */
export function describingHeaders(description: ObjectDescription, { checksums }: { checksums: boolean }): Record<string, string> {
  const { etag, modifiedAt, headers, metadata, checksum } = description;
  return {
    ...headers,
    ...Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`${METADATA}${name}`, toHeader(value)])),
    etag: quoted(etag),
    'last-modified': new Date(modifiedAt).toUTCString(),
    'accept-ranges': 'bytes',
    ...(checksums && checksum && { [checksumHeader(checksum.algorithm)]: checksum.value, 'x-amz-checksum-type': checksum.type }),
  };
}

/** Node writes headers as Latin-1, so this preserves the UTF-8 bytes. */
const toHeader = (value: string): string => Buffer.from(value, 'utf8').toString('latin1');

/** The preconditions of a write (If-Match, If-None-Match); undefined without such headers. */
export function writeCondition(call: Call): Condition | undefined {
  const [match, noneMatch] = [header(call, 'if-match'), header(call, 'if-none-match')];
  if (match === undefined && noneMatch === undefined) return undefined;
  return (existing) => {
    if (noneMatch !== undefined && existing && names(noneMatch, existing)) throw failed('If-None-Match');
    if (match === undefined) return;
    if (existing === null) throw new StorageError('NoSuchKey', undefined, { Key: call.key });
    if (!names(match, existing)) throw failed('If-Match');
  };
}

/** Whether the client already has the object (304; RFC 9110, section 13.2.2). @throws StorageError if a precondition fails */
export function isNotModified(call: Call, object: ObjectDescription): boolean {
  const match = header(call, 'if-match');
  const noneMatch = header(call, 'if-none-match');
  const modifiedSeconds = Math.floor(object.modifiedAt / 1_000);
  const seconds = (name: string) => Date.parse(header(call, name) ?? '') / 1_000;
  if (match !== undefined && !names(match, object)) throw failed('If-Match');
  if (match === undefined && modifiedSeconds > seconds('if-unmodified-since')) throw failed('If-Unmodified-Since');
  if (noneMatch !== undefined) return names(noneMatch, object);
  return modifiedSeconds <= seconds('if-modified-since');
}

function names(list: string, { etag }: ObjectDescription): boolean {
  return list.split(',').some((one) => ['*', etag, `"${etag}"`].includes(one.trim().replace(/^W\//, '')));
}

const failed = (condition: string): StorageError => new StorageError('PreconditionFailed', undefined, { Condition: condition });
