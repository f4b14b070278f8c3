import type { InstructionType } from '../instructions/instruction.js';
import type { Outcome } from '../instructions/instruction-runner.js';
import type { ClaimedRun } from './claimed-run.js';

/** One try of one instruction, as it ended. */
export interface EndedTry {
  readonly run: ClaimedRun;
  readonly outcome: Outcome;
  /** What its log says; null: there was no instruction left to try. */
  readonly logged: { readonly type: InstructionType; readonly messageId: string; readonly durationMs: number } | null;
}
