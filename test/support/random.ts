import { randomBytes } from 'node:crypto';

/** Numbers in [0, 1) that depend on nothing but the seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Runs a test on random numbers. A failure names the seed; the same numbers come again with `SEED=…` in the environment. */
export async function withRandom(test: (random: () => number) => Promise<void>): Promise<void> {
  const seed = Number(process.env.SEED ?? randomBytes(4).readUInt32BE());
  await test(seededRandom(seed)).catch((cause: Error) => {
    throw new Error(`${cause.message}\nIt failed with SEED=${seed}.`, { cause });
  });
}
