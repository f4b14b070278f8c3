import { StorageError } from '../http/storage-error.js';
import { encodeRfc3986 } from '../signature/canonical-request.js';
import { type Call, query } from './call.js';

/** How keys are written in a listing: as they are, or with encoding-type=url, because XML cannot hold every character. */
export function encoder(call: Call): (text: string) => string {
  const type = query(call, 'encoding-type');
  if (type === undefined) return (text) => text;
  if (type !== 'url') throw new StorageError('InvalidArgument', 'Invalid Encoding Method specified in Request');
  return (text) => encodeRfc3986(text).replaceAll('%2F', '/');
}
