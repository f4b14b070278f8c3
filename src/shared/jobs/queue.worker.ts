import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnModuleInit } from '@nestjs/common';
import type { Config } from '../config/index.js';
import type { Notifications } from '../database/index.js';
import { isDatabaseDown } from '../errors.js';
import type { Log } from '../logging/index.js';
import { SharedWork } from '../shared-work.js';
import { outsideTraces } from '../tracing/spans.js';
import type { ClaimedWork, WorkerPresenceService } from './worker-presence.service.js';

/** The maximum delay of work that is due, and of work whose notification was lost. */
const POLL_INTERVAL_MS = 1_000;
const RECORD_RETRY_MS = 500;
/** How long a statement whose response was lost may still run (statement_timeout plus a margin). */
const LOST_STATEMENT_MS = 35_000;
/** Work that has not ended this long after the service stopped is left to other processes; background jobs have 5 s in total. */
const SHUTDOWN_MS = 4_000;

/** The rows of a queue that workers have claimed; `locked_by` of such a row contains the name of its worker. */
export interface ClaimedRows extends Pick<ClaimedWork, 'listWorkers'> {
  /** Releases the rows of a worker whose ids are not in `known`. Not called while the worker is claiming. */
  releaseAllExcept(known: readonly string[], worker: string): Promise<void>;
}

/** The properties of a queue, apart from its statements and the work itself. */
export interface Queue<Task extends string> {
  readonly rows: ClaimedRows;
  /** The prefix of its workers' names. */
  readonly workerPrefix: string;
  /** The PostgreSQL channel on which its workers are notified. */
  readonly channel: string;
  /** Tasks of a periodic poll besides claiming rows. */
  readonly tasks: readonly Task[];
  /** Words for log messages: what is searched for, what is recorded, and the field with a row's id. */
  readonly words: { readonly rows: string; readonly result: string; readonly idField: string };
}

/** The kernel services that a worker needs. */
export interface QueueWorkerDependencies {
  readonly config: Config;
  readonly log: Log;
  readonly notifications: Notifications;
  readonly presence: WorkerPresenceService;
}

/** The number of earlier calls that failed to record a result: `failed` in total, `refused` although the database responded. */
export interface RecordFailures {
  readonly failed: number;
  readonly refused: number;
}

/**
 * The engine of a queue whose rows are claimed from its own table (docs/decisions.md says why these queues do not use graphile-worker). It
 * polls when notified and once a second, releases rows that it claimed without receiving the response, retries recording results until the
 * database is available, and stops in time; if its process dies, others release its rows within seconds. A queue adds the claim statement, the
 * work, and how the work ends. The fence is the attempt number, which a claim increments and every later statement checks.
 */
export abstract class QueueWorker<Task extends string = never> implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  /** The worker's name, stored as `locked_by` in its rows. */
  readonly name: string;
  protected readonly log: Log;
  protected state: 'off' | 'on' | 'stopping' = 'off';
  private readonly underWay = new Map<Promise<void>, string>();
  private timers: NodeJS.Timeout[] = [];
  private readonly polling = new SharedWork<void>();
  /** The tasks of the next poll; null if no poll is requested. */
  private requested: Set<Task> | null = null;
  private isPeriodic = false;
  /** Until then (performance.now), a lost statement may claim rows for this worker without its knowledge. */
  private unknownRowsUntil = 0;

  constructor(
    private readonly dependencies: QueueWorkerDependencies,
    private readonly queue: Queue<Task>,
  ) {
    this.name = `${queue.workerPrefix}-${randomUUID()}`;
    this.log = dependencies.log;
  }

  /** Claims as many rows as the worker has capacity for, and starts the work on them with `track`. */
  protected abstract poll(tasks: ReadonlySet<Task>): Promise<void>;

  /** Handles a notification; an empty message follows an interruption of the connection, during which others may have been lost. */
  protected abstract receive(message: string): void;

  /** Releases the rows of dead workers. */
  protected abstract releaseRowsOf(deadWorkers: readonly string[]): Promise<void>;

  /** When the service stops, ends or releases the work that can be ended immediately. */
  protected stopWork(): void {}

  /** Removes what the worker published, while its lock still proves that it is alive. */
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

  /** Runs before the connection pool closes (onApplicationShutdown). Rows whose work does not end in time are released with the worker's lock. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.state === 'off') return;
    this.state = 'stopping';
    for (const timer of this.timers) clearInterval(timer);
    await this.polling.settled();
    this.stopWork();
    const timeout = new AbortController();
    await Promise.race([Promise.all(this.underWay.keys()), delay(SHUTDOWN_MS, undefined, timeout).catch(() => {})]);
    timeout.abort();
    this.state = 'off';
    await this.leave();
    await this.dependencies.presence.withdraw(this.name);
  }

  /** Polls now, or once more after the current poll. */
  wake(...tasks: readonly Task[]): void {
    this.requested = new Set([...(this.requested ?? []), ...tasks]);
    if (this.state === 'on') void this.polling.get(async () => await outsideTraces(async () => await this.pollWhileRequested()));
  }

  /** Calls `work` repeatedly until the service stops. */
  protected repeat(intervalMs: number, work: () => void): void {
    this.timers.push(setInterval(work, intervalMs));
  }

  /** The number of rows whose work has not been recorded. */
  protected get load(): number {
    return this.underWay.size;
  }

  /** Tracks the work on a row until it has ended. */
  protected track(id: string, work: Promise<void>, onEnd: () => void = () => {}): void {
    const { result, idField } = this.queue.words;
    const tracked = work
      .catch((err: unknown) => this.log.error({ err, [idField]: id }, `${result} was not recorded`))
      .then(() => {
        this.underWay.delete(tracked);
        onEnd();
      });
    this.underWay.set(tracked, id);
  }

  /** Records a result, retrying until the database is available: the row stays claimed meanwhile, so that no other worker repeats the work. */
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
      this.unknownRowsUntil = performance.now() + LOST_STATEMENT_MS; // the response to a claim may have been lost
      this.log.warn({ err }, `cannot look for ${this.queue.words.rows}, trying again`);
    }
    this.polling.forget(); // a request from now on starts another poll
  }

  private async releaseUnknownRows(): Promise<void> {
    if (!this.isPeriodic || performance.now() >= this.unknownRowsUntil) return;
    this.isPeriodic = false;
    await this.queue.rows.releaseAllExcept([...this.underWay.values()], this.name);
  }
}
