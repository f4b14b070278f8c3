import { Injectable } from '@nestjs/common';
import { Config } from '../config/index.js';
import { Database } from '../database/index.js';
import { StandingConnection } from '../database/standing-connection.js';
import { Log } from '../logging/index.js';

const LOOK_EVERY_MS = 1_000;
/** A worker announces itself when it is made, long before it holds a job for that time. */
const SETTLED_AFTER = '2 seconds';
/** So many looks in a row have to find the lock free: a living worker whose connection broke takes it again within milliseconds. */
const LOOKS = 3;

const JOB_HOLDERS = `SELECT DISTINCT locked_by AS worker FROM graphile_worker._private_jobs
  WHERE locked_at < now() - interval '${SETTLED_AFTER}'`;

/** What workers hold: jobs, or anything else that has to be given to others when they die. */
export interface Holdings {
  /** The workers that hold something now, dead or alive. */
  holders(): Promise<readonly string[]>;
  /** Gives to others what these hold. */
  release(dead: readonly string[]): Promise<void>;
}

/** The advisory lock by which a worker shows that it lives: PostgreSQL drops it with the connection of a process that dies. */
export const LOCK_OF_WORKER = `hashtextextended('worker ' || $1, 0)`;

/**
 * Releases what dead workers hold. graphile-worker itself waits four hours before it takes a crashed worker's job back; here every process
 * holds a lock for each of its workers, and whoever sees a job whose worker's lock is free gives the job back within seconds. A worker is
 * named as it stands in `locked_by` of a job. Others who hold things of their own announce themselves and register what they hold.
 */
@Injectable()
export class WorkerPresence {
  private readonly workers = new Set<string>();
  /** Workers that were found without their lock, and how many times in a row. */
  private suspects = new Map<string, number>();
  private readonly watched: Holdings[];
  private readonly connection: StandingConnection;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    config: Config,
    private readonly database: Database,
    private readonly log: Log,
  ) {
    this.watched = [{ holders: async () => await this.holdersOfJobs(), release: async (dead) => await this.releaseJobs(dead) }];
    this.connection = new StandingConnection({
      databaseUrl: config.databaseUrl,
      applicationName: 'worker presence',
      prepare: async () => {
        for (const worker of this.workers) await this.hold(worker);
      },
      failed: (err) => log.warn({ err }, 'cannot show that the workers of this process live, trying again'),
    });
  }

  async start(): Promise<void> {
    await this.connection.open();
    this.lookLater();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.connection.close();
  }

  /** A worker of this process began. */
  announce(worker: string): void {
    this.workers.add(worker);
    if (!this.connection.connected) return; // the next connection begins with it
    this.hold(worker).catch((err: unknown) =>
      this.log.warn({ err, worker }, 'cannot announce a worker; done again with the next connection'),
    );
  }

  /**
   * A worker of this process has ended; what it left undone may be given to others. The lock is released on a connection that is still
   * being prepared, too: that one may have taken it a moment ago.
   */
  async withdraw(worker: string): Promise<void> {
    this.workers.delete(worker);
    await this.connection.query(`SELECT pg_advisory_unlock(${LOCK_OF_WORKER})`, [worker]).catch((err: unknown) => {
      this.log.warn({ err, worker }, 'cannot release the lock of a worker; PostgreSQL releases it with the connection');
    });
  }

  /** Looks after these holdings too; register before the application starts. */
  watch(holdings: Holdings): void {
    this.watched.push(holdings);
  }

  /** Looks once for what dead workers hold and releases it; answers the workers that it is sure are dead. */
  async releaseDead(): Promise<string[]> {
    const seen = new Map<string, number>();
    const released = new Set<string>();
    for (const holdings of this.watched) {
      const dead = await this.deadAmong(await holdings.holders(), seen);
      if (dead.length === 0) continue;
      await holdings.release(dead);
      for (const worker of dead) released.add(worker);
      this.log.warn({ workers: dead }, 'gave what dead workers held to others');
    }
    this.suspects = seen;
    return [...released];
  }

  /** Notes in `seen` whose lock is free, and how many times in a row by now. */
  private async deadAmong(holders: readonly string[], seen: Map<string, number>): Promise<string[]> {
    for (const worker of holders) {
      if (!this.workers.has(worker) && (await this.hasNoLock(worker))) seen.set(worker, (this.suspects.get(worker) ?? 0) + 1);
    }
    return holders.filter((worker) => (seen.get(worker) ?? 0) >= LOOKS);
  }

  private async holdersOfJobs(): Promise<string[]> {
    const { rows } = await this.database.query<{ worker: string }>(JOB_HOLDERS);
    return rows.map(({ worker }) => worker);
  }

  private async releaseJobs(dead: readonly string[]): Promise<void> {
    await this.database.query('SELECT graphile_worker.force_unlock_workers($1::text[])', [dead]);
  }

  /** Asked with a shared lock, so that processes which look at the same moment do not take each other for the worker. */
  private async hasNoLock(worker: string): Promise<boolean> {
    return await this.database.transaction(async () => {
      const row = await this.database.queryOne<{ free: boolean }>(`SELECT pg_try_advisory_xact_lock_shared(${LOCK_OF_WORKER}) AS free`, [
        worker,
      ]);
      return row?.free === true;
    });
  }

  private lookLater(): void {
    this.timer = setTimeout(async () => {
      await this.releaseDead().catch((err: unknown) => this.log.warn({ err }, 'cannot look after workers, trying again'));
      if (!this.stopped) this.lookLater();
    }, LOOK_EVERY_MS);
  }

  private async hold(worker: string): Promise<void> {
    await this.connection.query(`SELECT pg_advisory_lock(${LOCK_OF_WORKER})`, [worker]);
  }
}
