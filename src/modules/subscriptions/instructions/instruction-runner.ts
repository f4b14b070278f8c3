import type { EventMethod, EventName } from '../../../shared/events/index.js';
import type { Instruction } from './instruction.js';

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

/** One try of one instruction. */
export interface Attempt<Of extends Instruction = Instruction> {
  readonly instruction: Of;
  /** The same over all tries: `webhook-id`, `Idempotency-Key`, the local part of an e-mail's Message-ID. */
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
  /** What placeholders stand for: the payload of the event, `user` (who last wrote the subscription), and results of earlier instructions. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** How a try ended. */
export interface Outcome {
  readonly succeeded: boolean;
  /** HTTP or SMTP status; 0: never connected; 417: an expectation failed. */
  readonly statusCode: number;
  /** Null when it succeeded; else a code, a colon and a sentence: `timeout: hooks.example.org did not answer within 15 s`. No secrets. */
  readonly reason: string | null;
  /** What was sent, with nothing of the headers; null: the event itself. Secrets by name are masked when it is shown. */
  readonly payload: unknown;
  /** The receiver asked to wait at least so long before the next try. */
  readonly retryAfterSeconds?: number;
  /** There is no sense in another try (410 Gone, a loop). */
  readonly final?: boolean;
  /** The JSON answer of an api instruction with `as`. */
  readonly result?: { readonly name: string; readonly value: unknown };
}

/** Carries out instructions of one type. It answers an Outcome for whatever the other side does, and throws only for its own faults. */
export interface InstructionRunner<Of extends Instruction = Instruction> {
  readonly type: Of['type'];
  run(attempt: Attempt<Of>): Promise<Outcome>;
}
