import { randomUUID } from 'node:crypto';
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

/** A known and an unknown address cost the same statement and the same write, so that the time it takes tells nothing. */
const FIND_OR_MAKE = `INSERT INTO users (customer_id, email, kind, firstname, lastname) VALUES ($1, $2, 'sender', $3, $4)
  ON CONFLICT (customer_id, email) WHERE kind = 'sender' DO UPDATE SET updated_at = now()
  RETURNING id, customer_id AS "customerId", email`;

/** Users of the kind sender: who uploads to dropsites, found again by the e-mail address that they give. */
@Injectable()
export class Senders {
  constructor(private readonly database: Database) {}

  /**
   * The sender of this address at this customer, made if there is none; never a person or service of the same address. Names are kept from
   * the first time: whoever knows the address must not change them, nor read them.
   */
  async findOrMake({ customerId, email, firstname = '', lastname = '' }: SenderClaim): Promise<Pick<User, 'id' | 'customerId' | 'email'>> {
    const address = (email ?? `${randomUUID()}@senders.invalid`).toLowerCase(); // RFC 2606 section 2: reaches nobody
    const values = [customerId, address, firstname, lastname];
    const sender = await this.database.queryOne<Pick<User, 'id' | 'customerId' | 'email'>>(FIND_OR_MAKE, values);
    if (!sender) throw new Error('The statement above always answers a row.');
    return sender;
  }
}
