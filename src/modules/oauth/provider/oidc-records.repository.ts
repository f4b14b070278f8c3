import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { In, MoreThan, Not } from 'typeorm';
import { Database } from '../../../shared/database/index.js';
import { HousekeepingService } from '../../../shared/jobs/index.js';
import { sha256 } from '../../../shared/secrets/index.js';
import { OidcRecord } from './oidc-record.entity.js';

/** A stored record; `id` is the hash of its identifier. */
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

/** A record to write, with its identifier before hashing. */
interface Write extends NewRecord {
  readonly model: string;
  readonly identifier: string;
}

const nothing: ReadonlyMap<string, true> = new Map();

/** Owns oidc_records. Hashes identifiers with SHA-256, and batches the statements that every login needs. */
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
      // Raw because it runs for every authorization and token request; one statement serves all requests of a moment.
      const { rows } = await database.query<StoredRecord & { model: string }>(
        `SELECT model, id, grant_id AS "grantId", payload, consumed_at AS "consumedAt", expires_at AS "expiresAt"
          FROM oidc_records JOIN unnest($1::text[], $2::text[]) AS wanted (model, id) USING (model, id)`,
        [keys.map(({ model }) => model), keys.map(({ id }) => id)],
      );
      return new Map(rows.map((row) => [keyOf(row), row]));
    });
    this.replaceOne = database.batched(
      ({ identifier }: Write) => identifier,
      async (writes) =>
        await this.write(
          `DO UPDATE SET grant_id = excluded.grant_id, uid = excluded.uid, account_id = excluded.account_id,
            payload = excluded.payload, expires_at = excluded.expires_at`,
          writes,
        ),
    );
    this.insertOne = database.batched(
      ({ identifier }: Write) => identifier,
      async (writes) => await this.write('DO NOTHING', writes),
    );
    this.consumeOne = database.batched(
      ({ call }) => call,
      async (uses) => {
        const values = [uses.map(({ model }) => model), uses.map(({ id }) => id), uses.map(({ at }) => at), uses.map(({ call }) => call)];
        // Of several calls for one record in the same statement, one succeeds; `call` identifies it. Raw because it runs for every exchange
        // of a code; one statement serves all requests of the same moment.
        const { rows } = await database.query<{ call: string }>(
          `UPDATE oidc_records r SET consumed_at = c.at
            FROM (SELECT DISTINCT ON (model, id) * FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[]) AS t (model, id, at, call)) c
            WHERE r.model = c.model AND r.id = c.id AND r.consumed_at IS NULL RETURNING c.call`,
          values,
        );
        return new Map(rows.map((row) => [row.call, true as const]));
      },
    );
  }

  /** Finds a record, even if it is consumed or expired (oidc-provider distinguishes them itself). */
  async find(model: string, identifier: string): Promise<StoredRecord | null> {
    return await this.findOne({ model, id: sha256(identifier) });
  }

  async findByUid(model: string, uid: string): Promise<StoredRecord | null> {
    return await this.stored.findOneBy({ model, uid });
  }

  async replace(model: string, identifier: string, record: NewRecord): Promise<void> {
    await this.replaceOne({ model, identifier, ...record });
  }

  /** Inserts a record unless it exists: concurrent rotations of the same refresh token create the same successor. */
  async insertUnlessExists(model: string, identifier: string, record: NewRecord): Promise<void> {
    await this.insertOne({ model, identifier, ...record });
  }

  /** Marks the record as used; false if another request did so before. */
  async consume(model: string, identifier: string, at: Date): Promise<boolean> {
    return (await this.consumeOne({ model, id: sha256(identifier), at, call: randomUUID() })) === true;
  }

  async delete(model: string, identifier: string): Promise<void> {
    await this.stored.delete({ model, id: sha256(identifier) });
  }

  async deleteByGrantId(grantId: string): Promise<void> {
    await this.stored.delete({ grantId });
  }

  /** Adds members to the payload of a record. */
  async amend(model: string, identifier: string, members: Readonly<Record<string, unknown>>): Promise<void> {
    // Raw because TypeORM cannot add members to a JSON value.
    await this.database.query('UPDATE oidc_records SET payload = payload || $3::jsonb WHERE model = $1 AND id = $2', [
      model,
      sha256(identifier),
      JSON.stringify(members),
    ]);
  }

  /** Finds the active sessions of a user, the one that expires last first. */
  async findSessionsOfAccount(accountId: number, now: Date): Promise<StoredRecord[]> {
    const where = { model: 'Session', accountId, expiresAt: MoreThan(now) };
    return await this.stored.find({ where, order: { expiresAt: 'DESC' } });
  }

  /** Ends a session of a user; `id` is the stored hash. False if it does not exist. */
  async deleteSessionOfAccount(accountId: number, id: string): Promise<boolean> {
    return (await this.stored.delete({ model: 'Session', accountId, id })).affected === 1;
  }

  /** Ends the sessions of a user except one, and the sign-ins in progress; `except` is a stored hash. */
  async deleteSessionsOfAccount(accountId: number, except: string | null): Promise<void> {
    await this.stored.delete({ model: In(['Session', 'Interaction']), accountId, ...(except !== null && { id: Not(except) }) });
  }

  /** Counts the records of a user by oidc-provider's name of their kind. */
  async countOfAccount(accountId: number): Promise<Map<string, number>> {
    const rows = await this.stored
      .createQueryBuilder('record')
      .select('record.model', 'model')
      .addSelect('count(*)::int', 'count')
      .where({ accountId })
      .groupBy('record.model')
      .getRawMany<{ model: string; count: number }>();
    return new Map(rows.map(({ model, count }) => [model, count]));
  }

  /**
   * Ends every session and sign-in in progress, and deletes every code and refresh token of a user, except sessions with these stored hashes, and codes and
   * tokens of these grants.
   */
  async deleteOfAccount(
    accountId: number,
    kept: { readonly sessions: readonly string[]; readonly grantIds: readonly string[] } = { sessions: [], grantIds: [] },
  ): Promise<void> {
    // Raw because the two exceptions are of different kinds of records.
    await this.database.query(
      `DELETE FROM oidc_records WHERE account_id = $1 AND NOT (model = 'Session' AND id = ANY ($2::text[]))
        AND (grant_id IS NULL OR grant_id <> ALL ($3::text[]))`,
      [accountId, kept.sessions, kept.grantIds],
    );
  }

  private get stored() {
    return this.database.repository(OidcRecord);
  }

  /** Inserts records; `onConflict` (constant SQL) says what happens to existing ones. */
  private async write(onConflict: string, writes: readonly Write[]): Promise<ReadonlyMap<string, true>> {
    // Raw because it writes the records of all requests of the same moment at once, in an order in which two such statements cannot block
    // each other.
    await this.database.query(
      `INSERT INTO oidc_records (model, id, grant_id, uid, account_id, payload, expires_at)
        SELECT model, id, grant_id, uid, account_id, payload::jsonb, expires_at
        FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::timestamptz[])
          AS written (model, id, grant_id, uid, account_id, payload, expires_at) ORDER BY model, id
        ON CONFLICT (model, id) ${onConflict}`,
      [
        writes.map(({ model }) => model),
        writes.map(({ identifier }) => sha256(identifier)),
        writes.map(({ grantId }) => grantId),
        writes.map(({ uid }) => uid),
        writes.map(({ accountId }) => accountId),
        writes.map(({ payload }) => JSON.stringify(payload)),
        writes.map(({ expiresAt }) => expiresAt),
      ],
    );
    return nothing;
  }
}

const keyOf = ({ model, id }: { model: string; id: string }): string => `${model} ${id}`;
