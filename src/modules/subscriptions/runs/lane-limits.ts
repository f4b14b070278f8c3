const FIRST = 8;
const LEAST = 2;
const MOST = 32;
/** Who answers later than this (in ms) is not asked for more at a time, however well it goes. */
const SLOW_MS = 2_000;
/** Lanes that are remembered; a forgotten one begins anew. */
const REMEMBERED = 10_000;

/** No answer at all, too many requests, overloaded: the receiver has more than it can take. */
const OVERLOADED: ReadonlySet<number> = new Set([0, 429, 503]);

/** How many tries may be under way in a lane: more where all goes well, fewer where nobody answers, so that a dead endpoint holds few places. */
export class LaneLimits {
  private readonly limits = new Map<string, number>();

  of(lane: string): number {
    return Math.floor(this.limits.get(lane) ?? FIRST);
  }

  /** Learns from a try: each round of quick successes allows one more, each one that went unanswered halves. */
  ended(lane: string, { statusCode, succeeded, durationMs }: { statusCode: number; succeeded: boolean; durationMs: number }): void {
    const limit = this.limits.get(lane) ?? FIRST;
    if (OVERLOADED.has(statusCode)) this.remember(lane, Math.max(LEAST, limit / 2));
    else if (succeeded && durationMs < SLOW_MS) this.remember(lane, Math.min(MOST, limit + 1 / limit));
  }

  private remember(lane: string, limit: number): void {
    this.limits.delete(lane);
    this.limits.set(lane, limit);
    const [oldest] = this.limits.keys();
    if (this.limits.size > REMEMBERED && oldest !== undefined) this.limits.delete(oldest);
  }
}
