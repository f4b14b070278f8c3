import { type Algorithm, checksumHeader } from '../body/checksum.js';
import { type BodyFacts, receive, statedLength } from '../body/payload.js';
import { StorageError } from '../http/storage-error.js';
import { MAX_PUT_BYTES } from '../settings.js';
import type { SealedFile } from '../store/sealed-file.js';
import type { Call } from './call.js';
import { quoted } from './object-details.js';

export interface Storing<T extends object> {
  /** What the file says about itself at its end. */
  describe(facts: BodyFacts): T;
  /** A checksum that is wanted although the client sends none. */
  readonly compute?: Algorithm;
}

/** A complete file that has no place yet. */
export interface Stored<T extends object> {
  readonly sealed: SealedFile;
  readonly facts: BodyFacts;
  readonly description: T;
}

/** Receives a body into a file. @throws StorageError for one that is not what it should be; nothing is left of it */
export async function storeBody<T extends object>(call: Call, { describe, compute }: Storing<T>): Promise<Stored<T>> {
  if (statedLength(call.body) > MAX_PUT_BYTES) throw new StorageError('EntityTooLarge');
  const file = await call.stores.disk.create();
  try {
    const facts = await receive(call.source(), call.body, { consume: (data) => file.append(data), compute });
    const description = describe(facts);
    return { sealed: await file.seal(description), facts, description };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** Gives a file its place, or removes it when that fails. */
export async function keep({ sealed }: Pick<Stored<object>, 'sealed'>, place: () => Promise<void>): Promise<void> {
  try {
    await place();
  } catch (error) {
    await sealed.discard();
    throw error;
  }
}

/** What the client is told about the data that came. */
export function receipt({ md5, checksum }: BodyFacts): Record<string, string> {
  return { etag: quoted(md5), ...(checksum && { [checksumHeader(checksum.algorithm)]: checksum.value }) };
}
