import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { Database, Notifications } from '../../../shared/database/index.js';
import { EgressAllowlist, EgressFailure, type EgressTarget, egressTarget } from '../../../shared/egress/index.js';
import { Mailer } from '../../../shared/mail/index.js';
import { Quotas } from '../../../shared/quotas/index.js';
import { unlessUnreadable } from '../../../shared/secrets/index.js';
import { Clock } from '../../../shared/time/index.js';
import { refuseInvalid } from '../../../shared/validation/index.js';
import { newSigningSecret } from '../instructions/https/new-signing-secret.js';
import type { Instruction } from '../instructions/instruction.js';
import { InstructionVault } from '../instructions/instruction-vault.js';
import { laneOf } from '../instructions/lane-of.js';
import { changedSubscriptions, RUNS_CHANNEL } from '../runs/runs-channel.js';
import type { Subscription } from '../subscription.entity.js';
import { subscriptionErrors, unknownSubscription } from '../subscriptions.errors.js';
import { restoreSecrets } from './restore-secrets.js';
import type { Rule } from './rules/rule.js';
import { subscriptionRule } from './rules/subscription-rule.js';
import { type SubscriptionSearch, SubscriptionsRepository } from './subscriptions.repository.js';
import { toWantedSubscription } from './to-wanted-subscription.js';
import type { WantedSubscription } from './wanted-subscription.js';

/** A subscription and the secret with which its https instructions are signed, which is told this once. */
export interface CreatedSubscription {
  readonly subscription: Subscription;
  readonly signingSecret: string;
}

/** A subscription, and its new signing secret when the old one could not be read; else null. */
export interface ReplacedSubscription {
  readonly subscription: Subscription;
  readonly signingSecret: string | null;
}

/** The subscriptions of a customer, which any of its users may manage. */
@Injectable()
export class SubscriptionsService {
  private readonly rule: Rule;

  constructor(
    private readonly subscriptions: SubscriptionsRepository,
    private readonly vault: InstructionVault,
    private readonly mailer: Mailer,
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly clock: Clock,
    private readonly quotas: Quotas,
    { egressAllowlist }: Config,
  ) {
    const allowlist = new EgressAllowlist(egressAllowlist);
    this.rule = subscriptionRule((url) => whyNotReached(egressTarget(url, allowlist)));
  }

  /** A page of the customer's subscriptions. */
  async list(caller: Caller, search: SubscriptionSearch): Promise<Subscription[]> {
    return await this.subscriptions.list(caller.customerId, search);
  }

  /** Throws `not_found`. */
  async get(caller: Caller, id: number): Promise<Subscription> {
    const subscription = await this.subscriptions.findForCustomer(caller.customerId, id);
    if (!subscription) throw unknownSubscription(id);
    return subscription;
  }

  /**
   * Its instructions act in the caller's name. Throws `validation_failed` with every problem, `mail_not_configured` and `quota_exceeded`.
   */
  async create(caller: Caller, input: unknown): Promise<CreatedSubscription> {
    const wanted = this.check(input);
    const instructions = this.restore(wanted.instructions, []);
    const signingSecret = newSigningSecret();
    return await this.database.transaction(async () => {
      await this.quotas.reserve(caller.customerId, 'subscriptions');
      const subscription = await this.subscriptions.insert({
        ...this.toStored(caller, { ...wanted, instructions }),
        customerId: caller.customerId,
        creatorId: caller.userId,
        signingSecret: this.vault.sealSigningSecret(signingSecret),
      });
      return { subscription, signingSecret };
    });
  }

  /**
   * Replaces all that was said of it, and its instructions act in the caller's name from then on; one that acts once and has acted begins
   * anew. Log and signing secret stay; a secret that cannot be read any more is replaced. Throws `not_found`, and what `create` throws.
   */
  async replace(caller: Caller, { id, ...input }: { readonly id: number }): Promise<ReplacedSubscription> {
    const wanted = this.check(input);
    return await this.database.transaction(async () => {
      const before = await this.subscriptions.lockForCustomer(caller.customerId, id);
      if (!before) throw unknownSubscription(id);
      const stored = unlessUnreadable(() => this.vault.openInstructions(before.instructions)) ?? [];
      const changes = this.toStored(caller, { ...wanted, instructions: this.restore(wanted.instructions, stored) });
      const signingSecret = unlessUnreadable(() => this.vault.openSigningSecret(before.signingSecret)) === null ? newSigningSecret() : null;
      const mended = signingSecret !== null && { signingSecret: this.vault.sealSigningSecret(signingSecret) };
      await this.tell(caller);
      const all = { ...changes, ...mended, processedAt: null, updatedAt: this.clock.now() };
      return { subscription: await this.subscriptions.update(id, all), signingSecret };
    });
  }

  /** What it has still to do is not done any more, and its log is gone. Throws `not_found`. */
  async delete(caller: Caller, id: number): Promise<void> {
    await this.database.transaction(async () => {
      if (!(await this.subscriptions.delete(caller.customerId, id))) throw unknownSubscription(id);
      await this.tell(caller);
    });
  }

  /** Processes that have runs of it in stock take them anew, as soon as the change is committed. */
  private async tell({ customerId }: Caller): Promise<void> {
    await this.notifications.notify(RUNS_CHANNEL, changedSubscriptions(customerId));
  }

  private check(input: unknown): WantedSubscription {
    refuseInvalid(this.rule(input, ''));
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
      instructions: this.vault.sealInstructions(instructions),
      lanes: instructions.map((instruction) => laneOf(caller.customerId, instruction)),
      lastEditorId: caller.userId,
    };
  }
}

/** What nobody could reach is the caller's to mend, the rest perhaps the operator's. */
function whyNotReached(target: EgressTarget | EgressFailure): string | null {
  if (!(target instanceof EgressFailure)) return null;
  return target.code === 'invalid url' ? target.sentence : `${target.sentence}; the operator can allow it with EGRESS_ALLOWLIST`;
}
