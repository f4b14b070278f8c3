import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { Notifications } from '../../../shared/database/index.js';
import { WorkerPresence } from '../../../shared/jobs/index.js';
import { Log } from '../../../shared/logging/index.js';
import { Clock } from '../../../shared/time/index.js';
import type { ClaimedRun, EndedAttempt } from './claimed-run.js';
import { InstructionAttemptsService } from './instruction-attempts.service.js';
import { hasFullShare, LaneRounds } from './lane-rounds.js';
import { RunStock } from './run-stock.js';
import { customerOfChange, RUNS_CHANNEL } from './runs-channel.js';
import { type Settlement, settleRun } from './settle-run.js';
import { SubscriptionRunsRepository } from './subscription-runs.repository.js';

/** The longest delay of a due run, and of a change whose notification was lost. */
const POLL_INTERVAL_MS = 1_000;
/** Attempts that are not recorded; beyond that no others start, so that an unavailable database does not fill the memory. */
const MAX_UNRECORDED = 1_000;
const RECORD_RETRY_MS = 500;
/** How long a statement whose answer was lost may still be running (statement_timeout, and a little more). */
const LOST_STATEMENT_MS = 35_000;
/** Attempts that have not ended so long after the service stopped are left to other processes; background jobs have 5 s in all. */
const SHUTDOWN_MS = 4_000;

/** What a poll processes besides ready runs: runs whose next attempt is due, held runs of subscriptions that act once. */
interface Poll {
  readonly due?: boolean;
  readonly held?: boolean;
}

/** Claims ready runs and attempts their instructions, many at a time and fairly over their lanes (WORKER=inline). */
@Injectable()
export class SubscriptionRunsWorker implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  /** The value of `locked_by` in its runs. */
  readonly name = `dispatcher-${randomUUID()}`;
  private readonly stock = new RunStock();
  private readonly rounds: LaneRounds;
  /** Attempts that are not recorded, and the ids of their runs. */
  private readonly underWay = new Map<Promise<void>, string>();
  private state: 'off' | 'on' | 'stopping' = 'off';
  private timer: NodeJS.Timeout | undefined;
  /** The poll that is running, and the next one; null: none. */
  private polling: Promise<void> | null = null;
  private nextPoll: Poll | null = null;
  /** Customers whose subscriptions were replaced or deleted: their runs in stock carry outdated instructions. */
  private readonly changed = new Set<string>();
  /** Whether there may be more runs that can be claimed as soon as a place is free. */
  private backlog = false;
  /** Until then (performance.now) a lost statement may claim runs for this worker that it does not know of. */
  private unknownRunsUntil = 0;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly notifications: Notifications,
    private readonly presence: WorkerPresence,
    private readonly runs: SubscriptionRunsRepository,
    private readonly attempts: InstructionAttemptsService,
    private readonly log: Log,
  ) {
    this.rounds = new LaneRounds(runs, this.stock);
  }

  onModuleInit(): void {
    const release = async (dead: readonly string[]) => {
      await this.runs.releaseRunsOfDead(dead);
      this.wake();
    };
    this.presence.watch({ holders: async () => await this.runs.listWorkers(), release });
    this.notifications.on(RUNS_CHANNEL, (message) => this.handleNotification(message));
  }

  onApplicationBootstrap(): void {
    if (this.config.worker === 'off') return;
    this.presence.announce(this.name);
    this.state = 'on';
    this.timer = setInterval(() => this.wake({ due: true, held: true }), POLL_INTERVAL_MS);
    this.wake({ due: true, held: true });
  }

  /** Before the connection pool closes (onApplicationShutdown). Runs that do not end in time are released with the worker's lock. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.state === 'off') return;
    this.state = 'stopping';
    clearInterval(this.timer);
    await this.polling;
    await this.returnRuns(this.stock.removeAll());
    const timeout = new AbortController();
    const ended = Promise.all(this.underWay.keys());
    await Promise.race([ended, delay(SHUTDOWN_MS, undefined, timeout).catch(() => {})]);
    timeout.abort();
    this.state = 'off';
    await this.presence.withdraw(this.name);
  }

  /** Looks for runs now, or once more after the present poll. */
  wake({ due = false, held = false }: Poll = {}): void {
    this.nextPoll = { due: due || this.nextPoll?.due === true, held: held || this.nextPoll?.held === true };
    if (this.state === 'on') this.polling ??= this.pollWhileRequested();
  }

  private async pollWhileRequested(): Promise<void> {
    try {
      while (this.nextPoll && this.state === 'on') {
        const poll = this.nextPoll;
        this.nextPoll = null;
        await this.poll(poll);
      }
    } catch (err) {
      this.unknownRunsUntil = performance.now() + LOST_STATEMENT_MS;
      this.log.warn({ err }, 'cannot look for runs of subscriptions, trying again');
    }
    this.polling = null;
  }

  private handleNotification(message: string): void {
    const customerId = customerOfChange(message);
    if (customerId !== null) this.changed.add(customerId);
    this.wake({ held: customerId === null && message !== 'ready' });
  }

  private async poll({ due, held }: Poll): Promise<void> {
    if (due && performance.now() < this.unknownRunsUntil) await this.runs.returnUnknownRuns(this.knownRuns(), this.name);
    const outdated = [...this.changed].flatMap((customerId) => this.stock.removeOfCustomer(customerId));
    this.changed.clear();
    await this.returnRuns([...outdated, ...this.stock.removeSurplus()]);
    if (due) await this.runs.wakeDue();
    if (held) await this.runs.releaseHeld();
    await this.claim();
  }

  /** Starts the attempts that have a place, and claims runs that have one or will have one soon. */
  private async claim(): Promise<void> {
    this.backlog = true; // until the opposite is known
    if (this.underWay.size >= MAX_UNRECORDED) return;
    const round = await this.rounds.next();
    const runs = round.shares.length > 0 ? await this.runs.claim(round.shares, this.name) : [];
    for (const run of runs) this.stock.add(run);
    if (this.state !== 'on') return; // shutdown returns all of them
    for (const { lane, start } of round.allocations) this.start(lane, start);
    const isShort = round.isLong || this.stock.contended;
    this.backlog = isShort || hasFullShare(round, runs) || round.shares.length < round.lanes.length;
    if (isShort && runs.length > 0) this.wake(); // other lanes may use the places that one lane did not need
  }

  /** Starts up to `limit` attempts of a lane. */
  private start(lane: string, limit: number): void {
    for (let started = 0; started < limit && this.underWay.size < MAX_UNRECORDED; started += 1) {
      const run = this.stock.startNext(lane);
      if (!run) return;
      const attempt = this.attempt(run)
        .catch((err: unknown) => this.log.error({ err, runId: run.id }, 'an attempt was not recorded'))
        .then(() => {
          this.underWay.delete(attempt);
          if (this.backlog && this.underWay.size === MAX_UNRECORDED - 1) this.wake();
        });
      this.underWay.set(attempt, run.id);
    }
  }

  private async attempt(run: ClaimedRun): Promise<void> {
    const ended = await this.attempts.attempt(run);
    const { lane } = run;
    this.stock.finish(lane, ended.logged && { ...ended.outcome, durationMs: ended.logged.durationMs });
    if (this.state === 'on' && !this.stock.contended) this.start(lane, 1);
    if (this.backlog && (this.stock.contended || this.stock.isLow(lane))) this.wake();
    this.wakeAfter(run, await this.record(ended));
  }

  /** The ids of all runs that this worker knows to have. */
  private knownRuns(): string[] {
    return [...this.underWay.values(), ...this.stock.waiting.map(({ id }) => id)];
  }

  private async returnRuns(runs: readonly ClaimedRun[]): Promise<void> {
    if (runs.length === 0) return;
    await this.runs.returnRuns(runs, this.name).catch((err: unknown) => {
      this.unknownRunsUntil = performance.now() + LOST_STATEMENT_MS; // then they are unknown, and returned by a later poll
      this.log.warn({ err }, 'cannot return runs, trying again');
    });
  }

  /** Null if the worker no longer has the run. It keeps the run until then, so no other worker attempts it meanwhile. */
  private async record(ended: EndedAttempt): Promise<Settlement | null> {
    for (let again = false; ; again = true) {
      try {
        const circumstances = { now: this.clock.now(), schedule: this.config.retryScheduleSeconds, random: Math.random() };
        const settlement = settleRun(ended.run, ended.outcome, circumstances);
        return (await this.runs.recordAttempt({ ...ended, settlement, worker: this.name, again })) ? settlement : null;
      } catch (err) {
        if (this.state === 'off') throw err;
        this.log.warn({ err, runId: ended.run.id }, 'cannot record an attempt, trying again');
        await delay(RECORD_RETRY_MS);
      }
    }
  }

  /** Looks for runs that may continue after an attempt. */
  private wakeAfter({ once }: ClaimedRun, settlement: Settlement | null): void {
    if (!settlement) return;
    const { state, nextAttemptAt } = settlement;
    if (state === 'ready') this.wake();
    else if (nextAttemptAt && nextAttemptAt <= this.clock.now()) this.wake({ due: true });
    else if (once && state !== 'waiting') this.wake({ held: true });
  }
}
