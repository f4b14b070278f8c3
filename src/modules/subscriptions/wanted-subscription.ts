import { EVENT_METHODS, EVENT_NAMES, type EventMethod, type EventName } from '../../shared/events/index.js';
import { findUnknownMembers, type IgnoredInputResponse, isObject } from '../../shared/validation/index.js';
import type { Instruction, InstructionType, UrlCheck } from './instructions/instruction.js';
import { INSTRUCTION_KINDS, instructionsRule, kindOf } from './instructions/instruction-kinds.js';
import { jsonObject, limitedTo, listOf, oneOf, pickMembers, type Rule, shape, text } from './instructions/json-rules.js';
import type { CreatedSubscriptionResponse } from './subscription.dto.js';
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

/**
 * Converts an input that the rule accepts to a subscription: null counts as absent, unknown members are dropped, and instructions get their stored
 * spelling.
 */
export function toWantedSubscription(input: unknown): WantedSubscription {
  const { name, flag, conditions, instructions, notes } = input as Partial<WantedSubscription>;
  const given = { name, flag, conditions: pickMembers(conditions ?? {}, ['methods', 'payload']), notes: notes ?? '' };
  return { ...given, instructions: (instructions ?? []).map((sent) => kindOf(sent).normalize(sent)) } as WantedSubscription;
}

/** Members of responses that clients may send back but cannot set. */
const ANSWERED: readonly (keyof CreatedSubscriptionResponse)[] = [
  ...(['id', 'customerId', 'lastExecutedStatus', 'processedAt', 'creatorId', 'lastEditorId'] as const),
  ...(['createdAt', 'updatedAt', 'logs', 'secretsUnreadable', 'signingSecret', 'ignored'] as const),
];

/** The unknown members of an accepted subscription (contract section 12.1), at the top and in its conditions and instructions. */
export const findIgnoredInput = (sent: Readonly<Record<string, unknown>>): IgnoredInputResponse[] =>
  findUnknownMembers(sent, toWantedSubscription(sent), [...ANSWERED, ...emptyPayloads(sent.instructions)]);

/** The paths of empty payloads that are accepted with GET and not stored. */
const emptyPayloads = (instructions: unknown): string[] =>
  (Array.isArray(instructions) ? instructions : []).flatMap((one: unknown, index) =>
    isObject(one) && INSTRUCTION_KINDS[one.type as InstructionType]?.hasPayload ? [`instructions.${index}.payload`] : [],
  );
