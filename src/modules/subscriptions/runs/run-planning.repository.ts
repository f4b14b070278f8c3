import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import type { DomainEvent } from '../../../shared/events/index.js';
import {
  CHARGE_ROOT_EVENT,
  COUNT_MATCHING,
  COUNT_UNFINISHED_RUNS,
  LOCK_ROOT_EVENT,
  LOG_REFUSED,
  PLAN_ONE_RUN,
  PLAN_RUNS,
} from './run-planning.queries.js';

/** How many subscriptions matched an event, and how many of them got a run. */
export interface PlannedRuns {
  readonly matching: number;
  readonly planned: number;
}

/** Why subscriptions get no run for an event, as their log says it. */
export interface Refusal {
  readonly statusCode: number;
  readonly reason: string;
}

/** Creates runs in the transaction of their event, and counts them. */
@Injectable()
export class RunPlanningRepository {
  constructor(private readonly database: Database) {}

  async countMatching(event: DomainEvent): Promise<number> {
    return await this.count(COUNT_MATCHING, toMatchValues(event));
  }

  /** Creates a run of each matching subscription, at most `limit` of them. */
  async planRuns(event: DomainEvent, limit: number): Promise<PlannedRuns> {
    return (await this.database.queryOne<PlannedRuns>(PLAN_RUNS, [...toMatchValues(event), limit])) ?? { matching: 0, planned: 0 };
  }

  /** Creates a run of one subscription, unless it has a run or has acted. */
  async planOneRun({ id, customerId }: DomainEvent, subscriptionId: number): Promise<void> {
    await this.database.query(PLAN_ONE_RUN, [id, subscriptionId, customerId]);
  }

  /** Logs a refusal for the matching subscriptions without a run; `subscriptionId`: only for this one. */
  async logRefused(event: DomainEvent, { statusCode, reason }: Refusal, subscriptionId: number | null = null): Promise<void> {
    await this.database.query(LOG_REFUSED, [...toMatchValues(event), statusCode, reason, subscriptionId]);
  }

  /** Locks the event with which a chain began; answers the runs that the chain has caused, null if the event is no longer kept. */
  async lockRootEvent(id: string): Promise<number | null> {
    return (await this.database.queryOne<{ runs: number }>(LOCK_ROOT_EVENT, [id]))?.runs ?? null;
  }

  async chargeRootEvent(id: string, runs: number): Promise<void> {
    await this.database.query(CHARGE_ROOT_EVENT, [id, runs]);
  }

  /** The runs of a customer that have not ended, counted up to `limit`. */
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
