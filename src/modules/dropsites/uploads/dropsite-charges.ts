import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Quotas } from '../../../shared/quotas/index.js';
import { Clock } from '../../../shared/time/index.js';
import { ItemSuccessListeners, type SuccessfulItem } from '../../uploads/index.js';
import { DropsiteUsageRepository } from './dropsite-usage.repository.js';

const QUOTA = 'anonymousUploadBytesPerDay';

/**
 * What a batch, an item or a session of an anonymous sender counts at least, in bytes: its rows in the database with their indexes and those of
 * its events and background work, 1 to 3 KiB as measured, rounded up. Files without content would otherwise count nothing.
 */
export const MIN_CHARGE_BYTES = 4_096;

/** What something of this many bytes counts. */
export const chargedBytes = (bytes: number): number => Math.max(bytes, MIN_CHARGE_BYTES);

/**
 * Counts what anonymous senders make their customer keep. Counts what arrived beyond what was announced, in the transaction that records it. It is there already, so it is never refused. The quota of
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

  /** Whether a customer takes so many more bytes from anonymous senders today, asked before work is done for them. Throws `quota_exceeded`. */
  async expectRoom(customerId: number, bytes: number): Promise<void> {
    if (!(await this.quotas.hasRoom(customerId, QUOTA, bytes))) throw await this.quotas.refusal(customerId, QUOTA);
  }

  /** Counts bytes from an anonymous sender, in the transaction that stores them. Throws `quota_exceeded`. */
  async take(customerId: number, bytes: number): Promise<void> {
    if (!(await this.quotas.take(customerId, QUOTA, bytes))) throw await this.quotas.refusal(customerId, QUOTA);
  }

  private async charge({ batch, announcedBytes, size }: SuccessfulItem): Promise<void> {
    if (batch.dropsiteId === null) return;
    const bytes = size - announcedBytes;
    const now = this.clock.now();
    if (bytes > 0) await this.usage.charge(batch.dropsiteId, bytes, now);
    const isAnonymous = batch.userId === null || batch.sessionId !== null;
    const isOfToday = dayOf(batch.createdAt) === dayOf(now);
    if (!isAnonymous || (bytes <= 0 && !isOfToday)) return;
    await this.quotas.charge(batch.customerId, QUOTA, chargedBytes(size) - chargedBytes(announcedBytes));
  }
}

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);
