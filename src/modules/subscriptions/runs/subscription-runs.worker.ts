import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { Config } from '../../../shared/config/index.js';
import { Notifications } from '../../../shared/database/index.js';
import { QueueWorker, WaitingJobsService, WorkerPresenceService } from '../../../shared/jobs/index.js';
import { Log } from '../../../shared/logging/index.js';
import type { ClaimedRun, EndedAttempt } from './claimed-run.js';
import { InstructionAttemptsService } from './instruction-attempts.service.js';
import { hasFullShare, LaneRounds } from './lane-rounds.js';
import { RunAttemptsRepository } from './run-attempts.repository.js';
import { countAttempt, measureDelay } from './run-metrics.js';
import { RunStock } from './run-stock.js';
import { customerOfChange, RUNS_CHANNEL } from './runs-channel.js';
import { type Settlement, settleRun } from './settle-run.js';
import { SubscriptionRunsRepository } from './subscription-runs.repository.js';

/** The number of unrecorded attempts at which no further ones start, so that an unavailable database does not fill the memory. */
const MAX_UNRECORDED = 1_000;

/** What a poll processes besides ready runs: runs whose next attempt is due, held runs of subscriptions that act once. */
type RunTask = 'due' | 'held';

/** Claims ready runs and attempts their instructions, many concurrently and fairly among their lanes (WORKER=inline). */
@Injectable()
export class SubscriptionRunsWorker extends QueueWorker<RunTask> {
  private readonly stock = new RunStock();
  private readonly rounds: LaneRounds;
  /** Customers whose subscriptions were replaced or deleted, so that their runs in stock have outdated instructions. */
  private readonly changed = new Set<string>();
  /** Whether there may be more runs that can be claimed as soon as a place is free. */
  private backlog = false;

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
    this.rounds = new LaneRounds(runs, this.stock);
    waiting.addQueue('instructions of subscriptions', async () => await runs.hasWaitingRun());
  }

  protected receive(message: string): void {
    const customerId = customerOfChange(message);
    if (customerId !== null) this.changed.add(customerId);
    if (customerId !== null || message === 'ready') this.wake();
    else this.wake('held');
  }

  protected async releaseRowsOf(deadWorkers: readonly string[]): Promise<void> {
    await this.runs.releaseRunsOfDead(deadWorkers);
  }

  protected async stopWork(): Promise<void> {
    await this.returnRuns(this.stock.removeAll());
  }

  protected override knownRows(): string[] {
    return [...super.knownRows(), ...this.stock.waiting.map(({ id }) => id)];
  }

  protected async poll(tasks: ReadonlySet<RunTask>): Promise<void> {
    const outdated = [...this.changed].flatMap((customerId) => this.stock.removeOfCustomer(customerId));
    this.changed.clear();
    await this.returnRuns([...outdated, ...this.stock.removeSurplus()]);
    if (tasks.has('due')) await this.runs.wakeDue();
    if (tasks.has('held')) await this.runs.releaseHeld();
    await this.claim();
  }

  /** Starts the attempts that have a place, and claims runs that have a place or will have one soon. */
  private async claim(): Promise<void> {
    this.backlog = true; // until the result is known
    if (this.load >= MAX_UNRECORDED) return;
    const round = await this.rounds.next();
    const runs = round.shares.length > 0 ? await this.runs.claim(round.shares, this.name) : [];
    for (const run of runs) this.stock.add(run);
    if (this.state !== 'on') return; // the shutdown returns all of these runs
    for (const { lane, start } of round.allocations) this.start(lane, start);
    const isShort = round.isLong || this.stock.contended;
    this.backlog = isShort || hasFullShare(round, runs) || round.shares.length < round.lanes.length;
    if (isShort && runs.length > 0) this.wake(); // other lanes may use the places that one lane did not need
  }

  /** Starts up to `limit` attempts of a lane. */
  private start(lane: string, limit: number): void {
    for (let started = 0; started < limit && this.load < MAX_UNRECORDED; started += 1) {
      const run = this.stock.startNext(lane);
      if (!run) return;
      this.track(run.id, this.attempt(run), () => {
        if (this.backlog && this.load === MAX_UNRECORDED - 1) this.wake();
      });
    }
  }

  private async attempt(run: ClaimedRun): Promise<void> {
    measureDelay(run, this.clock.now());
    const ended = await this.attempts.attempt(run);
    const { lane } = run;
    this.stock.finish(lane, ended.logged && { ...ended.outcome, durationMs: ended.logged.durationMs });
    if (this.state === 'on' && !this.stock.contended) this.start(lane, 1);
    if (this.backlog && (this.stock.contended || this.stock.isLow(lane))) this.wake();
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

  private async returnRuns(runs: readonly ClaimedRun[]): Promise<void> {
    if (runs.length === 0) return;
    await this.runs.returnRuns(runs, this.name).catch((err: unknown) => {
      this.expectUnknownRows(); // a later poll returns them
      this.log.warn({ err }, 'cannot return runs, trying again');
    });
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
