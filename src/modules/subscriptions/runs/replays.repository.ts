import { Injectable } from '@nestjs/common';
import { In, MoreThanOrEqual, Not } from 'typeorm';
import { Database, Notifications } from '../../../shared/database/index.js';
import { SubscriptionLog } from '../logs/subscription-log.entity.js';
import { Subscription } from '../subscription.entity.js';
import { RUNS_CHANNEL } from './runs-channel.js';
import { SubscriptionRun } from './subscription-run.entity.js';

/** The log entry whose attempt is repeated. */
export type ReplayedLog = Pick<SubscriptionLog, 'id' | 'subscriptionId' | 'runId' | 'instruction' | 'messageId'>;
export type LockedRun = Pick<SubscriptionRun, 'state' | 'instruction' | 'once' | 'attempts' | 'endsAfter'>;

/** The position from which a run starts again. */
export interface ReplayStart {
  readonly runId: string;
  readonly instruction: number;
  readonly lane: string;
  readonly attempts: number;
  readonly endsAfter: number | null;
}

/** Restarts runs. */
@Injectable()
export class ReplaysRepository {
  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
  ) {}

  /** The run of a log entry and the lane of its instruction, both locked; null if the run or the instruction was deleted. */
  async lockForReplay(log: ReplayedLog): Promise<{ run: LockedRun; lane: string } | null> {
    const subscription = await this.database
      .repository(Subscription)
      .findOne({ select: { id: true, lanes: true }, where: { id: log.subscriptionId }, lock: { mode: 'for_no_key_update' } });
    const lane = subscription?.lanes[log.instruction];
    const where = { id: log.runId, subscriptionId: log.subscriptionId };
    const run = await this.repository.findOne({ where, lock: { mode: 'pessimistic_write' } });
    return lane && run ? { run, lane } : null;
  }

  /** Whether another run of a subscription that acts once is in progress. */
  async hasOtherRunUnderWay({ subscriptionId, runId }: ReplayedLog): Promise<boolean> {
    return await this.repository.existsBy({ subscriptionId, once: true, state: In(['ready', 'running', 'waiting']), id: Not(runId) });
  }

  /** The number of the last attempt with the message id of a log entry. */
  async countAttempts({ subscriptionId, id, messageId }: ReplayedLog): Promise<number> {
    const logs = this.database.repository(SubscriptionLog);
    return (await logs.maximum('attempt', { subscriptionId, id: MoreThanOrEqual(id), messageId })) ?? 0;
  }

  /** ended or waiting → ready: starts a replay. */
  async startReplay({ runId, instruction, lane, attempts, endsAfter }: ReplayStart): Promise<void> {
    const restarted = { state: 'ready', nextAttemptAt: null, finishedAt: null } as const;
    await this.repository.update({ id: runId }, { ...restarted, instruction, lane, attempts, attemptsBeforeReplay: attempts, endsAfter });
    await this.notifications.notify(RUNS_CHANNEL, 'ready');
  }

  private get repository() {
    return this.database.repository(SubscriptionRun);
  }
}
