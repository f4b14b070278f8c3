import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type DomainEvent, EVENT_NAMES, EventOutboxService, EventsRepository } from '../../../shared/events/index.js';
import { QuotasService } from '../../../shared/quotas/index.js';
import { countRefused } from './run-metrics.js';
import { RunPlanningRepository } from './run-planning.repository.js';

/** The number of runs that one event may cause, including those of the events that its runs cause (contract section 12.10). */
const BUDGET = 1_000;

const REFUSALS = {
  budget: {
    statusCode: 508,
    reason: `budget: one event may cause ${BUDGET} runs, and the event with which this chain began has caused them`,
  },
  quota: { statusCode: 429, reason: 'quota: the customer has as many runs waiting as its quota waitingRuns allows' },
} as const;

/** Creates the runs of the matching subscriptions in the transaction of each event: both exist, or neither does. */
@Injectable()
export class RunPlannerListener implements OnModuleInit {
  constructor(
    private readonly runs: RunPlanningRepository,
    private readonly events: EventsRepository,
    private readonly outbox: EventOutboxService,
    private readonly quotas: QuotasService,
  ) {}

  onModuleInit(): void {
    this.outbox.addListener(EVENT_NAMES, 'in-transaction', async (event) => await this.plan(event));
    this.quotas.countBy('waitingRuns', async (customerId, atMost) => await this.runs.countUnfinished(customerId, atMost));
  }

  /** Creates a run of one subscription for an event that is not published, unless the subscription has a run or has acted. */
  async planFor(event: DomainEvent, subscriptionId: number): Promise<void> {
    if ((await this.remainingBudget(event)) < 1) return await this.refuse(event, 'budget', 1, subscriptionId);
    if ((await this.quotas.room(event.customerId, 'waitingRuns', 1)) < 1) return await this.refuse(event, 'quota', 1, subscriptionId);
    await this.runs.planOneRun(event, subscriptionId);
    await this.charge(event, 1);
  }

  private async plan(event: DomainEvent): Promise<void> {
    const wanted = await this.runs.countMatching(event);
    if (wanted === 0) return;
    const budget = Math.min(wanted, await this.remainingBudget(event));
    const room = budget > 0 ? await this.quotas.room(event.customerId, 'waitingRuns', budget) : 0;
    const { matching, planned } = room > 0 ? await this.runs.planRuns(event, room) : { matching: wanted, planned: 0 };
    await this.charge(event, planned);
    if (planned < matching) await this.refuse(event, room < budget ? 'quota' : 'budget', matching - planned);
  }

  /** A refused run is logged and never fails the event. */
  private async refuse(event: DomainEvent, reason: keyof typeof REFUSALS, count: number, subscriptionId: number | null = null) {
    await this.runs.logRefused(event, REFUSALS[reason], subscriptionId);
    countRefused(reason, count);
  }

  /** The remaining runs of the chain; an event whose root is no longer stored has its own budget. */
  private async remainingBudget({ rootId }: DomainEvent): Promise<number> {
    const runs = rootId === null ? null : await this.runs.lockRootEvent(rootId);
    return runs === null ? BUDGET : Math.max(BUDGET - runs, 0);
  }

  private async charge({ rootId }: DomainEvent, runs: number): Promise<void> {
    if (rootId !== null && runs > 0) await this.events.addFurtherRuns(rootId, runs);
  }
}
