import { Injectable } from '@nestjs/common';
import { QuotasService } from '../../../shared/quotas/index.js';

const QUOTA = 'anonymousUploadBytesPerDay';

/** The number of bytes counted for a sender's session: about the size of the address and names. */
export const SESSION_BYTES = 100;

/** The quota of bytes that a customer stores for anonymous senders per day. */
@Injectable()
export class AnonymousUploadQuotaService {
  constructor(private readonly quotas: QuotasService) {}

  /** Checks, before expensive work, that the customer may store this many more bytes today. Throws `quota_exceeded`. */
  async requireRoom(customerId: number, bytes: number): Promise<void> {
    if (!(await this.quotas.hasRoom(customerId, QUOTA, bytes))) throw await this.quotas.refusal(customerId, QUOTA);
  }

  /** Counts bytes, in the transaction that stores them. Throws `quota_exceeded`. */
  async consume(customerId: number, bytes: number): Promise<void> {
    if (!(await this.quotas.take(customerId, QUOTA, bytes))) throw await this.quotas.refusal(customerId, QUOTA);
  }

  /** Counts bytes that are already stored, or returns bytes (negative) that were counted today. */
  async correct(customerId: number, bytes: number): Promise<void> {
    await this.quotas.charge(customerId, QUOTA, bytes);
  }
}
