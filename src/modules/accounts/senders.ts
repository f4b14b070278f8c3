import { randomInt, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import type { User } from './user.entity.js';

/** What somebody says of themselves at a dropsite; nothing of it is proven. */
export interface SenderClaim {
  readonly customerId: number;
  /** Without one the sender gets an address that belongs to nobody. */
  readonly email?: string;
  readonly firstname?: string;
  readonly lastname?: string;
}

/** Ids of senders are drawn from here; those of other users come from the sequence of the column, which never gets so far. */
const [FIRST_ID, END_OF_IDS] = [1_000_000_000, 2_147_483_647];

/**
 * A known and an unknown address cost the same statement and the same write, so that the time it takes tells nothing. No row: the id is
 * somebody's already. To find that out by an error would end the transaction around it.
 */
const FIND_OR_MAKE = `INSERT INTO users (id, customer_id, email, kind, firstname, lastname)
  SELECT $5::int, $1::int, $2::text, 'sender', $3::text, $4::text WHERE NOT EXISTS (SELECT FROM users WHERE id = $5)
  ON CONFLICT (customer_id, email) WHERE kind = 'sender' DO UPDATE SET updated_at = now()
  RETURNING id, customer_id AS "customerId", email`;

/** Users of the kind sender: who uploads to dropsites, found again by the e-mail address that they give. */
@Injectable()
export class Senders {
  constructor(private readonly database: Database) {}

  /**
   * The sender of this address at this customer, made if there is none; never a person or service of the same address. Names are kept from
   * the first time: whoever knows the address must not change them, nor read them. Its id is random: one of a sequence would tell by its
   * height whether the address was known.
   */
  async findOrMake({ customerId, email, firstname = '', lastname = '' }: SenderClaim): Promise<Pick<User, 'id' | 'customerId' | 'email'>> {
    const address = (email ?? `${randomUUID()}@senders.invalid`).toLowerCase(); // RFC 2606 section 2: reaches nobody
    for (;;) {
      const values = [customerId, address, firstname, lastname, randomInt(FIRST_ID, END_OF_IDS)];
      const sender = await this.database.queryOne<Pick<User, 'id' | 'customerId' | 'email'>>(FIND_OR_MAKE, values);
      if (sender) return sender;
    }
  }
}
