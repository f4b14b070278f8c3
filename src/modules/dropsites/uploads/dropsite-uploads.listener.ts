import { Injectable } from '@nestjs/common';
import { DROPSITE_SCOPE } from '../../../shared/auth/index.js';
import { Clock } from '../../../shared/clock.js';
import { EventOutboxService } from '../../../shared/events/index.js';
import { utcDayOf } from '../../../shared/utc-day.js';
import { TokenStatesService } from '../../access/index.js';
import { PrincipalsService } from '../../accounts/index.js';
import type { BytesCorrection, CompletedBatch, UploadListener } from '../../uploads/index.js';
import { DropsitesRepository } from '../dropsites.repository.js';
import { AnonymousUploadQuotaService } from './anonymous-upload-quota.service.js';
import { DropsiteUsageRepository } from './dropsite-usage.repository.js';

/**
 * Reacts to uploads at dropsites: corrects the counted bytes, ends the session of a completed batch, and publishes the
 * events of the dropsite. Everything happens in the transaction that records the correction or the completion.
 */
@Injectable()
export class DropsiteUploadsListener implements UploadListener {
  constructor(
    private readonly dropsites: DropsitesRepository,
    private readonly usage: DropsiteUsageRepository,
    private readonly quota: AnonymousUploadQuotaService,
    private readonly revokedTokens: TokenStatesService,
    private readonly principals: PrincipalsService,
    private readonly events: EventOutboxService,
    private readonly clock: Clock,
  ) {}

  async batchCompleted(completed: CompletedBatch): Promise<void> {
    if (completed.batch.dropsiteId === null) return;
    await this.endSession(completed);
    await this.publishCompletion(completed, completed.batch.dropsiteId);
  }

  /**
   * Corrects the counted bytes. Bytes beyond the announced ones are already stored, so they are counted and never refused. Announced bytes that did
   * not arrive are returned to the quota of the customer if they were counted today.
   */
  async bytesCorrected({ batch, bytes }: BytesCorrection): Promise<void> {
    if (batch.dropsiteId === null) return;
    const now = this.clock.now();
    if (bytes > 0) await this.usage.addBytes(batch.dropsiteId, bytes, now);
    const isAnonymous = batch.userId === null || batch.sessionId !== null;
    const isOfToday = utcDayOf(batch.createdAt) === utcDayOf(now);
    if (!isAnonymous || (bytes <= 0 && !isOfToday)) return;
    await this.quota.correct(batch.customerId, bytes);
  }

  /** Ends the session of a completed batch, because it is valid for one batch. */
  private async endSession({ caller }: CompletedBatch): Promise<void> {
    if (caller?.token && caller.scopes.has(DROPSITE_SCOPE)) await this.revokedTokens.revoke(caller.token.id, caller.token.expiresAt);
  }

  /** Counts a completed batch and publishes its events, unless nothing arrived, or the dropsite was deleted meanwhile. */
  private async publishCompletion({ batch, mediaContainerIds: ids }: CompletedBatch, dropsiteId: number): Promise<void> {
    if (ids.length === 0) return;
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
    const publicPayload = { dropsiteId, publicAreaIds, mediaContainerIds };
    await this.events.publish({ name: 'event:dropsiteToPublicArea', customerId, method: 'create', payload: publicPayload });
  }
}
