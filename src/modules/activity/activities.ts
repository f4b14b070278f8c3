import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { type Caller, DROPSITE_SCOPE } from '../../shared/auth/index.js';
import { Database, type Insertion } from '../../shared/database/index.js';
import { generalErrors } from '../../shared/errors/index.js';
import { Housekeeping } from '../../shared/jobs/index.js';
import { SecretBox } from '../../shared/secrets/index.js';
import { Clock } from '../../shared/time/index.js';
import { ACTIVITY_RESULT, Activity, type ActivityStatus, type ActivityType } from './activity.entity.js';
import { ActivityResults } from './activity-results.js';

/** Results of jobs are for programs that wait for them. */
const KEPT_DAYS = 30;
/** Pages say why a rendition is missing for as long as people are likely to look for it. */
const FAILED_TRANSCODINGS_KEPT_DAYS = 365;

export interface NewActivity {
  /** The jobId, a UUID. */
  readonly id: string;
  readonly customerId: number;
  /** The dropsite client whose senders may ask too. */
  readonly clientId: string | null;
  readonly type: ActivityType;
  /** Of which media it is; absent: of none or of many. */
  readonly mediaContainerId?: number | null;
  readonly formatId?: number | null;
}

/** What came of a job. `secret` is the result with what must not be stored in the clear, until it expires. */
export interface Outcome {
  readonly result: object;
  readonly secret?: { readonly result: object; readonly expiresAt: Date };
}

/** Why a job failed: an error code, a sentence for a person, and what a program said last, for users of the customer. */
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
  /** Per cent. */
  readonly progress: number;
  /** Why it failed; null: it has not. */
  readonly code: string | null;
}

/** Who asks for a job. */
export interface Asker {
  readonly caller: Caller | null;
  /** The header `clientid`. */
  readonly clientId: string | null;
}

/** What a job answers to those who ask: it runs, its result, or why it failed. */
export type JobResult =
  | { readonly ok: true; readonly progress?: number }
  | { readonly status: 'failed'; readonly code: string; readonly message: string; readonly log?: string }
  | object;

const BEGIN = `INSERT INTO activities (id, customer_id, client_id, type, media_container_id, format_id, progress)
  SELECT id, customer_id, client_id, type, media_container_id, format_id, CASE type WHEN 'transcoding' THEN 0 END
  FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::int[], $6::int[])
    AS job (id, customer_id, client_id, type, media_container_id, format_id)`;

const INSERT = `INSERT INTO activities (id, customer_id, client_id, type, media_container_id, format_id, status, finished_at, result,
    sealed_result, sealed_until)
  SELECT id, customer_id, client_id, type, media_container_id, format_id, 'successful', now(), result, sealed_result, sealed_until
  FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::int[], $6::int[], $7::jsonb[], $8::text[], $9::timestamptz[])
    AS job (id, customer_id, client_id, type, media_container_id, format_id, result, sealed_result, sealed_until)`;

const SUCCEED = `INSERT INTO activities (id, customer_id, client_id, type, media_container_id, format_id, status, finished_at, result,
    sealed_result, sealed_until)
  VALUES ($1, $2, $3, $4, $5, $6, 'successful', now(), $7, $8, $9)
  ON CONFLICT (id) DO UPDATE SET status = 'successful', finished_at = now(), result = excluded.result,
    sealed_result = excluded.sealed_result, sealed_until = excluded.sealed_until, code = NULL, message = NULL, log = NULL`;

/** How far it was stays to be read of one that failed. */
const FINISH = `UPDATE activities SET status = $2, finished_at = now(), result = $3, code = $4, message = $5, log = $6,
    progress = CASE WHEN $2 = 'successful' AND progress IS NOT NULL THEN 100 ELSE progress END
  WHERE id = $1 AND status = 'running'`;

const ADVANCE = `UPDATE activities SET progress = $2 WHERE id = $1 AND status = 'running' AND progress IS DISTINCT FROM $2`;

/** Raw SQL, because TypeORM's find has no DISTINCT ON. */
const FIND_NEWEST_TRANSCODINGS = `SELECT DISTINCT ON (media_container_id, format_id) media_container_id AS "mediaContainerId",
    customer_id AS "customerId", format_id AS "formatId", status, coalesce(progress, 0) AS progress, code
  FROM activities WHERE media_container_id = ANY($1::int[]) AND type = 'transcoding' AND format_id IS NOT NULL
  ORDER BY media_container_id, format_id, sequence DESC`;

const DROP_SECRETS = `UPDATE activities SET sealed_result = NULL, sealed_until = NULL
  WHERE id = ANY(ARRAY(SELECT id FROM activities WHERE sealed_result IS NOT NULL AND sealed_until < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`;

/** Jobs that callers can ask about; other modules write here. */
@Injectable()
export class Activities {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
    private readonly results: ActivityResults,
    housekeeping: Housekeeping,
  ) {
    housekeeping.expire(
      'activities',
      `created_at < $1::timestamptz - interval '${KEPT_DAYS} days' AND (type <> 'transcoding' OR status <> 'failed'
        OR created_at < $1::timestamptz - interval '${FAILED_TRANSCODINGS_KEPT_DAYS} days')`,
    );
    housekeeping.register('activity_secrets', async (now, limit) => (await database.query(DROP_SECRETS, [now, limit])).rowCount ?? 0);
  }

  /** A job that runs from now on. */
  async begin(activity: NewActivity): Promise<void> {
    await this.beginMany([activity]);
  }

  async beginMany(activities: readonly NewActivity[]): Promise<void> {
    await this.database.query(BEGIN, columns(activities.map(identity), IDENTITY_COLUMNS));
  }

  /** How far a job is, in per cent. */
  async advance(id: string, progress: number): Promise<void> {
    await this.database.query(ADVANCE, [id, progress]);
  }

  /** What inserts jobs that were over before anybody could ask. */
  insertion(finished: readonly (NewActivity & Outcome)[]): Insertion {
    const rows = finished.map((activity) => [...identity(activity), ...this.outcome(activity)]);
    return { text: INSERT, values: columns(rows, IDENTITY_COLUMNS + 3) };
  }

  /** The end of a job. A later outcome replaces an earlier one. */
  async succeed(activity: NewActivity, outcome: Outcome): Promise<void> {
    await this.database.query(SUCCEED, [...identity(activity), ...this.outcome(outcome)]);
  }

  async fail(id: string, failure: Failure): Promise<void> {
    await this.finish(id, failure);
  }

  /** The end of a job that is told once: false, and nothing changed, when it had ended before. */
  async finish(id: string, end: { readonly result: object } | Failure): Promise<boolean> {
    const values =
      'result' in end
        ? ['successful', JSON.stringify(end.result), null, null, null]
        : ['failed', null, end.code, end.message, end.log ?? null];
    return (await this.database.query(FINISH, [id, ...values])).rowCount === 1;
  }

  /**
   * The result of a job, for users of its customer and for senders of its dropsite, who send the client's id. Throws `not_found`. Upload
   * credentials are for callers whose scope may upload, and for senders without a token; what a program said is for users.
   */
  async result({ caller, clientId }: Asker, id: string): Promise<JobResult> {
    const activity = isUUID(id) ? await this.database.repository(Activity).findOneBy({ id }) : null;
    const isSender = activity?.clientId != null && [caller?.clientId, clientId].includes(activity.clientId);
    const isUser = caller !== null && caller.customerId === activity?.customerId && !caller.scopes.has(DROPSITE_SCOPE);
    if (!activity || !(isSender || isUser)) throw generalErrors.not_found(`There is no job ${id}.`);
    const maySee = caller === null || caller.scopes.has('api') || caller.scopes.has(DROPSITE_SCOPE);
    if (activity.status === 'running') return runningAnswer(activity);
    if (activity.status === 'failed') return failedAnswer(activity, isUser);
    const result = maySee ? this.open(activity) : activity.result;
    return finishedAnswer(result && (await this.results.complete(activity, result)));
  }

  /** The newest transcoding into each format of these media containers. */
  async findNewestTranscodings(mediaContainerIds: readonly number[]): Promise<NewestTranscoding[]> {
    return (await this.database.query<NewestTranscoding & Record<string, unknown>>(FIND_NEWEST_TRANSCODINGS, [mediaContainerIds])).rows;
  }

  private outcome({ result, secret }: Outcome): unknown[] {
    const sealed = secret ? this.secrets.seal(ACTIVITY_RESULT, JSON.stringify(secret.result)) : null;
    return [JSON.stringify(result), sealed, secret?.expiresAt ?? null];
  }

  /** With its secrets as long as they are valid and can be read. */
  private open({ result, sealedResult, sealedUntil }: Activity): object | null {
    const isFresh = sealedResult !== null && sealedUntil !== null && sealedUntil > this.clock.now();
    if (!isFresh) return result;
    const opened = this.secrets.tryOpen(ACTIVITY_RESULT, sealedResult);
    return opened ? (JSON.parse(opened.plain) as object) : { ...result, secretsUnreadable: true };
  }
}

const IDENTITY_COLUMNS = 6;

const identity = ({ id, customerId, clientId, type, mediaContainerId = null, formatId = null }: NewActivity): unknown[] => [
  ...[id, customerId, clientId],
  ...[type, mediaContainerId, formatId],
];

/** Rows as the arrays that `unnest` takes. */
const columns = (rows: readonly unknown[][], count: number): unknown[][] =>
  Array.from({ length: count }, (_, column) => rows.map((row) => row[column]));

const runningAnswer = ({ progress }: Activity): JobResult => ({ ok: true, ...(progress !== null && { progress }) });

/** Earlier versions stored `ok: true` with what a transcoding made; `ok` says that a job still runs, and nothing else. */
function finishedAnswer(stored: object | null): object {
  if (stored === null || !('ok' in stored)) return stored ?? {};
  const { ok: _ok, ...result } = stored;
  return { status: 'successful', ...result };
}

const failedAnswer = ({ code, message, log }: Activity, withLog: boolean): JobResult => ({
  ...{ status: 'failed', code: code ?? 'internal', message: message ?? '' },
  ...(withLog && log !== null && { log }),
});
