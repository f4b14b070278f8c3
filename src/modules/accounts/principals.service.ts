import { randomInt, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { canonicalEmail } from '../../shared/email-address.js';
import { FIND_OR_CREATE_SENDER, FIND_PRINCIPAL_BY_IDENTIFIER, FIND_PRINCIPALS } from './accounts.queries.js';
import type { User, UserKind } from './user.entity.js';

/** An active user with current rights: what other modules need to know about a user. */
export interface Principal {
  readonly id: number;
  readonly customerId: number;
  readonly email: string;
  readonly kind: UserKind;
  readonly firstname: string;
  readonly lastname: string;
  readonly adminLevel: number;
}

/** What a visitor of a dropsite states about themselves; none of it is verified. */
export interface SenderClaim {
  readonly customerId: number;
  /** If absent, the sender gets an address without a mailbox. */
  readonly email?: string;
  readonly firstname?: string;
  readonly lastname?: string;
}

/** Ids of senders are drawn from this range; those of other users come from the sequence of the column, which never gets that far. */
const [FIRST_SENDER_ID, END_OF_SENDER_IDS] = [1_000_000_000, 2_147_483_647];

/** Finds users for other modules. They are read again for every request; one statement serves all requests of the same moment. */
@Injectable()
export class PrincipalsService {
  /** The user, of any kind; null when there is no such user or it is disabled. */
  readonly find: (userId: number) => Promise<Principal | null>;

  constructor(private readonly database: Database) {
    this.find = database.batched(String, async (ids: readonly number[]) => {
      const { rows } = await database.query<Principal>(FIND_PRINCIPALS, [ids]);
      return new Map(rows.map((row) => [String(row.id), row]));
    });
  }

  /** The person or service of a customer by id or e-mail address, or null; never a sender. */
  async findByIdentifier(customerId: number, identifier: string): Promise<Principal | null> {
    const id = /^\d{1,9}$/.test(identifier) ? Number(identifier) : 0;
    return await this.database.queryOne<Principal>(FIND_PRINCIPAL_BY_IDENTIFIER, [customerId, id, identifier.toLowerCase()]);
  }

  /**
   * Returns the sender with this address at this customer, created if necessary; never a person or service with the same address. Names keep
   * their first values and are not returned, because knowing an address must not suffice to change or read them. The id is random, because the
   * position in a sequence would reveal whether the address was known.
   */
  async findOrCreateSender(claim: SenderClaim): Promise<Pick<User, 'id' | 'customerId' | 'email'>> {
    const { customerId, email, firstname = '', lastname = '' } = claim;
    const address = canonicalEmail(email ?? `${randomUUID()}@senders.invalid`); // RFC 2606 section 2: never a mailbox
    for (;;) {
      const values = [customerId, address, firstname, lastname, randomInt(FIRST_SENDER_ID, END_OF_SENDER_IDS)];
      const sender = await this.database.queryOne<Pick<User, 'id' | 'customerId' | 'email'>>(FIND_OR_CREATE_SENDER, values);
      if (sender) return sender;
    }
  }
}
