import type { EventMethod, EventName } from '../../../shared/events/index.js';
import type { Instruction } from '../instructions/instruction.js';

/** A subscription as somebody wants it, after it was checked. */
export interface WantedSubscription {
  readonly name: EventName;
  /** See FLAGS. */
  readonly flag: number;
  readonly conditions: { readonly methods?: readonly EventMethod[]; readonly payload?: Readonly<Record<string, unknown>> };
  readonly instructions: readonly Instruction[];
  readonly notes: string;
}
