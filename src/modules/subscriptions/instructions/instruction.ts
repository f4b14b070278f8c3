import type { Type } from '@nestjs/common';
import type { EventMethod, EventName } from '../../../shared/events/index.js';
import type { ApiInstructionDto } from './api/api-instruction.dto.js';
import type { EmailInstructionDto } from './email/email-instruction.dto.js';
import type { HttpsInstructionDto } from './https/https-instruction.dto.js';
import type { Rule } from './json-rules.js';
import type { ReplaceSecret } from './secret-values.js';

/** One action that a subscription carries out when an event happens. */
export type Instruction = ApiInstructionDto | EmailInstructionDto | HttpsInstructionDto;
export type InstructionType = Instruction['type'];

/** Why no request may be sent to a URL, as the end of a sentence without the URL; null: it is allowed, as far as can be determined without DNS. */
export type UrlCheck = (url: string) => string | null;

/** Everything that distinguishes one kind of instruction from the others. `index.ts` lists the kinds. */
export interface InstructionKind<Of extends { readonly type: string }> {
  readonly type: Of['type'];
  /** The class that describes the instruction in the OpenAPI document. */
  readonly dto: Type<Of>;
  /** The provider that carries out the instruction. */
  readonly runner: Type<InstructionRunner<Of>>;
  /** The codes with which the reasons of its failed attempts begin, besides those of the service itself (see Outcome); labels of a metric. */
  readonly reasons: readonly string[];
  /** Whether `payload` is one of the members; an empty one with GET is accepted and not stored. */
  readonly hasPayload: boolean;
  /** Checks an instruction that a client sent. */
  rule(checkUrl: UrlCheck): Rule;
  /** Returns the members to store, in their stored spelling; the rule has found no problem before. */
  normalize(sent: Of): Of;
  /** Instructions with the same target share a limit of concurrent attempts (see laneOf). */
  targetOf(instruction: Of): string;
  /** Returns the instruction with each of its secrets replaced. */
  replaceSecrets(instruction: Of, replace: ReplaceSecret): Of;
  /** The destination of the content, without secrets. A stored secret is kept only if the destination does not change. */
  destinationOf(masked: Of): string;
  /** The content to send. A stored secret in it is kept only if the rest of the content does not change. */
  contentOf(masked: Of): unknown;
}

/** The event as receivers get it (contract section 9), and the number of events that led to it. */
export interface RunEvent {
  readonly id: number;
  readonly name: EventName;
  readonly customerId: number;
  readonly method: EventMethod;
  readonly payload: Readonly<Record<string, unknown>>;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly depth: number;
  /** The event with which the chain began, which may be this one. */
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
  /** The values of placeholders: the payload of the event, `user` (the last editor of the subscription), and the results of earlier instructions. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** How an attempt ended. */
export interface Outcome {
  readonly succeeded: boolean;
  /** HTTP or SMTP status; 0: no connection; 417: an expectation failed. */
  readonly statusCode: number;
  /**
   * Null if the attempt succeeded; otherwise a code, a colon and a sentence: `timeout: hooks.example.org did not answer within 15 s`. It contains no
   * secrets.
   */
  readonly reason: string | null;
  /** The sent payload, without headers; null: the event itself. Members that have the name of a secret are masked in responses. */
  readonly payload: unknown;
  /** The minimum delay before the next attempt, as requested by the receiver. */
  readonly retryAfterSeconds?: number;
  /** Whether another attempt would have the same outcome (410 Gone, a loop). */
  readonly final?: boolean;
  /** The JSON answer of an api instruction with `as`. */
  readonly result?: { readonly name: string; readonly value: unknown };
}

/** Carries out instructions of one kind. It returns an Outcome for every reaction of the other side, and throws only on its own faults. */
export interface InstructionRunner<Of extends { readonly type: string } = Instruction> {
  run(attempt: Attempt<Of>): Promise<Outcome>;
}
