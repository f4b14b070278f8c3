import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { canonicalEmail } from '../../shared/email-address.js';
import type { DomainError } from '../../shared/errors.js';
import type { Language } from '../../shared/languages.js';
import { isErasedAddress } from '../../shared/removal/index.js';
import { defined, MAX_ID } from '../../shared/validation/index.js';
import { accountsErrors } from './accounts.errors.js';
import { AccountsRepository, type UserPage } from './accounts.repository.js';
import type { Customer } from './customer.entity.js';
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

  /** Finds the customer that the operator declared under this name, whatever its own users call it now. */
  async findDeclaredCustomer(name: string): Promise<Customer | null> {
    return await this.accounts.findDeclaredCustomer(name);
  }

  /**
   * Finds the customer with this name or id. Names are chosen by customers, so one that means several is refused.
   * @throws DomainError 400 `customer_unknown`
   */
  async getCustomer(name: string): Promise<Customer> {
    const isId = /^\d{1,10}$/.test(name) && Number(name) <= MAX_ID;
    const found = [
      await this.accounts.findCustomerByName(name),
      await this.accounts.findDeclaredCustomer(name),
      isId ? await this.accounts.findCustomer(Number(name)) : null,
    ].filter((customer) => customer !== null);
    const [customer] = found;
    if (!customer) throw accountsErrors.customer_unknown(`There is no customer "${name}".`);
    if (found.every(({ id }) => id === customer.id)) return customer;
    const ids = [...new Set(found.map(({ id }) => id))].join(' and ');
    throw accountsErrors.customer_unknown(`"${name}" is the name or the id of several customers (${ids}); rename one of them.`);
  }

  /**
   * Creates the customer that has this name, or updates the one that the operator declared under it; a name that its own users chose stays.
   * @throws DomainError 409 `customer_name_taken` if another customer gave itself this name
   */
  async declareCustomer({ name, ...rest }: CustomerDeclaration): Promise<Customer> {
    return await this.database.transaction(async () => {
      const refusal = await this.findNameRefusal(name);
      if (refusal) throw refusal;
      const declared = await this.accounts.findDeclaredCustomer(name);
      const existing = declared && (await this.accounts.lockCustomer(declared.id));
      return await this.accounts.saveCustomer({ ...existing, name: existing?.name ?? name, ...defined(rest) });
    });
  }

  /**
   * Gives a customer the operator's own name for it.
   * @throws DomainError 409 `customer_name_taken`
   */
  async renameCustomer(id: number, name: string): Promise<Customer> {
    return await this.database.transaction(async () => {
      const customer = await this.accounts.lockCustomer(id);
      const others = [await this.accounts.findCustomerByName(name), await this.accounts.findDeclaredCustomer(name)];
      const other = others.find((one) => one && one.id !== id);
      if (other) throw accountsErrors.customer_name_taken(`Customer ${other.id} has the name "${name}".`);
      return await this.accounts.saveCustomer({ ...customer, id, name, declaredName: null });
    });
  }

  /** Why the operator cannot declare a customer under this name, or null. */
  async findNameRefusal(name: string): Promise<DomainError | null> {
    const other = await this.accounts.findCustomerByName(name);
    if (!other || other.declaredName === null || other.declaredName === name || (await this.accounts.findDeclaredCustomer(name)))
      return null;
    const mending = `Accept the name or give it another with "customers rename ${other.id} --to NAME".`;
    return accountsErrors.customer_name_taken(
      `Customer ${other.id}, declared as ${JSON.stringify(other.declaredName)}, gave itself the name ${JSON.stringify(name)}. ${mending}`,
    );
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
    return await this.change(name, (user) => (user.disabledAt ? {} : { disabledAt: at, linksWithdrawnAt: at }));
  }

  /** Marks a user as enabled, as above. */
  async enable(name: string): Promise<User> {
    return await this.change(name, () => ({ disabledAt: null }));
  }

  private async declareLocked({ email, customer: customerName, password, ...rest }: UserDeclaration): Promise<User> {
    const customer = await this.accounts.findDeclaredCustomer(customerName);
    if (!customer) throw accountsErrors.customer_unknown(`The customer "${customerName}" of ${email} does not exist.`);
    const existing = await this.accounts.lockUserByEmail(email);
    if (existing && existing.customerId !== customer.id) {
      const mending = `Use another address, or "users remove ${existing.id} --yes".`;
      throw accountsErrors.user_of_other_customer(
        `${email} belongs to customer ${existing.customerId}, not to "${customerName}" (${customer.id}). ${mending}`,
      );
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
