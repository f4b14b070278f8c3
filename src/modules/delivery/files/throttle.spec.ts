import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { throttle } from './throttle.js';

async function* chunksOf(chunks: readonly Buffer[]) {
  yield* chunks;
}

const listening = new AbortController().signal;

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
        for await (const part of throttle(chunksOf(list), { size: whole.length, kbitPerSecond, reserve, signal: listening })) {
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

  it('end with the viewer, in the middle of waiting', async () => {
    const gone = new AbortController();
    const reserve = async () => {
      setImmediate(() => gone.abort());
      return 3_600;
    };
    const bytes = throttle(chunksOf([Buffer.alloc(10)]), { size: 10, kbitPerSecond: 1, reserve, signal: gone.signal });
    await expect(bytes.next()).rejects.toMatchObject({ name: 'AbortError' });
  });
});
