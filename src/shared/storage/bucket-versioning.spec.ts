import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type BucketVersioning, KnownVersioning } from './bucket-versioning.js';

const ENABLED: BucketVersioning = { status: 'enabled', readable: true };
const REFUSED: BucketVersioning = { status: 'unknown', readable: false };

/** A storage that answers what the test says, with the number of looks and a clock in milliseconds. */
function aStorage() {
  const storage = { answer: ENABLED as BucketVersioning | Error, looks: 0, now: 0 };
  const known = new KnownVersioning(
    async () => {
      storage.looks += 1;
      if (storage.answer instanceof Error) throw storage.answer;
      return storage.answer;
    },
    () => storage.now,
  );
  return { storage, known };
}

describe('what is known of the versioning of a bucket', () => {
  it('is read at most once a minute, without waiting for the storage', async () => {
    const { storage, known } = aStorage();
    expect(await known.get()).toEqual(ENABLED);
    storage.now = 59_999;
    expect([await known.get(), storage.looks]).toEqual([ENABLED, 1]);
    storage.answer = { status: 'suspended', readable: true };
    storage.now = 60_000;
    expect([known.last, storage.looks]).toEqual([ENABLED, 2]);
    await setImmediate();
    expect(known.last).toEqual(storage.answer);
  });

  it.each([
    ['fails', new Error('away')],
    ['is refused', REFUSED],
  ])('stays true when a later look %s, which is repeated after 10 seconds', async (_, answer) => {
    const { storage, known } = aStorage();
    await known.get();
    storage.answer = answer;
    storage.now = 60_000;
    expect(known.last).toEqual(ENABLED); // no caller waits for this look
    await setImmediate();
    expect([known.last, known.isLastLookFailed]).toEqual([ENABLED, true]);
    storage.answer = ENABLED;
    storage.now = 70_000;
    expect(known.last).toEqual(ENABLED);
    await setImmediate();
    expect([known.isLastLookFailed, storage.looks]).toEqual([false, 3]);
  });

  it('is nothing until the storage answers, and a refusal is an answer then', async () => {
    const { storage, known } = aStorage();
    storage.answer = new Error('away');
    await expect(known.get()).rejects.toThrow('away');
    expect(known.last).toBeNull();
    storage.answer = REFUSED;
    storage.now = 10_000;
    expect(await known.get()).toEqual(REFUSED);
    expect(known.isLastLookFailed).toBe(false);
  });
});
