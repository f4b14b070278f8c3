import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Quotas } from '../../../shared/quotas/index.js';
import { Clock } from '../../../shared/time/index.js';
import { ItemSuccessListeners, type SuccessfulItem } from '../../uploads/index.js';
import { DropsiteUsageRepository } from './dropsite-usage.repository.js';

const QUOTA = 'anonymousUploadBytesPerDay';

/** What a session of a sender counts: about what its address and names take. */
export const SESSION_BYTES = 100;

/** The bytes of a value as JSON in UTF-8: what a stranger sends and the database keeps counts too, so that nothing is free. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * Counts what anonymous senders make their customer store. What arrived beyond what was announced is counted in the transaction that records
 * it; it is there already, so it is never refused. The quota of the customer gets back what was announced on the same day and did not arrive.
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
    await this.quotas.charge(batch.customerId, QUOTA, bytes);
  }
}

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);
