import { ApiProperty } from '@nestjs/swagger';
import { DeletedOf } from '../../shared/resources/index.js';
import { findUnknownMembers, IgnoredInputResponse, isObject } from '../../shared/validation/index.js';
import { anyJsonSchema } from './instructions/any-json-schema.js';
import type { Instruction, InstructionType } from './instructions/instruction.js';
import { INSTRUCTION_KINDS, instructionSchema } from './instructions/instruction-kinds.js';
import { maskInstruction } from './instructions/instruction-secrets.js';
import type { LogEntry } from './logs/subscription-logs.repository.js';
import type { Subscription } from './subscription.entity.js';
import { ConditionsDto } from './subscription-inputs.dto.js';
import { toWantedSubscription } from './wanted-subscription.js';

/** One attempt at one instruction. */
export class LogEntryResponse implements LogEntry {
  /** @example 27 */
  id: number;
  /** The same in all attempts, and in `webhook-id` and `Idempotency-Key`. @example "msg_4fd0a2f1c1b54f4b8a0c5d8a7b2d6f31" */
  messageId: string;
  /** Counted from 1. @example 1 */
  attempt: number;
  /** @example "https" */
  type: InstructionType;
  /** The sent payload, with `********` for secrets; null: nothing was sent, or it is no longer stored. @example { "container": 7 } */
  @ApiProperty(anyJsonSchema())
  payload: unknown;
  /** 0: no connection; 417: an expectation failed. @example 204 */
  statusCode: number;
  /** Why it failed; null: it succeeded. @example "timeout: hooks.example.org did not answer within 15 s" */
  @ApiProperty({ type: 'string', nullable: true })
  reason: string | null;
  /** @example 38 */
  durationMs: number;
  /** ISO 8601. */
  createdAt: Date;
  /** Set if the payload was encrypted under an APP_SECRET that the service no longer has; `payload` is null then. @example true */
  secretsUnreadable?: true;
}

/** A subscription as the users of its customer see it. */
export class SubscriptionResponse {
  /** @example 3 */
  id: number;
  /** @example 1 */
  customerId: number;
  /** @example "event:s3success" */
  name: string;
  /** 0: acts on every event; 2: until it has succeeded once. @example 0 */
  flag: number;
  /** Returned as they were sent. */
  conditions: ConditionsDto;
  /** With `********` in place of values of headers and of members with the names of secrets. */
  @ApiProperty({ type: 'array', items: instructionSchema() })
  instructions: Instruction[];
  /** @example "tells the shop" */
  notes: string;
  /** Status of the last attempt; null: there was no attempt. @example 204 */
  @ApiProperty({ type: 'integer', nullable: true })
  lastExecutedStatus: number | null;
  /** When a subscription that acts once succeeded (ISO 8601). @example null */
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  processedAt: Date | null;
  /** @example 12 */
  creatorId: number;
  /** The user on whose behalf, and with whose current rights, api instructions act. @example 12 */
  lastEditorId: number;
  /** ISO 8601. */
  createdAt: Date;
  /** ISO 8601. */
  updatedAt: Date;
  /** The newest first. */
  logs: LogEntryResponse[];
  /**
   * Set if it was encrypted under an APP_SECRET that the service no longer has: `instructions` is empty then, and its attempts fail. Replacing
   * the subscription makes it work again.
   * @example true
   */
  secretsUnreadable?: true;
}

/** A subscription that was replaced. */
export class ReplacedSubscriptionResponse extends SubscriptionResponse {
  /** Only if the old secret could no longer be decrypted: the new one, shown only here. @example "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD" */
  signingSecret?: string;
  /** Parts of the input that were ignored, and the reasons; absent if nothing was ignored. */
  ignored?: IgnoredInputResponse[];
}

/** A subscription that was just created. */
export class CreatedSubscriptionResponse extends SubscriptionResponse {
  /** The secret that https instructions are signed with, shown only here (Standard Webhooks). @example "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD" */
  signingSecret: string;
  /** Parts of the input that were ignored, and the reasons; absent if nothing was ignored. */
  ignored?: IgnoredInputResponse[];
}

/** The parts of a response that are not columns of the subscription. */
export interface SubscriptionParts {
  readonly instructions: readonly Instruction[];
  readonly logs: readonly LogEntry[];
  readonly secretsUnreadable: boolean;
}

export function toSubscriptionResponse(
  { methods, payload, ...row }: Subscription,
  { instructions, logs, secretsUnreadable }: SubscriptionParts,
): SubscriptionResponse {
  return {
    id: row.id,
    customerId: row.customerId,
    name: row.name,
    flag: row.flag,
    conditions: { ...(methods && { methods }), ...(payload && { payload }) },
    instructions: instructions.map(maskInstruction),
    notes: row.notes,
    lastExecutedStatus: row.lastExecutedStatus,
    processedAt: row.processedAt,
    creatorId: row.creatorId,
    lastEditorId: row.lastEditorId,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    logs: [...logs],
    ...(secretsUnreadable && { secretsUnreadable }),
  };
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

/** The id of the deleted subscription. */
export class DeletedSubscriptionResponse extends DeletedOf({ example: 3 }) {}

/** One reason why a subscription does not act. */
export class MismatchResponse {
  /** @example "payload" */
  condition: 'name' | 'methods' | 'payload' | 'flag';
  /** Relative to the conditions. @example "payload.mediaContainerId" */
  path: string;
  /** @example 7 */
  @ApiProperty(anyJsonSchema())
  expected: unknown;
  /** The value of the event at this path; null: it has none. @example 8 */
  @ApiProperty(anyJsonSchema())
  actual: unknown;
}

/** Whether a subscription would act on the event. */
export class DryRunResponse {
  /** @example 3 */
  subscriptionId: number;
  /** @example false */
  matches: boolean;
  /** Empty when it matches. */
  reasons: MismatchResponse[];
}

/** The message id of a repeated attempt. */
export class ReplayResponse {
  /** The message id of the repeated attempt. @example "msg_4fd0a2f1c1b54f4b8a0c5d8a7b2d6f31" */
  messageId: string;
}
