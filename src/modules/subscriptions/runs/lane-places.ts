import { customerOfLane } from '../instructions/instruction-kinds.js';

const INITIAL_LIMIT = 8;
const MIN_LIMIT = 2;
const MAX_LIMIT = 32;
/** The limit of a lane does not grow while its receiver takes longer than this. */
const SLOW_MS = 2_000;
/** The number of lanes whose limits are stored; further lanes start again with the initial limit. */
const MAX_LANES = 10_000;

/** The statuses of an overloaded receiver: no answer, too many requests, unavailable. */
const OVERLOADED: ReadonlySet<number> = new Set([0, 429, 503]);

/**
 * The limits of concurrent attempts in each lane. They grow with successes and shrink without answers, so that a dead endpoint occupies few places.
 */
export class LaneLimits {
  private readonly limits = new Map<string, number>();

  limitOf(lane: string): number {
    return Math.floor(this.limits.get(lane) ?? INITIAL_LIMIT);
  }

  /** Adapts the limit after an attempt: a round of quick successes adds one, an attempt that finds the receiver overloaded halves it. */
  recordAttempt(lane: string, { statusCode, succeeded, durationMs }: { statusCode: number; succeeded: boolean; durationMs: number }): void {
    const limit = this.limits.get(lane) ?? INITIAL_LIMIT;
    if (OVERLOADED.has(statusCode)) this.remember(lane, Math.max(MIN_LIMIT, limit / 2));
    else if (succeeded && durationMs < SLOW_MS) this.remember(lane, Math.min(MAX_LIMIT, limit + 1 / limit));
  }

  private remember(lane: string, limit: number): void {
    this.limits.delete(lane);
    this.limits.set(lane, limit);
    const [oldest] = this.limits.keys();
    if (this.limits.size > MAX_LANES && oldest !== undefined) this.limits.delete(oldest);
  }
}

/** The number of concurrent attempts in a process: they mostly wait for receivers, and each needs a connection. */
const MAX_PLACES = 256;
/** The number of concurrent attempts of one customer, however many lanes it has. */
const MAX_PLACES_OF_CUSTOMER = 64;

/** The number of runs of a lane that may be claimed now. */
export interface Share {
  readonly lane: string;
  readonly places: number;
}

/**
 * The places of a process for concurrent attempts. Every lane gets a free place before any lane gets a second one, a lane gets at most its limit, and
 * a customer gets no more places than it leaves free, so that a few busy customers leave room for later ones.
 */
export class LanePlaces {
  private readonly ofLane = new Map<string, number>();
  private readonly ofCustomer = new Map<string, number>();
  private taken = 0;
  /** Whether a lane got fewer places than its limit in the last distribution, because its customer or the process had no more. */
  contended = false;

  constructor(private readonly limits: LaneLimits) {}

  get free(): number {
    return MAX_PLACES - this.taken;
  }

  occupy(lane: string): void {
    this.count(lane, 1);
  }

  release(lane: string): void {
    this.count(lane, -1);
  }

  /** The places that each of these lanes may occupy now, in their order; lanes without any are included. */
  distribute(lanes: readonly string[]): Share[] {
    const given = new Map(lanes.map((lane) => [lane, 0]));
    for (let isProgress = true; isProgress; ) {
      isProgress = false;
      for (const lane of lanes) {
        if (!this.hasRoom(lane)) continue;
        this.occupy(lane);
        given.set(lane, (given.get(lane) ?? 0) + 1);
        isProgress = true;
      }
    }
    this.contended = lanes.some((lane) => this.isBelowLimit(lane));
    for (const [lane, places] of given) this.count(lane, -places);
    return [...given].map(([lane, places]) => ({ lane, places }));
  }

  hasRoom(lane: string): boolean {
    return this.isBelowLimit(lane) && (this.ofCustomer.get(customerOfLane(lane)) ?? 0) < Math.min(MAX_PLACES_OF_CUSTOMER, this.free);
  }

  private isBelowLimit(lane: string): boolean {
    return (this.ofLane.get(lane) ?? 0) < this.limits.limitOf(lane);
  }

  private count(lane: string, by: number): void {
    this.taken += by;
    add(this.ofLane, lane, by);
    add(this.ofCustomer, customerOfLane(lane), by);
  }
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
