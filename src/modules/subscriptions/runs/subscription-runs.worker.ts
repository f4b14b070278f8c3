import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { Config } from '../../../shared/config/index.js';
import { Notifications } from '../../../shared/database/index.js';
import { QueueWorker, WaitingJobsService, WorkerPresenceService } from '../../../shared/jobs/index.js';
import { Log } from '../../../shared/logging/index.js';
import type { ClaimedRun, EndedAttempt } from './claimed-run.js';
import { InstructionAttemptsService } from './instruction-attempts.service.js';
import { RunAttemptsRepository } from './run-attempts.repository.js';
import { countAttempt, measureDelay } from './run-metrics.js';
import { RUNS_CHANNEL } from './runs-channel.js';
import { type Settlement, settleRun } from './settle-run.js';
import { SubscriptionRunsRepository } from './subscription-runs.repository.js';

/** The number of unrecorded attempts at which no further ones start, so that a slow database does not fill the memory. */
const MAX_UNRECORDED = 1_000;

/** What a poll processes besides ready runs: runs whose next attempt is due, held runs of subscriptions that act once. */
type RunTask = 'due' | 'held';

/** Claims ready runs and attempts their instructions, many concurrently and fairly among their lanes (WORKER=inline). */
@Injectable()
export class SubscriptionRunsWorker extends QueueWorker<RunTask> {
  /** The runs whose attempt is in progress. */
  private readonly attempted = new Set<ClaimedRun>();

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    notifications: Notifications,
    presence: WorkerPresenceService,
    private readonly runs: SubscriptionRunsRepository,
    private readonly records: RunAttemptsRepository,
    private readonly attempts: InstructionAttemptsService,
    log: Log,
    waiting: WaitingJobsService,
  ) {
    super(
      { config, log, notifications, presence },
      {
        rows: runs,
        workerPrefix: 'dispatcher',
        channel: RUNS_CHANNEL,
        tasks: ['due', 'held'],
        words: { rows: 'runs of subscriptions', result: 'an attempt', idField: 'runId' },
      },
    );
    waiting.addQueue('instructions of subscriptions', async () => await runs.hasWaitingRun());
  }

  protected receive(message: string): void {
    if (message === 'ready') this.wake();
    else this.wake('held');
  }

  protected async releaseRowsOf(deadWorkers: readonly string[]): Promise<void> {
    await this.runs.releaseRunsOfDead(deadWorkers);
  }

  protected async poll(tasks: ReadonlySet<RunTask>): Promise<void> {
    if (tasks.has('due')) await this.runs.wakeDue();
    if (tasks.has('held')) await this.runs.releaseHeld();
    if (this.load >= MAX_UNRECORDED) return;
    const lanes = [...this.attempted].map(({ lane }) => lane);
    for (const run of await this.runs.claim(this.name, lanes)) this.track(run.id, this.attempt(run));
  }

  private async attempt(run: ClaimedRun): Promise<void> {
    measureDelay(run, this.clock.now());
    this.attempted.add(run);
    const ended = await this.attempts.attempt(run);
    this.attempted.delete(run);
    this.wake(); // another run may use its place
    this.wakeAfter(run, await this.record(run.id, async ({ failed }) => await this.settle(ended, failed > 0)));
  }

  /** Records an ended attempt; null if the worker no longer has the run. `again`: an earlier call failed, which may nevertheless have recorded it. */
  private async settle(ended: EndedAttempt, again: boolean): Promise<Settlement | null> {
    const circumstances = { now: this.clock.now(), schedule: this.config.retryScheduleSeconds, random: Math.random() };
    const settlement = settleRun(ended.run, ended.outcome, circumstances);
    if (!(await this.records.record({ ...ended, settlement, worker: this.name, again }))) return null;
    countAttempt(ended, settlement);
    return settlement;
  }

  /** Schedules the search for runs that can continue after an attempt. */
  private wakeAfter({ once }: ClaimedRun, settlement: Settlement | null): void {
    if (!settlement) return;
    const { state, nextAttemptAt } = settlement;
    if (state === 'ready') this.wake();
    else if (nextAttemptAt && nextAttemptAt <= this.clock.now()) this.wake('due');
    else if (once && state !== 'waiting') this.wake('held');
  }
}
