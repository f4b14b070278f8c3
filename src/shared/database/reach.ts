import { Equal, type FindOperator, In, IsNull, Or } from 'typeorm';
import { isId } from '../validation/index.js';

/** The customers whose rows an administrator reads and changes. */
export interface Reach {
  /** Undefined: every customer. */
  readonly customerId?: number;
  /** Also rows that belong to no customer, which are the operator's. */
  readonly withCommon: boolean;
}

/** The condition that a row is within reach, for entities with a `customerId`. A number that no customer can have as its id reaches nothing. */
export function withinReach({ customerId, withCommon }: Reach): { customerId?: number | FindOperator<number> } {
  if (customerId === undefined) return {};
  if (!isId(customerId)) return { customerId: In([]) };
  return { customerId: withCommon ? Or(Equal(customerId), IsNull()) : customerId };
}
