import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Quotas } from '../../../shared/quotas/index.js';
import { Clock } from '../../../shared/time/index.js';
import { ItemSuccessListeners, type SuccessfulItem } from '../../uploads/index.js';
import { DropsiteUsageRepository } from './dropsite-usage.repository.js';

/**
 * Counts what arrived beyond what was announced, in the transaction that records it. It is there already, so it is never refused. The quota of
 * the customer gets back what was announced on the same day and did not arrive.
 */
@Injectable()
export class DropsiteCharges implements OnModuleInit {
  constructor(
    private readonly usage: DropsiteUsageRepository,
    private readonly quotas: Quotas,
    private readonly listeners: ItemSuccessListeners,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.listeners.register(async (item) => await this.charge(item));
  }

  private async charge({ batch, announcedBytes, size }: SuccessfulItem): Promise<void> {
    if (batch.dropsiteId === null) return;
    const bytes = size - announcedBytes;
    const now = this.clock.now();
    if (bytes > 0) await this.usage.charge(batch.dropsiteId, bytes, now);
    const isAnonymous = batch.userId === null || batch.sessionId !== null;
    const isOfToday = dayOf(batch.createdAt) === dayOf(now);
    if (isAnonymous && (bytes > 0 || isOfToday)) await this.quotas.charge(batch.customerId, 'anonymousUploadBytesPerDay', bytes);
  }
}

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);
