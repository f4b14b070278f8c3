import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { type DomainEvent, EventsRepository } from '../../../shared/events/index.js';
import { COUNT_MATCHING, COUNT_UNFINISHED_RUNS, LOG_REFUSED, PLAN_ONE_RUN, PLAN_RUNS } from './run-planning.queries.js';
import { SubscriptionRun } from './subscription-run.entity.js';

/** The number of subscriptions that matched an event, and of those that got a run. */
export interface PlannedRuns {
  readonly matching: number;
  readonly planned: number;
}

/** Why subscriptions get no run for an event, as their log states it. */
export interface Refusal {
  readonly statusCode: number;
  readonly reason: string;
}

/** Creates runs in the transaction of their event, and counts them. */
@Injectable()
export class RunPlanningRepository {
  constructor(
    private readonly database: Database,
    private readonly events: EventsRepository,
  ) {}

  async countMatching(event: DomainEvent): Promise<number> {
    return await this.count(COUNT_MATCHING, toMatchValues(event));
  }

  /** Creates a run of each matching subscription, at most `limit` of them. */
  async planRuns(event: DomainEvent, limit: number): Promise<PlannedRuns> {
    return (await this.database.queryOne<PlannedRuns>(PLAN_RUNS, [...toMatchValues(event), limit])) ?? { matching: 0, planned: 0 };
  }

  /** Creates a run of one subscription, unless the subscription has a run or has acted. */
  async planOneRun({ id, customerId }: DomainEvent, subscriptionId: number): Promise<void> {
    await this.database.query(PLAN_ONE_RUN, [id, subscriptionId, customerId]);
  }

  /** Logs a refusal for the matching subscriptions without a run; `subscriptionId`: only for this one. */
  async logRefused(event: DomainEvent, { statusCode, reason }: Refusal, subscriptionId: number | null = null): Promise<void> {
    await this.database.query(LOG_REFUSED, [...toMatchValues(event), statusCode, reason, subscriptionId]);
  }

  /** Whether a subscription has a run, ended or not. */
  async hasRun(subscriptionId: number): Promise<boolean> {
    return await this.database.repository(SubscriptionRun).existsBy({ subscriptionId });
  }

  /**
   * Locks the event with which a chain began, so that other events of the chain wait; returns the number of runs that the chain has caused, null if
   * the event is no longer stored. The event's own runs are counted in their table, so that its row need not change for them.
   */
  async lockRootEvent(id: string): Promise<number | null> {
    const furtherRuns = await this.events.lockFurtherRuns(id);
    return furtherRuns === null ? null : furtherRuns + (await this.database.repository(SubscriptionRun).countBy({ eventId: id }));
  }

  /** The number of a customer's runs that have not ended, counted up to `limit`. */
  async countUnfinished(customerId: number, limit: number): Promise<number> {
    return await this.count(COUNT_UNFINISHED_RUNS, [customerId, limit]);
  }

  private async count(statement: string, values: readonly unknown[]): Promise<number> {
    return (await this.database.queryOne<{ count: number }>(statement, values))?.count ?? 0;
  }
}

const toMatchValues = ({ id, customerId, name, method, payload }: DomainEvent): unknown[] => [
  id,
  customerId,
  name,
  method,
  JSON.stringify(payload),
];
