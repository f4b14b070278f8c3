import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Log } from '../logging/index.js';
import { WorkInTurn } from '../shared-work.js';
import { outsideTraces } from '../tracing/spans.js';
import { Counts, type CountsOptions } from './counts.js';

/** How often a process writes what it has counted; one that is killed loses at most this much (contract section 13.6). */
const INTERVAL_MS = 10_000;

/** Writes what requests count, in batches: a request only adds to figures in memory. */
@Injectable()
export class CountingService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly all: Pick<Counts<never>, 'write'>[] = [];
  private timer: NodeJS.Timeout | null = null;
  private readonly writing = new WorkInTurn();

  constructor(private readonly log: Log) {}

  /** Declares what is counted; must be called before the application starts. */
  register<Row>(options: CountsOptions<Row>): Counts<Row> {
    const counts = new Counts(options, this.log);
    this.all.push(counts);
    return counts;
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void outsideTraces(async () => await this.writeAll()), INTERVAL_MS);
    this.timer.unref();
  }

  /** Runs after the last response, and before the connection pool closes (onApplicationShutdown). */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.writeAll();
  }

  /** Writes everything that was counted before the call; one statement for each kind of figures that has any. */
  async writeAll(): Promise<void> {
    await this.writing.run(async () => {
      for (const counts of this.all) await counts.write();
    });
  }
}
