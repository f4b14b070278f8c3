import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { HousekeepingService } from '../../../shared/jobs/index.js';
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

/** A record to write, under its identifier in clear. */
interface Write extends NewRecord {
  readonly model: string;
  readonly identifier: string;
}

const COLUMNS = 'id, grant_id AS "grantId", payload, consumed_at AS "consumedAt", expires_at AS "expiresAt"';

const FIND = `SELECT model, ${COLUMNS} FROM oidc_records
  JOIN unnest($1::text[], $2::text[]) AS wanted (model, id) USING (model, id)`;

const INSERT = `INSERT INTO oidc_records (model, id, grant_id, uid, account_id, payload, expires_at)
  SELECT model, id, grant_id, uid, account_id, payload::jsonb, expires_at
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::timestamptz[])
    AS written (model, id, grant_id, uid, account_id, payload, expires_at)`;
const REPLACE = `${INSERT} ON CONFLICT (model, id) DO UPDATE SET grant_id = excluded.grant_id, uid = excluded.uid,
  account_id = excluded.account_id, payload = excluded.payload, expires_at = excluded.expires_at`;
const INSERT_UNLESS_EXISTS = `${INSERT} ON CONFLICT (model, id) DO NOTHING`;

/** Of several calls for one record in the same statement one is the first; `call` tells them apart. */
const CONSUME = `UPDATE oidc_records r SET consumed_at = c.at
  FROM (SELECT DISTINCT ON (model, id) * FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[]) AS t (model, id, at, call)) c
  WHERE r.model = c.model AND r.id = c.id AND r.consumed_at IS NULL RETURNING c.call`;

const nothing: ReadonlyMap<string, true> = new Map();

/** Every query on oidc_records. Identifiers come in clear and are stored as SHA-256. What every login needs is batched. */
@Injectable()
export class OidcRecordsRepository {
  private readonly findOne: (key: { model: string; id: string }) => Promise<StoredRecord | null>;
  private readonly replaceOne: (write: Write) => Promise<unknown>;
  private readonly insertOne: (write: Write) => Promise<unknown>;
  private readonly consumeOne: (use: { model: string; id: string; at: Date; call: string }) => Promise<true | null>;

  constructor(
    private readonly database: Database,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('oidc_records', 'expires_at < $1');
    this.findOne = database.batched(keyOf, async (keys) => {
      const { rows } = await database.query<StoredRecord & { model: string }>(FIND, [
        keys.map(({ model }) => model),
        keys.map(({ id }) => id),
      ]);
      return new Map(rows.map((row) => [keyOf(row), row]));
    });
    this.replaceOne = database.batched(
      ({ identifier }: Write) => identifier,
      async (writes) => await this.write(REPLACE, writes),
    );
    this.insertOne = database.batched(
      ({ identifier }: Write) => identifier,
      async (writes) => await this.write(INSERT_UNLESS_EXISTS, writes),
    );
    this.consumeOne = database.batched(
      ({ call }) => call,
      async (uses) => {
        const values = [uses.map(({ model }) => model), uses.map(({ id }) => id), uses.map(({ at }) => at), uses.map(({ call }) => call)];
        const { rows } = await database.query<{ call: string }>(CONSUME, values);
        return new Map(rows.map((row) => [row.call, true as const]));
      },
    );
  }

  /** The record, consumed or expired ones included (oidc-provider tells them apart itself). */
  async find(model: string, identifier: string): Promise<StoredRecord | null> {
    return await this.findOne({ model, id: sha256(identifier) });
  }

  async findByUid(model: string, uid: string): Promise<StoredRecord | null> {
    return await this.database.queryOne<StoredRecord>(`SELECT ${COLUMNS} FROM oidc_records WHERE uid = $2 AND model = $1`, [model, uid]);
  }

  async replace(model: string, identifier: string, record: NewRecord): Promise<void> {
    await this.replaceOne({ model, identifier, ...record });
  }

  /** Keeps what is there: requests that rotate the same refresh token at the same moment make the same successor. */
  async insertUnlessExists(model: string, identifier: string, record: NewRecord): Promise<void> {
    await this.insertOne({ model, identifier, ...record });
  }

  /** Marks the record as used; false when another request was first. */
  async consume(model: string, identifier: string, at: Date): Promise<boolean> {
    return (await this.consumeOne({ model, id: sha256(identifier), at, call: randomUUID() })) === true;
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

  private async write(sql: string, writes: readonly Write[]): Promise<ReadonlyMap<string, true>> {
    await this.database.query(sql, [
      writes.map(({ model }) => model),
      writes.map(({ identifier }) => sha256(identifier)),
      writes.map(({ grantId }) => grantId),
      writes.map(({ uid }) => uid),
      writes.map(({ accountId }) => accountId),
      writes.map(({ payload }) => JSON.stringify(payload)),
      writes.map(({ expiresAt }) => expiresAt),
    ]);
    return nothing;
  }
}

const keyOf = ({ model, id }: { model: string; id: string }): string => `${model} ${id}`;
