import { Injectable } from '@nestjs/common';
import { Config } from '../config/index.js';
import { StandingConnection } from '../database/standing-connection.js';
import { Log } from '../logging/index.js';
import { JobsRepository, PRESENCE } from './jobs.repository.js';

const CHECK_INTERVAL_MS = 1_000;
/** Consecutive checks that must find the lock free: a living worker whose connection broke locks it again within milliseconds. */
const CHECKS_UNTIL_DEAD = 3;
/** For this long after a failover, another process may not have noticed yet that its locks are gone. A process may also start within this time. */
const FAILOVER_GRACE_MS = 10_000;

/** One kind of work that workers claim, and that other workers take over when they die. */
export interface ClaimedWork {
  /** The workers with claims, dead or alive. */
  listWorkers(): Promise<readonly string[]>;
  /** Releases the claims of these workers. */
  release(dead: readonly string[]): Promise<void>;
}

/**
 * Releases the claims of dead workers. graphile-worker itself waits four hours before it releases a job of a crashed worker; here every
 * process holds a lock for each of its workers, and a process that finds a claimed job whose worker's lock is free releases it within seconds. A
 * worker's name is the value of `locked_by` in its jobs. Workers of other queues announce themselves and register their kind of work.
 */
@Injectable()
export class WorkerPresenceService {
  private readonly workers = new Set<string>();
  /** Workers that were found without their lock, with the number of consecutive checks. */
  private suspects = new Map<string, number>();
  private readonly watched: ClaimedWork[];
  private readonly connection: StandingConnection;
  private timer: NodeJS.Timeout | undefined;
  /** Until then (performance.now), a missing lock does not prove that a process has ended. */
  private graceUntil = 0;
  private stopped = false;

  constructor(
    config: Config,
    private readonly jobs: JobsRepository,
    private readonly log: Log,
  ) {
    this.watched = [{ listWorkers: async () => await jobs.listWorkers(), release: async (dead) => await jobs.releaseJobsOf(dead) }];
    this.connection = new StandingConnection({
      databaseUrl: config.databaseUrl,
      applicationName: PRESENCE,
      prepare: async (connection) => {
        for (const worker of this.workers) await jobs.lockWorker(connection, worker);
      },
      connected: (isOtherServer) => {
        if (isOtherServer) this.graceUntil = performance.now() + FAILOVER_GRACE_MS;
      },
      failed: (err) => log.warn({ err }, 'cannot hold the locks that show that the workers of this process are alive, trying again'),
    });
  }

  async start(): Promise<void> {
    await this.connection.open();
    this.scheduleCheck();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.connection.close();
  }

  /** Acquires the lock of a worker that this process has started. */
  announce(worker: string): void {
    this.workers.add(worker);
    if (!this.connection.connected) return; // the next connection acquires the lock first
    this.jobs
      .lockWorker(this.connection, worker)
      .catch((err: unknown) => this.log.warn({ err, worker }, 'cannot lock the name of a worker, trying again with the next connection'));
  }

  /**
   * Releases the lock of a worker of this process that has ended, so that its claims can be released. Also releases it on a connection that is
   * still being prepared, because that connection may already have acquired it.
   */
  async withdraw(worker: string): Promise<void> {
    this.workers.delete(worker);
    await this.jobs.unlockWorker(this.connection, worker).catch((err: unknown) => {
      this.log.warn({ err, worker }, 'cannot release the lock of a worker; PostgreSQL releases it with the connection');
    });
  }

  /** Registers another kind of work; register before the application starts. */
  watch(work: ClaimedWork): void {
    this.watched.push(work);
  }

  /** Checks once for claims of dead workers and releases them; returns the workers that are certainly dead. */
  async releaseDead(): Promise<string[]> {
    const seen = new Map<string, number>();
    const released = new Set<string>();
    const canJudge = this.connection.connected && performance.now() >= this.graceUntil;
    for (const work of canJudge ? this.watched : []) {
      const dead = await this.findDead(await work.listWorkers(), seen);
      if (dead.length === 0) continue;
      await work.release(dead);
      for (const worker of dead) released.add(worker);
      this.log.warn({ workers: dead }, 'released the claims of dead workers');
    }
    this.suspects = seen;
    return [...released];
  }

  /** Counts in `seen` the consecutive checks in which a worker's lock was free; returns the workers that are dead. */
  private async findDead(workers: readonly string[], seen: Map<string, number>): Promise<string[]> {
    for (const worker of workers) {
      if (!this.workers.has(worker) && (await this.jobs.isWorkerUnlocked(worker))) seen.set(worker, (this.suspects.get(worker) ?? 0) + 1);
    }
    return workers.filter((worker) => (seen.get(worker) ?? 0) >= CHECKS_UNTIL_DEAD);
  }

  private scheduleCheck(): void {
    this.timer = setTimeout(() => void this.check(), CHECK_INTERVAL_MS);
  }

  private async check(): Promise<void> {
    await this.releaseDead().catch((err: unknown) => this.log.warn({ err }, 'cannot check for dead workers, trying again'));
    if (!this.stopped) this.scheduleCheck();
  }
}
