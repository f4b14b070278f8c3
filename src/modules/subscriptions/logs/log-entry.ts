import type { InstructionType } from '../instructions/instruction.js';

/** One try of one instruction, as its customer sees it. */
export interface LogEntry {
  readonly id: number;
  readonly messageId: string;
  readonly attempt: number;
  readonly type: InstructionType;
  /** What was sent, without secrets; null: nothing, or it is not kept any more. */
  readonly payload: unknown;
  readonly statusCode: number;
  readonly reason: string | null;
  readonly durationMs: number;
  readonly createdAt: Date;
  /** The payload cannot be read any more. */
  readonly secretsUnreadable?: true;
}
