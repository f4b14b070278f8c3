import type { LaneLimits } from './lane-limits.js';

/** Tries under way in a process: they wait for others mostly, and each costs a connection. */
const IN_ALL = 256;
/** Of them for one customer, however many places its instructions go to. */
const OF_A_CUSTOMER = 64;

/** So many runs of a lane may be taken now. */
export interface Share {
  readonly lane: string;
  readonly places: number;
}

/**
 * The places of a process in which tries are under way, and who gets the free ones: every lane gets one before any gets a second, a lane at
 * most its limit, and a customer no more than it leaves free, so that a few who are busy leave room for one who comes later.
 */
export class Places {
  private readonly ofLane = new Map<string, number>();
  private readonly ofCustomer = new Map<string, number>();
  private taken = 0;
  /** Whether at the last share a lane got less than its limit, because its customer or all together had too much. */
  contended = false;

  constructor(private readonly limits: LaneLimits) {}

  /** How many are free in all. */
  get free(): number {
    return IN_ALL - this.taken;
  }

  take(lane: string): void {
    this.count(lane, 1);
  }

  leave(lane: string): void {
    this.count(lane, -1);
  }

  /** What each of these lanes may take now, in their order; those that get nothing are in it too. */
  share(lanes: readonly string[]): Share[] {
    const given = new Map(lanes.map((lane) => [lane, 0]));
    for (let gave = true; gave; ) {
      gave = false;
      for (const lane of lanes) {
        if (!this.hasRoom(lane)) continue;
        this.take(lane);
        given.set(lane, (given.get(lane) ?? 0) + 1);
        gave = true;
      }
    }
    this.contended = lanes.some((lane) => this.isBelowLimit(lane));
    for (const [lane, places] of given) this.count(lane, -places);
    return [...given].map(([lane, places]) => ({ lane, places }));
  }

  hasRoom(lane: string): boolean {
    return this.isBelowLimit(lane) && (this.ofCustomer.get(customerOf(lane)) ?? 0) < Math.min(OF_A_CUSTOMER, this.free);
  }

  private isBelowLimit(lane: string): boolean {
    return (this.ofLane.get(lane) ?? 0) < this.limits.of(lane);
  }

  private count(lane: string, by: number): void {
    this.taken += by;
    add(this.ofLane, lane, by);
    add(this.ofCustomer, customerOf(lane), by);
  }
}

/** A lane begins with the id of its customer (laneOf). */
const customerOf = (lane: string): string => lane.slice(0, lane.indexOf(' '));

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
