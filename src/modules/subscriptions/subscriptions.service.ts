import { Injectable } from '@nestjs/common';
import { AuditService } from '../../shared/audit/audit.service.js';
import type { Caller } from '../../shared/auth/index.js';
import { Clock } from '../../shared/clock.js';
import { Database, Notifications } from '../../shared/database/index.js';
import { requireMatch } from '../../shared/http/index.js';
import { Mailer } from '../../shared/mail/index.js';
import { QuotasService } from '../../shared/quotas/index.js';
import { unlessUnreadable } from '../../shared/secrets/index.js';
import { refuseInvalid } from '../../shared/validation/index.js';
import { createSigningSecret } from './instructions/https/webhook-signature.js';
import type { Instruction } from './instructions/instruction.js';
import { laneOf } from './instructions/instruction-kinds.js';
import { restoreSecrets } from './instructions/instruction-secrets.js';
import { SubscriptionSecretsService } from './instructions/subscription-secrets.service.js';
import { changedSubscriptions, RUNS_CHANNEL } from './runs/runs-channel.js';
import type { Subscription } from './subscription.entity.js';
import { subscriptionErrors, unknownSubscription } from './subscriptions.errors.js';
import { type SubscriptionSearch, SubscriptionsRepository } from './subscriptions.repository.js';
import { toWantedSubscription, type WantedSubscription } from './wanted-subscription.js';

/** A subscription and the secret that its https instructions are signed with, which is shown only once. */
export interface CreatedSubscription {
  readonly subscription: Subscription;
  readonly signingSecret: string;
}

/** A subscription, and its new signing secret if the old one could not be decrypted; otherwise null. */
export interface ReplacedSubscription {
  readonly subscription: Subscription;
  readonly signingSecret: string | null;
}

/** The subscription to change; with `ifMatch` only if it has a version that the header names. */
interface ChangedSubscription {
  readonly id: number;
  readonly ifMatch?: string;
}

/** The subscriptions of a customer, which any of its users may manage. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly subscriptions: SubscriptionsRepository,
    private readonly secrets: SubscriptionSecretsService,
    private readonly mailer: Mailer,
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly clock: Clock,
    private readonly quotas: QuotasService,
    private readonly audit: AuditService,
  ) {}

  /** A page of the customer's subscriptions. */
  async list(caller: Caller, search: SubscriptionSearch): Promise<Subscription[]> {
    return await this.subscriptions.list(caller.customerId, search);
  }

  /** Returns a subscription of the customer. Throws `not_found`. */
  async get(caller: Caller, id: number): Promise<Subscription> {
    const subscription = await this.subscriptions.findForCustomer(caller.customerId, id);
    if (!subscription) throw unknownSubscription(id);
    return subscription;
  }

  /**
   * Creates a subscription whose instructions act on behalf of the caller; the input follows `subscriptionInputRule`. Throws `validation_failed` for a
   * secret that is not stored, `mail_not_configured` and `quota_exceeded`.
   */
  async create(caller: Caller, input: unknown): Promise<CreatedSubscription> {
    const wanted = this.toWanted(input);
    const instructions = this.restore(wanted.instructions, []);
    const signingSecret = createSigningSecret();
    return await this.database.transaction(async () => {
      await this.quotas.reserve(caller.customerId, 'subscriptions');
      const subscription = await this.subscriptions.insert({
        ...this.toStored(caller, { ...wanted, instructions }),
        customerId: caller.customerId,
        creatorId: caller.userId,
        signingSecret: this.secrets.sealSigningSecret(signingSecret),
      });
      await this.audit.note(caller, { action: 'subscription.create', subject: `subscription:${subscription.id}` });
      return { subscription, signingSecret };
    });
  }

  /**
   * Replaces the whole subscription; its instructions act on behalf of the caller from then on, and one that acts once and has acted may act again.
   * Log and signing secret stay; a secret that can no longer be decrypted is replaced. Throws `not_found`, `precondition_failed`, and what `create`
   * throws.
   */
  async replace(caller: Caller, { id, ifMatch, ...input }: ChangedSubscription): Promise<ReplacedSubscription> {
    const wanted = this.toWanted(input);
    return await this.database.transaction(async () => {
      const before = await this.lock(caller, { id, ifMatch });
      const stored = unlessUnreadable(() => this.secrets.openInstructions(before.instructions)) ?? [];
      const changes = this.toStored(caller, { ...wanted, instructions: this.restore(wanted.instructions, stored) });
      const signingSecret =
        unlessUnreadable(() => this.secrets.openSigningSecret(before.signingSecret)) === null ? createSigningSecret() : null;
      const renewed = signingSecret !== null && { signingSecret: this.secrets.sealSigningSecret(signingSecret) };
      await this.notifyChange(caller);
      await this.audit.note(caller, { action: 'subscription.update', subject: `subscription:${id}` });
      const all = { ...changes, ...renewed, processedAt: null, updatedAt: this.clock.now() };
      return { subscription: await this.subscriptions.update(id, all), signingSecret };
    });
  }

  /** Deletes a subscription with its runs and its log. Throws `not_found`, `precondition_failed`. */
  async delete(caller: Caller, changed: ChangedSubscription): Promise<void> {
    await this.database.transaction(async () => {
      const { id } = await this.lock(caller, changed);
      await this.subscriptions.delete(id);
      await this.audit.note(caller, { action: 'subscription.delete', subject: `subscription:${id}` });
      await this.notifyChange(caller);
    });
  }

  private async lock({ customerId }: Caller, { id, ifMatch }: ChangedSubscription): Promise<Subscription> {
    const subscription = await this.subscriptions.lockForCustomer(customerId, id);
    if (!subscription) throw unknownSubscription(id);
    requireMatch(ifMatch, subscription, `subscription ${id}`);
    return subscription;
  }

  /** Notifies processes of version 1.0 that have claimed runs of the customer, so that they reload them once the change is committed. */
  private async notifyChange({ customerId }: Caller): Promise<void> {
    await this.notifications.notify(RUNS_CHANNEL, changedSubscriptions(customerId));
  }

  private toWanted(input: unknown): WantedSubscription {
    const wanted = toWantedSubscription(input);
    if (this.mailer.available || !wanted.instructions.some(({ type }) => type === 'email')) return wanted;
    throw subscriptionErrors.mail_not_configured('This installation sends no e-mails; ask its operator to set SMTP_URL.');
  }

  private restore(wanted: readonly Instruction[], stored: readonly Instruction[]): readonly Instruction[] {
    const { instructions, problems } = restoreSecrets(wanted, stored);
    refuseInvalid(problems);
    return instructions;
  }

  private toStored(caller: Caller, { name, flag, conditions, instructions, notes }: WantedSubscription) {
    return {
      name,
      flag,
      notes,
      methods: conditions.methods ? [...conditions.methods] : null,
      payload: conditions.payload ?? null,
      instructions: this.secrets.sealInstructions(instructions),
      lanes: instructions.map((instruction) => laneOf(caller.customerId, instruction)),
      lastEditorId: caller.userId,
    };
  }
}
