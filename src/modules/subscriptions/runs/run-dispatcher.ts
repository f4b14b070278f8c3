import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { Notifications } from '../../../shared/database/index.js';
import { WorkerPresence } from '../../../shared/jobs/index.js';
import { Log } from '../../../shared/logging/index.js';
import { Clock } from '../../../shared/time/index.js';
import type { ClaimedRun } from './claimed-run.js';
import { DueRuns } from './due-runs.js';
import type { EndedTry } from './ended-try.js';
import { InstructionTries } from './instruction-tries.js';
import { hasFullShare, LaneRounds } from './lane-rounds.js';
import { RunQueue } from './run-queue.js';
import { RunStock } from './run-stock.js';
import { customerOfChange, RUNS_CHANNEL } from './runs-channel.js';
import type { Settlement } from './settle-run.js';
import { TryRecords } from './try-records.js';

/** Nothing waits longer than that: the next try of a run, a notification that got lost. */
const LOOK_EVERY_MS = 1_000;
/** Tries that have not been recorded; beyond that no others begin, so that a database that is away does not fill the memory. */
const UNRECORDED = 1_000;
const RECORD_AGAIN_AFTER_MS = 500;
/** A statement whose answer was lost may still be at work so long (statement_timeout, and a little more). */
const DOUBT_MS = 35_000;
/** Tries that have not ended so long after the service stopped are left to other processes; background jobs have 5 s in all. */
const ENDING_MS = 4_000;

/** What a look is for, besides runs that are ready: those whose next try is due, those of subscriptions that act once. */
interface Wish {
  readonly due?: boolean;
  readonly held?: boolean;
}

/** Takes runs that are ready and tries their instructions, many at a time, fairly over their lanes (WORKER=inline). */
@Injectable()
export class RunDispatcher implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  /** As it stands in `locked_by` of a run. */
  readonly name = `dispatcher-${randomUUID()}`;
  private readonly stock = new RunStock();
  private readonly rounds: LaneRounds;
  /** Tries that have not been recorded, and the ids of their runs. */
  private readonly underWay = new Map<Promise<void>, string>();
  private state: 'off' | 'on' | 'stopping' = 'off';
  private timer: NodeJS.Timeout | undefined;
  /** What goes on now, and what the next look is for; null: there need not be one. */
  private looking: Promise<void> | null = null;
  private wish: Wish | null = null;
  /** Customers whose subscriptions were replaced or deleted: what the stock has of them says what they said before. */
  private readonly changed = new Set<string>();
  /** Whether runs may have been left that can be taken as soon as a place is free. */
  private backlog = false;
  /** Until then (performance.now) runs may be taken in the name of this process of which it knows nothing. */
  private doubtUntil = 0;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly notifications: Notifications,
    private readonly presence: WorkerPresence,
    private readonly queue: RunQueue,
    private readonly due: DueRuns,
    private readonly tries: InstructionTries,
    private readonly records: TryRecords,
    private readonly log: Log,
  ) {
    this.rounds = new LaneRounds(queue, this.stock);
  }

  onModuleInit(): void {
    const release = async (dead: readonly string[]) => {
      await this.queue.release(dead);
      this.wake();
    };
    this.presence.watch({ holders: async () => await this.queue.holders(), release });
    this.notifications.on(RUNS_CHANNEL, (message) => this.hear(message));
  }

  onApplicationBootstrap(): void {
    if (this.config.worker === 'off') return;
    this.presence.announce(this.name);
    this.state = 'on';
    this.timer = setInterval(() => this.wake({ due: true, held: true }), LOOK_EVERY_MS);
    this.wake({ due: true, held: true });
  }

  /** Before the connection pool closes (onApplicationShutdown). What does not end in time is taken over by others when the lock is free. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.state === 'off') return;
    this.state = 'stopping';
    clearInterval(this.timer);
    await this.looking;
    await this.giveBack(this.stock.clearAll());
    const patience = new AbortController();
    const ended = Promise.all(this.underWay.keys());
    await Promise.race([ended, delay(ENDING_MS, undefined, patience).catch(() => {})]);
    patience.abort();
    this.state = 'off';
    await this.presence.withdraw(this.name);
  }

  /** Looks for runs now, or once more after the look that goes on. */
  wake({ due = false, held = false }: Wish = {}): void {
    this.wish = { due: due || this.wish?.due === true, held: held || this.wish?.held === true };
    if (this.state === 'on') this.looking ??= this.lookWhileWished();
  }

  private async lookWhileWished(): Promise<void> {
    try {
      while (this.wish && this.state === 'on') {
        const { wish } = this;
        this.wish = null;
        await this.look(wish);
      }
    } catch (err) {
      this.doubtUntil = performance.now() + DOUBT_MS;
      this.log.warn({ err }, 'cannot look for runs of subscriptions, trying again');
    }
    this.looking = null;
  }

  private hear(message: string): void {
    const customerId = customerOfChange(message);
    if (customerId !== null) this.changed.add(customerId);
    this.wake({ held: customerId === null && message !== 'ready' });
  }

  private async look({ due, held }: Wish): Promise<void> {
    if (due && performance.now() < this.doubtUntil) await this.queue.giveBackAllBut(this.known(), this.name);
    const outdated = [...this.changed].flatMap((customerId) => this.stock.clearOf(customerId));
    this.changed.clear();
    await this.giveBack([...outdated, ...this.stock.surplus()]);
    if (due) await this.due.wake();
    if (held) await this.due.letGo();
    await this.claim();
  }

  /** Begins with what has a place, and takes from the queue what has one, or will have one soon. */
  private async claim(): Promise<void> {
    this.backlog = true; // until the opposite is known
    if (this.underWay.size >= UNRECORDED) return;
    const round = await this.rounds.next();
    const runs = round.shares.length > 0 ? await this.queue.claim(round.shares, this.name) : [];
    for (const run of runs) this.stock.put(run);
    if (this.state !== 'on') return; // all of it is given back
    for (const { lane, begin } of round.orders) this.begin(lane, begin);
    const isShort = round.isLong || this.stock.contended;
    this.backlog = isShort || hasFullShare(round, runs) || round.shares.length < round.lanes.length;
    if (isShort && runs.length > 0) this.wake(); // the places that one lane did not need are another's
  }

  /** Begins with up to `most` runs of a lane that are there. */
  private begin(lane: string, most: number): void {
    for (let begun = 0; begun < most && this.underWay.size < UNRECORDED; begun += 1) {
      const run = this.stock.begin(lane);
      if (!run) return;
      const trying = this.try(run)
        .catch((err: unknown) => this.log.error({ err, runId: run.id }, 'a try was not recorded'))
        .then(() => {
          this.underWay.delete(trying);
          if (this.backlog && this.underWay.size === UNRECORDED - 1) this.wake();
        });
      this.underWay.set(trying, run.id);
    }
  }

  private async try(run: ClaimedRun): Promise<void> {
    const ended = await this.tries.make(run);
    const { lane } = run;
    this.stock.end(lane, ended.logged && { ...ended.outcome, durationMs: ended.logged.durationMs });
    if (this.state === 'on' && !this.stock.contended) this.begin(lane, 1);
    if (this.backlog && (this.stock.contended || this.stock.isLow(lane))) this.wake();
    this.follow(run, await this.record(ended));
  }

  /** The ids of all runs that this process has, as far as it knows. */
  private known(): string[] {
    return [...this.underWay.values(), ...this.stock.waiting.map(({ id }) => id)];
  }

  private async giveBack(runs: readonly ClaimedRun[]): Promise<void> {
    if (runs.length === 0) return;
    await this.queue.giveBack(runs, this.name).catch((err: unknown) => {
      this.doubtUntil = performance.now() + DOUBT_MS; // then nothing knows of them any more, and they are given back
      this.log.warn({ err }, 'cannot give runs back, trying again');
    });
  }

  /** The process has the run until its end is recorded, so nobody tries it meanwhile. */
  private async record(ended: EndedTry): Promise<Settlement | null> {
    for (let again = false; ; again = true) {
      try {
        return await this.records.record(ended, this.name, again);
      } catch (err) {
        if (this.state === 'off') throw err;
        this.log.warn({ err, runId: ended.run.id }, 'cannot record how a try ended, trying again');
        await delay(RECORD_AGAIN_AFTER_MS);
      }
    }
  }

  /** What may go on because of how a try ended. */
  private follow({ once }: ClaimedRun, settlement: Settlement | null): void {
    if (!settlement) return;
    const { state, nextAttemptAt } = settlement;
    if (state === 'ready') this.wake();
    else if (nextAttemptAt && nextAttemptAt <= this.clock.now()) this.wake({ due: true });
    else if (once && state !== 'waiting') this.wake({ held: true });
  }
}
