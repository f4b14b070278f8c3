import type { Algorithm } from '../body/checksum.js';
import { checksumHeader } from '../body/checksum.js';
import { type BodyFacts, receive, statedLength } from '../body/payload.js';
import { type Answer, emptyAnswer } from '../http/answer.js';
import { StorageError } from '../http/storage-error.js';
import { MAX_PUT_BYTES } from '../settings.js';
import type { ObjectDescription } from '../store/descriptions.js';
import type { SealedFile } from '../store/sealed-file.js';
import type { Call, Operation } from './call.js';
import { writeCondition } from './conditions.js';
import { quoted, readDetails } from './object-details.js';

export const putObject: Operation = {
  name: 'PutObject',
  method: 'PUT',
  on: 'object',
  action: 's3:PutObject',
  run: async (call): Promise<Answer> => {
    const details = readDetails(call.incoming.headers);
    const condition = writeCondition(call);
    condition?.(await call.stores.objects.find(call.key)); // before gigabytes are sent for nothing; again when it counts
    let description: ObjectDescription | undefined;
    const describe = (facts: BodyFacts): ObjectDescription => {
      const checksum = facts.checksum && ({ ...facts.checksum, type: 'FULL_OBJECT' } as const);
      description = { ...details, key: call.key, size: facts.size, etag: facts.md5, modifiedAt: call.stores.now().getTime(), checksum };
      return description;
    };
    const { sealed, facts } = await store(call, { describe });
    await keep(sealed, async () => {
      if (description) await call.stores.objects.put(sealed, description, condition);
    });
    return emptyAnswer(200, receipt(facts));
  },
};

interface Storing {
  /** What the file says about itself at its end. */
  describe(facts: BodyFacts): object;
  readonly compute?: Algorithm;
}

/** Receives a body into a file that has no place yet. @throws StorageError for one that is not what it should be; nothing is left of it */
export async function store(call: Call, { describe, compute }: Storing): Promise<{ sealed: SealedFile; facts: BodyFacts }> {
  if (statedLength(call.body) > MAX_PUT_BYTES) throw new StorageError('EntityTooLarge');
  const file = await call.stores.disk.create();
  try {
    const facts = await receive(call.source(), call.body, { consume: (data) => file.append(data), compute });
    return { sealed: await file.seal(describe(facts)), facts };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** Gives a file its place, or removes it when that fails. */
export async function keep(sealed: SealedFile, place: () => Promise<void>): Promise<void> {
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
