import { Injectable } from '@nestjs/common';
import { AuditService } from '../../shared/audit/audit.service.js';
import { Clock } from '../../shared/clock.js';
import { accountsErrors } from './accounts.errors.js';
import { AccountsRepository } from './accounts.repository.js';
import { PrincipalsService } from './principals.service.js';

/** The user for whom support staff wants to act, and the reason. */
export interface SupportRequest {
  readonly customerId: number;
  readonly userId: number;
  readonly reason: string;
}

/** One use of support access, as it is shown to the user. */
export interface SupportVisit {
  readonly at: Date;
  readonly staff: string;
  readonly reason: string;
}

const ACTION = 'support_access.begin';

/** Checks and records customer-approved support access ("casa"), with which support staff act for users of a customer. */
@Injectable()
export class SupportAccessService {
  constructor(
    private readonly principals: PrincipalsService,
    private readonly accounts: AccountsRepository,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** Whether this member of staff may act for this user now; checked for every request. */
  async isOpen(staffId: number, userId: number): Promise<boolean> {
    return await this.accounts.isSupportAccessOpen(staffId, userId, this.clock.now());
  }

  /**
   * Checks that this member of staff may act for the user now.
   * @throws DomainError 403 `support_access_refused`
   */
  async check(staffId: number, { customerId, userId }: SupportRequest): Promise<void> {
    const [staff, user] = await Promise.all([this.principals.find(staffId), this.principals.find(userId)]);
    if (!staff || user?.customerId !== customerId || !(await this.isOpen(staffId, userId))) {
      throw accountsErrors.support_access_refused('support access is not open for this user, or you may not use it');
    }
  }

  /** Records in the audit log that a member of staff received a token of the user, and the reason. */
  async recordVisit(staffId: number, { userId, reason }: Pick<SupportRequest, 'userId' | 'reason'>): Promise<void> {
    const [staff, user] = await Promise.all([this.principals.find(staffId), this.principals.find(userId)]);
    if (!staff || !user) throw accountsErrors.support_access_refused('support access has ended');
    await this.audit.record({ action: ACTION, actor: `user:${staff.id}`, subject: `user:${user.id}`, customerId: user.customerId, reason });
  }

  /** The time until which the customer lets support staff act for its users; null if it does not. */
  async openUntil(customerId: number): Promise<Date | null> {
    const until = (await this.accounts.findCustomer(customerId))?.supportAccessUntil ?? null;
    return until && until > this.clock.now() ? until : null;
  }

  /** The latest 20 visits of support staff to the account of this user. */
  async visitsTo(userId: number): Promise<SupportVisit[]> {
    const records = await this.audit.findLatest({ action: ACTION, subject: `user:${userId}` }, 20);
    const staff = await this.accounts.findUsers(records.map(({ actor }) => Number(actor.replace(/^user:/, ''))));
    const nameOf = (actor: string) => staff.find(({ id }) => actor === `user:${id}`)?.email ?? actor;
    return records.map(({ at, actor, reason }) => ({ at, staff: nameOf(actor), reason: reason ?? '' }));
  }
}
