import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { LessThan } from 'typeorm';
import { Clock } from '../../shared/clock.js';
import { Database, type Insertion } from '../../shared/database/index.js';
import { HousekeepingService } from '../../shared/jobs/index.js';
import { SecretBoxService } from '../../shared/secrets/index.js';
import { defined } from '../../shared/validation/index.js';
import {
  ADVANCE_ACTIVITY,
  DELETE_EXPIRED_SECRETS,
  FIND_NEWEST_TRANSCODINGS,
  FINISH_ACTIVITY,
  IDENTITY_COLUMNS,
  INSERT_SUCCESSFUL_ACTIVITIES,
  START_ACTIVITIES,
  SUCCEED_ACTIVITY,
} from './activities.queries.js';
import { ACTIVITY_RESULT, Activity, type ActivityStatus, type ActivityType } from './activity.entity.js';

/** Results of jobs are for programs that wait for them. */
const RETENTION_DAYS = 30;
/** Pages state why a rendition is missing for as long as people are likely to look for it. */
const FAILED_TRANSCODING_RETENTION_DAYS = 365;

export interface NewActivity {
  /** The jobId, a UUID. */
  readonly id: string;
  readonly customerId: number;
  /** The dropsite client whose senders may also read the job; null: none. */
  readonly clientId: string | null;
  readonly type: ActivityType;
  /** The media container of the job; absent: none or many. */
  readonly mediaContainerId?: number | null;
  readonly formatId?: number | null;
}

/** The result of a job. `secret` is the result with credentials, which is stored encrypted until they expire. */
export interface Outcome {
  readonly result: object;
  readonly secret?: { readonly result: object; readonly expiresAt: Date };
}

/** Why a job failed: an error code, a sentence for a person, and the last output of a program, for users of the customer. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly log?: string | null;
}

/** The newest transcoding of a media container into a format. */
export interface NewestTranscoding {
  readonly mediaContainerId: number;
  readonly customerId: number;
  readonly formatId: number;
  readonly status: ActivityStatus;
  /** Percent. */
  readonly progress: number;
  /** The error code of a failure; null: it has not failed. */
  readonly code: string | null;
  /** Whether it ended without a rendition, because the original does not need one. */
  readonly isSkipped: boolean;
}

/** Selects jobs that started before `before` (a sequence) and match the other fields. */
export interface ActivityQuery {
  readonly status?: ActivityStatus;
  readonly type?: ActivityType;
  readonly mediaContainerId?: number;
  readonly before?: number;
  readonly limit: number;
}

/** The columns of a list: all but the result, which may be large. */
const LISTED = {
  ...{ id: true, sequence: true, customerId: true, clientId: true, type: true, status: true, progress: true },
  ...{ mediaContainerId: true, formatId: true, createdAt: true, finishedAt: true, message: true },
} as const;

export type ListedColumns = Pick<Activity, keyof typeof LISTED>;

/** Records the lifecycle of jobs that callers can query; other modules report their jobs here. */
@Injectable()
export class ActivitiesRepository {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBoxService,
    private readonly clock: Clock,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire(
      'activities',
      `created_at < $1::timestamptz - interval '${RETENTION_DAYS} days' AND (type <> 'transcoding' OR status <> 'failed'
        OR created_at < $1::timestamptz - interval '${FAILED_TRANSCODING_RETENTION_DAYS} days')`,
    );
    housekeeping.register(
      'activity_secrets',
      async (now, limit) => (await database.query(DELETE_EXPIRED_SECRETS, [now, limit])).rowCount ?? 0,
    );
  }

  /** Starts a job. */
  async start(activity: NewActivity): Promise<void> {
    await this.startMany([activity]);
  }

  async startMany(activities: readonly NewActivity[]): Promise<void> {
    await this.database.query(START_ACTIVITIES, toColumns(activities.map(toIdentity), IDENTITY_COLUMNS));
  }

  /** Records the progress of a running job, in percent. */
  async advance(id: string, progress: number): Promise<void> {
    await this.database.query(ADVANCE_ACTIVITY, [id, progress]);
  }

  /** Builds the statement that inserts jobs which have already succeeded, to be sent together with others. */
  insertion(finished: readonly (NewActivity & Outcome)[]): Insertion {
    const rows = finished.map((activity) => [...toIdentity(activity), ...this.toOutcomeValues(activity)]);
    return { text: INSERT_SUCCESSFUL_ACTIVITIES, values: toColumns(rows, IDENTITY_COLUMNS + 3) };
  }

  /** Records the success of a job, which need not have been started. A later outcome replaces an earlier one. */
  async succeed(activity: NewActivity, outcome: Outcome): Promise<void> {
    await this.database.query(SUCCEED_ACTIVITY, [...toIdentity(activity), ...this.toOutcomeValues(outcome)]);
  }

  /** Records the end of a job; false, without a change, if it had already ended. */
  async finish(id: string, end: { readonly result: object } | Failure): Promise<boolean> {
    const values =
      'result' in end
        ? ['successful', JSON.stringify(end.result), null, null, null]
        : ['failed', null, end.code, end.message, end.log ?? null];
    return (await this.database.query(FINISH_ACTIVITY, [id, ...values])).rowCount === 1;
  }

  /** Replaces the result of a job that had succeeded by a failure. */
  async revoke(id: string, { code, message }: Failure): Promise<void> {
    const failed = { status: 'failed' as const, code, message, finishedAt: this.clock.now() };
    await this.repository.update({ id }, { ...failed, result: null, sealedResult: null, sealedUntil: null });
  }

  /** Lists a page of the jobs of a customer, the newest first. */
  async list(customerId: number, { before, limit, ...query }: ActivityQuery): Promise<ListedColumns[]> {
    const where = { customerId, ...defined(query), ...(before !== undefined && { sequence: LessThan(String(before)) }) };
    return await this.repository.find({ select: LISTED, where, order: { sequence: 'DESC' }, take: limit });
  }

  /** Null also for text that is not a UUID. */
  async findForCustomer(customerId: number, id: string): Promise<ListedColumns | null> {
    return isUUID(id) ? await this.repository.findOne({ select: LISTED, where: { id, customerId } }) : null;
  }

  /** Null also for text that is not a UUID. */
  async find(id: string): Promise<Activity | null> {
    return isUUID(id) ? await this.repository.findOneBy({ id }) : null;
  }

  /** Finds the newest transcoding into each format of these media containers. */
  async findNewestTranscodings(mediaContainerIds: readonly number[]): Promise<NewestTranscoding[]> {
    return (await this.database.query<NewestTranscoding & Record<string, unknown>>(FIND_NEWEST_TRANSCODINGS, [mediaContainerIds])).rows;
  }

  /** Returns the result of a job, with its credentials as long as they are valid and can be decrypted. */
  openResult({ result, sealedResult, sealedUntil }: Activity): object | null {
    const isFresh = sealedResult !== null && sealedUntil !== null && sealedUntil > this.clock.now();
    if (!isFresh) return result;
    const opened = this.secrets.tryOpen(ACTIVITY_RESULT, sealedResult);
    return opened ? (JSON.parse(opened.plain) as object) : { ...result, secretsUnreadable: true };
  }

  private toOutcomeValues({ result, secret }: Outcome): unknown[] {
    const sealed = secret ? this.secrets.seal(ACTIVITY_RESULT, JSON.stringify(secret.result)) : null;
    return [JSON.stringify(result), sealed, secret?.expiresAt ?? null];
  }

  private get repository() {
    return this.database.repository(Activity);
  }
}

const toIdentity = ({ id, customerId, clientId, type, mediaContainerId = null, formatId = null }: NewActivity): unknown[] => [
  ...[id, customerId, clientId],
  ...[type, mediaContainerId, formatId],
];

/** Converts rows to the arrays of columns that `unnest` takes. */
const toColumns = (rows: readonly unknown[][], count: number): unknown[][] =>
  Array.from({ length: count }, (_, column) => rows.map((row) => row[column]));
