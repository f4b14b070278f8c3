import { customerOfLane } from '../instructions/instruction-kinds.js';
import type { ClaimedRun } from './claimed-run.js';
import { LaneLimits, LanePlaces } from './lane-places.js';

/** A lane whose limit is at least this counts as quick, and has runs in stock. */
const QUICK_LIMIT = 16;
/** A quick lane claims this many times its limit in advance; the next runs are claimed while these are attempted. */
const ROUNDS_AHEAD = 4;
/** The maximum of all lanes together; each run contains the instructions of its subscription, up to 64 KiB. */
const MAX_AHEAD = 1_024;

/** The number of attempts of a lane that may start now, and of its runs that may be claimed from the queue. */
export interface Allocation {
  readonly lane: string;
  readonly start: number;
  readonly claim: number;
}

/**
 * The runs that a process has claimed: the running ones, and the next ones of quick lanes, so that a quick receiver does not wait for the database
 * between two attempts. While lanes compete for places, runs in stock have no advantage over runs in the queue.
 */
export class RunStock {
  private readonly limits = new LaneLimits();
  private readonly places = new LanePlaces(this.limits);
  private readonly next = new Map<string, ClaimedRun[]>();

  /** Whether lanes wait for a place because their customer or the process has no more. */
  get contended(): boolean {
    return this.places.contended;
  }

  /** The runs whose attempt has not started. */
  get waiting(): ClaimedRun[] {
    return [...this.next.values()].flat();
  }

  /** Distributes the free places among the lanes with runs in the queue or in stock. */
  allocate(queued: readonly string[]): Allocation[] {
    const isQueued = new Set(queued);
    const shares = this.places.distribute([...new Set([...queued, ...this.next.keys()])]);
    let room = MAX_AHEAD - this.waiting.length;
    return shares.map((share) => {
      const ahead = isQueued.has(share.lane) ? Math.min(this.missingIn(share.lane), Math.max(room, 0)) : 0;
      room -= ahead;
      return { lane: share.lane, start: share.places, claim: isQueued.has(share.lane) ? share.places + ahead : 0 };
    });
  }

  /** Whether some of these lanes wait although places are free, because their customers have as many as they may have. */
  hasUnusedPlaces(allocations: readonly Allocation[]): boolean {
    return this.contended && allocations.reduce((sum, { start }) => sum + start, 0) < this.places.free;
  }

  add(run: ClaimedRun): void {
    const waiting = this.next.get(run.lane);
    if (waiting) waiting.push(run);
    else this.next.set(run.lane, [run]);
  }

  /** The next run of the lane, which occupies a place; null if the lane has no run or no place. */
  startNext(lane: string): ClaimedRun | null {
    const waiting = this.next.get(lane);
    if (!waiting || !this.places.hasRoom(lane)) return null;
    const run = waiting.shift() ?? null;
    if (waiting.length === 0) this.next.delete(lane);
    if (run) this.places.occupy(lane);
    return run;
  }

  /** Whether more runs of the lane should be claimed. */
  isLow(lane: string): boolean {
    return this.countOf(lane) <= this.sizeOf(lane) / 2;
  }

  /** Releases the place of an attempt that has ended; null: nothing was attempted. */
  finish(lane: string, outcome: Parameters<LaneLimits['recordAttempt']>[1] | null): void {
    this.places.release(lane);
    if (outcome) this.limits.recordAttempt(lane, outcome);
  }

  /** Removes the runs of lanes that are no longer quick. */
  removeSurplus(): ClaimedRun[] {
    return [...this.next.keys()].filter((lane) => this.sizeOf(lane) === 0).flatMap((lane) => this.removeOfLane(lane));
  }

  /** Removes the runs of a customer that have not started. */
  removeOfCustomer(customerId: string): ClaimedRun[] {
    return [...this.next.keys()].filter((lane) => customerOfLane(lane) === customerId).flatMap((lane) => this.removeOfLane(lane));
  }

  /** Removes all runs that have not started. */
  removeAll(): ClaimedRun[] {
    return [...this.next.keys()].flatMap((lane) => this.removeOfLane(lane));
  }

  private removeOfLane(lane: string): ClaimedRun[] {
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
    const limit = this.limits.limitOf(lane);
    return limit < QUICK_LIMIT ? 0 : ROUNDS_AHEAD * limit;
  }
}
