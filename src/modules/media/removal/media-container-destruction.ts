import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { Jobs } from '../../../shared/jobs/index.js';
import { MediaRemoval } from './media-removal.js';

const TASK = 'destroy_media_container';

const FORGET_CONTAINER = `DELETE FROM media_containers WHERE id = $1 AND NOT EXISTS (SELECT FROM media_items WHERE media_container_id = $1)`;

/** The job that removes a container in the trash with all its files; it can be repeated. */
@Injectable()
export class MediaContainerDestruction implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly removal: MediaRemoval,
  ) {}

  onModuleInit(): void {
    this.jobs.handle<{ containerId: number }>(TASK, async ({ containerId }) => await this.destroy(containerId));
  }

  /** In the transaction that puts the container into the trash. */
  async request(containerId: number): Promise<void> {
    await this.jobs.add(TASK, { containerId }, { key: `${TASK} ${containerId}` });
  }

  private async destroy(containerId: number): Promise<void> {
    await this.removal.remove({ containerId });
    await this.database.query(FORGET_CONTAINER, [containerId]);
  }
}
