import { setTimeout } from 'node:timers/promises';
import type { JobControl } from '../execution/job-execution.js';
import type { ClaimedJob } from './claimed-job.js';

/** Progress is told that often; when there is none, a sign of life after several of these. */
const LOOK_EVERY_MS = 1_000;
const BEAT_EVERY_MS = 10_000;

/** Shows that the holder goes on with a job, at so many per cent; false: it is not the holder's any more. Throws when nobody can be told. */
export type ShowProgress = (job: ClaimedJob, percent: number) => Promise<boolean>;

/** One attempt of this process at a job: it shows that it goes on until it is over, and stops when the job is not its own any more. */
export class JobAttempt implements JobControl {
  private readonly abortion = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private percent = 0;
  private shownPercent = 0;
  private shownAt = performance.now();
  private showing: Promise<boolean> | null = null;
  /** Whether this process ends, so that the job is given back, and nothing has happened to it. */
  givenUp = false;

  constructor(
    readonly job: ClaimedJob,
    private readonly show: ShowProgress,
  ) {
    this.timer = setInterval(() => this.showIfDue(), LOOK_EVERY_MS);
  }

  get signal(): AbortSignal {
    return this.abortion.signal;
  }

  readonly advance = (percent: number): void => {
    this.percent = Math.max(this.percent, Math.min(99, Math.floor(percent)));
  };

  /** Asks the database, which may be away for as long as nobody stops the work. */
  readonly isOurs = async (): Promise<boolean> => {
    for (;;) {
      await this.showing?.catch(() => {}); // asked again below
      this.signal.throwIfAborted();
      try {
        return await this.showNow();
      } catch {
        await setTimeout(LOOK_EVERY_MS);
      }
    }
  };

  /** The job was taken away or cancelled. */
  stop(): void {
    this.abortion.abort(new Error('The job was taken away.'));
  }

  /** The process ends. */
  giveUp(): void {
    this.givenUp = true;
    this.abortion.abort(new Error('The worker stops.'));
  }

  /** It is over. */
  close(): void {
    clearInterval(this.timer);
  }

  private showIfDue(): void {
    const isSilent = performance.now() - this.shownAt >= BEAT_EVERY_MS;
    if (this.showing || (this.percent === this.shownPercent && !isSilent)) return;
    this.showNow().catch(() => {}); // the database is away: tried again the next time
  }

  private async showNow(): Promise<boolean> {
    const { percent } = this;
    this.showing = this.show(this.job, percent);
    try {
      const isOurs = await this.showing;
      this.shownPercent = percent;
      this.shownAt = performance.now();
      if (!isOurs) this.stop();
      return isOurs;
    } finally {
      this.showing = null;
    }
  }
}
