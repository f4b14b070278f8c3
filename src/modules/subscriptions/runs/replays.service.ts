import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { Database } from '../../../shared/database/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { SubscriptionLogsRepository } from '../logs/subscription-logs.repository.js';
import { subscriptionErrors } from '../subscriptions.errors.js';
import { SubscriptionsService } from '../subscriptions.service.js';
import { type LockedRun, type ReplayedLog, ReplaysRepository } from './replays.repository.js';

/**
 * started: the attempt is repeated; under_way: the run, or another run of a subscription that acts once, is or will be carried out anyway; gone: the
 * run or its instruction is deleted.
 */
export type ReplayResult = 'started' | 'under_way' | 'gone';

/** Repeats attempts on request: the same instruction for the same event, with the same message id. */
@Injectable()
export class ReplaysService {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionsService,
    private readonly logs: SubscriptionLogsRepository,
    private readonly runs: ReplaysRepository,
  ) {}

  /**
   * Repeats the attempt of a log entry. Throws `not_found`, `run_under_way`, `run_gone`, and `not_for_instructions` if an instruction calls it: a
   * replay has the depth of its event, so nothing would end a chain of replays.
   */
  async replay(caller: Caller, { id, logId }: { readonly id: number; readonly logId: number }): Promise<{ messageId: string }> {
    if (caller.subscriptionId !== undefined) throw subscriptionErrors.not_for_instructions('An instruction cannot repeat an attempt.');
    await this.subscriptions.get(caller, id);
    const log = await this.logs.find(id, logId);
    if (!log) throw generalErrors.not_found(`The log of subscription ${id} has no entry ${logId}.`);
    const result = await this.start(log);
    if (result === 'under_way') throw subscriptionErrors.run_under_way('An attempt is under way or will be made soon; see the log.');
    if (result === 'gone') throw subscriptionErrors.run_gone('The event or the instruction is no longer stored.');
    return { messageId: log.messageId };
  }

  /**
   * Attempts the instruction of a log entry again, and restarts its schedule. A run that failed at this instruction continues to its end; a run that
   * had proceeded further repeats only this instruction.
   */
  async start(log: ReplayedLog): Promise<ReplayResult> {
    return await this.database.transaction(async () => {
      const locked = await this.runs.lockForReplay(log);
      if (!locked) return 'gone';
      const { run, lane } = locked;
      if (!(await this.canStart(log, run))) return 'under_way';
      const { runId, instruction } = log;
      // The numbering of the attempts continues.
      const attempts = run.instruction === instruction ? run.attempts : await this.runs.countAttempts(log);
      await this.runs.startReplay({ runId, instruction, lane, attempts, endsAfter: endOf(log, run) });
      return 'started';
    });
  }

  private async canStart(log: ReplayedLog, { state, instruction, once }: LockedRun): Promise<boolean> {
    if (state === 'held' || state === 'ready' || state === 'running') return false;
    if (state === 'waiting') return instruction === log.instruction;
    return !once || !(await this.runs.hasOtherRunUnderWay(log));
  }
}

/** The instruction after which the replay ends; null: the last one. */
function endOf(log: ReplayedLog, { state, instruction, endsAfter }: LockedRun): number | null {
  const continues = (state === 'failed' || state === 'waiting') && instruction === log.instruction;
  return continues ? endsAfter : log.instruction;
}
