import { Injectable } from '@nestjs/common';
import { countUpTo, Database } from '../../shared/database/index.js';
import { QuotasService } from '../../shared/quotas/index.js';
import { isId, MAX_ID } from '../../shared/validation/index.js';
import { FLAGS, Subscription } from './subscription.entity.js';

/** A value that occurs somewhere in the conditions of a subscription. */
export interface WantedCondition {
  /** Relative to `conditions`, in dot notation: `payload.mediaContainerId`. */
  readonly path: string;
  readonly value: number | string;
}

/** The subscriptions to find: those with an id above `after` that match all of these members. */
export interface SubscriptionSearch {
  readonly id?: number | null;
  readonly name?: string | null;
  readonly flags?: readonly number[] | null;
  readonly condition?: WantedCondition | null;
  readonly after: number;
  readonly limit: number;
}

/** Matches the value itself, and a list that contains it. The query builder has no operators of jsonb. */
const CONDITION = `(jsonb_build_object('methods', to_jsonb(subscription.methods), 'payload', subscription.payload) #> :path)
  @> ANY (CAST(:values AS jsonb[]))`;

/** Matches a number as JSON writes it; other spellings are only texts. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

const KNOWN_FLAGS: readonly number[] = Object.values(FLAGS);

/** Reads and writes subscriptions. */
@Injectable()
export class SubscriptionsRepository {
  constructor(
    private readonly database: Database,
    quotas: QuotasService,
  ) {
    quotas.countBy('subscriptions', async (customerId, atMost) => await countUpTo(this.repository, { customerId }, atMost));
  }

  /** A page of subscriptions in the order of their ids. Ids and flags that no row can have are not sent: PostgreSQL refuses numbers out of range. */
  async list(customerId: number, { id, name, flags, condition, after, limit }: SubscriptionSearch): Promise<Subscription[]> {
    const knownFlags = flags?.filter((flag) => KNOWN_FLAGS.includes(flag));
    if (after > MAX_ID || (isGiven(id) && !isId(id)) || knownFlags?.length === 0) return [];
    const query = this.repository
      .createQueryBuilder('subscription')
      .where('subscription.customerId = :customerId AND subscription.id > :after', { customerId, after });
    if (isGiven(id)) query.andWhere('subscription.id = :id', { id });
    if (isGiven(name)) query.andWhere('subscription.name = :name', { name });
    if (knownFlags) query.andWhere('subscription.flag = ANY (:flags)', { flags: knownFlags });
    if (isGiven(condition)) query.andWhere(CONDITION, { path: condition.path.split('.'), values: wantedValues(condition) });
    return await query.orderBy('subscription.id').limit(limit).getMany();
  }

  async find(id: number): Promise<Subscription | null> {
    return await this.repository.findOneBy({ id });
  }

  async findForCustomer(customerId: number, id: number): Promise<Subscription | null> {
    return await this.repository.findOneBy({ id, customerId });
  }

  /** Returns a subscription, locked until the transaction ends, so that concurrent changes do not overwrite each other. */
  async lockForCustomer(customerId: number, id: number): Promise<Subscription | null> {
    return await this.repository.findOne({ where: { id, customerId }, lock: { mode: 'pessimistic_write' } });
  }

  async insert(subscription: Partial<Subscription>): Promise<Subscription> {
    const { id } = await this.repository.save(this.repository.create(subscription));
    return await this.repository.findOneByOrFail({ id }); // with the defaults of the database
  }

  async update(id: number, changes: Partial<Subscription>): Promise<Subscription> {
    await this.repository.update({ id }, changes as Parameters<typeof this.repository.update>[1]);
    return await this.repository.findOneByOrFail({ id });
  }

  /** Deletes a subscription with its runs and its log. */
  async delete(id: number): Promise<void> {
    await this.repository.delete({ id });
  }

  private get repository() {
    return this.database.repository(Subscription);
  }
}

const isGiven = <T>(value: T | null | undefined): value is T => value !== undefined && value !== null;

/** The JSON values that a value of a query may mean: it cannot tell the number 7 from the text "7" (contract section 11). */
function wantedValues({ value }: Pick<WantedCondition, 'value'>): string[] {
  const text = String(value);
  return NUMBER.test(text) ? [JSON.stringify(text), text] : [JSON.stringify(text)];
}
