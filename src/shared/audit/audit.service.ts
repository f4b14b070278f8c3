import { Injectable } from '@nestjs/common';
import { And, type FindOperator, LessThan, MoreThan } from 'typeorm';
import type { Caller } from '../auth/index.js';
import { Database, type Reach, withinReach } from '../database/index.js';
import { defined } from '../validation/index.js';
import { AuditRecord } from './audit-record.entity.js';

const PAGE_SIZE = 500;

/** A record to write. */
type AuditEntry = Pick<AuditRecord, 'action' | 'actor' | 'subject' | 'customerId'> & {
  onBehalfOf?: string;
  reason?: string;
  ids?: number[];
};

/** What a caller changed, of its own customer: `ids` are the objects of a bulk change. */
interface OwnChange extends Pick<AuditRecord, 'action' | 'subject'> {
  readonly ids?: readonly number[];
}

/**
 * Writes the audit record of a change, in its transaction: `action` is `noun.verb`, `subject` is `noun:id`, and `customerId` is the customer whose
 * administrators may read the record (null: operators only).
 */
export type RecordChange = (action: string, subject: string, customerId: number | null) => Promise<void>;

/** The records to find: those that match every member that is present. */
export interface AuditQuery extends Reach {
  readonly action?: string;
  readonly actor?: string;
  readonly subject?: string;
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
}

/** A page of records, newest first, with ids below `before`. */
interface AuditPage {
  readonly before?: number;
  readonly limit: number;
}

/** Writes and reads the audit trail. Records are written in the transaction of the change that they describe. */
@Injectable()
export class AuditService {
  constructor(private readonly database: Database) {}

  async record(entry: AuditEntry): Promise<void> {
    await this.database.repository(AuditRecord).insert(entry);
  }

  /** Records changes of a caller; for support staff, the member of staff is the actor. */
  recorderOf(caller: Caller): RecordChange {
    return async (action, subject, customerId) => await this.record({ action, subject, customerId, ...actorsOf(caller) });
  }

  /** Records changes that the service makes by itself. */
  readonly recorderOfService: RecordChange = async (action, subject, customerId) =>
    await this.record({ action, actor: 'service', subject, customerId });

  /** Records a change of what belongs to the caller's customer. Call it in the transaction of the change. */
  async note(caller: Caller, { action, subject, ids }: OwnChange): Promise<void> {
    await this.record({ action, subject, customerId: caller.customerId, ...actorsOf(caller), ...(ids && { ids: [...ids] }) });
  }

  /** A page of the records that a query describes, newest first. */
  async find(query: AuditQuery, { before, limit }: AuditPage): Promise<AuditRecord[]> {
    const { action, actor, subject } = query;
    const page = before === undefined ? {} : { id: LessThan(String(before)) };
    const where = { ...withinReach(query), ...defined({ action, actor, subject }), ...periodOf(query), ...page };
    return await this.database.repository(AuditRecord).find({ where, order: { id: 'DESC' }, take: limit });
  }

  /** The records that a query describes, newest first and at most `limit`, read in pages. */
  async *stream(query: AuditQuery, { before, limit = Number.POSITIVE_INFINITY }: Partial<AuditPage>): AsyncGenerator<AuditRecord> {
    for (let [next, left] = [before, limit]; left > 0; ) {
      const page = await this.find(query, { before: next, limit: Math.min(PAGE_SIZE, left) });
      yield* page;
      const last = page.at(-1);
      if (!last) return;
      [next, left] = [Number(last.id), left - page.length];
    }
  }

  /** The newest records of one action on one subject. */
  async findLatest({ action, subject }: { action: string; subject: string }, limit: number): Promise<AuditRecord[]> {
    return await this.find({ action, subject, withCommon: true }, { limit });
  }

  /** Records that name the user by address, as earlier versions wrote them, then name the user by id. TextErasureRepository erases the reasons. */
  async eraseUser({ id, email }: { readonly id: number; readonly email: string }): Promise<void> {
    const records = this.database.repository(AuditRecord);
    for (const name of ['actor', 'onBehalfOf', 'subject'] as const)
      await records.update({ [name]: `user:${email}` }, { [name]: `user:${id}` });
  }

  /** All records, oldest first, read in pages. */
  async *all(): AsyncGenerator<AuditRecord> {
    for (let last = '0'; ; ) {
      const page = await this.database
        .repository(AuditRecord)
        .find({ where: { id: MoreThan(last) }, order: { id: 'ASC' }, take: PAGE_SIZE });
      yield* page;
      const end = page.at(-1);
      if (!end) return;
      last = end.id;
    }
  }
}

function actorsOf({ userId, supportUserId }: Caller): Pick<AuditEntry, 'actor' | 'onBehalfOf'> {
  const user = `user:${userId}`;
  return supportUserId === null ? { actor: user } : { actor: `user:${supportUserId}`, onBehalfOf: user };
}

function periodOf({ createdAfter, createdBefore }: AuditQuery): { at?: FindOperator<Date> } {
  const after = createdAfter && MoreThan(createdAfter);
  const before = createdBefore && LessThan(createdBefore);
  const at = after && before ? And(after, before) : (after ?? before);
  return at ? { at } : {};
}
