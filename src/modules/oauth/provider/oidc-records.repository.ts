import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { Housekeeping } from '../../../shared/jobs/index.js';
import { sha256 } from '../../../shared/secrets/index.js';

/** One stored record; `id` is the hash of its identifier. */
export interface StoredRecord {
  readonly id: string;
  readonly grantId: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly consumedAt: Date | null;
  readonly expiresAt: Date;
}

export interface NewRecord {
  readonly grantId: string | null;
  readonly uid: string | null;
  readonly accountId: number | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly expiresAt: Date;
}

const COLUMNS = 'id, grant_id AS "grantId", payload, consumed_at AS "consumedAt", expires_at AS "expiresAt"';
const INSERT = `INSERT INTO oidc_records (model, id, grant_id, uid, account_id, payload, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`;
const REPLACE = `${INSERT} ON CONFLICT (model, id) DO UPDATE SET grant_id = excluded.grant_id, uid = excluded.uid,
  account_id = excluded.account_id, payload = excluded.payload, expires_at = excluded.expires_at`;

/** Every query on oidc_records. Identifiers come in clear and are stored as SHA-256. */
@Injectable()
export class OidcRecordsRepository {
  constructor(
    private readonly database: Database,
    housekeeping: Housekeeping,
  ) {
    housekeeping.expire('oidc_records', 'expires_at < $1');
  }

  /** The record, consumed or expired ones included (oidc-provider tells them apart itself). */
  async find(model: string, identifier: string): Promise<StoredRecord | null> {
    const sql = `SELECT ${COLUMNS} FROM oidc_records WHERE model = $1 AND id = $2`;
    return await this.database.queryOne<StoredRecord>(sql, [model, sha256(identifier)]);
  }

  async findByUid(model: string, uid: string): Promise<StoredRecord | null> {
    return await this.database.queryOne<StoredRecord>(`SELECT ${COLUMNS} FROM oidc_records WHERE uid = $2 AND model = $1`, [model, uid]);
  }

  async replace(model: string, identifier: string, record: NewRecord): Promise<void> {
    await this.database.query(REPLACE, this.values(model, identifier, record));
  }

  /** Keeps what is there: requests that rotate the same refresh token at the same moment make the same successor. */
  async insertUnlessExists(model: string, identifier: string, record: NewRecord): Promise<void> {
    await this.database.query(`${INSERT} ON CONFLICT (model, id) DO NOTHING`, this.values(model, identifier, record));
  }

  /** Marks the record as used; false when another request was first. */
  async consume(model: string, identifier: string, at: Date): Promise<boolean> {
    const sql = 'UPDATE oidc_records SET consumed_at = $3 WHERE model = $1 AND id = $2 AND consumed_at IS NULL';
    return (await this.database.query(sql, [model, sha256(identifier), at])).rowCount === 1;
  }

  async delete(model: string, identifier: string): Promise<void> {
    await this.database.query('DELETE FROM oidc_records WHERE model = $1 AND id = $2', [model, sha256(identifier)]);
  }

  async deleteByGrantId(grantId: string): Promise<void> {
    await this.database.query('DELETE FROM oidc_records WHERE grant_id = $1', [grantId]);
  }

  /** Adds members to the payload of a record. */
  async amend(model: string, identifier: string, members: Readonly<Record<string, unknown>>): Promise<void> {
    const sql = 'UPDATE oidc_records SET payload = payload || $3::jsonb WHERE model = $1 AND id = $2';
    await this.database.query(sql, [model, sha256(identifier), JSON.stringify(members)]);
  }

  /** The living sessions of a user, the newest first. */
  async findSessionsOfAccount(accountId: number, now: Date): Promise<StoredRecord[]> {
    const sql = `SELECT ${COLUMNS} FROM oidc_records WHERE model = 'Session' AND account_id = $1 AND expires_at > $2 ORDER BY expires_at DESC`;
    return (await this.database.query<StoredRecord>(sql, [accountId, now])).rows;
  }

  /** Ends one session of a user; `id` is the stored hash. */
  async deleteSessionOfAccount(accountId: number, id: string): Promise<boolean> {
    const sql = `DELETE FROM oidc_records WHERE model = 'Session' AND account_id = $1 AND id = $2`;
    return (await this.database.query(sql, [accountId, id])).rowCount === 1;
  }

  private values(model: string, identifier: string, record: NewRecord): unknown[] {
    const { grantId, uid, accountId, payload, expiresAt } = record;
    return [model, sha256(identifier), grantId, uid, accountId, JSON.stringify(payload), expiresAt];
  }
}
