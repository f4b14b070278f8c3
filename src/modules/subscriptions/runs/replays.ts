import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import type { SubscriptionLog } from '../logs/subscription-log.entity.js';
import { RUNS_CHANNEL } from './runs-channel.js';
import type { RunState } from './subscription-run.entity.js';

/** under_way: it will be, or is being tried anyway, or another run of a subscription that acts once is; gone: the run or its instruction is deleted. */
export type ReplayStart = 'started' | 'under_way' | 'gone';

type Logged = Pick<SubscriptionLog, 'id' | 'subscriptionId' | 'runId' | 'instruction' | 'messageId'>;

interface Run {
  readonly state: RunState;
  readonly instruction: number;
  readonly once: boolean;
  readonly attempts: number;
  readonly endsAfter: number | null;
}

const LOCK_SUBSCRIPTION = `SELECT lanes[$2::int + 1] AS lane FROM subscriptions WHERE id = $1 FOR NO KEY UPDATE`;

const LOCK_RUN = `SELECT state, instruction, once, attempts, ends_after AS "endsAfter" FROM subscription_runs WHERE id = $1 AND subscription_id = $2 FOR UPDATE`;

const ANOTHER_IS_UNDER_WAY = `SELECT FROM subscription_runs
  WHERE subscription_id = $1 AND once AND state IN ('ready', 'running', 'waiting') AND id <> $2 LIMIT 1`;

const TRIES_SO_FAR = `SELECT max(attempt) AS attempts FROM subscription_logs WHERE subscription_id = $1 AND id >= $2 AND message_id = $3`;

const START = `WITH started AS (
    UPDATE subscription_runs SET state = 'ready', instruction = $2, lane = $3, attempts = $4, attempts_before_replay = $4, ends_after = $5,
      next_attempt_at = NULL, finished_at = NULL WHERE id = $1
  ) SELECT pg_notify('${RUNS_CHANNEL}', 'ready')`;

/** Brings back what was tried before: the same instruction for the same event, under the same message id. */
@Injectable()
export class Replays {
  constructor(private readonly database: Database) {}

  /**
   * Tries the instruction of a log entry once more, with the schedule from its beginning. A run that failed there goes on to its end; one that
   * had gone further repeats this one instruction.
   */
  async start(log: Logged): Promise<ReplayStart> {
    return await this.database.transaction(async () => {
      const subscription = await this.database.queryOne<{ lane: string | null }>(LOCK_SUBSCRIPTION, [log.subscriptionId, log.instruction]);
      const run = await this.database.queryOne<Run>(LOCK_RUN, [log.runId, log.subscriptionId]);
      if (!subscription?.lane || !run) return 'gone';
      if (!(await this.canStart(log, run))) return 'under_way';
      await this.database.query(START, [log.runId, log.instruction, subscription.lane, await this.triesSoFar(log, run), endOf(log, run)]);
      return 'started';
    });
  }

  private async canStart(log: Logged, { state, instruction, once }: Run): Promise<boolean> {
    if (state === 'held' || state === 'ready' || state === 'running') return false;
    if (state === 'waiting') return instruction === log.instruction;
    return !once || (await this.database.query(ANOTHER_IS_UNDER_WAY, [log.subscriptionId, log.runId])).rowCount === 0;
  }

  /** The numbers of the tries go on. */
  private async triesSoFar(log: Logged, { instruction, attempts }: Run): Promise<number> {
    if (instruction === log.instruction) return attempts;
    const row = await this.database.queryOne<{ attempts: number | null }>(TRIES_SO_FAR, [log.subscriptionId, log.id, log.messageId]);
    return row?.attempts ?? 0;
  }
}

/** After which instruction the replay ends; null: after the last one. */
function endOf(log: Logged, { state, instruction, endsAfter }: Run): number | null {
  const goesOn = (state === 'failed' || state === 'waiting') && instruction === log.instruction;
  return goesOn ? endsAfter : log.instruction;
}
