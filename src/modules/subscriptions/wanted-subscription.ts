import { EgressAllowlist, EgressFailure, type EgressTarget, egressTarget } from '../../shared/egress/index.js';
import { EVENT_METHODS, EVENT_NAMES, type EventMethod, type EventName } from '../../shared/events/index.js';
import type { InputRule } from '../../shared/validation/index.js';
import type { Instruction, UrlCheck } from './instructions/instruction.js';
import { instructionsRule, kindOf } from './instructions/instruction-kinds.js';
import { jsonObject, limitedTo, listOf, oneOf, pickMembers, type Rule, shape, text } from './instructions/json-rules.js';
import { FLAGS } from './subscription.entity.js';

const MAX_NOTES = 10_000; // a few pages of text
const MAX_CONDITION_BYTES = 4_096; // compared with every event of this name, and every pair of list elements

/** A subscription as a client wants it, after it was checked. */
export interface WantedSubscription {
  readonly name: EventName;
  /** See FLAGS. */
  readonly flag: number;
  readonly conditions: { readonly methods?: readonly EventMethod[]; readonly payload?: Readonly<Record<string, unknown>> };
  readonly instructions: readonly Instruction[];
  readonly notes: string;
}

const conditionsRule = shape({
  optional: {
    methods: listOf(oneOf(EVENT_METHODS), { max: EVENT_METHODS.length, unique: true }),
    payload: limitedTo(MAX_CONDITION_BYTES, jsonObject),
  },
});

/** Checks a subscription that a client or a template wants, with every problem at any depth. */
export const subscriptionRule = (checkUrl: UrlCheck): Rule =>
  shape({
    required: { name: oneOf(EVENT_NAMES), flag: oneOf(Object.values(FLAGS)), instructions: instructionsRule(checkUrl) },
    optional: { conditions: conditionsRule, notes: text({ max: MAX_NOTES }) },
  });

/** The rule of inputs; the configuration determines which hosts https instructions may reach. */
export const subscriptionInputRule: InputRule = {
  limits: subscriptionRule(() => null).limits ?? {},
  compile: ({ egressAllowlist }) => {
    const allowlist = new EgressAllowlist(egressAllowlist);
    const rule = subscriptionRule((url) => describeUnreachable(egressTarget(url, allowlist)));
    return (input) => rule(input, '');
  },
};

/** Describes why a target is unreachable. The caller can correct an invalid URL; the operator can allow any other target. */
function describeUnreachable(target: EgressTarget | EgressFailure): string | null {
  if (!(target instanceof EgressFailure)) return null;
  return target.code === 'invalid url' ? target.sentence : `${target.sentence}; the operator can allow it with EGRESS_ALLOWLIST`;
}

/**
 * Converts an input that the rule accepts to a subscription: null counts as absent, unknown members are dropped, and instructions get their stored
 * spelling.
 */
export function toWantedSubscription(input: unknown): WantedSubscription {
  const { name, flag, conditions, instructions, notes } = input as Partial<WantedSubscription>;
  const given = { name, flag, conditions: pickMembers(conditions ?? {}, ['methods', 'payload']), notes: notes ?? '' };
  return { ...given, instructions: (instructions ?? []).map((sent) => kindOf(sent).normalize(sent)) } as WantedSubscription;
}
