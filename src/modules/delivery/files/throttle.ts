import { setTimeout as delay } from 'node:timers/promises';

/** The bytes per reservation: as many as are sent in this time. A shorter time is smoother, but queries the database more often. */
const SLICE_SECONDS = 0.2;

interface Throttling {
  /** The bytes of the body; no more are reserved. */
  readonly size: number;
  readonly kbitPerSecond: number;
  /** Reserves the time for these bytes; returns the seconds to wait before they may be sent. */
  reserve(bytes: number): Promise<number>;
  /** Releases a reservation whose time has not come. */
  release(bytes: number): Promise<void>;
  /** Aborted when the viewer has disconnected. */
  readonly signal: AbortSignal;
}

/** A number of bytes, and the time from which they may be sent. */
interface Slice {
  readonly bytes: number;
  readonly at: Promise<number>;
}

/** Yields the same bytes in slices, each when its time has come. Nothing of the body is read ahead. */
export async function* throttle(body: AsyncIterable<Buffer>, { size, kbitPerSecond, ...budget }: Throttling): AsyncGenerator<Buffer> {
  const maxSliceBytes = Math.max(1, Math.ceil(kbitPerSecond * 125 * SLICE_SECONDS)); // a kbit is 125 bytes
  let unreserved = size;
  const reserveSlice = (): Slice => {
    const bytes = Math.max(1, Math.min(maxSliceBytes, unreserved));
    unreserved -= bytes;
    const at = budget.reserve(bytes).then((seconds) => Date.now() + seconds * 1_000);
    at.catch(() => {}); // it may never be awaited; otherwise the error is thrown there
    return { bytes, at };
  };
  let granted = 0;
  let next: Slice | null = null;
  try {
    for await (const chunk of body) {
      for (let rest = chunk; rest.length > 0; ) {
        if (granted === 0) {
          next ??= reserveSlice();
          await delay(Math.max(0, (await next.at) - Date.now()), undefined, { signal: budget.signal });
          granted = next.bytes;
          next = unreserved > 0 ? reserveSlice() : null; // reserved while this one is sent, so that no time is lost
        }
        const part = rest.subarray(0, granted);
        granted -= part.length;
        rest = rest.subarray(part.length);
        yield part;
      }
    }
  } finally {
    if (next && (await next.at.catch(() => 0)) > Date.now()) await budget.release(next.bytes); // the viewer has disconnected
  }
}
