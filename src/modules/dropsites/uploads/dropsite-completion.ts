import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DROPSITE_SCOPE } from '../../../shared/auth/index.js';
import { EventOutbox } from '../../../shared/events/index.js';
import { TokenStatesService } from '../../access/index.js';
import { PrincipalsService } from '../../accounts/index.js';
import { BatchCompletionListeners, type CompletedBatch } from '../../uploads/index.js';
import { DropsitesRepository } from '../dropsites.repository.js';

/** What the completion of a batch means to its dropsite; all of it in the transaction that completes the batch. */
@Injectable()
export class DropsiteCompletion implements OnModuleInit {
  constructor(
    private readonly dropsites: DropsitesRepository,
    private readonly revokedTokens: TokenStatesService,
    private readonly principals: PrincipalsService,
    private readonly events: EventOutbox,
    private readonly listeners: BatchCompletionListeners,
  ) {}

  onModuleInit(): void {
    this.listeners.register(async (completed) => {
      if (completed.batch.dropsiteId === null) return;
      await this.endSession(completed);
      await this.tell(completed, completed.batch.dropsiteId);
    });
  }

  /** The session did what it was made for. */
  private async endSession({ caller }: CompletedBatch): Promise<void> {
    if (caller?.token && caller.scopes.has(DROPSITE_SCOPE)) await this.revokedTokens.revoke(caller.token.id, caller.token.expiresAt);
  }

  /** Nobody is told of a dropsite that was deleted meanwhile. */
  private async tell({ batch, mediaContainerIds: ids }: CompletedBatch, dropsiteId: number): Promise<void> {
    const dropsite = await this.dropsites.findById(dropsiteId);
    if (!dropsite) return;
    const { customerId, link, publicAreaIds } = dropsite;
    const { uploadId, userId } = batch;
    const mediaContainerIds = [...ids];
    const email = userId === null ? null : ((await this.principals.find(userId))?.email ?? null);
    await this.dropsites.countUpload(dropsiteId);
    const payload = { uploadId, link, dropsiteId, mediaContainerIds, email };
    await this.events.publish({ name: 'event:dropsiteUploadComplete', customerId, method: 'update', payload });
    if (publicAreaIds.length === 0) return;
    const handedOn = { dropsiteId, publicAreaIds, mediaContainerIds };
    await this.events.publish({ name: 'event:dropsiteToPublicArea', customerId, method: 'create', payload: handedOn });
  }
}
