import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { LessThan } from 'typeorm';
import { Clock } from '../../shared/clock.js';
import { Database } from '../../shared/database/index.js';
import { HousekeepingService } from '../../shared/jobs/index.js';
import { SecretBoxService } from '../../shared/secrets/index.js';
import { defined } from '../../shared/validation/index.js';
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

/** The columns that identify an activity, in the order of `toIdentity`. */
const IDENTITY = 'id, customer_id, client_id, type, media_container_id, format_id';
const IDENTITY_COLUMNS = 6;
const IDENTITY_ARRAYS = '$1::uuid[], $2::int[], $3::text[], $4::text[], $5::int[], $6::int[]';
/** In the order of `toOutcomeValues`. */
const OUTCOME = 'result, sealed_result, sealed_until';

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
    housekeeping.register('activity_secrets', async (now, limit) => await this.deleteExpiredSecrets(now, limit));
  }

  /** Starts a job. */
  async start(activity: NewActivity): Promise<void> {
    await this.startMany([activity]);
  }

  async startMany(activities: readonly NewActivity[]): Promise<void> {
    // Raw SQL, because one statement inserts thousands of rows.
    await this.database.query(
      `INSERT INTO activities (${IDENTITY}, progress)
        SELECT ${IDENTITY}, CASE type WHEN 'transcoding' THEN 0 END FROM unnest(${IDENTITY_ARRAYS}) AS job (${IDENTITY})`,
      toColumns(activities.map(toIdentity), IDENTITY_COLUMNS),
    );
  }

  /** Records the progress of a running job, in percent. */
  async advance(id: string, progress: number): Promise<void> {
    // Raw SQL, because an unchanged progress is not written.
    await this.database.query(`UPDATE activities SET progress = $2 WHERE id = $1 AND status = 'running' AND progress IS DISTINCT FROM $2`, [
      id,
      progress,
    ]);
  }

  /** Records the success of a job, which need not have been started. A later outcome replaces an earlier one. */
  async succeed(activity: NewActivity, outcome: Outcome): Promise<void> {
    // Raw SQL, because the upsert sets columns to values that differ from the inserted ones.
    await this.database.query(
      `INSERT INTO activities (${IDENTITY}, status, finished_at, ${OUTCOME})
        VALUES ($1, $2, $3, $4, $5, $6, 'successful', now(), $7, $8, $9)
        ON CONFLICT (id) DO UPDATE SET status = 'successful', finished_at = now(), result = excluded.result,
          sealed_result = excluded.sealed_result, sealed_until = excluded.sealed_until, code = NULL, message = NULL, log = NULL`,
      [...toIdentity(activity), ...this.toOutcomeValues(outcome)],
    );
  }

  /** Records the end of a job; false, without a change, if it had already ended. */
  async finish(id: string, end: { readonly result: object } | Failure): Promise<boolean> {
    const values =
      'result' in end
        ? ['successful', JSON.stringify(end.result), null, null, null]
        : ['failed', null, end.code, end.message, end.log ?? null];
    // Raw SQL, because the new progress depends on the stored one: a failed activity keeps it.
    const { rowCount } = await this.database.query(
      `UPDATE activities SET status = $2, finished_at = now(), result = $3, code = $4, message = $5, log = $6,
          progress = CASE WHEN $2 = 'successful' AND progress IS NOT NULL THEN 100 ELSE progress END
        WHERE id = $1 AND status = 'running'`,
      [id, ...values],
    );
    return rowCount === 1;
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
    // Raw SQL, because the find of TypeORM has no DISTINCT ON.
    const { rows } = await this.database.query<NewestTranscoding & Record<string, unknown>>(
      `SELECT DISTINCT ON (media_container_id, format_id) media_container_id AS "mediaContainerId",
          customer_id AS "customerId", format_id AS "formatId", status, coalesce(progress, 0) AS progress, code,
          coalesce(result->'skipped' = 'true', false) AS "isSkipped"
        FROM activities WHERE media_container_id = ANY($1::int[]) AND type = 'transcoding' AND format_id IS NOT NULL
        ORDER BY media_container_id, format_id, sequence DESC`,
      [mediaContainerIds],
    );
    return rows;
  }

  /** Returns the result of a job, with its credentials as long as they are valid and can be decrypted. */
  openResult({ result, sealedResult, sealedUntil }: Activity): object | null {
    const isFresh = sealedResult !== null && sealedUntil !== null && sealedUntil > this.clock.now();
    if (!isFresh) return result;
    const opened = this.secrets.tryOpen(ACTIVITY_RESULT, sealedResult);
    return opened ? (JSON.parse(opened.plain) as object) : { ...result, secretsUnreadable: true };
  }

  private async deleteExpiredSecrets(now: Date, limit: number): Promise<number> {
    // Raw SQL, because TypeORM can neither limit an UPDATE nor skip rows that others have locked.
    const { rowCount } = await this.database.query(
      `UPDATE activities SET sealed_result = NULL, sealed_until = NULL
        WHERE id = ANY(ARRAY(SELECT id FROM activities WHERE sealed_result IS NOT NULL AND sealed_until < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [now, limit],
    );
    return rowCount ?? 0;
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
