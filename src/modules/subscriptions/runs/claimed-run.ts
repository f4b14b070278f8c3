import type { EventMethod, EventName } from '../../../shared/events/index.js';
import type { InstructionType, Outcome } from '../instructions/instruction.js';

/** A run that this process has claimed, with the data for its next attempt. */
export interface ClaimedRun {
  readonly id: string;
  readonly messageId: string;
  readonly once: boolean;
  readonly lane: string;
  /** The current instruction, counted from 0. */
  readonly instruction: number;
  readonly endsAfter: number | null;
  /** The number of the attempt that starts now, counted from 1. */
  readonly attempts: number;
  readonly attemptsBeforeReplay: number;
  /** Sealed; null: there are no results yet. */
  readonly results: string | null;
  readonly eventId: string;
  readonly eventName: EventName;
  readonly method: EventMethod;
  readonly payload: Record<string, unknown>;
  readonly depth: number;
  /** The event with which the chain began; null: with this one. */
  readonly rootEventId: string | null;
  /** The step of a trace that published the event; null: nothing was traced. */
  readonly traceparent: string | null;
  readonly eventCreatedAt: Date;
  readonly subscriptionId: number;
  readonly customerId: number;
  readonly lastEditorId: number;
  /** Sealed. */
  readonly instructions: string;
  /** Sealed. */
  readonly signingSecret: string;
  readonly lanes: readonly string[];
}

/** One attempt at one instruction, as it ended. */
export interface EndedAttempt {
  readonly run: ClaimedRun;
  readonly outcome: Outcome;
  /** The data for the log entry; null: there was no instruction left to attempt. */
  readonly logged: { readonly type: InstructionType; readonly messageId: string; readonly durationMs: number } | null;
}
