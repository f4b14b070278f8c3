import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { throttle } from './throttle.js';

async function* chunksOf(chunks: readonly Buffer[]) {
  yield* chunks;
}

const listening = new AbortController().signal;
const neverReleased = async () => {
  throw new Error('Everything was sent.');
};

describe('throttled bytes', () => {
  it('are the same bytes, and every one is reserved once before it is sent, in slices of a fifth of a second', async () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 300 }).map(Buffer.from), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(chunks, fc.integer({ min: 1, max: 8 }), async (list, kbitPerSecond) => {
        const whole = Buffer.concat(list);
        let reserved = 0;
        let sent = 0;
        const reserve = async (bytes: number) => {
          expect(bytes).toBeLessThanOrEqual(kbitPerSecond * 25);
          reserved += bytes;
          return 0;
        };
        const parts: Buffer[] = [];
        const budget = { reserve, release: neverReleased, signal: listening };
        for await (const part of throttle(chunksOf(list), { size: whole.length, kbitPerSecond, ...budget })) {
          parts.push(part);
          sent += part.length;
          expect(sent).toBeLessThanOrEqual(reserved);
        }
        expect(Buffer.concat(parts).equals(whole)).toBe(true);
        expect(reserved).toBe(whole.length);
      }),
      { numRuns: 50 },
    );
  });

  it("end with the viewer's connection during a delay, and release the reservation", async () => {
    const gone = new AbortController();
    const reserve = async () => {
      setImmediate(() => gone.abort());
      return 3_600;
    };
    const released: number[] = [];
    const release = async (bytes: number) => void released.push(bytes);
    const bytes = throttle(chunksOf([Buffer.alloc(10)]), { size: 10, kbitPerSecond: 1, reserve, release, signal: gone.signal });
    await expect(bytes.next()).rejects.toMatchObject({ name: 'AbortError' });
    expect(released).toEqual([10]);
  });

  it('release a reserved slice that is not read, but not a due one', async () => {
    for (const [wait, expected] of [
      [3_600, [25]],
      [0, []],
    ] as const) {
      const waits = [0, wait];
      const reserve = async () => waits.shift() ?? 0;
      const released: number[] = [];
      const release = async (bytes: number) => void released.push(bytes);
      const body = chunksOf([Buffer.alloc(100)]);
      for await (const part of throttle(body, { size: 100, kbitPerSecond: 1, reserve, release, signal: listening })) {
        expect(part.length).toBe(25);
        break;
      }
      expect(released).toEqual(expected);
    }
  });
});
