import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { JobsService, UNTIL_DONE } from '../../../shared/jobs/index.js';
import { FormatDestructionHooks } from '../../formats/index.js';
import { ContainerRemovalHooks } from '../../media/index.js';
import { TranscodingCompletionService } from './transcoding-completion.service.js';
import { executionErrors } from './transcodings.errors.js';
import { DELETION_BATCH, TranscodingsRepository } from './transcodings.repository.js';

const TASK = 'end_orphaned_transcodings';

/** What was removed. */
type Removed = { readonly formatId: number } | { readonly mediaContainerId: number };

/** Ends the transcodings of a format that was destroyed, or of a media container that was removed. */
@Injectable()
export class OrphanedTranscodingsJob implements OnModuleInit {
  constructor(
    private readonly completion: TranscodingCompletionService,
    private readonly containers: ContainerRemovalHooks,
    private readonly database: Database,
    private readonly formats: FormatDestructionHooks,
    private readonly jobs: JobsService,
    private readonly transcodings: TranscodingsRepository,
  ) {}

  onModuleInit(): void {
    this.containers.add(async (mediaContainerId) => await this.request({ mediaContainerId }));
    this.formats.add(async (formatId) => await this.request({ formatId }));
    this.jobs.handle<Removed>(TASK, async (removed) => await this.end(removed));
  }

  private async request(removed: Removed): Promise<void> {
    await this.jobs.add(TASK, removed, { maxAttempts: UNTIL_DONE });
  }

  private async end(removed: Removed): Promise<void> {
    while ((await this.endSome(removed)) === DELETION_BATCH);
  }

  private async endSome(removed: Removed): Promise<number> {
    return await this.database.transaction(async () => {
      if ('formatId' in removed) {
        const deleted = await this.transcodings.deleteSomeOfFormat(removed.formatId);
        await this.completion.recordDeleted(deleted, executionErrors.format_gone(`The format ${removed.formatId} was destroyed.`));
        return deleted.length;
      }
      const { mediaContainerId } = removed;
      const deleted = await this.transcodings.deleteSomeOfContainer(mediaContainerId);
      await this.completion.recordDeleted(deleted, executionErrors.source_missing(`The media container ${mediaContainerId} was removed.`));
      return deleted.length;
    });
  }
}
