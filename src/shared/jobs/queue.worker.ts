import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnModuleInit } from '@nestjs/common';
import type { Config } from '../config/index.js';
import type { Notifications } from '../database/index.js';
import { isDatabaseDown } from '../errors.js';
import type { Log } from '../logging/index.js';
import { outsideTraces } from '../tracing/spans.js';
import type { ClaimedWork, WorkerPresenceService } from './worker-presence.service.js';

/** The longest delay of work that is due, and of work whose notification was lost. */
const POLL_INTERVAL_MS = 1_000;
const RECORD_RETRY_MS = 500;
/** How long a statement whose answer was lost may still run (statement_timeout, and a little more). */
const LOST_STATEMENT_MS = 35_000;
/** Work that has not ended so long after the service stopped is left to other processes; background jobs have 5 s in all. */
const SHUTDOWN_MS = 4_000;

/** The rows of a queue that workers have claimed; `locked_by` of such a row is the name of its worker. */
export interface ClaimedRows extends Pick<ClaimedWork, 'listWorkers'> {
  /** Releases the rows of a worker whose ids it does not know. Not called while the worker claims. */
  releaseAllExcept(known: readonly string[], worker: string): Promise<void>;
}

/** What distinguishes one queue from another, apart from its statements and the work itself. */
export interface Queue<Task extends string> {
  readonly rows: ClaimedRows;
  /** The beginning of the names of its workers. */
  readonly workerPrefix: string;
  /** The channel of PostgreSQL on which workers are notified. */
  readonly channel: string;
  /** What a periodic poll processes besides rows that can be claimed. */
  readonly tasks: readonly Task[];
  /** For the log: what is looked for, what is recorded, and the field with the id of a row. */
  readonly words: { readonly rows: string; readonly result: string; readonly idField: string };
}

/** What a worker needs of the kernel. */
export interface QueueWorkerDependencies {
  readonly config: Config;
  readonly log: Log;
  readonly notifications: Notifications;
  readonly presence: WorkerPresenceService;
}

/** How many earlier calls failed to record a result: `failed` in all, `refused` although the database answered. */
export interface RecordFailures {
  readonly failed: number;
  readonly refused: number;
}

/**
 * The engine of a queue whose rows are claimed from a table of its own (docs/decisions.md says why these queues are not graphile-worker's). It
 * polls when it is notified and once a second, releases rows whose claim it never learnt of, records results however long the database is down,
 * and stops in time; when its process dies, others release its rows within seconds. A queue adds the statement of its claim, the work, and
 * how the work ends. The fence is the number of the attempt, which a claim raises and every later statement names.
 */
export abstract class QueueWorker<Task extends string = never> implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  /** The value of `locked_by` in its rows. */
  readonly name: string;
  protected readonly log: Log;
  protected state: 'off' | 'on' | 'stopping' = 'off';
  private readonly underWay = new Map<Promise<void>, string>();
  private timers: NodeJS.Timeout[] = [];
  private polling: Promise<void> | null = null;
  /** What the next poll processes; null: no poll is requested. */
  private requested: Set<Task> | null = null;
  private isPeriodic = false;
  /** Until then (performance.now) a lost statement may claim rows for this worker that it does not know of. */
  private unknownRowsUntil = 0;

  constructor(
    private readonly dependencies: QueueWorkerDependencies,
    private readonly queue: Queue<Task>,
  ) {
    this.name = `${queue.workerPrefix}-${randomUUID()}`;
    this.log = dependencies.log;
  }

  /** Claims rows that have room, and starts the work on them with `track`. */
  protected abstract poll(tasks: ReadonlySet<Task>): Promise<void>;

  /** Handles a notification; an empty message comes after an interruption of the connection, during which others may have been lost. */
  protected abstract receive(message: string): void;

  /** Releases the rows of dead workers. */
  protected abstract releaseRowsOf(deadWorkers: readonly string[]): Promise<void>;

  /** Ends or returns what can end at once when the service stops. */
  protected abstract stopWork(): Promise<void> | void;

  /** Removes what the worker published, while its lock still shows that it lives. */
  protected async leave(): Promise<void> {}

  onModuleInit(): void {
    const { notifications, presence } = this.dependencies;
    const release = async (dead: readonly string[]) => {
      await this.releaseRowsOf(dead);
      this.wake();
    };
    presence.watch({ listWorkers: async () => await this.queue.rows.listWorkers(), release });
    notifications.listen(this.queue.channel, (message) => this.receive(message));
  }

  onApplicationBootstrap(): void {
    if (this.dependencies.config.worker === 'off') return;
    this.dependencies.presence.announce(this.name);
    this.state = 'on';
    this.repeat(POLL_INTERVAL_MS, () => this.pollPeriodically());
    this.wake(...this.queue.tasks);
  }

  /** Before the connection pool closes (onApplicationShutdown). Rows whose work does not end in time are released with the worker's lock. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.state === 'off') return;
    this.state = 'stopping';
    for (const timer of this.timers) clearInterval(timer);
    await this.polling;
    await this.stopWork();
    const timeout = new AbortController();
    await Promise.race([Promise.all(this.underWay.keys()), delay(SHUTDOWN_MS, undefined, timeout).catch(() => {})]);
    timeout.abort();
    this.state = 'off';
    await this.leave();
    await this.dependencies.presence.withdraw(this.name);
  }

  /** Polls now, or once more after the poll that is running. */
  wake(...tasks: readonly Task[]): void {
    this.requested = new Set([...(this.requested ?? []), ...tasks]);
    if (this.state === 'on') this.polling ??= outsideTraces(async () => await this.pollWhileRequested());
  }

  /** Calls `work` repeatedly until the service stops. */
  protected repeat(intervalMs: number, work: () => void): void {
    this.timers.push(setInterval(work, intervalMs));
  }

  /** The number of rows whose work has not been recorded. */
  protected get load(): number {
    return this.underWay.size;
  }

  /** Remembers the work on a row until it has ended. */
  protected track(id: string, work: Promise<void>, onEnd: () => void): void {
    const { result, idField } = this.queue.words;
    const tracked = work
      .catch((err: unknown) => this.log.error({ err, [idField]: id }, `${result} was not recorded`))
      .then(() => {
        this.underWay.delete(tracked);
        onEnd();
      });
    this.underWay.set(tracked, id);
  }

  /** The ids of all rows that this worker knows to have claimed. */
  protected knownRows(): string[] {
    return [...this.underWay.values()];
  }

  /** A statement that claims or releases rows was lost: the worker may have rows that it does not know of. */
  protected expectUnknownRows(): void {
    this.unknownRowsUntil = performance.now() + LOST_STATEMENT_MS;
  }

  /** Records a result, however long the database is down: the row stays claimed until then, so that no other worker does the same work. */
  protected async record<Result>(id: string, write: (failures: RecordFailures) => Promise<Result>): Promise<Result> {
    const { result, idField } = this.queue.words;
    for (let [failed, refused] = [0, 0]; ; failed += 1) {
      try {
        return await write({ failed, refused });
      } catch (err) {
        if (this.state === 'off') throw err;
        if (!isDatabaseDown(err)) refused += 1;
        this.log.warn({ err, [idField]: id }, `cannot record ${result}, trying again`);
        await delay(RECORD_RETRY_MS);
      }
    }
  }

  private pollPeriodically(): void {
    this.isPeriodic = true;
    this.wake(...this.queue.tasks);
  }

  private async pollWhileRequested(): Promise<void> {
    try {
      while (this.requested && this.state === 'on') {
        const tasks = this.requested;
        this.requested = null;
        await this.releaseUnknownRows();
        await this.poll(tasks);
      }
    } catch (err) {
      this.expectUnknownRows();
      this.log.warn({ err }, `cannot look for ${this.queue.words.rows}, trying again`);
    }
    this.polling = null;
  }

  private async releaseUnknownRows(): Promise<void> {
    if (!this.isPeriodic || performance.now() >= this.unknownRowsUntil) return;
    this.isPeriodic = false;
    await this.queue.rows.releaseAllExcept(this.knownRows(), this.name);
  }
}
