import { setTimeout } from 'node:timers/promises';
import { SharedWork } from '../../../shared/shared-work.js';
import type { ExecutionControl } from '../execution/transcoding-execution.service.js';
import type { PlacedWork } from './free-place.js';
import type { ClaimedTranscoding, FreePlace } from './transcodings.repository.js';

/** The interval in which progress is reported; while there is no progress, the claim is renewed less often. */
const PROGRESS_INTERVAL_MS = 1_000;
const RENEWAL_INTERVAL_MS = 10_000;

/** Renews the claim and records the progress in per cent; false: the worker no longer has the claim. Throws while the database is down. */
export type RenewClaim = (transcoding: ClaimedTranscoding, percent: number) => Promise<boolean>;

/** One attempt of this process at a transcoding: it renews its claim until it ends, and stops when the claim is lost. */
export class TranscodingAttempt implements ExecutionControl, PlacedWork {
  private readonly abortion = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private percent = 0;
  private recordedPercent = 0;
  private renewedAt = performance.now();
  private readonly renewing = new SharedWork<boolean>();
  /** Whether this process stops, so that the claim is released and the attempt does not count as failed. */
  isReleased = false;

  constructor(
    readonly transcoding: ClaimedTranscoding,
    private readonly place: FreePlace,
    private readonly renew: RenewClaim,
  ) {
    this.timer = setInterval(() => this.renewIfDue(), PROGRESS_INTERVAL_MS);
  }

  get isLong(): boolean {
    return this.place.isLong;
  }

  get customerId(): number {
    return this.transcoding.customerId;
  }

  get maxExpectedSeconds(): number {
    return this.place.maxExpectedSeconds ?? Number.POSITIVE_INFINITY;
  }

  get signal(): AbortSignal {
    return this.abortion.signal;
  }

  readonly advance = (percent: number): void => {
    this.percent = Math.max(this.percent, Math.min(99, Math.floor(percent)));
  };

  /** Queries the database, and waits while it is down unless the work is stopped. */
  readonly isClaimed = async (): Promise<boolean> => {
    for (;;) {
      await this.renewing.settled(); // queried again below
      this.signal.throwIfAborted();
      try {
        return await this.renewNow();
      } catch {
        await setTimeout(PROGRESS_INTERVAL_MS);
      }
    }
  };

  /** Stops the work, because the transcoding was released or cancelled. */
  stop(): void {
    this.abortion.abort(new Error('The transcoding was taken away.'));
  }

  /** Stops the work, because the process stops and another one continues the transcoding. */
  release(): void {
    this.isReleased = true;
    this.abortion.abort(new Error('The worker stops.'));
  }

  /** Ends the renewal of the claim after the attempt. */
  close(): void {
    clearInterval(this.timer);
  }

  private renewIfDue(): void {
    const isDue = performance.now() - this.renewedAt >= RENEWAL_INTERVAL_MS;
    if (this.renewing.find() || (this.percent === this.recordedPercent && !isDue)) return;
    this.renewNow().catch(() => {}); // the database is down; the next renewal tries again
  }

  private async renewNow(): Promise<boolean> {
    const { percent } = this;
    const isClaimed = await this.renewing.get(async () => await this.renew(this.transcoding, percent));
    this.recordedPercent = percent;
    this.renewedAt = performance.now();
    if (!isClaimed) this.stop();
    return isClaimed;
  }
}
