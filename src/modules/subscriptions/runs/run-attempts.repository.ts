import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { Database } from '../../../shared/database/index.js';
import { SubscriptionSecretsService } from '../instructions/subscription-secrets.service.js';
import { SubscriptionLog } from '../logs/subscription-log.entity.js';
import { Subscription } from '../subscription.entity.js';
import type { EndedAttempt } from './claimed-run.js';
import type { Settlement } from './settle-run.js';
import { SubscriptionRun } from './subscription-run.entity.js';

const MAX_REASON_LENGTH = 2_000;
/** The number of log entries that are searched for an attempt that may have been recorded before: a process has no more concurrent attempts. */
const MAX_SEARCHED = 1_000;

/** An attempt to record; `again`: an earlier call failed, which may nevertheless have recorded it. */
export interface RecordedAttempt extends EndedAttempt {
  readonly settlement: Settlement;
  readonly worker: string;
  readonly again: boolean;
}

/** Records attempts: in the log, in the state of their run, and in the last status of the subscription. */
@Injectable()
export class RunAttemptsRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly secrets: SubscriptionSecretsService,
  ) {}

  /** Records an attempt and the new state of its run. False: the worker no longer had the run, whose state is unchanged. */
  async record(attempt: RecordedAttempt): Promise<boolean> {
    return await this.database.transaction(async () => {
      // The subscription is locked first, as by a deletion, so that the two cannot deadlock. Without it, its runs and log are gone, too.
      const subscription = await this.lockSubscription(attempt.run.subscriptionId);
      if (!subscription) return false;
      if (!(attempt.again && (await this.isLogged(attempt)))) await this.insertLog(attempt);
      const isSettled = await this.settle(attempt);
      await this.updateSubscription(subscription, attempt, isSettled);
      return isSettled;
    });
  }

  private async lockSubscription(id: number): Promise<Pick<Subscription, 'id' | 'lastExecutedStatus' | 'processedAt'> | null> {
    return await this.database.repository(Subscription).findOne({
      select: { id: true, lastExecutedStatus: true, processedAt: true },
      where: { id },
      lock: { mode: 'for_no_key_update' },
    });
  }

  private async isLogged({ run, logged }: RecordedAttempt): Promise<boolean> {
    const newest = await this.logs.find({
      select: { messageId: true, attempt: true },
      where: { subscriptionId: run.subscriptionId },
      order: { id: 'DESC' },
      take: MAX_SEARCHED,
    });
    return newest.some(({ messageId, attempt }) => messageId === logged?.messageId && attempt === run.attempts);
  }

  private async insertLog({ run, outcome, logged }: RecordedAttempt): Promise<void> {
    if (!logged) return;
    const { payload, statusCode, reason } = outcome;
    await this.logs.insert({
      ...{ subscriptionId: run.subscriptionId, runId: run.id, instruction: run.instruction, attempt: run.attempts },
      ...{ messageId: logged.messageId, type: logged.type, durationMs: logged.durationMs, statusCode },
      payload: payload === null || payload === undefined ? null : this.secrets.sealPayload(payload),
      reason: reason === null ? null : toStorableText(reason),
    });
  }

  /** Changes the run if the worker still has it, and with this attempt; false: it does not. */
  private async settle({ run, outcome, settlement, worker }: RecordedAttempt): Promise<boolean> {
    const { state, instruction, lane, attempts, attemptsBeforeReplay, nextAttemptAt } = settlement;
    const results = this.sealResults({ run, outcome });
    const finishedAt = state === 'succeeded' || state === 'failed' ? this.clock.now() : null;
    const { affected } = await this.database.repository(SubscriptionRun).update(
      { id: run.id, attempts: run.attempts, state: 'running', lockedBy: worker },
      {
        ...{ state, instruction, lane, attempts, attemptsBeforeReplay, nextAttemptAt, finishedAt, lockedBy: null },
        ...(results === null ? {} : { results }),
      },
    );
    return affected === 1;
  }

  /** Updates the last status of the subscription, and ends one that acts once after its first complete run. */
  private async updateSubscription(
    subscription: Pick<Subscription, 'id' | 'lastExecutedStatus' | 'processedAt'>,
    { run, outcome, logged, settlement }: RecordedAttempt,
    isSettled: boolean,
  ): Promise<void> {
    const lastExecutedStatus = logged ? outcome.statusCode : subscription.lastExecutedStatus;
    const isProcessed = isSettled && run.once && settlement.complete && subscription.processedAt === null;
    if (lastExecutedStatus === subscription.lastExecutedStatus && !isProcessed) return;
    const processedAt = isProcessed ? this.clock.now() : subscription.processedAt;
    // Raw SQL, because TypeORM would increment the version, which only changes by clients do.
    await this.database.query('UPDATE subscriptions SET last_executed_status = $2, processed_at = $3 WHERE id = $1', [
      subscription.id,
      lastExecutedStatus,
      processedAt,
    ]);
  }

  private get logs() {
    return this.database.repository(SubscriptionLog);
  }

  /** All results of the run, sealed again if there is a new one; null: no change. */
  private sealResults({ run, outcome: { result } }: Pick<EndedAttempt, 'run' | 'outcome'>): string | null {
    return result ? this.secrets.sealResults({ ...this.secrets.openResults(run.results), [result.name]: result.value }) : null;
  }
}

/** Removes from a reason, which may quote a receiver, what PostgreSQL does not accept: NUL and lone surrogates. */
const toStorableText = (reason: string): string => Buffer.from(reason.slice(0, MAX_REASON_LENGTH).replaceAll('\0', '')).toString();
