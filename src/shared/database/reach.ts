import { Equal, type FindOperator, IsNull, Or } from 'typeorm';

/** The customers whose rows an administrator reads and changes. */
export interface Reach {
  /** Undefined: every customer. */
  readonly customerId?: number;
  /** Also rows that belong to no customer, which are the operator's. */
  readonly withCommon: boolean;
}

/** The condition that a row is within reach, for entities with a `customerId`. */
export function withinReach({ customerId, withCommon }: Reach): { customerId?: number | FindOperator<number> } {
  if (customerId === undefined) return {};
  return { customerId: withCommon ? Or(Equal(customerId), IsNull()) : customerId };
}
