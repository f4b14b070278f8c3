import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { OutageMemory } from './outage-memory.js';

/** A part that answers or not, with its number of trials and a clock. */
function aPart() {
  const part = { answers: true, trials: 0, now: 0 };
  const memory = new OutageMemory(
    async () => {
      part.trials += 1;
      return part.answers;
    },
    () => part.now,
  );
  return { part, memory };
}

describe('the memory of an outage', () => {
  it('begins when a trial after a silent call has no answer', async () => {
    const { part, memory } = aPart();
    expect(await memory.confirm()).toBe(false);
    part.answers = false;
    expect(await memory.confirm()).toBe(true);
    expect([memory.isKnown, part.trials]).toEqual([true, 2]);
  });

  it('tries the part every 5 seconds while calls need it, and ends with its first answer', async () => {
    const { part, memory } = aPart();
    part.answers = false;
    await memory.confirm();
    part.now = 4_999;
    expect([memory.isKnown, memory.isKnown, part.trials]).toEqual([true, true, 1]);
    part.answers = true;
    part.now = 5_000;
    expect([memory.isKnown, memory.isKnown]).toEqual([true, true]); // the trial runs
    await setImmediate();
    expect([memory.isKnown, part.trials]).toEqual([false, 2]);
  });

  it('ends with a call that has an answer', async () => {
    const { part, memory } = aPart();
    part.answers = false;
    await memory.confirm();
    memory.noteAnswer();
    expect(memory.isKnown).toBe(false);
  });
});
