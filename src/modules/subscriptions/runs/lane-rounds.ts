import type { ClaimedRun } from './claimed-run.js';
import type { Share } from './places.js';
import type { RunQueue } from './run-queue.js';
import type { Order, RunStock } from './run-stock.js';

/** Lanes of one look: more of them have to wait for the next one, which begins where this one ended. */
const LANES = 256;
/** Looks one after the other past lanes that may have no place: a customer whose places are taken may have thousands of them. */
const LOOKS = 40;

/** The lanes whose turn it is. */
export interface Round {
  /** In which runs are ready. */
  readonly lanes: readonly string[];
  /** What they may do, and those that have runs in stock. */
  readonly orders: readonly Order[];
  /** What they may take from the queue. */
  readonly shares: readonly Share[];
  /** Whether there may be more lanes behind these. */
  readonly isLong: boolean;
}

/** Goes round the lanes in which runs are ready, so that each has its turn. */
export class LaneRounds {
  /** The lane that was served last; the next round begins after it. */
  private cursor = '';

  constructor(
    private readonly queue: Pick<RunQueue, 'lanes'>,
    private readonly stock: RunStock,
  ) {}

  /** The first lanes behind the cursor, and as long as there are places that these may not have, the ones behind them. */
  async next(): Promise<Round> {
    let page = await this.queue.lanes(this.cursor, LANES);
    let lanes = page;
    for (let look = 1; ; look += 1) {
      const orders = this.stock.order(lanes);
      const isRound = page.length < LANES || (look > 1 && page.includes(lanes[0] ?? ''));
      if (isRound || look === LOOKS || !this.stock.isWithheld(orders)) return this.end(lanes, orders);
      page = await this.queue.lanes(page.at(-1) ?? '', LANES);
      lanes = [...new Set([...lanes, ...page])];
    }
  }

  private end(lanes: readonly string[], orders: readonly Order[]): Round {
    this.cursor = nextCursor(lanes, orders) ?? this.cursor;
    const shares = orders.filter(({ claim }) => claim > 0).map(({ lane, claim }) => ({ lane, places: claim }));
    return { lanes, orders, shares, isLong: lanes.length >= LANES };
  }
}

/**
 * The last of the first lanes that is served: if those behind them counted, lanes that were passed over would never be the first. Only where
 * the looks did not suffice for all lanes the next round begins behind them.
 */
function nextCursor(lanes: readonly string[], orders: readonly Order[]): string | undefined {
  if (lanes.length >= LANES * LOOKS) return lanes.at(-1);
  return orders.slice(0, LANES).findLast(({ begin }) => begin > 0)?.lane;
}

/** Whether a lane gave as many runs as were asked of it, so that it may have more. */
export function hasFullShare({ shares }: Round, runs: readonly ClaimedRun[]): boolean {
  const taken = new Map<string, number>();
  for (const { lane } of runs) taken.set(lane, (taken.get(lane) ?? 0) + 1);
  return shares.some(({ lane, places }) => (taken.get(lane) ?? 0) >= places);
}
