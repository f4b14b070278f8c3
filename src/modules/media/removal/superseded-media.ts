import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { Jobs, UNTIL_DONE } from '../../../shared/jobs/index.js';
import { Clock } from '../../../shared/time/index.js';
import { MediaRemoval } from './media-removal.js';

const TASK = 'remove_superseded_media';

/** Signed URLs of what is replaced may be in use: somebody watches it, or downloads it. */
const KEPT_MS = 3_600_000;

/** An item: the newest of its format in its container. */
export interface Successor {
  readonly id: number;
  readonly mediaContainerId: number;
  readonly formatId: number;
}

const CONDEMN = `UPDATE media_items SET status = 'deleted'
  WHERE media_container_id = $1 AND format_id = $2 AND id < $3 AND status <> 'deleted' RETURNING id`;

/** Renditions that were made anew: nobody finds the older ones any more, and an hour later a job removes them. */
@Injectable()
export class SupersededMedia implements OnModuleInit {
  constructor(
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly removal: MediaRemoval,
  ) {}

  onModuleInit(): void {
    this.jobs.handle<{ itemIds: number[] }>(TASK, async (scope) => await this.removal.remove(scope));
  }

  /** Condemns what an item replaces, in the ambient transaction, which holds the container. */
  async replaceBy({ id, mediaContainerId, formatId }: Successor): Promise<void> {
    const { rows } = await this.database.query<{ id: number }>(CONDEMN, [mediaContainerId, formatId, id]);
    const runAt = new Date(this.clock.now().getTime() + KEPT_MS);
    if (rows.length > 0) await this.jobs.add(TASK, { itemIds: rows.map((row) => row.id) }, { runAt, maxAttempts: UNTIL_DONE });
  }
}
