import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { Jobs } from '../../../shared/jobs/index.js';
import { Clock } from '../../../shared/time/index.js';
import { describeMissing } from '../../formats/index.js';
import { WORK_FOLDER } from '../tools/converter-worker.entity.js';
import { type ClaimedJob, JOB_COLUMNS } from './claimed-job.js';
import { jobEndErrors } from './job-end.errors.js';
import { failure, TranscodingCompletion } from './transcoding-completion.js';

const LOOK = 'look_for_unavailable_transcodings';
const END = 'end_unavailable_transcodings';

/** Time enough to install a program. */
const PATIENCE_HOURS = 24;
/** A worker that was only being restarted when the jobs were seen is back by then; the next look, which would put this off, comes later. */
const CONFIRM_AFTER_MS = 300_000;
const MOST = 1_000;

/** Jobs that have waited for long and of which some program is on no worker; none while there is no worker that can work. */
const UNAVAILABLE = `FROM transcoding_jobs j
  WHERE state = 'ready' AND ready_at < $1::timestamptz - interval '${PATIENCE_HOURS} hours' AND EXISTS (SELECT FROM converter_workers WHERE NOT tools ? '${WORK_FOLDER}')
    AND NOT EXISTS (SELECT FROM converter_workers w WHERE j.programs <@ w.programs)`;

const FIND = `SELECT id ${UNAVAILABLE} ORDER BY id LIMIT ${MOST}`;

const FIND_STILL = `SELECT ${JOB_COLUMNS}, programs, ARRAY(
    SELECT program FROM unnest(programs) AS program
    WHERE NOT EXISTS (SELECT FROM converter_workers w WHERE program = ANY(w.programs)) ORDER BY program
  ) AS missing, (SELECT bool_and(w.isolation ? 'refusal') FROM converter_workers w) AS refused ${UNAVAILABLE} AND id = ANY($2::uuid[])`;

/** Ends jobs for which nobody has had the programs for a day: seen twice, some minutes apart. */
@Injectable()
export class UnavailableJobs implements OnModuleInit {
  constructor(
    private readonly clock: Clock,
    private readonly completion: TranscodingCompletion,
    private readonly database: Database,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule(LOOK, '*/10 * * * *');
    this.jobs.handle(LOOK, async () => await this.look());
    this.jobs.handle<{ jobIds: string[] }>(END, async ({ jobIds }) => await this.end(jobIds));
  }

  /** Has those ended that are still unavailable some minutes later. */
  async look(): Promise<void> {
    const { rows } = await this.database.query<{ id: string }>(FIND, [this.clock.now()]);
    const runAt = new Date(this.clock.now().getTime() + CONFIRM_AFTER_MS);
    if (rows.length > 0) await this.jobs.add(END, { jobIds: rows.map(({ id }) => id) }, { key: END, runAt });
  }

  /** Ends those of the jobs that are still unavailable. */
  async end(jobIds: readonly string[]): Promise<void> {
    const { rows } = await this.database.query<ClaimedJob & { programs: string[]; missing: string[]; refused: boolean }>(FIND_STILL, [
      this.clock.now(),
      jobIds,
    ]);
    for (const { programs, missing, refused, ...job } of rows) {
      const sentence = `${describeMissing(missing.length > 0 ? missing : programs, refused)} It waited for ${PATIENCE_HOURS} hours.`;
      await this.completion.complete(job, null, failure(jobEndErrors.format_unavailable(sentence)));
    }
  }
}
