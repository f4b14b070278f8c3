import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { Database } from '../database/index.js';
import { AuditRecord } from './audit-record.entity.js';

const PAGE_SIZE = 500;

/** Writes and reads the audit trail. Records are written in the transaction of the change that they describe. */
@Injectable()
export class AuditService {
  constructor(private readonly database: Database) {}

  async record(entry: { action: string; actor: string; onBehalfOf?: string; subject: string; reason?: string }): Promise<void> {
    await this.database.repository(AuditRecord).insert(entry);
  }

  /** The newest records of one action on one subject. */
  async findLatest({ action, subject }: { action: string; subject: string }, limit: number): Promise<AuditRecord[]> {
    return await this.database.repository(AuditRecord).find({ where: { action, subject }, order: { id: 'DESC' }, take: limit });
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
