import { generalErrors } from '../errors.js';
import { clientDisconnected } from './waiting-client.js';

/** What waits is short, so that a place is free soon. */
const RETRY_AFTER_SECONDS = 5;

interface Limits {
  /** The calls that run concurrently. */
  readonly slots: number;
  /** The calls that wait, of all parties together. */
  readonly maxWaiting: number;
}

/** A call in the queue. */
interface Waiting {
  start(): void;
  refuse(): void;
}

/**
 * Limits concurrent calls and serves parties, mostly customers, in turn, so that a party with a thousand calls does not delay one with a single call.
 * If too many wait, the newest call of the party with most of them is refused. A call whose client has disconnected leaves the queue.
 */
export class FairLimit {
  /** Waiting parties, next one first, each with its calls. */
  private readonly waiting = new Map<string, Waiting[]>();
  private running = 0;
  private count = 0;

  constructor(private readonly limits: Limits) {}

  /** The calls that wait. */
  get waitingCount(): number {
    return this.count;
  }

  /**
   * Runs a call when its turn comes. `signal` removes it from the queue; by default, that of the client of the current request. Work that several clients
   * await passes a signal of its own. Throws 503 `service_unavailable` if the call does not get its turn.
   */
  async run<T>(
    party: string,
    call: () => Promise<T>,
    { signal = clientDisconnected() }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<T> {
    await this.turn(party, signal);
    try {
      return await call();
    } finally {
      this.running -= 1;
      this.startNext();
    }
  }

  private async turn(party: string, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw tooManyWait();
    if (this.running < this.limits.slots) {
      this.running += 1;
      return;
    }
    this.makeRoomFor(party);
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.remove(party, call);
        call.refuse();
      };
      const call: Waiting = {
        start: () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
        refuse: () => {
          signal?.removeEventListener('abort', leave);
          reject(tooManyWait());
        },
      };
      signal?.addEventListener('abort', leave);
      this.waiting.set(party, [...(this.waiting.get(party) ?? []), call]);
      this.count += 1;
    });
  }

  /** In a full queue, refuses the newest call of the party with most calls; throws if there would be none with more calls than `party`. */
  private makeRoomFor(party: string): void {
    if (this.count < this.limits.maxWaiting) return;
    const own = (this.waiting.get(party)?.length ?? 0) + 1;
    const [longest] = [...this.waiting].filter(([, calls]) => calls.length > own).sort(([, one], [, other]) => other.length - one.length);
    const newest = longest?.[1].at(-1);
    if (!longest || !newest) throw tooManyWait();
    this.remove(longest[0], newest);
    newest.refuse();
  }

  private remove(party: string, call: Waiting): void {
    const others = (this.waiting.get(party) ?? []).filter((one) => one !== call);
    if (others.length > 0) this.waiting.set(party, others);
    else this.waiting.delete(party);
    this.count -= 1;
  }

  private startNext(): void {
    const [next] = this.waiting;
    if (!next || this.running >= this.limits.slots) return;
    const [party, [first, ...later]] = next;
    this.waiting.delete(party);
    if (later.length > 0) this.waiting.set(party, later); // moves the party to the end
    this.count -= 1;
    this.running += 1;
    first?.start();
  }
}

function tooManyWait() {
  const detail = 'Too many requests wait for the same work. Try again in a few seconds.';
  return generalErrors.service_unavailable(detail, { retryAfter: RETRY_AFTER_SECONDS });
}
