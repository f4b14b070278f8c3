import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { Clock } from '../../../shared/time/index.js';
import { type ClaimedJob, JOB_COLUMNS } from './claimed-job.js';
import { PRIORITIES } from './transcoding-job.entity.js';

/** A job that was interrupted so often is not tried again: something in it may be what ends its workers. */
export const MOST_FAILURES = 5;
/** Before the second try; each further one waits twice as long. */
const RETRY_AFTER_SECONDS = 15;
/** A worker shows every few seconds that it goes on; one that has been silent so long is taken for stalled, although its process lives. */
const STALLED_AFTER_SECONDS = 60;

const claim = (line: string) => `UPDATE transcoding_jobs SET state = 'running', attempt = attempt + 1, locked_by = $3, heartbeat_at = now()
  WHERE id = ANY(ARRAY(
    SELECT id FROM transcoding_jobs WHERE state = 'ready' AND ready_at <= $1 AND programs <@ $2::text[] ${line}
    ORDER BY priority, turn, id LIMIT 1 FOR UPDATE SKIP LOCKED))
  RETURNING ${JOB_COLUMNS}`;

/** Previews first. */
const CLAIM = claim('');
const CLAIM_BEHIND_PREVIEWS = claim(`AND priority > ${PRIORITIES.preview}`);

/** One claim of so many passes the previews, or one customer's thousand of them would hold up another's one rendition. */
const PREVIEWS_PASSED_EVERY = 4;

/** What a worker may still say of a job: that of nobody's who waits, or its own. */
const HELD = `id = $1 AND attempt = $2 AND locked_by IS NOT DISTINCT FROM $3`;

const FREE = `state = 'ready', locked_by = NULL, heartbeat_at = NULL`;

/** $4: now. */
const LOSE = `${FREE}, failures = failures + 1, ready_at = $4::timestamptz + interval '${RETRY_AFTER_SECONDS} seconds' * 2 ^ failures`;

const BEAT = `UPDATE transcoding_jobs SET heartbeat_at = now() WHERE ${HELD}`;

const POSTPONE = `UPDATE transcoding_jobs SET ${LOSE} WHERE ${HELD} AND failures < ${MOST_FAILURES - 1}`;

const GIVE_BACK = `UPDATE transcoding_jobs SET ${FREE} WHERE ${HELD}`;

/** What a claim took whose answer was lost. */
const GIVE_BACK_ALL_BUT = `UPDATE transcoding_jobs SET ${FREE} WHERE state = 'running' AND locked_by = $2 AND id <> ALL ($1::uuid[])`;

const TAKE = `DELETE FROM transcoding_jobs WHERE ${HELD}`;

const HOLDERS = `SELECT DISTINCT locked_by AS holder FROM transcoding_jobs WHERE state = 'running'`;

const HELD_BY_DEAD = `SELECT ${JOB_COLUMNS}, locked_by AS holder FROM transcoding_jobs
  WHERE state = 'running' AND locked_by = ANY($1::text[]) ORDER BY id`;

const STALLED = `SELECT ${JOB_COLUMNS}, locked_by AS holder FROM transcoding_jobs
  WHERE state = 'running' AND heartbeat_at < now() - interval '${STALLED_AFTER_SECONDS} seconds' ORDER BY id`;

/** A job, and the worker that has it. */
export type HeldJob = ClaimedJob & { readonly holder: string };

/**
 * Which worker has which job. A claim raises the job's attempt, and everything that is said of a job afterwards counts only for that attempt and
 * that holder: who was taken for dead and wakes up changes nothing.
 */
@Injectable()
export class JobLeases {
  /** Jobs that this process has taken. */
  private claimed = 0;

  constructor(
    private readonly clock: Clock,
    private readonly database: Database,
  ) {}

  /** Takes the first job whose programs are all among these, previews before others but for every fourth time; null: there is none. */
  async claim(programs: readonly string[], holder: string): Promise<ClaimedJob | null> {
    const values = [this.clock.now(), programs, holder];
    const passesPreviews = this.claimed % PREVIEWS_PASSED_EVERY === PREVIEWS_PASSED_EVERY - 1;
    const passing = passesPreviews ? await this.database.queryOne<ClaimedJob>(CLAIM_BEHIND_PREVIEWS, values) : null;
    const job = passing ?? (await this.database.queryOne<ClaimedJob>(CLAIM, values));
    if (job) this.claimed += 1;
    return job;
  }

  /** The holder goes on; false: the job is not its own any more. */
  async beat(job: ClaimedJob, holder: string): Promise<boolean> {
    return await this.changes(BEAT, [job.id, job.attempt, holder]);
  }

  /** It is tried again later. False: it is not the holder's any more, or it was interrupted too often for that. */
  async postpone(job: ClaimedJob, holder: string): Promise<boolean> {
    return await this.changes(POSTPONE, [job.id, job.attempt, holder, this.clock.now()]);
  }

  /** It goes on elsewhere at once, and nothing has happened to it. */
  async giveBack(job: ClaimedJob, holder: string): Promise<void> {
    await this.database.query(GIVE_BACK, [job.id, job.attempt, holder]);
  }

  /** Gives back what the holder has without knowing it; not to be called while it claims. */
  async giveBackAllBut(known: readonly string[], holder: string): Promise<void> {
    await this.database.query(GIVE_BACK_ALL_BUT, [known, holder]);
  }

  /** Ends it, in the ambient transaction: of all who try, one does. Null: nobody has it, it waits. */
  async take(job: ClaimedJob, holder: string | null): Promise<boolean> {
    return await this.changes(TAKE, [job.id, job.attempt, holder]);
  }

  /** Who has jobs now. */
  async holders(): Promise<string[]> {
    return (await this.database.query<{ holder: string }>(HOLDERS)).rows.map(({ holder }) => holder);
  }

  async heldBy(holders: readonly string[]): Promise<HeldJob[]> {
    return (await this.database.query<HeldJob>(HELD_BY_DEAD, [holders])).rows;
  }

  /** What workers have that have been silent for too long. */
  async stalled(): Promise<HeldJob[]> {
    return (await this.database.query<HeldJob>(STALLED)).rows;
  }

  private async changes(statement: string, values: readonly unknown[]): Promise<boolean> {
    return (await this.database.query(statement, values)).rowCount === 1;
  }
}
