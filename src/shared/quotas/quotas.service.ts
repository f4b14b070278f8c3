import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { MoreThanOrEqual } from 'typeorm';
import { type Cached, CachesService, type NotifiedCache } from '../caches.service.js';
import { Clock } from '../clock.js';
import { Database } from '../database/index.js';
import { type DomainError, defineErrors } from '../errors.js';
import {
  type DailyQuota,
  QUOTA_NAMES,
  QUOTAS,
  Quota,
  type QuotaDeclaration,
  type QuotaName,
  type QuotaUsage,
  type ResourceQuota,
} from './quota.entity.js';
import { CHARGE_QUOTA, LOCK_QUOTA, TAKE_QUOTA } from './quotas.queries.js';

/** Counts what a customer has; it may stop at `atMost`, so that a large number costs no more than the question needs. */
export type ResourceCount = (customerId: number, atMost: number) => Promise<number>;

/** So far below a limit, transactions of one customer need not wait for each other: more than all processes can add in a second. */
const FAR_FROM_LIMIT = 20_000;
/** More at once are always counted, because a single transaction could pass a limit that was far away. */
const MAX_UNCOUNTED = 1_000;
const COUNT_REMEMBERED_MS = 1_000;
const REMEMBERED_LIMITS = 10_000;
const REMEMBERED_COUNTS = 1_000;

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
for (const quota of QUOTA_NAMES) refusals.inc({ quota }, 0); // so that an alert finds the series before the first refusal

/** What a process knows of a customer that is far from a limit. */
interface KnownCount {
  readonly until: number;
  readonly limit: number;
}

/**
 * The quotas of customers. What a customer has is counted by the module that owns it; code that adds to it asks here first, in the
 * transaction that adds. Transactions take the quotas after other locks of the request and in the order in which they are listed.
 */
@Injectable()
export class QuotasService {
  private readonly counts = new Map<ResourceQuota, ResourceCount>();
  private readonly limits: NotifiedCache<ReadonlyMap<QuotaName, number>>;
  private readonly farFromLimit = new Map<string, KnownCount>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    caches: CachesService,
  ) {
    this.limits = caches.create({
      channel: 'quotas_changed',
      load: async (customerId) => await this.readLimits(Number(customerId)),
      limit: REMEMBERED_LIMITS,
    });
  }

  /** Says how a quota is counted; call it before the application starts. */
  countBy(name: ResourceQuota, count: ResourceCount): void {
    this.counts.set(name, count);
  }

  /** Makes room for so many more, in the ambient transaction, which is to add them. Throws `quota_exceeded`. */
  async reserve(customerId: number, name: ResourceQuota, amount = 1): Promise<void> {
    if ((await this.room(customerId, name, amount)) < amount) throw await this.refusal(customerId, name);
  }

  /** How many of `wanted` more the customer may have, in the ambient transaction. What is not allowed is counted as refused. */
  async room(customerId: number, name: ResourceQuota, wanted: number): Promise<number> {
    if (wanted <= MAX_UNCOUNTED && (await this.isFarFromLimit(customerId, name))) return wanted;
    const limit = await this.limitOf(customerId, name);
    await this.database.query(LOCK_QUOTA, [customerId, name]);
    const room = Math.min(wanted, Math.max(limit - (await this.count(customerId, name, limit)), 0));
    if (room < wanted) refusals.inc({ quota: name });
    return room;
  }

  /** Whether the customer may have some thousands more, so that nothing need be counted or locked for one of them. */
  async isFarFromLimit(customerId: number, name: ResourceQuota): Promise<boolean> {
    const limit = await this.limitOf(customerId, name);
    const key = `${customerId} ${name}`;
    const known = this.farFromLimit.get(key);
    const now = this.clock.now().getTime();
    if (known?.limit === limit && known.until > now) return true;
    const atMost = limit - FAR_FROM_LIMIT;
    if (atMost <= 0 || (await this.count(customerId, name, atMost)) >= atMost) return false;
    if (this.farFromLimit.size >= REMEMBERED_COUNTS) this.farFromLimit.clear();
    this.farFromLimit.set(key, { limit, until: now + COUNT_REMEMBERED_MS });
    return true;
  }

  /** Counts what is about to be used today, in the ambient transaction if there is one. False when it would pass the limit: nothing is counted. */
  async take(customerId: number, name: DailyQuota, amount: number): Promise<boolean> {
    const values = [customerId, name, this.today(), amount, QUOTAS[name].limit];
    const taken = amount <= 0 || (await this.database.query(TAKE_QUOTA, values)).rowCount === 1;
    if (!taken) refusals.inc({ quota: name });
    return taken;
  }

  /** The same question, of which nothing comes: others may use it meanwhile. */
  async hasRoom(customerId: number, name: DailyQuota, amount: number): Promise<boolean> {
    return (await this.usedToday(customerId, name)) + amount <= (await this.limitOf(customerId, name));
  }

  /** Counts what was used already, more or (negative) less than was taken. */
  async charge(customerId: number, name: DailyQuota, amount: number): Promise<void> {
    if (amount !== 0) await this.database.query(CHARGE_QUOTA, [customerId, name, this.today(), amount]);
  }

  /** The answer to a request that would pass a limit. */
  async refusal(customerId: number, name: QuotaName): Promise<DomainError> {
    const limit = await this.limitOf(customerId, name);
    const { daily, words } = QUOTAS[name];
    const sentence = `The customer may have ${limit} ${words}, and this would be more.`;
    return errors.quota_exceeded(sentence, { quota: name, limit, ...(daily && { retryAfter: this.secondsUntilReset() }) });
  }

  /** Until quotas of a day begin anew. */
  secondsUntilReset(): number {
    const now = this.clock.now().getTime();
    const day = 24 * 60 * 60 * 1_000;
    return Math.max(1, Math.ceil((day - (now % day)) / 1_000));
  }

  /** Limit and use of every quota. */
  async usage(customerId: number): Promise<Record<QuotaName, QuotaUsage>> {
    const entries = await Promise.all(
      QUOTA_NAMES.map(async (name) => {
        const used = this.isDaily(name)
          ? await this.usedToday(customerId, name)
          : await this.count(customerId, name, Number.MAX_SAFE_INTEGER);
        return [name, { limit: await this.limitOf(customerId, name), used }] as const;
      }),
    );
    return Object.fromEntries(entries) as Record<QuotaName, QuotaUsage>;
  }

  /** Limits as an operator declares them; what a customer has above a limit stays. */
  async declare(customerId: number, declaration: QuotaDeclaration): Promise<void> {
    const names = QUOTA_NAMES.filter((name) => declaration[name] !== undefined);
    if (names.length === 0) return;
    await this.limits.changing([String(customerId)], async () => {
      const rows = names.map((name) => ({ customerId, name, limit: declaration[name] ?? null }));
      await this.database.repository(Quota).upsert(rows, ['customerId', 'name']);
    });
  }

  /** The limits that differ from the defaults. */
  async declared(customerId: number): Promise<QuotaDeclaration> {
    return Object.fromEntries(await this.readLimits(customerId)) as QuotaDeclaration;
  }

  async limitOf(customerId: number, name: QuotaName): Promise<number> {
    const { value } = (await this.limits.get(String(customerId))) as Cached<ReadonlyMap<QuotaName, number>>; // `load` always answers
    return value.get(name) ?? QUOTAS[name].limit;
  }

  private async readLimits(customerId: number): Promise<ReadonlyMap<QuotaName, number>> {
    const quotas = await this.database
      .repository(Quota)
      .find({ select: { customerId: true, name: true, limit: true }, where: { customerId } });
    return new Map(quotas.flatMap(({ name, limit }) => (limit === null ? [] : [[name, limit] as const])));
  }

  private async count(customerId: number, name: ResourceQuota, atMost: number): Promise<number> {
    const count = this.counts.get(name);
    if (!count) throw new Error(`Nothing counts the quota ${name}.`);
    return await count(customerId, atMost);
  }

  private async usedToday(customerId: number, name: DailyQuota): Promise<number> {
    const quota = await this.database.repository(Quota).findOneBy({ customerId, name, day: MoreThanOrEqual(this.today()) });
    return quota?.used ?? 0;
  }

  private isDaily(name: QuotaName): name is DailyQuota {
    return QUOTAS[name].daily;
  }

  /** In UTC. */
  private today(): string {
    return this.clock.now().toISOString().slice(0, 10);
  }
}
