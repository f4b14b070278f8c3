import type { ClaimedRun } from './claimed-run.js';
import type { Share } from './lane-places.js';
import type { Allocation, RunStock } from './run-stock.js';
import type { SubscriptionRunsRepository } from './subscription-runs.repository.js';

/** Lanes of one query; the next query continues after them. */
const PAGE_LANES = 256;
/** The number of queries in one round that skip lanes without a place: a customer whose places are occupied may have thousands of lanes. */
const MAX_PAGES = 40;

/** The lanes whose turn it is. */
export interface Round {
  /** Lanes with ready runs. */
  readonly lanes: readonly string[];
  /** The numbers of runs that these lanes, and those with runs in stock, may start and claim. */
  readonly allocations: readonly Allocation[];
  /** The numbers of runs that these lanes may claim. */
  readonly shares: readonly Share[];
  /** Whether there may be more lanes after these. */
  readonly isLong: boolean;
}

/** Iterates over the lanes with ready runs in rounds, so that each has its turn. */
export class LaneRounds {
  /** The lane that was served last; the next round begins after it. */
  private cursor = '';

  constructor(
    private readonly runs: Pick<SubscriptionRunsRepository, 'listReadyLanes'>,
    private readonly stock: RunStock,
  ) {}

  /** The next lanes after the cursor, followed by further ones as long as places are unused. */
  async next(): Promise<Round> {
    let page = await this.runs.listReadyLanes(this.cursor, PAGE_LANES);
    let lanes = page;
    for (let pages = 1; ; pages += 1) {
      const allocations = this.stock.allocate(lanes);
      const isRound = page.length < PAGE_LANES || (pages > 1 && page.includes(lanes[0] ?? ''));
      if (isRound || pages === MAX_PAGES || !this.stock.hasUnusedPlaces(allocations)) return this.finishRound(lanes, allocations);
      page = await this.runs.listReadyLanes(page.at(-1) ?? '', PAGE_LANES);
      lanes = [...new Set([...lanes, ...page])];
    }
  }

  private finishRound(lanes: readonly string[], allocations: readonly Allocation[]): Round {
    this.cursor = nextCursor(lanes, allocations) ?? this.cursor;
    const shares = allocations.filter(({ claim }) => claim > 0).map(({ lane, claim }) => ({ lane, places: claim }));
    return { lanes, allocations, shares, isLong: lanes.length >= PAGE_LANES };
  }
}

/**
 * The last served lane of the first page: if later pages counted, lanes that got no place would never come first. The next round begins after it only
 * if this round ended before all lanes were seen.
 */
function nextCursor(lanes: readonly string[], allocations: readonly Allocation[]): string | undefined {
  if (lanes.length >= PAGE_LANES * MAX_PAGES) return lanes.at(-1);
  return allocations.slice(0, PAGE_LANES).findLast(({ start }) => start > 0)?.lane;
}

/** Whether a lane had as many runs as it may claim, so that there may be more. */
export function hasFullShare({ shares }: Round, runs: readonly ClaimedRun[]): boolean {
  const taken = new Map<string, number>();
  for (const { lane } of runs) taken.set(lane, (taken.get(lane) ?? 0) + 1);
  return shares.some(({ lane, places }) => (taken.get(lane) ?? 0) >= places);
}
