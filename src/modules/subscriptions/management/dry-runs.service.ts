import { setImmediate as letOthersRun } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { inPortions } from '../../../shared/database/index.js';
import { EVENT_METHODS, EVENT_NAMES } from '../../../shared/events/index.js';
import { refuseInvalid } from '../../../shared/validation/index.js';
import { explainMatch, type Mismatch, type SuspectedEvent } from './explain-match.js';
import { among } from './rules/among.js';
import { jsonObject } from './rules/json.js';
import { ofSize } from './rules/of-size.js';
import { shape } from './rules/shape.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';

const MAX_SUBSCRIPTIONS = 10_000;
/** A batch of a thousand containers; it is compared with every subscription, and each may show it in its reasons. */
const MAX_EVENT_BYTES = 16_384;

const eventRule = shape({
  required: { name: among(EVENT_NAMES), method: among(EVENT_METHODS) },
  optional: { payload: ofSize(MAX_EVENT_BYTES, jsonObject) },
});

export interface DryRun {
  readonly subscriptionId: number;
  readonly matches: boolean;
  readonly reasons: readonly Mismatch[];
}

/** What an event would do, without doing it. */
@Injectable()
export class DryRuns {
  constructor(private readonly subscriptions: SubscriptionsRepository) {}

  /** Each subscription of the customer and why it would act, or not. Nothing is written. Throws `validation_failed`. */
  async run(caller: Caller, event: unknown): Promise<DryRun[]> {
    refuseInvalid(eventRule(event, 'event'));
    const { name, method, payload } = event as SuspectedEvent;
    const suspected = { name, method, payload: payload ?? {} };
    const dryRuns: DryRun[] = [];
    const page = { after: 0, limit: MAX_SUBSCRIPTIONS };
    for await (const portion of inPortions(page, async (one) => await this.subscriptions.list(caller.customerId, one))) {
      for (const subscription of portion) {
        const reasons = explainMatch(subscription, suspected);
        dryRuns.push({ subscriptionId: subscription.id, matches: reasons.length === 0, reasons });
        await letOthersRun(); // of long lists each comparison takes milliseconds
      }
    }
    return dryRuns;
  }
}
