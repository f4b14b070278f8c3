import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { currentEventDepth, currentRootEvent, EventOutboxService, type NewEvent } from '../../../shared/events/index.js';
import { JobsService } from '../../../shared/jobs/index.js';
import { MediaReaderRepository } from '../../media/index.js';
import { explainMatch } from '../explain-match.js';
import { RunPlannerListener } from '../runs/run-planner.listener.js';
import { RunPlanningRepository } from '../runs/run-planning.repository.js';
import type { Subscription } from '../subscription.entity.js';
import { SubscriptionsRepository } from '../subscriptions.repository.js';

const TASK = 'run_for_arrived_file';

interface Payload {
  readonly subscriptionId: number;
  readonly mediaContainerId: number;
  readonly depth: number;
  readonly rootId?: string | null;
}

/** Creates the run of an event:s3success subscription for a file that arrived before the subscription was created. */
@Injectable()
export class ArrivedFileRunsJob implements OnModuleInit {
  constructor(
    private readonly jobs: JobsService,
    private readonly files: MediaReaderRepository,
    private readonly outbox: EventOutboxService,
    private readonly planner: RunPlannerListener,
    private readonly database: Database,
    private readonly runs: RunPlanningRepository,
    private readonly subscriptions: SubscriptionsRepository,
  ) {}

  onModuleInit(): void {
    this.jobs.handle<Payload>(TASK, async (payload) => await this.plan(payload));
  }

  /**
   * Schedules the job in the transaction that creates the subscription. It looks for files after the commit, so that it misses none that arrive
   * meanwhile.
   */
  async schedule({ id }: Pick<Subscription, 'id'>, mediaContainerId: number): Promise<void> {
    await this.jobs.add(TASK, {
      subscriptionId: id,
      mediaContainerId,
      depth: currentEventDepth(),
      rootId: currentRootEvent(),
    } satisfies Payload);
  }

  private async plan({ subscriptionId: id, mediaContainerId, depth, rootId = null }: Payload): Promise<void> {
    const subscription = await this.subscriptions.find(id);
    if (!subscription) return;
    const { customerId } = subscription;
    const mediaId = await this.files.findFirstUploaded(customerId, mediaContainerId);
    if (mediaId === null) return;
    const payload = { mediaContainerId, mediaId, customerId, role: null, language: null };
    const event = { name: 'event:s3success', customerId, method: 'create', payload, depth, rootId } as const satisfies NewEvent;
    if (explainMatch(subscription, event).length > 0) return; // the subscription was replaced, or has acted
    await this.database.transaction(async () => {
      if (await this.runs.hasRun(id)) return;
      await this.planner.planFor(await this.outbox.record(event), id);
    });
  }
}
