import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { Jobs, UNTIL_DONE } from '../../../shared/jobs/index.js';
import { ContainerRemovalListeners } from './container-removal-listener.js';
import { MediaRemoval } from './media-removal.js';

const TASK = 'destroy_media_container';

/** Whoever adds a file to it at this moment is waited for. */
const LOCK = `SELECT FROM media_containers WHERE id = $1 FOR UPDATE`;

const FORGET = `DELETE FROM media_containers WHERE id = $1 AND NOT EXISTS (SELECT FROM media_items WHERE media_container_id = $1)`;

/** The job that removes a doomed container with all its files; it can be repeated. */
@Injectable()
export class MediaContainerDestruction implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly listeners: ContainerRemovalListeners,
    private readonly removal: MediaRemoval,
  ) {}

  onModuleInit(): void {
    this.jobs.handle<{ containerId: number }>(TASK, async ({ containerId }) => await this.destroy(containerId));
  }

  /** In the transaction that dooms the container. */
  async request(containerId: number): Promise<void> {
    await this.listeners.tell(containerId);
    await this.jobs.add(TASK, { containerId }, { key: `${TASK} ${containerId}`, maxAttempts: UNTIL_DONE });
  }

  async destroy(containerId: number): Promise<void> {
    do await this.removal.remove({ containerId });
    while (!(await this.forget(containerId)));
  }

  /** False: it has got another file. */
  private async forget(containerId: number): Promise<boolean> {
    return await this.database.transaction(async () => {
      const isThere = (await this.database.query(LOCK, [containerId])).rowCount === 1;
      return !isThere || (await this.database.query(FORGET, [containerId])).rowCount === 1;
    });
  }
}
