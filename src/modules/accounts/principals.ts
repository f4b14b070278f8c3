import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { NOT_SENDER, type UserKind } from './user.entity.js';

/** A user who may act now, with present rights; what the rest of the service needs to know of one. */
export interface Principal {
  readonly id: number;
  readonly customerId: number;
  readonly email: string;
  readonly kind: UserKind;
  readonly firstname: string;
  readonly lastname: string;
  readonly adminLevel: number;
}

const COLUMNS = `id, customer_id AS "customerId", email, kind, firstname, lastname, admin_level AS "adminLevel"`;

const FIND = `SELECT ${COLUMNS} FROM users WHERE id = ANY($1::int[]) AND disabled_at IS NULL`;

const FIND_BY_IDENTIFIER = `SELECT ${COLUMNS} FROM users
  WHERE customer_id = $1 AND (id = $2 OR email = $3) AND ${NOT_SENDER} AND disabled_at IS NULL`;

/** The read model of users for other modules: read fresh for every request, in one statement for all that ask at once. */
@Injectable()
export class Principals {
  /** The user of any kind, or null when there is none or it is disabled. */
  readonly find: (userId: number) => Promise<Principal | null>;

  /** The person or service of a customer by id or e-mail address, or null; never a sender. */
  readonly findByIdentifier: (customerId: number, identifier: string) => Promise<Principal | null>;

  constructor(database: Database) {
    this.find = database.batched(String, async (ids: readonly number[]) => {
      const { rows } = await database.query<Principal>(FIND, [ids]);
      return new Map(rows.map((row) => [String(row.id), row]));
    });
    this.findByIdentifier = async (customerId, identifier) => {
      const id = /^\d{1,9}$/.test(identifier) ? Number(identifier) : 0;
      return await database.queryOne<Principal>(FIND_BY_IDENTIFIER, [customerId, id, identifier.toLowerCase()]);
    };
  }
}
