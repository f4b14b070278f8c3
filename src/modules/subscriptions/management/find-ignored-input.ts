import { findUnknownMembers, type IgnoredInputResponse } from '../../../shared/validation/index.js';
import { isObject } from '../instructions/is-object.js';
import type { CreatedSubscriptionResponse } from './subscription.dto.js';
import { toWantedSubscription } from './to-wanted-subscription.js';

/** Members of answers that clients send back, and that cannot be set. */
const ANSWERED: readonly (keyof CreatedSubscriptionResponse)[] = [
  ...(['id', 'customerId', 'lastExecutedStatus', 'processedAt', 'creatorId', 'lastEditorId'] as const),
  ...(['createdAt', 'updatedAt', 'logs', 'secretsUnreadable', 'signingSecret', 'ignored'] as const),
];

/** The unknown members of a subscription that was taken (contract section 12.1), at the top and in its conditions and instructions. */
export const findIgnoredInput = (sent: Readonly<Record<string, unknown>>): IgnoredInputResponse[] =>
  findUnknownMembers(sent, toWantedSubscription(sent), [...ANSWERED, ...emptyPayloads(sent.instructions)]);

/** Paths of the payloads that are not kept although they are allowed: those beside GET, which are empty. */
const emptyPayloads = (instructions: unknown): string[] =>
  (Array.isArray(instructions) ? instructions : []).flatMap((one: unknown, index) =>
    isObject(one) && one.type !== 'email' ? [`instructions.${index}.payload`] : [],
  );
