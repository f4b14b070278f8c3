import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { Housekeeping } from '../../../shared/jobs/index.js';
import { SamlRequest } from './saml-request.entity.js';

const CONSUME = `UPDATE saml_requests SET consumed_at = $3, expires_at = greatest(expires_at, $4)
  WHERE id = $1 AND identity_provider_id = $2 AND consumed_at IS NULL AND expires_at > $3`;

const REDEEM = `UPDATE saml_requests SET redeemed_at = $3
  WHERE handle_hash = $1 AND browser_hash = $2 AND redeemed_at IS NULL AND handle_expires_at > $3
  RETURNING user_id AS "userId"`;

/** The logins that wait for a response, or for the browser to come back with its handle; shared by all processes. */
@Injectable()
export class SamlRequests {
  constructor(
    private readonly database: Database,
    housekeeping: Housekeeping,
  ) {
    housekeeping.expire('saml_requests', 'expires_at < $1');
  }

  async insert(request: Pick<SamlRequest, 'id' | 'identityProviderId' | 'returnTo' | 'browserHash' | 'expiresAt'>): Promise<void> {
    await this.repository.insert(request);
  }

  async find(identityProviderId: number, id: string): Promise<SamlRequest | null> {
    return await this.repository.findOneBy({ id, identityProviderId });
  }

  /** Whether this response is the first to answer the request; of several at the same moment one is. The row is kept until `keepUntil`. */
  async consume(request: { id: string; identityProviderId: number }, now: Date, keepUntil: Date): Promise<boolean> {
    return (await this.database.query(CONSUME, [request.id, request.identityProviderId, now, keepUntil])).rowCount === 1;
  }

  /** Hands the login over to the browser that began it. */
  async setHandle(id: string, handle: { userId: number; handleHash: string; handleExpiresAt: Date }): Promise<void> {
    await this.repository.update({ id }, handle);
  }

  /** The user of a handle, once and in the browser that began only; else null. */
  async redeem(handle: { handleHash: string; browserHash: string }, now: Date): Promise<number | null> {
    return (await this.database.queryOne<{ userId: number }>(REDEEM, [handle.handleHash, handle.browserHash, now]))?.userId ?? null;
  }

  async findByHandle(handleHash: string): Promise<SamlRequest | null> {
    return await this.repository.findOneBy({ handleHash });
  }

  private get repository() {
    return this.database.repository(SamlRequest);
  }
}
