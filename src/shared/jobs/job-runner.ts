import { EventEmitter } from 'node:events';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Logger, parseCronItems, type Runner, run, type TaskList } from 'graphile-worker';
import { Config } from '../config/index.js';
import { Database } from '../database/index.js';
import { Log } from '../logging/index.js';
import { Housekeeping } from './housekeeping.js';
import { Jobs } from './jobs.js';
import { WorkerPresence } from './worker-presence.js';

const CONCURRENCY = 4; // jobs of a process at a time; they wait for the network mostly
const HOUSEKEEPING = 'housekeeping';

/** Runs background jobs in this process (WORKER=inline). */
@Injectable()
export class JobRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private runner: Runner | null = null;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly housekeeping: Housekeeping,
    private readonly presence: WorkerPresence,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.jobs.handle(HOUSEKEEPING, async () => await this.housekeeping.run());
    if (this.config.worker === 'off') return;
    const events = new EventEmitter();
    events.on('worker:create', ({ worker }: { worker: { workerId: string } }) => this.presence.announce(worker.workerId));
    await this.presence.start();
    this.runner = await run({
      pgPool: this.database.pool,
      concurrency: CONCURRENCY,
      noHandleSignals: true,
      taskList: this.taskList(),
      // One job a minute for all processes together: graphile-worker makes a cron job once, whoever is first.
      parsedCronItems: parseCronItems([{ task: HOUSEKEEPING, match: '* * * * *', options: { queueName: HOUSEKEEPING, maxAttempts: 1 } }]),
      logger: new Logger(
        (scope) => (level, message) => this.log[level === 'warning' ? 'warn' : level === 'info' ? 'debug' : level]({ scope }, message),
      ),
      events,
    });
  }

  /** Before the connection pool closes (onApplicationShutdown). */
  async beforeApplicationShutdown(): Promise<void> {
    await this.runner?.stop();
    await this.presence.stop();
  }

  private taskList(): TaskList {
    const entries = [...this.jobs.handlers].map(([task, handler]) => [task, (payload: unknown) => handler(payload as never)] as const);
    return Object.fromEntries(entries);
  }
}
