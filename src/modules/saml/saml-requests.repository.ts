import { Injectable } from '@nestjs/common';
import { IsNull, MoreThan, Not } from 'typeorm';
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
  async setHandle(
    id: string,
    handle: Pick<SamlRequest, 'userId' | 'handleHash' | 'handleExpiresAt' | 'linkNameId' | 'linkNameIdFormat'>,
  ): Promise<void> {
    await this.requests.update({ id }, handle);
  }

  /** Finds a request whose handle was redeemed and whose NameID is to be linked to this user. */
  async findToLink(id: string, userId: number): Promise<SamlRequest | null> {
    return await this.requests.findOneBy({ id, userId, redeemedAt: Not(IsNull()), linkNameId: Not(IsNull()) });
  }

  /** Redeems a handle and returns its request; null if it was redeemed before, has expired, or belongs to another browser. */
  async redeem({ handleHash, browserHash }: { handleHash: string; browserHash: string }, now: Date): Promise<SamlRequest | null> {
    const update = this.requests
      .createQueryBuilder()
      .update()
      .set({ redeemedAt: now })
      .where({ handleHash, browserHash, redeemedAt: IsNull(), handleExpiresAt: MoreThan(now) });
    return (await update.execute()).affected === 1 ? await this.findByHandle(handleHash) : null;
  }

  /** Records the use of an assertion; true if it is the first use. */
  async claimAssertion(identityProviderId: number, { id: assertionId, expiresAt }: { id: string; expiresAt: Date }): Promise<boolean> {
    return await insertIfAbsent(this.database.repository(UsedAssertion), { identityProviderId, assertionId, expiresAt });
  }

  private get requests() {
    return this.database.repository(SamlRequest);
  }
}
