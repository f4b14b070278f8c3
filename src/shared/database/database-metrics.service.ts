import { setTimeout } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Clock } from '../clock.js';
import { SharedWork } from '../shared-work.js';
import { Database } from './database.js';
import { Notifications } from './notifications.js';

/** How long a scrape waits for the database at most: the other metrics matter most while the database does not respond. */
const MAX_WAIT_MS = 1_000;
/** Queues are counted at most this often, however often they are scraped. */
const COUNT_AFTER_MS = 5_000;
/** How long the last lengths are shown while queues are being counted, which may take long for locked tables or long queues. */
const SHOWN_MS = 60_000;
/** Maximum number of rows counted per queue and state, which takes about ten milliseconds. Longer queues are reported with this length. */
export const MAX_COUNTED_ROWS = 100_000;

/** The rows of a queue in one state. */
interface QueueState {
  readonly queue: string;
  readonly state: string;
  readonly length: number;
  /** How many seconds the oldest row has waited for its turn; null: rows in this state do not wait for a turn. */
  readonly age: number | null;
}

/** The results of the database queries of a scrape. */
interface Findings {
  readonly up: boolean;
  readonly queues: readonly QueueState[];
}

const NOTHING: Findings = { up: false, queues: [] };

/** The instance of this process; tests start several applications, and the metrics show the last one. */
let measured: DatabaseMetricsService | null = null;

/**
 * The metrics of the database: whether it responds, the connection pool, and queue lengths. Queues are counted by one statement
 * when metrics are scraped, in every process.
 */
@Injectable()
export class DatabaseMetricsService implements OnModuleInit, BeforeApplicationShutdown {
  private readonly statements: string[] = [];
  /** The running query, which simultaneous scrapes share. */
  private readonly asking = new SharedWork<Findings>();
  private readonly counting = new SharedWork<void>();
  private queues: readonly QueueState[] = [];
  private countedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds queues to the statement: a SELECT without parameters that returns the columns of QueueState, one row for each queue and state. It must
   * stay cheap for a long queue: use LIMIT MAX_COUNTED_ROWS and an index.
   */
  countQueues(statement: string): void {
    this.statements.push(statement);
  }

  onModuleInit(): void {
    measured = this;
  }

  beforeApplicationShutdown(): void {
    if (measured === this) measured = null;
  }

  get pool() {
    return this.database.pool;
  }

  get waitingCount(): number {
    return this.database.waitingCount;
  }

  get hasNotifications(): boolean {
    return this.notifications.connected;
  }

  /** Queries the database; takes at most MAX_WAIT_MS. */
  async find(): Promise<Findings> {
    return await this.asking.get(async () => await this.ask());
  }

  private async ask(): Promise<Findings> {
    await null; // lets the gauges of the pool be read before these statements use it
    const isDue = this.elapsed() >= COUNT_AFTER_MS;
    const counting = isDue ? this.counting.get(async () => await this.count()) : this.counting.find();
    const [answer] = await Promise.all([soon(this.database.probe()), soon(counting)]);
    return { up: answer?.isWritable === true, queues: answer && this.elapsed() < SHOWN_MS ? this.queues : [] };
  }

  private async count(): Promise<void> {
    try {
      this.queues = (await this.database.query<QueueState>(this.statements.join('\nUNION ALL\n'))).rows;
      this.countedAt = this.clock.now().getTime();
    } catch {
      // The next scrape tries again; requests that need the database log why it does not respond.
    }
  }

  /** Milliseconds since the queues were counted. */
  private elapsed(): number {
    return this.clock.now().getTime() - this.countedAt;
  }
}

/** The result if it arrives within MAX_WAIT_MS; a later result is used by the next scrapes. */
const soon = async <T>(answer: Promise<T> | null): Promise<T | null> =>
  await Promise.race([answer, setTimeout(MAX_WAIT_MS, null, { ref: false })]);

// Values that belong to one process of a machine (WEB_CONCURRENCY) are summed; values that are the same for all processes are not.

new Gauge({
  name: 'database_connections',
  help: 'Connections of the pool, by whether a statement or transaction uses them.',
  labelNames: ['state'],
  collect() {
    const { idleCount, totalCount } = measured?.pool ?? { idleCount: 0, totalCount: 0 };
    this.set({ state: 'idle' }, idleCount);
    this.set({ state: 'used' }, totalCount - idleCount);
  },
});

new Gauge({
  name: 'database_connections_limit',
  help: 'Connections that the pool may open.',
  collect() {
    this.set(measured?.pool.options.max ?? 0);
  },
});

new Gauge({
  name: 'database_waiting_statements',
  help: 'Statements and transactions that wait for a connection of the pool.',
  collect() {
    this.set(measured?.waitingCount ?? 0);
  },
});

new Gauge({
  name: 'database_up',
  help: 'Whether PostgreSQL answered the scrape within a second and accepts writes.',
  aggregator: 'min',
  async collect() {
    const found = await measured?.find();
    this.set(found?.up ? 1 : 0);
  },
});

new Gauge({
  name: 'database_notifications_up',
  help: 'Whether notifications of changes arrive; without them caches are bypassed.',
  aggregator: 'min',
  collect() {
    this.set(measured?.hasNotifications ? 1 : 0);
  },
});

new Gauge({
  name: 'queue_length',
  help: `Rows of a queue, by state; at most ${MAX_COUNTED_ROWS} are counted.`,
  labelNames: ['queue', 'state'],
  aggregator: 'max',
  async collect() {
    const { queues } = (await measured?.find()) ?? NOTHING;
    this.reset();
    for (const { queue, state, length } of queues) this.set({ queue, state }, length);
  },
});

new Gauge({
  name: 'queue_oldest_age_seconds',
  help: 'How long the oldest row of a queue has waited for its turn, by state.',
  labelNames: ['queue', 'state'],
  aggregator: 'max',
  async collect() {
    const { queues } = (await measured?.find()) ?? NOTHING;
    this.reset();
    for (const { queue, state, age } of queues) if (age !== null) this.set({ queue, state }, age);
  },
});
