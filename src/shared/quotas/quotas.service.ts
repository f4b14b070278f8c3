import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Clock } from '../clock.js';
import { type DomainError, defineErrors } from '../errors.js';
import { secondsUntilNextUtcDay, utcDayOf } from '../utc-day.js';
import {
  type DailyQuota,
  QUOTA_NAMES,
  QUOTAS,
  type QuotaDeclaration,
  type QuotaName,
  type QuotaUsage,
  type ResourceQuota,
} from './quota.entity.js';
import { QuotasRepository } from './quotas.repository.js';

/** Counts a customer's resources; it may stop at `atMost`, so that counting large numbers is not needlessly expensive. */
export type ResourceCount = (customerId: number, atMost: number) => Promise<number>;

/** When to repeat a request that found a queue full; it may be empty sooner or later. */
const DRAIN_SECONDS = 60;

const errors = defineErrors({
  quota_exceeded: {
    kind: 'rate_limited',
    meaning:
      'The customer has reached the quota that `quota` names; `limit` is its value (GET /v5/customer/usage). Delete records, ask the operator for a higher quota, or wait for the seconds in Retry-After if the response has this header.',
  },
});

const refusals = new Counter({
  name: 'quota_exceeded_total',
  help: 'What was refused because of a quota, by quota.',
  labelNames: ['quota'],
});
for (const quota of QUOTA_NAMES) refusals.inc({ quota }, 0); // exports the series before the first refusal, so that an alert sees it

/**
 * The quotas of customers. The module that owns a resource counts it; code that adds to it asks here first, in the
 * same transaction. Transactions lock the quotas after other locks of the request and in the order in which they are listed.
 */
@Injectable()
export class QuotasService {
  private readonly counts = new Map<ResourceQuota, ResourceCount>();

  constructor(
    private readonly repository: QuotasRepository,
    private readonly clock: Clock,
  ) {}

  /** Registers how a quota is counted; call it before the application starts. */
  countBy(name: ResourceQuota, count: ResourceCount): void {
    this.counts.set(name, count);
  }

  /** Reserves `amount` in the ambient transaction, which must then add the resources. Throws `quota_exceeded`. */
  async reserve(customerId: number, name: ResourceQuota, amount = 1): Promise<void> {
    if ((await this.room(customerId, name, amount)) < amount) throw await this.refusal(customerId, name);
  }

  /**
   * How many of `wanted` the customer may add in the ambient transaction; other transactions that add some wait for its end. If it is fewer, a refusal
   * is counted.
   */
  async room(customerId: number, name: ResourceQuota, wanted: number): Promise<number> {
    const limit = (await this.repository.lock(customerId, name)) ?? QUOTAS[name].limit;
    const room = Math.min(wanted, Math.max(limit - (await this.count(customerId, name, limit)), 0));
    if (room < wanted) refusals.inc({ quota: name });
    return room;
  }

  /** Counts an amount for today, in the ambient transaction if there is one. Returns false, and counts nothing, if it would exceed the limit. */
  async take(customerId: number, name: DailyQuota, amount: number): Promise<boolean> {
    const taken = amount <= 0 || (await this.repository.take({ customerId, name, day: this.today(), amount }));
    if (!taken) refusals.inc({ quota: name });
    return taken;
  }

  /** Whether `take` would succeed, without counting anything; concurrent requests may use the room meanwhile. */
  async hasRoom(customerId: number, name: DailyQuota, amount: number): Promise<boolean> {
    return (await this.usedToday(customerId, name)) + amount <= (await this.findLimit(customerId, name));
  }

  /** Corrects today's usage by more or (negative) less than was taken. */
  async charge(customerId: number, name: DailyQuota, amount: number): Promise<void> {
    if (amount !== 0) await this.repository.charge({ customerId, name, day: this.today(), amount });
  }

  /** The error for a request that would exceed a limit. */
  async refusal(customerId: number, name: QuotaName): Promise<DomainError> {
    const limit = await this.findLimit(customerId, name);
    const sentence = `The request exceeds the quota of the customer: ${limit} ${QUOTAS[name].words}.`;
    const retryAfter = this.retryAfter(name);
    return errors.quota_exceeded(sentence, { quota: name, limit, ...(retryAfter !== null && { retryAfter }) });
  }

  /** Seconds after which a request may succeed; null: only when something has been deleted. */
  private retryAfter(name: QuotaName): number | null {
    const quota = QUOTAS[name];
    if (quota.daily) return this.secondsUntilReset();
    return 'drains' in quota ? DRAIN_SECONDS : null;
  }

  /** Seconds until daily quotas are reset. */
  secondsUntilReset(): number {
    return secondsUntilNextUtcDay(this.clock.now());
  }

  /** The limit and the usage of every quota. */
  async usage(customerId: number): Promise<Record<QuotaName, QuotaUsage>> {
    const limits = await this.repository.findLimits(customerId);
    const entries = await Promise.all(
      QUOTA_NAMES.map(async (name) => {
        const used = this.isDaily(name)
          ? await this.usedToday(customerId, name)
          : await this.count(customerId, name, Number.MAX_SAFE_INTEGER);
        return [name, { limit: limits.get(name) ?? QUOTAS[name].limit, used }] as const;
      }),
    );
    return Object.fromEntries(entries) as Record<QuotaName, QuotaUsage>;
  }

  /** Sets limits as declared by an operator; existing resources above a limit are kept. */
  async declare(customerId: number, declaration: QuotaDeclaration): Promise<void> {
    const names = QUOTA_NAMES.filter((name) => declaration[name] !== undefined);
    if (names.length > 0) await this.repository.saveLimits(names.map((name) => ({ customerId, name, limit: declaration[name] ?? null })));
  }

  /** The limits that differ from the defaults. */
  async declared(customerId: number): Promise<QuotaDeclaration> {
    return Object.fromEntries(await this.repository.findLimits(customerId)) as QuotaDeclaration;
  }

  private async findLimit(customerId: number, name: QuotaName): Promise<number> {
    return (await this.repository.findLimits(customerId)).get(name) ?? QUOTAS[name].limit;
  }

  private async count(customerId: number, name: ResourceQuota, atMost: number): Promise<number> {
    const count = this.counts.get(name);
    if (!count) throw new Error(`Nothing counts the quota ${name}.`);
    return await count(customerId, atMost);
  }

  private async usedToday(customerId: number, name: DailyQuota): Promise<number> {
    return await this.repository.findUsed(customerId, name, this.today());
  }

  private isDaily(name: QuotaName): name is DailyQuota {
    return QUOTAS[name].daily;
  }

  /** The current UTC day. */
  private today(): string {
    return utcDayOf(this.clock.now());
  }
}
