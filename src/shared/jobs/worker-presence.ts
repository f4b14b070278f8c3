import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { Config } from '../config/index.js';
import { Database } from '../database/index.js';
import { Log } from '../logging/index.js';

const CHECK_EVERY_MS = 2_000;
const SETTLED_AFTER = '4 seconds'; // a worker has announced itself long before it holds a job for that time

/** The advisory lock by which a worker shows that it lives: PostgreSQL drops it with the connection of a process that dies. */
const LOCK_OF = `hashtextextended('worker ' || $1, 0)`;

/**
 * Releases the jobs of dead workers. graphile-worker itself waits four hours before it takes a crashed worker's job back; here every process
 * holds a lock for each of its workers, and whoever sees a job whose worker's lock is free gives the job back within seconds.
 */
@Injectable()
export class WorkerPresence {
  private readonly workers = new Set<string>();
  /** Statements on one connection go one after the other. */
  private pending: Promise<void> = Promise.resolve();
  private client: pg.Client | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  async start(): Promise<void> {
    await this.connect();
    this.timer = setInterval(() => void this.check(), CHECK_EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.client?.end().catch(() => {}); // the connection may be lost already; then the locks are gone too
  }

  announce(workerId: string): void {
    this.workers.add(workerId);
    this.pending = this.pending.then(async () => await this.hold(workerId));
  }

  /** Looks for jobs of dead workers and gives them back; answers the workers that it found dead. */
  async releaseDead(): Promise<string[]> {
    const { rows } = await this.database.query<{ worker: string }>(
      `SELECT DISTINCT locked_by AS worker FROM graphile_worker._private_jobs WHERE locked_at < now() - interval '${SETTLED_AFTER}'`,
    );
    const dead: string[] = [];
    for (const { worker } of rows) if (!this.workers.has(worker) && (await this.isDead(worker))) dead.push(worker);
    if (dead.length > 0) {
      await this.database.query('SELECT graphile_worker.force_unlock_workers($1::text[])', [dead]);
      this.log.warn({ workers: dead }, 'gave the jobs of dead workers back');
    }
    return dead;
  }

  private async isDead(worker: string): Promise<boolean> {
    return await this.database.transaction(async () => {
      const row = await this.database.queryOne<{ free: boolean }>(`SELECT pg_try_advisory_xact_lock(${LOCK_OF}) AS free`, [worker]);
      return row?.free === true;
    });
  }

  private async check(): Promise<void> {
    try {
      if (!this.client) await this.connect();
      await this.releaseDead();
    } catch (error) {
      this.log.warn({ err: error }, 'cannot look after workers, trying again');
    }
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({ connectionString: this.config.databaseUrl, application_name: 'worker presence', keepAlive: true });
    client.on('error', () => {
      this.client = null;
    });
    await client.connect();
    this.client = client;
    for (const worker of this.workers) await this.hold(worker);
  }

  private async hold(worker: string): Promise<void> {
    await this.client?.query(`SELECT pg_advisory_lock(${LOCK_OF})`, [worker]).catch((error: unknown) => {
      this.log.warn({ err: error }, 'cannot announce a worker; done again with the next connection');
    });
  }
}
