import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HealthChecksService } from '../health/health-checks.service.js';
import { JobsRepository } from './jobs.repository.js';

/** Whether work in a queue has been due for too long (WAITED_TOO_LONG) without being claimed by a worker. */
export type HasWaitingWork = () => Promise<boolean>;

/** Detects background work that waits because no process runs it (WORKER=off everywhere, and no `npm run worker`). */
@Injectable()
export class WaitingJobsService implements OnModuleInit {
  private readonly queues = new Map<string, HasWaitingWork>();

  constructor(
    private readonly checks: HealthChecksService,
    private readonly repository: JobsRepository,
  ) {}

  /** Adds a queue; add before the application starts. `words` names its rows in the plural. */
  addQueue(words: string, hasWaitingWork: HasWaitingWork): void {
    this.queues.set(words, hasWaitingWork);
  }

  onModuleInit(): void {
    this.addQueue('background jobs', async () => await this.repository.hasWaitingJob());
    this.checks.register('jobs', { maxAgeSeconds: 15, findProblem: async () => await this.findProblem() });
  }

  private async findProblem(): Promise<string | null> {
    if ((await this.repository.countWorkerProcesses()) > 0) return null;
    const asked = [...this.queues].map(async ([words, hasWaitingWork]) => ((await hasWaitingWork()) ? [words] : []));
    const waiting = (await Promise.all(asked)).flat();
    if (waiting.length === 0) return null;
    return `No worker is running, and these wait: ${waiting.join(', ')}. Start a process with WORKER=inline, or \`npm run worker\`.`;
  }
}
