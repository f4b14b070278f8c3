import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { Housekeeping } from '../../../shared/jobs/index.js';

/** The job that hands an event to its listeners is given up after about three days. */
const LEAST_DAYS_OF_EVENTS = 7;

/** Deletes what is older than LOG_RETENTION_DAYS: the log, runs that have ended, and events on which no run hangs any more. */
@Injectable()
export class RunRetention {
  constructor(housekeeping: Housekeeping, { logRetentionDays }: Config) {
    const tooOld = `$1::timestamptz - interval '${logRetentionDays} days'`;
    housekeeping.expire('subscription_logs', `created_at < ${tooOld}`);
    housekeeping.expire('subscription_runs', `finished_at < ${tooOld}`);
    const eventTooOld = `$1::timestamptz - interval '${Math.max(logRetentionDays, LEAST_DAYS_OF_EVENTS)} days'`;
    housekeeping.expire(
      'events',
      `created_at < ${eventTooOld} AND NOT EXISTS (SELECT FROM subscription_runs r WHERE r.event_id = events.id)`,
    );
  }
}
