import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { EventOutbox } from '../../../shared/events/index.js';
import { SenderBatches } from '../../uploads/index.js';
import { DropsiteEntrance } from '../dropsite-entrance.js';
import type { Visitor } from '../visitor.js';

/** What a sender says of an upload that begins. */
export interface UploadNotice {
  readonly link: string;
  readonly uploadId: string;
  /** Seconds. */
  readonly duration: number | null;
  /** Bytes. */
  readonly totalSize: number;
  readonly items: number;
}

/** Tells the owner of a dropsite that an upload begins. */
@Injectable()
export class UploadNotices {
  constructor(
    private readonly entrance: DropsiteEntrance,
    private readonly batches: SenderBatches,
    private readonly events: EventOutbox,
    private readonly database: Database,
  ) {}

  /**
   * Once for each batch: repeating it tells nobody, and neither does a batch that has ended. Throws `not_found`, `client_mismatch` and, for
   * a batch that was made with a session or token, `unauthenticated`.
   */
  async announce({ caller, clientId }: Visitor, { link, ...notice }: UploadNotice): Promise<void> {
    const dropsite = await this.entrance.find(link, { clientId });
    const batch = await this.batches.get({ caller, clientId: dropsite.clientId }, notice.uploadId, dropsite.id);
    const { id: dropsiteId, customerId, ownerId } = dropsite;
    await this.database.transaction(async () => {
      if (!(await this.batches.announce(batch.id))) return;
      const payload = { ...notice, link: dropsite.link, dropsiteId, ownerId };
      await this.events.publish({ name: 'event:dropsiteUploadStarted', customerId, method: 'create', payload });
    });
  }
}
