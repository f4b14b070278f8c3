import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { defined } from '../../shared/validation/index.js';
import { accountsErrors } from './accounts.errors.js';
import type { Customer } from './customer.entity.js';
import { CustomersRepository } from './customers.repository.js';
import { PasswordHasher } from './password-hasher.js';
import type { User, UserKind } from './user.entity.js';
import { UsersRepository } from './users.repository.js';

/** A customer as it should be; what is left out stays as it is. */
export interface CustomerDeclaration {
  readonly name: string;
  readonly operator?: boolean;
  readonly supportAccessUntil?: Date | null;
}

/** A user as it should be; what is left out stays as it is. `customer` is a name. */
export interface UserDeclaration {
  readonly email: string;
  readonly customer: string;
  readonly kind?: Exclude<UserKind, 'sender'>;
  readonly firstname?: string;
  readonly lastname?: string;
  readonly password?: string;
  readonly adminLevel?: number;
}

/** Customers and users for the administration. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly database: Database,
    private readonly customers: CustomersRepository,
    private readonly users: UsersRepository,
    private readonly hasher: PasswordHasher,
  ) {}

  async findCustomer(name: string): Promise<Customer | null> {
    return await this.customers.findByName(name);
  }

  /** Creates or updates the customer of this name. */
  async declareCustomer({ name, operator, supportAccessUntil }: CustomerDeclaration): Promise<Customer> {
    return await this.database.transaction(async () => {
      const existing = await this.customers.lockByName(name);
      return await this.customers.save({ ...existing, name, ...defined({ operator, supportAccessUntil }) });
    });
  }

  /** Creates or updates the user of this e-mail address; an unchanged password keeps its hash. */
  async declareUser(declaration: UserDeclaration): Promise<User> {
    return await this.database.transaction(async () => await this.declareLocked(declaration));
  }

  /** A user who signs in at an identity provider: without password and rights. Throws when the e-mail address is in use. */
  async createPerson(person: Pick<User, 'customerId' | 'email' | 'firstname' | 'lastname'>): Promise<User> {
    return await this.users.save({ ...person, email: person.email.toLowerCase(), kind: 'person' });
  }

  async findById(id: number): Promise<User | null> {
    return await this.users.findById(id);
  }

  async findByEmail(email: string): Promise<User | null> {
    return await this.users.findByEmail(email);
  }

  /** The user of this e-mail address. Throws 404 `user_unknown`. */
  async getByEmail(email: string): Promise<User> {
    const user = await this.users.findByEmail(email);
    if (!user) throw accountsErrors.user_unknown(`There is no user ${email}.`);
    return user;
  }

  async setPassword(email: string, password: string): Promise<User> {
    const passwordHash = await this.hasher.hash(password);
    return await this.change(email, () => ({ passwordHash }));
  }

  /** From the moment that this is stored every token and session of the user is refused. */
  async disable(email: string, at: Date): Promise<User> {
    return await this.change(email, (user) => ({ disabledAt: user.disabledAt ?? at }));
  }

  async enable(email: string): Promise<User> {
    return await this.change(email, () => ({ disabledAt: null }));
  }

  private async declareLocked({ email, customer: customerName, password, ...rest }: UserDeclaration): Promise<User> {
    const customer = await this.customers.findByName(customerName);
    if (!customer) throw accountsErrors.customer_unknown(`The customer "${customerName}" of ${email} does not exist.`);
    const existing = await this.users.lockByEmail(email);
    if (existing && existing.customerId !== customer.id) {
      throw accountsErrors.user_of_other_customer(`${email} belongs to another customer than "${customerName}".`);
    }
    const passwordHash = password === undefined ? undefined : await this.hashIfChanged(existing, password);
    const changes = defined({ ...rest, passwordHash });
    return await this.users.save({ ...existing, email: email.toLowerCase(), customerId: customer.id, ...changes });
  }

  /** Changes at the same time come one after the other, and none takes back what another has done. */
  private async change(email: string, changes: (user: User) => Partial<User>): Promise<User> {
    return await this.database.transaction(async () => {
      const user = await this.users.lockByEmail(email);
      if (!user) throw accountsErrors.user_unknown(`There is no user ${email}.`);
      return await this.users.save({ ...user, ...changes(user) });
    });
  }

  private async hashIfChanged(existing: User | null, password: string): Promise<string> {
    if (existing?.passwordHash && (await this.hasher.verify(existing.passwordHash, password))) return existing.passwordHash;
    return await this.hasher.hash(password);
  }
}
