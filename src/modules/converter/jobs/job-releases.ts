import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { WorkerPresence } from '../../../shared/jobs/index.js';
import { Log } from '../../../shared/logging/index.js';
import { type HeldJob, JobLeases } from './job-leases.js';
import { JobSettlement } from './job-settlement.js';
import { TranscodingWorker } from './transcoding-worker.js';

const LOOK_EVERY_MS = 10_000;
/** After the database was away nobody could show that it goes on; so many looks in a row everybody has for that. */
const LOOKS = 3;

/** Gives to others what workers had that died, or that stalled although their process lives. */
@Injectable()
export class JobReleases implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  /** Looks in a row that the database answered. */
  private answered = 0;

  constructor(
    private readonly config: Config,
    private readonly leases: JobLeases,
    private readonly presence: WorkerPresence,
    private readonly settlement: JobSettlement,
    private readonly worker: TranscodingWorker,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    const release = async (dead: readonly string[]) => await this.release(await this.leases.heldBy(dead), 'its worker died.');
    this.presence.watch({ holders: async () => await this.leases.holders(), release });
  }

  onApplicationBootstrap(): void {
    if (this.config.worker !== 'off') this.timer = setInterval(() => void this.look(), LOOK_EVERY_MS);
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Gives to others what workers have that have been silent for too long. */
  async releaseStalled(): Promise<void> {
    await this.release(await this.leases.stalled(), 'its worker stalled.');
  }

  private async look(): Promise<void> {
    try {
      await (this.answered < LOOKS ? this.leases.holders() : this.releaseStalled());
      this.answered += 1;
    } catch (err) {
      this.answered = 0;
      this.log.warn({ err }, 'cannot look after stalled transcodings, trying again');
    }
  }

  private async release(jobs: readonly HeldJob[], reason: string): Promise<void> {
    for (const job of jobs) await this.settlement.interrupt(job, job.holder, reason);
    if (jobs.length > 0) this.worker.wake();
  }
}
