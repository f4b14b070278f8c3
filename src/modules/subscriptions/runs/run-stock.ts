import type { ClaimedRun } from './claimed-run.js';
import { LaneLimits } from './lane-limits.js';
import { Places } from './places.js';

/** A lane in which so many tries may be under way goes well, and has a stock. */
const GOES_WELL = 16;
/** So many rounds of a lane are taken ahead: while they are tried the next ones come. */
const ROUNDS = 4;
/** Of all lanes together; each carries the instructions of its subscription, up to 64 KiB. */
const MOST_AHEAD = 1_024;

/** What a lane may do now: begin with so many tries, and take so many runs from the queue. */
export interface Order {
  readonly lane: string;
  readonly begin: number;
  readonly claim: number;
}

/**
 * The runs that a process has: those under way, and of lanes that go well some that come next, so that a quick receiver does not wait for the
 * database between two tries. Where lanes compete for places, the stock has no advantage over what is in the queue.
 */
export class RunStock {
  private readonly limits = new LaneLimits();
  private readonly places = new Places(this.limits);
  private readonly next = new Map<string, ClaimedRun[]>();

  /** Whether lanes were left that wait for a place of their customer's, or of the process. */
  get contended(): boolean {
    return this.places.contended;
  }

  /** The runs that have not begun. */
  get waiting(): ClaimedRun[] {
    return [...this.next.values()].flat();
  }

  /** Shares the free places among the lanes that have something in the queue, and those of the stock. */
  order(queued: readonly string[]): Order[] {
    const isQueued = new Set(queued);
    const shares = this.places.share([...new Set([...queued, ...this.next.keys()])]);
    let room = MOST_AHEAD - this.waiting.length;
    return shares.map((share) => {
      const ahead = isQueued.has(share.lane) ? Math.min(this.missingIn(share.lane), Math.max(room, 0)) : 0;
      room -= ahead;
      return { lane: share.lane, begin: share.places, claim: isQueued.has(share.lane) ? share.places + ahead : 0 };
    });
  }

  /** Whether lanes of these were left waiting although places stay free, because their customers have enough of them. */
  isWithheld(orders: readonly Order[]): boolean {
    return this.contended && orders.reduce((sum, { begin }) => sum + begin, 0) < this.places.free;
  }

  put(run: ClaimedRun): void {
    const waiting = this.next.get(run.lane);
    if (waiting) waiting.push(run);
    else this.next.set(run.lane, [run]);
  }

  /** The next run of the lane, which takes a place; null when it has none, or there is no place. */
  begin(lane: string): ClaimedRun | null {
    const waiting = this.next.get(lane);
    if (!waiting || !this.places.hasRoom(lane)) return null;
    const run = waiting.shift() ?? null;
    if (waiting.length === 0) this.next.delete(lane);
    if (run) this.places.take(lane);
    return run;
  }

  /** Whether the lane should be given more from the queue. */
  isLow(lane: string): boolean {
    return this.countOf(lane) <= this.sizeOf(lane) / 2;
  }

  /** A try has ended. */
  end(lane: string, outcome: Parameters<LaneLimits['ended']>[1] | null): void {
    this.places.leave(lane);
    if (outcome) this.limits.ended(lane, outcome);
  }

  /** Takes out the runs of lanes that do not go well any more. */
  surplus(): ClaimedRun[] {
    return [...this.next.keys()].filter((lane) => this.sizeOf(lane) === 0).flatMap((lane) => this.clear(lane));
  }

  /** Takes out the runs of a customer that have not begun. A lane begins with the id of its customer (laneOf). */
  clearOf(customerId: string): ClaimedRun[] {
    return [...this.next.keys()].filter((lane) => lane.startsWith(`${customerId} `)).flatMap((lane) => this.clear(lane));
  }

  /** Takes out all runs that have not begun. */
  clearAll(): ClaimedRun[] {
    return [...this.next.keys()].flatMap((lane) => this.clear(lane));
  }

  private clear(lane: string): ClaimedRun[] {
    const runs = this.next.get(lane) ?? [];
    this.next.delete(lane);
    return runs;
  }

  private missingIn(lane: string): number {
    return this.isLow(lane) ? Math.max(0, this.sizeOf(lane) - this.countOf(lane)) : 0;
  }

  private countOf(lane: string): number {
    return this.next.get(lane)?.length ?? 0;
  }

  private sizeOf(lane: string): number {
    const limit = this.limits.of(lane);
    return limit < GOES_WELL ? 0 : ROUNDS * limit;
  }
}
