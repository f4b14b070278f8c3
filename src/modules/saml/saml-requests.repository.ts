import { Injectable } from '@nestjs/common';
import { IsNull, MoreThan } from 'typeorm';
import { Database, insertIfAbsent } from '../../shared/database/index.js';
import { HousekeepingService } from '../../shared/jobs/index.js';
import { SamlRequest } from './saml-request.entity.js';
import { UsedAssertion } from './used-assertion.entity.js';

export type NewSamlRequest = Pick<SamlRequest, 'id' | 'identityProviderId' | 'returnTo' | 'browserHash' | 'expiresAt'>;

/** Stores sign-ins in progress, and used assertions until they expire, for all processes. */
@Injectable()
export class SamlRequestsRepository {
  constructor(
    private readonly database: Database,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('saml_requests', 'expires_at < $1');
    housekeeping.expire('saml_assertions', 'expires_at < $1');
  }

  async insert(request: NewSamlRequest): Promise<void> {
    await this.requests.insert(request);
  }

  async find(identityProviderId: number, id: string): Promise<SamlRequest | null> {
    return await this.requests.findOneBy({ id, identityProviderId });
  }

  async findByHandle(handleHash: string): Promise<SamlRequest | null> {
    return await this.requests.findOneBy({ handleHash });
  }

  /** Marks the request as answered; false if it already was, or has expired. The row is kept until `keepUntil` at least. */
  async consume({ id, identityProviderId }: { id: string; identityProviderId: number }, now: Date, keepUntil: Date): Promise<boolean> {
    const update = this.requests
      .createQueryBuilder()
      .update()
      .set({ consumedAt: now, expiresAt: () => 'greatest(expires_at, :keepUntil)' })
      .where({ id, identityProviderId, consumedAt: IsNull(), expiresAt: MoreThan(now) })
      .setParameter('keepUntil', keepUntil);
    return (await update.execute()).affected === 1;
  }

  /** Stores the one-time handle with which the browser that started the sign-in completes it. */
  async setHandle(id: string, handle: { userId: number; handleHash: string; handleExpiresAt: Date }): Promise<void> {
    await this.requests.update({ id }, handle);
  }

  /** Redeems a handle and returns its user; null if it was redeemed before, has expired, or belongs to another browser. */
  async redeem({ handleHash, browserHash }: { handleHash: string; browserHash: string }, now: Date): Promise<number | null> {
    const update = this.requests
      .createQueryBuilder()
      .update()
      .set({ redeemedAt: now })
      .where({ handleHash, browserHash, redeemedAt: IsNull(), handleExpiresAt: MoreThan(now) })
      .returning(['userId']);
    const rows = (await update.execute()).raw as readonly { user_id: number | null }[];
    return rows[0]?.user_id ?? null;
  }

  /** Records the use of an assertion; true if it is the first use. */
  async claimAssertion(identityProviderId: number, { id: assertionId, expiresAt }: { id: string; expiresAt: Date }): Promise<boolean> {
    return await insertIfAbsent(this.database.repository(UsedAssertion), { identityProviderId, assertionId, expiresAt });
  }

  private get requests() {
    return this.database.repository(SamlRequest);
  }
}
