import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { Jobs, UNTIL_DONE } from '../../../shared/jobs/index.js';
import { type FormatDestructionListener, FormatDestructionListeners } from '../../formats/index.js';
import { type ContainerRemovalListener, ContainerRemovalListeners } from '../../media/index.js';
import { executionErrors } from '../execution/execution.errors.js';
import { type ClaimedJob, JOB_COLUMNS } from './claimed-job.js';
import { TranscodingCompletion } from './transcoding-completion.js';

const TASK = 'end_orphaned_transcodings';

/** Jobs of a transaction: each ends with an event. */
const BATCH = 100;

const takeSome = (condition: string) => `DELETE FROM transcoding_jobs
  WHERE id = ANY(ARRAY(SELECT id FROM transcoding_jobs WHERE ${condition} ORDER BY id LIMIT ${BATCH} FOR UPDATE)) RETURNING ${JOB_COLUMNS}`;

const TAKE_OF_FORMAT = takeSome('format_id = $1');
const TAKE_OF_CONTAINER = takeSome('media_container_id = $1');

/** What is gone. */
type Loss = { readonly formatId: number } | { readonly mediaContainerId: number };

/** Ends, by a job, what is to be made by a format or of media that is gone. */
@Injectable()
export class OrphanedJobs implements ContainerRemovalListener, FormatDestructionListener, OnModuleInit {
  constructor(
    private readonly completion: TranscodingCompletion,
    private readonly containers: ContainerRemovalListeners,
    private readonly database: Database,
    private readonly formats: FormatDestructionListeners,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.containers.register(this);
    this.formats.register(this);
    this.jobs.handle<Loss>(TASK, async (loss) => await this.end(loss));
  }

  async formatDestroyed(formatId: number): Promise<void> {
    await this.request({ formatId });
  }

  async containerDoomed(mediaContainerId: number): Promise<void> {
    await this.request({ mediaContainerId });
  }

  private async request(loss: Loss): Promise<void> {
    await this.jobs.add(TASK, loss, { maxAttempts: UNTIL_DONE });
  }

  private async end(loss: Loss): Promise<void> {
    while ((await this.endSome(loss)) === BATCH);
  }

  private async endSome(loss: Loss): Promise<number> {
    const [take, id, reason] =
      'formatId' in loss
        ? [TAKE_OF_FORMAT, loss.formatId, executionErrors.format_gone(`The format ${loss.formatId} was destroyed.`)]
        : [
            TAKE_OF_CONTAINER,
            loss.mediaContainerId,
            executionErrors.source_missing(`The media container ${loss.mediaContainerId} was removed.`),
          ];
    return await this.database.transaction(async () => {
      const { rows } = await this.database.query<ClaimedJob>(take, [id]);
      await this.completion.abandon(rows, reason);
      return rows.length;
    });
  }
}
