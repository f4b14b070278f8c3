import { setTimeout as delay } from 'node:timers/promises';

/** What is sent without asking again: as much as flows in this time. Shorter is smoother, and asks the database more often. */
const SLICE_SECONDS = 0.2;

interface Throttling {
  /** Bytes of the body; no more than these are reserved. */
  readonly size: number;
  readonly kbitPerSecond: number;
  /** Seconds to wait before so many bytes may be sent. */
  reserve(bytes: number): Promise<number>;
  /** Aborted when nobody listens any more. */
  readonly signal: AbortSignal;
}

/** The same bytes, slice by slice, each when its time has come. Nothing is read ahead. */
export async function* throttle(body: AsyncIterable<Buffer>, { size, kbitPerSecond, reserve, signal }: Throttling): AsyncGenerator<Buffer> {
  const slice = Math.max(1, Math.ceil(kbitPerSecond * 125 * SLICE_SECONDS)); // a kbit is 125 bytes
  let [granted, remaining] = [0, size];
  for await (const chunk of body) {
    for (let rest = chunk; rest.length > 0; ) {
      if (granted === 0) {
        granted = Math.max(1, Math.min(slice, remaining));
        await delay((await reserve(granted)) * 1_000, undefined, { signal });
      }
      const part = rest.subarray(0, granted);
      granted -= part.length;
      remaining -= part.length;
      rest = rest.subarray(part.length);
      yield part;
    }
  }
}
