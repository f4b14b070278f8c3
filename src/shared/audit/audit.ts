import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';
import { AuditRecord } from './audit-record.entity.js';

const PAGE = 500;

/** The audit trail. Records are written in the transaction of what they tell of. */
@Injectable()
export class Audit {
  constructor(private readonly database: Database) {}

  async record(entry: { action: string; actor: string; onBehalfOf?: string; subject: string; reason?: string }): Promise<void> {
    await this.database.repository(AuditRecord).insert(entry);
  }

  /** The newest records of one action on one subject. */
  async findLatest({ action, subject }: { action: string; subject: string }, limit: number): Promise<AuditRecord[]> {
    const sql = `SELECT id, at, action, actor, on_behalf_of AS "onBehalfOf", subject, reason FROM audit_records
      WHERE action = $1 AND subject = $2 ORDER BY id DESC LIMIT $3`;
    return (await this.database.query<AuditRecord>(sql, [action, subject, limit])).rows;
  }

  /** All records, the oldest first, read in pages. */
  async *all(): AsyncGenerator<AuditRecord> {
    for (let last = '0'; ; ) {
      const sql =
        'SELECT id, at, action, actor, on_behalf_of AS "onBehalfOf", subject, reason FROM audit_records WHERE id > $1 ORDER BY id LIMIT $2';
      const { rows } = await this.database.query<AuditRecord>(sql, [last, PAGE]);
      yield* rows;
      const end = rows.at(-1);
      if (!end) return;
      last = end.id;
    }
  }
}
