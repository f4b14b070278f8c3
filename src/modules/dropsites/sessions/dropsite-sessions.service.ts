import { Injectable } from '@nestjs/common';
import { DROPSITE_SCOPE } from '../../../shared/auth/index.js';
import { Clock } from '../../../shared/clock.js';
import { Config } from '../../../shared/config/index.js';
import { Database } from '../../../shared/database/index.js';
import { AccessTokenIssuerService } from '../../access/index.js';
import { PrincipalsService, type User } from '../../accounts/index.js';
import type { Dropsite } from '../dropsite.entity.js';
import { DropsiteEntranceService, type Visitor } from '../dropsite-entrance.service.js';
import { dropsiteErrors } from '../dropsites.errors.js';
import { AnonymousUploadQuotaService, SESSION_BYTES } from '../uploads/anonymous-upload-quota.service.js';
import { DropsiteCodesRepository } from './dropsite-codes.repository.js';

/** A request for a session. */
interface SessionRequest {
  readonly link: string;
  readonly code: string;
  readonly email?: string;
  readonly firstname?: string;
  readonly lastname?: string;
  readonly password?: string;
}

/** A token with which a sender can upload to one link. */
export interface DropsiteSession {
  readonly accessToken: string;
  /** The expiry in Unix seconds. */
  readonly expiresAt: number;
  readonly clientId: string;
  readonly sender: Pick<User, 'id' | 'customerId' | 'email'>;
}

/** Creates sessions of senders: `deliver` issues a code that can be exchanged once for a session. */
@Injectable()
export class DropsiteSessionsService {
  constructor(
    private readonly entrance: DropsiteEntranceService,
    private readonly codes: DropsiteCodesRepository,
    private readonly senders: PrincipalsService,
    private readonly accessTokens: AccessTokenIssuerService,
    private readonly quota: AnonymousUploadQuotaService,
    private readonly database: Database,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Returns the dropsite of a link and a new code. Throws `not_found`, `dropsite_expired`, `client_mismatch`. */
  async deliver(visitor: Visitor, link: string): Promise<{ dropsite: Dropsite; code: string }> {
    const dropsite = await this.entrance.findOpen(link, visitor);
    const expiresAt = new Date(this.clock.now().getTime() + this.config.dropsiteCodeTtlSeconds * 1_000);
    return { dropsite, code: await this.codes.issue(dropsite.id, expiresAt) };
  }

  /**
   * Creates a session of the sender with this e-mail address. Throws `invalid_code`, `quota_exceeded`, and the errors of `deliver` and of the
   * password; then the code can be used again.
   */
  async create(visitor: Visitor, { link, code, password, ...claim }: SessionRequest): Promise<DropsiteSession> {
    const dropsite = await this.entrance.findOpen(link, visitor);
    await this.entrance.checkPassword(dropsite, password, visitor);
    const { id, customerId, clientId } = dropsite;
    return await this.database.transaction(async () => {
      if (!(await this.codes.consume(code, id, this.clock.now()))) {
        throw dropsiteErrors.invalid_code('The code is not valid; call deliver for a new one.');
      }
      const sender = await this.senders.findOrCreateSender({ ...claim, customerId });
      await this.quota.consume(customerId, SESSION_BYTES); // for known senders too, so that quotas do not reveal which addresses are known
      const token = { userId: sender.id, clientId, scope: DROPSITE_SCOPE, authorization: null };
      const issued = await this.accessTokens.issue({ ...token, ttlSeconds: this.config.dropsiteSessionTtlSeconds });
      return { ...issued, clientId, sender };
    });
  }
}
