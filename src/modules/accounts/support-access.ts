import { Injectable } from '@nestjs/common';
import { Audit } from '../../shared/audit/index.js';
import { Database } from '../../shared/database/index.js';
import { defineErrors } from '../../shared/errors/index.js';
import { Clock } from '../../shared/time/index.js';
import { Principals } from './principals.js';
import { NOT_SENDER } from './user.entity.js';

const errors = defineErrors({
  support_access_refused: {
    kind: 'forbidden',
    meaning: 'Support access is for staff only, for a customer that has opened it, and for a user of that customer.',
  },
});

/** Whom support staff wants to act for, and why. */
export interface SupportRequest {
  readonly customerId: number;
  readonly userId: number;
  readonly reason: string;
}

/** One use of support access, for the customer's users to see. */
export interface SupportVisit {
  readonly at: Date;
  readonly staff: string;
  readonly reason: string;
}

const ACTION = 'support_access.begin';

/** Staff is a user of the operator; the customer decides until when they may act for its users. */
const IS_OPEN = `SELECT 1 AS open FROM users staff
  JOIN customers operator ON operator.id = staff.customer_id AND operator.operator
  JOIN users u ON u.id = $2 AND u.disabled_at IS NULL AND u.${NOT_SENDER}
  JOIN customers c ON c.id = u.customer_id AND c.support_access_until > $3
  WHERE staff.id = $1 AND staff.disabled_at IS NULL AND staff.kind = 'person'`;

/** Customer-approved support access ("casa"): who may act for whom, until when, and why. */
@Injectable()
export class SupportAccess {
  constructor(
    private readonly database: Database,
    private readonly principals: Principals,
    private readonly audit: Audit,
    private readonly clock: Clock,
  ) {}

  /** Whether this member of staff may act for this user now; asked for every request. */
  async isOpen(staffId: number, userId: number): Promise<boolean> {
    return (await this.database.queryOne(IS_OPEN, [staffId, userId, this.clock.now()])) !== null;
  }

  /** Whether staff may act as this user now. Throws 403 `support_access_refused`. */
  async check(staffId: number, { customerId, userId }: SupportRequest): Promise<void> {
    const [staff, user] = await Promise.all([this.principals.find(staffId), this.principals.find(userId)]);
    if (!staff || user?.customerId !== customerId || !(await this.isOpen(staffId, userId))) {
      throw errors.support_access_refused('support access is not open for this user, or not to you');
    }
  }

  /** Writes down that staff has got a token of the user, and why. */
  async recordVisit(staffId: number, { userId, reason }: Pick<SupportRequest, 'userId' | 'reason'>): Promise<void> {
    const [staff, user] = await Promise.all([this.principals.find(staffId), this.principals.find(userId)]);
    if (!staff || !user) throw errors.support_access_refused('support access has ended');
    await this.audit.record({ action: ACTION, actor: `user:${staff.email}`, subject: `user:${user.email}`, reason });
  }

  /** Until when the user's customer lets support staff in; null: not at all. */
  async openUntil(customerId: number): Promise<Date | null> {
    const sql = 'SELECT support_access_until AS until FROM customers WHERE id = $1 AND support_access_until > $2';
    return (await this.database.queryOne<{ until: Date }>(sql, [customerId, this.clock.now()]))?.until ?? null;
  }

  /** The latest visits of support staff to this user's account. */
  async visitsTo(email: string): Promise<SupportVisit[]> {
    const records = await this.audit.findLatest({ action: ACTION, subject: `user:${email}` }, 20);
    return records.map(({ at, actor, reason }) => ({ at, staff: actor.replace(/^user:/, ''), reason: reason ?? '' }));
  }
}
