import { StorageError } from '../http/storage-error.js';
import type { ObjectDescription } from '../store/descriptions.js';
import type { Condition } from '../store/object-store.js';
import { type Call, header } from './call.js';

/** The preconditions of a write (If-Match, If-None-Match); undefined when there are none. */
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

/** RFC 9110, section 13.2.2: whether the client has the object already (304). @throws StorageError when a precondition does not hold */
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
