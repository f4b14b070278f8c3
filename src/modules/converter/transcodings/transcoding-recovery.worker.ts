import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { WorkerPresence } from '../../../shared/jobs/index.js';
import { Log } from '../../../shared/logging/index.js';
import { TranscodingWorker } from './transcoding.worker.js';
import { TranscodingCompletionService } from './transcoding-completion.service.js';
import { type RunningTranscoding, TranscodingsRepository } from './transcodings.repository.js';

const POLL_INTERVAL_MS = 10_000;
/** While the database was down no worker could renew its claims; workers have this many successful polls to catch up. */
const POLLS_BEFORE_RELEASE = 3;

/** Takes transcodings from workers that died, or that stalled although their process lives, so that others continue them. */
@Injectable()
export class TranscodingRecoveryWorker implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  /** Polls in a row that the database answered. */
  private answered = 0;

  constructor(
    private readonly completion: TranscodingCompletionService,
    private readonly config: Config,
    private readonly log: Log,
    private readonly presence: WorkerPresence,
    private readonly transcodings: TranscodingsRepository,
    private readonly worker: TranscodingWorker,
  ) {}

  onModuleInit(): void {
    const release = async (dead: readonly string[]) => await this.release(await this.transcodings.findClaimedBy(dead), 'its worker died.');
    this.presence.watch({ holders: async () => await this.transcodings.listWorkers(), release });
  }

  onApplicationBootstrap(): void {
    if (this.config.worker !== 'off') this.timer = setInterval(() => void this.poll(), POLL_INTERVAL_MS);
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Takes the transcodings of workers that have been silent for too long. */
  async releaseStalled(): Promise<void> {
    await this.release(await this.transcodings.findStalled(), 'its worker stalled.');
  }

  private async poll(): Promise<void> {
    try {
      await (this.answered < POLLS_BEFORE_RELEASE ? this.transcodings.listWorkers() : this.releaseStalled());
      this.answered += 1;
    } catch (err) {
      this.answered = 0;
      this.log.warn({ err }, 'cannot look after stalled transcodings, trying again');
    }
  }

  private async release(transcodings: readonly RunningTranscoding[], reason: string): Promise<void> {
    for (const transcoding of transcodings) await this.completion.interrupt(transcoding, transcoding.lockedBy, reason);
    if (transcodings.length > 0) this.worker.wake();
  }
}
