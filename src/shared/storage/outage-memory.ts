import { SharedWork } from '../shared-work.js';

/** How often a part that does not answer is tried again while calls need it. */
const TRY_EVERY_MS = 5_000;

/**
 * Remembers that a part outside of the process does not answer, so that calls fail at once instead of waiting for it. While it is away, calls start a
 * trial every 5 seconds in the background; the first answer ends the outage.
 */
export class OutageMemory {
  private isAway = false;
  private triedAt = Number.NEGATIVE_INFINITY;
  private readonly trial = new SharedWork<void>();

  /** `answers` tries the part: whether it answers, be it with a refusal. `now`: milliseconds. */
  constructor(
    private readonly answers: () => Promise<boolean>,
    private readonly now = () => performance.now(),
  ) {}

  /** Whether the part is known not to answer. */
  get isKnown(): boolean {
    if (this.isAway && this.now() - this.triedAt >= TRY_EVERY_MS) void this.try();
    return this.isAway;
  }

  /** Tries the part, because a call waits for it: one call proves little. Returns whether the part does not answer. */
  async confirm(): Promise<boolean> {
    if (!this.isAway) await this.try();
    return this.isAway;
  }

  /** Records that the part has answered. */
  noteAnswer(): void {
    this.isAway = false;
  }

  private try(): Promise<void> {
    return this.trial.get(async () => {
      this.triedAt = this.now();
      this.isAway = !(await this.answers());
    });
  }
}
