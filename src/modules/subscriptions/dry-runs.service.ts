import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../shared/auth/index.js';
import { inPortions } from '../../shared/database/index.js';
import { EVENT_METHODS, EVENT_NAMES } from '../../shared/events/index.js';
import { refuseInvalid } from '../../shared/validation/index.js';
import { explainMatch, type Mismatch, type SuspectedEvent } from './explain-match.js';
import { jsonObject, limitedTo, oneOf, shape } from './instructions/json-rules.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';

const MAX_SUBSCRIPTIONS = 10_000;
/** Room for a batch of a thousand containers. The event is compared with every subscription, and each may repeat it in its reasons. */
const MAX_EVENT_BYTES = 16_384;

const eventRule = shape({
  required: { name: oneOf(EVENT_NAMES), method: oneOf(EVENT_METHODS) },
  optional: { payload: limitedTo(MAX_EVENT_BYTES, jsonObject) },
});

export interface DryRun {
  readonly subscriptionId: number;
  readonly matches: boolean;
  readonly reasons: readonly Mismatch[];
}

/** Determines what an event would cause, without carrying it out. */
@Injectable()
export class DryRunsService {
  constructor(private readonly subscriptions: SubscriptionsRepository) {}

  /** Returns each subscription of the customer and why it would or would not act. Writes nothing. Throws `validation_failed`. */
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
        await yieldToOthers(); // a comparison of long lists takes milliseconds
      }
    }
    return dryRuns;
  }
}
