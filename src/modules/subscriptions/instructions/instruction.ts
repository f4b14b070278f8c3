import type { Type } from '@nestjs/common';
import type { EventMethod, EventName } from '../../../shared/events/index.js';
import type { ApiInstructionDto } from './api/api-instruction.dto.js';
import type { EmailInstructionDto } from './email/email-instruction.dto.js';
import type { HttpsInstructionDto } from './https/https-instruction.dto.js';
import type { Rule } from './json-rules.js';
import type { ReplaceSecret } from './secret-values.js';

/** One thing that a subscription does when an event happens. */
export type Instruction = ApiInstructionDto | EmailInstructionDto | HttpsInstructionDto;
export type InstructionType = Instruction['type'];

/** Why no request may be sent to a URL, as the end of a sentence without the URL itself; null: it is allowed as far as is known without DNS. */
export type UrlCheck = (url: string) => string | null;

/** Everything that distinguishes one kind of instruction from the others. `index.ts` lists the kinds. */
export interface InstructionKind<Of extends { readonly type: string }> {
  readonly type: Of['type'];
  /** Describes it in the OpenAPI document. */
  readonly dto: Type<Of>;
  /** The provider that carries it out. */
  readonly runner: Type<InstructionRunner<Of>>;
  /** Whether `payload` is one of its members; an empty one beside GET is accepted and not stored. */
  readonly hasPayload: boolean;
  /** Checks what a client sent. */
  rule(checkUrl: UrlCheck): Rule;
  /** The members that are stored, in their stored spelling; the rule has found no problem before. */
  normalize(sent: Of): Of;
  /** Instructions with the same target share a limit of attempts under way (see laneOf). */
  targetOf(instruction: Of): string;
  /** The instruction with each of its secrets replaced. */
  replaceSecrets(instruction: Of, replace: ReplaceSecret): Of;
  /** Where it sends its content, without secrets. A stored secret is kept only if this does not change. */
  destinationOf(masked: Of): string;
  /** What it sends: a stored secret in it is kept only if all the rest of it stays the same. */
  contentOf(masked: Of): unknown;
}

/** The event as receivers get it (contract section 9), and how many events led to it. */
export interface RunEvent {
  readonly id: number;
  readonly name: EventName;
  readonly customerId: number;
  readonly method: EventMethod;
  readonly payload: Readonly<Record<string, unknown>>;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly depth: number;
  /** The event with which the chain began, perhaps this one. */
  readonly rootEventId?: string;
}

/** One attempt at one instruction. */
export interface Attempt<Of extends { readonly type: string } = Instruction> {
  readonly instruction: Of;
  /** The same in all attempts: `webhook-id`, `Idempotency-Key`, the local part of an e-mail's Message-ID. */
  readonly messageId: string;
  /** Counted from 1. */
  readonly attempt: number;
  readonly event: RunEvent;
  readonly subscription: {
    readonly id: number;
    readonly customerId: number;
    readonly lastEditorId: number;
    /** `whsec_…` */
    readonly signingSecret: string;
  };
  /** The values of placeholders: the payload of the event, `user` (the last editor of the subscription), and results of earlier instructions. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** How an attempt ended. */
export interface Outcome {
  readonly succeeded: boolean;
  /** HTTP or SMTP status; 0: no connection; 417: an expectation failed. */
  readonly statusCode: number;
  /** Null when it succeeded; else a code, a colon and a sentence: `timeout: hooks.example.org did not answer within 15 s`. No secrets. */
  readonly reason: string | null;
  /** What was sent, without headers; null: the event itself. Members with the names of secrets are masked when it is shown. */
  readonly payload: unknown;
  /** The shortest wait before the next attempt that the receiver asked for. */
  readonly retryAfterSeconds?: number;
  /** Another attempt would end in the same way (410 Gone, a loop). */
  readonly final?: boolean;
  /** The JSON answer of an api instruction with `as`. */
  readonly result?: { readonly name: string; readonly value: unknown };
}

/** Carries out instructions of one kind. It returns an Outcome for everything that the other side does, and throws only on faults of its own. */
export interface InstructionRunner<Of extends { readonly type: string } = Instruction> {
  run(attempt: Attempt<Of>): Promise<Outcome>;
}
