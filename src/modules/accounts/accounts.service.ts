import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { canonicalEmail } from '../../shared/email-address.js';
import { isErasedAddress } from '../../shared/removal/index.js';
import { defined, MAX_ID } from '../../shared/validation/index.js';
import { accountsErrors } from './accounts.errors.js';
import { AccountsRepository, type UserPage } from './accounts.repository.js';
import type { Customer } from './customer.entity.js';
import type { Language } from './languages.js';
import { PasswordHasher } from './password-hasher.port.js';
import type { User, UserKind } from './user.entity.js';

/** The desired state of a customer; absent fields stay unchanged. */
export interface CustomerDeclaration {
  readonly name: string;
  readonly operator?: boolean;
  readonly supportAccessUntil?: Date | null;
  readonly requireSecondFactor?: boolean;
}

/** The desired state of a user; absent fields stay unchanged. `customer` is a name. */
export interface UserDeclaration {
  readonly email: string;
  readonly customer: string;
  readonly kind?: Exclude<UserKind, 'sender'>;
  readonly firstname?: string;
  readonly lastname?: string;
  readonly password?: string;
  readonly adminLevel?: number;
  readonly requireSecondFactor?: boolean;
}

/** Rows of a page; lists are read page by page. */
const PAGE_SIZE = 500;

/** Administers customers and users. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountsRepository,
    private readonly hasher: PasswordHasher,
  ) {}

  async findCustomer(name: string): Promise<Customer | null> {
    return await this.accounts.findCustomerByName(name);
  }

  /**
   * Finds the customer with this name, otherwise the one with this id.
   * @throws DomainError 400 `customer_unknown`
   */
  async getCustomer(name: string): Promise<Customer> {
    const isId = /^\d{1,10}$/.test(name) && Number(name) <= MAX_ID;
    const customer = (await this.accounts.findCustomerByName(name)) ?? (isId ? await this.accounts.findCustomer(Number(name)) : null);
    if (!customer) throw accountsErrors.customer_unknown(`There is no customer "${name}".`);
    return customer;
  }

  /** Creates or updates the customer with this name. */
  async declareCustomer({ name, ...rest }: CustomerDeclaration): Promise<Customer> {
    return await this.database.transaction(async () => {
      const existing = await this.accounts.lockCustomerByName(name);
      return await this.accounts.saveCustomer({ ...existing, name, ...defined(rest) });
    });
  }

  /** Creates or updates the user with this e-mail address; an unchanged password keeps its hash. */
  async declareUser(declaration: UserDeclaration): Promise<User> {
    return await this.database.transaction(async () => await this.declareLocked(declaration));
  }

  /** Creates a user who signs in at an identity provider, without password and rights. Throws when the e-mail address is in use. */
  async createPerson(person: Pick<User, 'customerId' | 'email' | 'firstname' | 'lastname'>): Promise<User> {
    return await this.accounts.saveUser({ ...person, email: canonicalEmail(person.email), kind: 'person' });
  }

  async findById(id: number): Promise<User | null> {
    return await this.accounts.findUser(id);
  }

  /** Whether a user who was read before is still active and has the same password; waits for a change of it that is in progress. */
  async isCurrent({ id, passwordHash }: User): Promise<boolean> {
    return await this.database.transaction(async () => {
      const [current] = await this.accounts.lockUsers([id]);
      return current !== undefined && !current.disabledAt && current.passwordHash === passwordHash;
    });
  }

  /** Finds a user, and locks it until the transaction ends. */
  async lockById(id: number): Promise<User | null> {
    const [user] = await this.accounts.lockUsers([id]);
    return user ?? null;
  }

  async findByEmail(email: string): Promise<User | null> {
    return await this.accounts.findUserByEmail(email);
  }

  /**
   * The user with this e-mail address.
   * @throws DomainError 404 `user_unknown`
   */
  async getByEmail(email: string): Promise<User> {
    const user = await this.accounts.findUserByEmail(email);
    if (!user) throw accountsErrors.user_unknown(`There is no user ${email}.`);
    return user;
  }

  /**
   * Finds the user with this e-mail address or id; a sender is found by its id only.
   * @throws DomainError 404 `user_unknown`
   */
  async getByName(name: string): Promise<User> {
    if (!/^\d{1,10}$/.test(name)) return await this.getByEmail(name);
    const user = Number(name) > MAX_ID ? null : await this.accounts.findUser(Number(name));
    if (!user) throw accountsErrors.user_unknown(`There is no user with the id ${name}.`);
    return user;
  }

  /** Finds the senders of dropsites with this address, at all customers. */
  async findSenders(email: string): Promise<User[]> {
    return await this.accounts.findSenders(email);
  }

  /** Finds users of any kind by their ids, also disabled ones; erased ones are not found. */
  async findMany(ids: readonly number[]): Promise<User[]> {
    return (await this.accounts.findUsers(ids)).filter(({ email }) => !isErasedAddress(email));
  }

  /** Finds the ids of a customer's users, senders included, whose names and address contain all words of a text. */
  async findIdsByWords(customerId: number, text: string): Promise<number[]> {
    return await this.accounts.findIdsByWords(customerId, text);
  }

  /** Yields users in the order of their ids, reading them in pages. */
  async *list(which: Pick<UserPage, 'kinds' | 'customerId'>): AsyncGenerator<User> {
    for (let after = 0; ; ) {
      const page = await this.accounts.listUsers({ ...which, after, limit: PAGE_SIZE });
      yield* page;
      const last = page.at(-1);
      if (!last) return;
      after = last.id;
    }
  }

  /** Yields customers with their numbers of users, in the order of their ids, reading them in pages. */
  async *listCustomers(): AsyncGenerator<Customer & { readonly users: number }> {
    for (let after = 0; ; ) {
      const page = await this.accounts.listCustomers({ after, limit: PAGE_SIZE });
      for (const customer of page) yield { ...customer, users: await this.accounts.countUsers(customer.id) };
      const last = page.at(-1);
      if (!last) return;
      after = last.id;
    }
  }

  async setPassword(name: string, password: string): Promise<User> {
    const passwordHash = await this.hasher.hash(password.normalize('NFC'));
    return await this.change(name, ({ id, kind }) => {
      if (kind === 'sender') throw accountsErrors.user_unknown(`User ${id} is a sender of dropsites, who has no password.`);
      return { passwordHash };
    });
  }

  /** Remembers the language in which a user reads mails. */
  async noteLanguage({ id, language }: User, current: Language): Promise<void> {
    if (language !== current) await this.accounts.saveUser({ id, language: current });
  }

  /** Marks a user as disabled, which `UserChangesService.disable` completes. */
  async disable(name: string, at: Date): Promise<User> {
    return await this.change(name, (user) => ({ disabledAt: user.disabledAt ?? at }));
  }

  /** Marks a user as enabled, as above. */
  async enable(name: string): Promise<User> {
    return await this.change(name, () => ({ disabledAt: null }));
  }

  private async declareLocked({ email, customer: customerName, password, ...rest }: UserDeclaration): Promise<User> {
    const customer = await this.accounts.findCustomerByName(customerName);
    if (!customer) throw accountsErrors.customer_unknown(`The customer "${customerName}" of ${email} does not exist.`);
    const existing = await this.accounts.lockUserByEmail(email);
    if (existing && existing.customerId !== customer.id) {
      throw accountsErrors.user_of_other_customer(`${email} belongs to a customer other than "${customerName}".`);
    }
    const passwordHash = password === undefined ? undefined : await this.hasher.hashIfChanged(password, existing?.passwordHash);
    const changes = defined({ ...rest, passwordHash });
    return await this.accounts.saveUser({ ...existing, email: canonicalEmail(email), customerId: customer.id, ...changes });
  }

  /** Changes a user, whom it locks first so that concurrent changes do not overwrite each other. */
  private async change(name: string, changes: (user: User) => Partial<User>): Promise<User> {
    return await this.database.transaction(async () => {
      const { id } = await this.getByName(name);
      const [user] = await this.accounts.lockUsers([id]);
      if (!user) throw accountsErrors.user_unknown(`There is no user ${name}.`);
      if (isErasedAddress(user.email)) throw accountsErrors.user_unknown(`User ${user.id} was erased and stays disabled.`);
      return await this.accounts.saveUser({ ...user, ...changes(user) });
    });
  }
}
