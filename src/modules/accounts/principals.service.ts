import { randomInt, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { canonicalEmail } from '../../shared/email-address.js';
import { AccountsRepository, type Principal, type Sender } from './accounts.repository.js';

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

  constructor(
    database: Database,
    private readonly accounts: AccountsRepository,
  ) {
    this.find = database.batched(String, async (ids: readonly number[]) => {
      const found = await accounts.findPrincipals(ids);
      return new Map(found.map((principal) => [String(principal.id), principal]));
    });
  }

  /** The person or service of a customer by id or e-mail address, or null; never a sender. */
  async findByIdentifier(customerId: number, identifier: string): Promise<Principal | null> {
    const id = /^\d{1,9}$/.test(identifier) ? Number(identifier) : 0;
    return await this.accounts.findPrincipal(customerId, { id, email: identifier.toLowerCase() });
  }

  /**
   * Returns the sender with this address at this customer, created if necessary; never a person or service with the same address. Names keep
   * their first values and are not returned, because knowing an address must not suffice to change or read them. The id is random, because the
   * position in a sequence would reveal whether the address was known.
   */
  async findOrCreateSender(claim: SenderClaim): Promise<Sender> {
    const { customerId, email, firstname = '', lastname = '' } = claim;
    const address = canonicalEmail(email ?? `${randomUUID()}@senders.invalid`); // RFC 2606 section 2: never a mailbox
    for (;;) {
      const id = randomInt(FIRST_SENDER_ID, END_OF_SENDER_IDS);
      const sender = await this.accounts.findOrInsertSender({ id, customerId, email: address, firstname, lastname });
      if (sender) return sender;
    }
  }
}
