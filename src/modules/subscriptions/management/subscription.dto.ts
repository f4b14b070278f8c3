import { ApiProperty } from '@nestjs/swagger';
import { IgnoredInputResponse } from '../../../shared/validation/index.js';
import type { Instruction } from '../instructions/instruction.js';
import { maskInstruction } from '../instructions/mask-secrets.js';
import type { LogEntry } from '../logs/log-entry.js';
import type { Subscription } from '../subscription.entity.js';
import { anyJsonSchema } from './any-json-schema.js';
import { instructionSchema } from './instruction.dto.js';
import { ConditionsDto } from './subscription-inputs.dto.js';

/** One try of one instruction. */
export class LogEntryResponse implements LogEntry {
  /** @example 27 */
  id: number;
  /** The same over all tries, and in `webhook-id` and `Idempotency-Key`. @example "msg_4fd0a2f1c1b54f4b8a0c5d8a7b2d6f31" */
  messageId: string;
  /** Counted from 1. @example 1 */
  attempt: number;
  /** @example "https" */
  type: 'api' | 'email' | 'https';
  /** What was sent, with `********` for secrets; null: nothing, or it is not kept any more. @example { "container": 7 } */
  @ApiProperty(anyJsonSchema)
  payload: unknown;
  /** 0: never connected; 417: an expectation failed. @example 204 */
  statusCode: number;
  /** Why it failed; null: it did not. @example "timeout: hooks.example.org did not answer within 15 s" */
  @ApiProperty({ type: 'string', nullable: true })
  reason: string | null;
  /** @example 38 */
  durationMs: number;
  /** ISO 8601. */
  createdAt: Date;
  /** Set when what was sent was encrypted under an APP_SECRET that the service no longer has; `payload` is null then. @example true */
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
  /** As they were given. */
  conditions: ConditionsDto;
  /** With `********` for values of headers and what is a secret by its name. */
  @ApiProperty({ type: 'array', items: instructionSchema() })
  instructions: Instruction[];
  /** @example "tells the shop" */
  notes: string;
  /** Status of the last try; null: there was none. @example 204 */
  @ApiProperty({ type: 'integer', nullable: true })
  lastExecutedStatus: number | null;
  /** When one that acts once succeeded (ISO 8601). @example null */
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  processedAt: Date | null;
  /** @example 12 */
  creatorId: number;
  /** In whose name, and with whose present rights, api instructions act. @example 12 */
  lastEditorId: number;
  /** ISO 8601. */
  createdAt: Date;
  /** ISO 8601. */
  updatedAt: Date;
  /** The newest first. */
  logs: LogEntryResponse[];
  /**
   * Set when it was encrypted under an APP_SECRET that the service no longer has: `instructions` is empty then, and its tries fail. Replacing it
   * makes it work again.
   * @example true
   */
  secretsUnreadable?: true;
}

/** A subscription that was replaced. */
export class ReplacedSubscriptionResponse extends SubscriptionResponse {
  /** Only where the old one could not be read any more: the new one, shown this once. @example "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD" */
  signingSecret?: string;
  /** What of the input was not taken, and why; only if there is something. */
  ignored?: IgnoredInputResponse[];
}

/** A subscription that was just made. */
export class CreatedSubscriptionResponse extends SubscriptionResponse {
  /** Shown this once: what https instructions are signed with (Standard Webhooks). @example "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD" */
  signingSecret: string;
  /** What of the input was not taken, and why; only if there is something. */
  ignored?: IgnoredInputResponse[];
}

/** What is shown of a subscription besides its row. */
export interface SubscriptionParts {
  readonly instructions: readonly Instruction[];
  readonly logs: readonly LogEntry[];
  readonly secretsUnreadable: boolean;
}

export function toSubscriptionResponse(
  { lanes: _lanes, signingSecret: _sealed, methods, payload, ...subscription }: Subscription,
  { instructions, logs, secretsUnreadable }: SubscriptionParts,
): SubscriptionResponse {
  return {
    ...subscription,
    conditions: { ...(methods && { methods }), ...(payload && { payload }) },
    instructions: instructions.map(maskInstruction),
    logs: [...logs],
    ...(secretsUnreadable && { secretsUnreadable }),
  };
}

/** Which subscription was deleted. */
export class DeletedSubscriptionResponse {
  /** @example 3 */
  id: number;
}

/** What keeps a subscription from acting. */
export class MismatchResponse {
  /** @example "payload" */
  condition: 'name' | 'methods' | 'payload' | 'flag';
  /** Relative to the conditions. @example "payload.mediaContainerId" */
  path: string;
  /** @example 7 */
  @ApiProperty(anyJsonSchema)
  expected: unknown;
  /** What the event has there; null: nothing. @example 8 */
  @ApiProperty(anyJsonSchema)
  actual: unknown;
}

/** What a subscription would do. */
export class DryRunResponse {
  /** @example 3 */
  subscriptionId: number;
  /** @example false */
  matches: boolean;
  /** Empty when it matches. */
  reasons: MismatchResponse[];
}

/** Under which id it is sent again. */
export class ReplayResponse {
  /** The same as before. @example "msg_4fd0a2f1c1b54f4b8a0c5d8a7b2d6f31" */
  messageId: string;
}
