import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { Quotas } from '../../../shared/quotas/index.js';
import { MAX_ID } from '../../../shared/validation/index.js';
import { Subscription } from '../subscription.entity.js';
import { type WantedCondition, wantedValues } from './wanted-values.js';

/** Which subscriptions: those behind `after` for which all of it holds. */
export interface SubscriptionSearch {
  readonly id?: number | null;
  readonly name?: string | null;
  readonly flags?: readonly number[] | null;
  readonly condition?: WantedCondition | null;
  readonly after: number;
  readonly limit: number;
}

/** A list holds a value when one of its elements is it. */
const CONDITION = `(jsonb_build_object('methods', to_jsonb(subscription.methods), 'payload', subscription.payload) #> :path)
  @> ANY (CAST(:values AS jsonb[]))`;

const COUNT = `SELECT count(*)::int AS count FROM (SELECT FROM subscriptions WHERE customer_id = $1 LIMIT $2) AS counted`;

/** Every query of those who write subscriptions and look at them. */
@Injectable()
export class SubscriptionsRepository {
  constructor(
    private readonly database: Database,
    quotas: Quotas,
  ) {
    quotas.countBy('subscriptions', async (customerId, atMost) => await this.count(customerId, atMost));
  }

  /** Counted up to `atMost`. */
  private async count(customerId: number, atMost: number): Promise<number> {
    return (await this.database.queryOne<{ count: number }>(COUNT, [customerId, atMost]))?.count ?? 0;
  }

  /** A page in the order of their ids. */
  async list(customerId: number, { id, name, flags, condition, after, limit }: SubscriptionSearch): Promise<Subscription[]> {
    if (Math.max(after, id ?? 0) > MAX_ID) return [];
    const query = this.repository
      .createQueryBuilder('subscription')
      .where('subscription.customerId = :customerId AND subscription.id > :after', { customerId, after });
    if (isGiven(id)) query.andWhere('subscription.id = :id', { id });
    if (isGiven(name)) query.andWhere('subscription.name = :name', { name });
    if (isGiven(flags)) query.andWhere('subscription.flag = ANY (:flags)', { flags });
    if (isGiven(condition)) query.andWhere(CONDITION, { path: condition.path.split('.'), values: wantedValues(condition) });
    return await query.orderBy('subscription.id').limit(limit).getMany();
  }

  async findForCustomer(customerId: number, id: number): Promise<Subscription | null> {
    return await this.repository.findOneBy({ id, customerId });
  }

  /** The same, held until the transaction ends, so that changes at the same time do not take each other back. */
  async lockForCustomer(customerId: number, id: number): Promise<Subscription | null> {
    return await this.repository.findOne({ where: { id, customerId }, lock: { mode: 'pessimistic_write' } });
  }

  async insert(subscription: Partial<Subscription>): Promise<Subscription> {
    const { id } = await this.repository.save(this.repository.create(subscription));
    return await this.repository.findOneByOrFail({ id }); // with what the database filled in
  }

  async update(id: number, changes: Partial<Subscription>): Promise<Subscription> {
    await this.repository.update({ id }, changes as Parameters<typeof this.repository.update>[1]);
    return await this.repository.findOneByOrFail({ id });
  }

  /** With its runs and its log. False when there is none. */
  async delete(customerId: number, id: number): Promise<boolean> {
    return ((await this.repository.delete({ id, customerId })).affected ?? 0) > 0;
  }

  private get repository() {
    return this.database.repository(Subscription);
  }
}

const isGiven = <T>(value: T | null | undefined): value is T => value !== undefined && value !== null;
