import { Injectable } from '@nestjs/common';
import { inPortions } from '../../shared/database/index.js';
import { collectPage } from '../../shared/resources/index.js';
import { unlessUnreadable } from '../../shared/secrets/index.js';
import { SubscriptionSecretsService } from './instructions/subscription-secrets.service.js';
import { SubscriptionLogsRepository } from './logs/subscription-logs.repository.js';
import {
  CreatedSubscriptionResponse,
  ReplacedSubscriptionResponse,
  SubscriptionResponse,
  toSubscriptionResponse,
} from './subscription.dto.js';
import type { Subscription } from './subscription.entity.js';
import type { CreatedSubscription, ReplacedSubscription } from './subscriptions.service.js';

/** The page of the log to show: `limit` of the entries that are older than the entry `before`. */
export interface LogPage {
  readonly limit: number;
  readonly before?: number;
}

/** Converts subscriptions to responses: decrypted, without secrets, with their log. */
@Injectable()
export class SubscriptionResponsesService {
  constructor(
    private readonly secrets: SubscriptionSecretsService,
    private readonly logs: SubscriptionLogsRepository,
  ) {}

  async toMany(subscriptions: readonly Subscription[], page: LogPage): Promise<SubscriptionResponse[]> {
    const ids = subscriptions.map(({ id }) => id);
    const logs = ids.length > 0 ? await this.logs.findNewest(ids, page) : new Map();
    return subscriptions.map((subscription) => this.show(subscription, logs.get(subscription.id) ?? []));
  }

  async toOne(subscription: Subscription, page: LogPage): Promise<SubscriptionResponse> {
    return (await this.toPage(subscription, page)).answer;
  }

  /** The response with a page of the log, which ends early if it would become too large; `next` is the entry after which the next page begins. */
  async toPage(subscription: Subscription, { before = Number.MAX_SAFE_INTEGER, limit }: LogPage) {
    const { id } = subscription;
    const portions = inPortions({ after: before, limit }, async (portion) => {
      return (await this.logs.findNewest([id], { before: portion.after, limit: portion.limit })).get(id) ?? [];
    });
    const { elements, isFull } = await collectPage(portions, limit);
    return { answer: this.show(subscription, elements), next: isFull ? elements.at(-1)?.id : undefined };
  }

  toCreated({ subscription, signingSecret }: CreatedSubscription): CreatedSubscriptionResponse {
    return { ...this.show(subscription, []), signingSecret };
  }

  async toReplaced({ subscription, signingSecret }: ReplacedSubscription, page: LogPage): Promise<ReplacedSubscriptionResponse> {
    return { ...(await this.toOne(subscription, page)), ...(signingSecret !== null && { signingSecret }) };
  }

  private show(subscription: Subscription, logs: SubscriptionResponse['logs']): SubscriptionResponse {
    const instructions = unlessUnreadable(() => this.secrets.openInstructions(subscription.instructions));
    const signingSecret = unlessUnreadable(() => this.secrets.openSigningSecret(subscription.signingSecret));
    const secretsUnreadable = instructions === null || signingSecret === null;
    return toSubscriptionResponse(subscription, { instructions: instructions ?? [], logs, secretsUnreadable });
  }
}
