import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, In, IsNull, Like, MoreThan, MoreThanOrEqual, Not, Raw } from 'typeorm';
import { Database, type Portion, type Reach, withinReach } from '../../shared/database/index.js';
import { canonicalEmail } from '../../shared/email-address.js';
import { erasedAddress } from '../../shared/removal/index.js';
import { defined, MAX_ID } from '../../shared/validation/index.js';
import { Customer } from './customer.entity.js';
import { ADMINISTRATOR_LEVEL, NOT_SENDER, User, type UserKind } from './user.entity.js';

/** A page of users whose ids are greater than `after`. */
export interface UserPage {
  readonly after: number;
  readonly limit: number;
  readonly kinds: readonly UserKind[];
  readonly customerId?: number;
}

/** The persons and services that administrators look for; erased ones are never found. */
export interface WantedUsers {
  readonly reach: Reach;
  readonly id?: number | null;
  /** In its canonical spelling. */
  readonly email?: string;
  readonly kind?: UserKind;
}

/** The columns of a Principal. */
const PRINCIPAL = { id: true, customerId: true, email: true, kind: true, firstname: true, lastname: true, adminLevel: true } as const;

/** An active user with current rights: what other modules need to know about a user. */
export type Principal = Readonly<Pick<User, keyof typeof PRINCIPAL>>;

/** A visitor of a dropsite, as a user of the customer. */
export type Sender = Readonly<Pick<User, 'id' | 'customerId' | 'email'>>;
type NewSender = Sender & Readonly<Pick<User, 'firstname' | 'lastname'>>;

/** Reads and writes customers and their users. The `lock…` methods lock the rows that they return until the transaction ends. */
@Injectable()
export class AccountsRepository {
  constructor(private readonly database: Database) {}

  async findCustomer(id: number): Promise<Customer | null> {
    return await this.customers.findOneBy({ id });
  }

  async findCustomerByName(name: string): Promise<Customer | null> {
    return await this.customers.findOneBy({ name });
  }

  async lockCustomer(id: number): Promise<Customer | null> {
    return await this.customers.findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Lets only one transaction at a time decide whether a user is the customer's last administrator; other work is not blocked. */
  async lockAdministration(customerId: number): Promise<void> {
    await this.customers.findOne({ select: { id: true }, where: { id: customerId }, lock: { mode: 'for_no_key_update' } });
  }

  /** Finds the customer that the operator declared under this name, whatever its own users call it now. */
  async findDeclaredCustomer(name: string): Promise<Customer | null> {
    return await this.customers.findOne({ where: [{ name, declaredName: IsNull() }, { declaredName: name }] });
  }

  /** Lists a page of the customers with this id, or with `search` in their names in any case, in the order of their ids. */
  async findCustomers(
    { id, search }: { readonly id?: number | null; readonly search?: string },
    { after, limit }: Portion,
  ): Promise<Customer[]> {
    if (Math.max(after, id ?? 0) > MAX_ID || (id ?? MAX_ID) <= after) return [];
    const name = search === undefined ? undefined : Raw((column) => `position(lower(:search) IN lower(${column})) > 0`, { search });
    return await this.customers.find({ where: { id: id ?? MoreThan(after), ...defined({ name }) }, order: { id: 'ASC' }, take: limit });
  }

  /** Lists a page of customers in the order of their ids. */
  async listCustomers({ after, limit }: { after: number; limit: number }): Promise<Customer[]> {
    return await this.customers.find({ where: { id: MoreThan(after) }, order: { id: 'ASC' }, take: limit });
  }

  async deleteCustomer(id: number): Promise<void> {
    await this.customers.delete({ id });
  }

  async saveCustomer(customer: Partial<Customer>): Promise<Customer> {
    return await this.customers.save(this.customers.create(customer));
  }

  async findUser(id: number): Promise<User | null> {
    return await this.users.findOneBy({ id });
  }

  /** Finds the person or service with this address, never a sender; the comparison is case-insensitive. */
  async findUserByEmail(email: string): Promise<User | null> {
    return await this.users.findOneBy(ofEmail(email));
  }

  async lockUserByEmail(email: string): Promise<User | null> {
    return await this.users.findOne({ where: ofEmail(email), lock: { mode: 'pessimistic_write' } });
  }

  async findUsers(ids: readonly number[]): Promise<User[]> {
    return await this.users.findBy({ id: In([...ids]) });
  }

  async lockUsers(ids: readonly number[]): Promise<User[]> {
    return await this.users.find({ where: { id: In([...ids]) }, order: { id: 'ASC' }, lock: { mode: 'pessimistic_write' } });
  }

  /** Finds the senders with this address at all customers. */
  async findSenders(email: string): Promise<User[]> {
    return await this.users.find({ where: { email: canonicalEmail(email), kind: 'sender' }, order: { id: 'ASC' } });
  }

  /** Finds the users of a customer whose name and address contain all words of a text; erased ones have none. */
  async findIdsByWords(customerId: number, text: string): Promise<number[]> {
    // Raw SQL: TypeORM cannot call the function, by which finds of media compare words too. It has no index: the senders of a customer are few beside its media.
    const { rows } = await this.database.query<{ id: number }>(
      `SELECT id FROM users, media_search_words($2) AS words
        WHERE customer_id = $1 AND cardinality(words) > 0 AND ${WORDS} @> words AND email NOT LIKE $3`,
      [customerId, text, ERASED],
    );
    return rows.map(({ id }) => id);
  }

  /** Lists a page of users in the order of their ids. */
  async listUsers({ after, limit, kinds, customerId }: UserPage): Promise<User[]> {
    const where = { id: MoreThan(after), kind: In([...kinds]), ...(customerId !== undefined && { customerId }) };
    return await this.users.find({ where, order: { id: 'ASC' }, take: limit });
  }

  /** Lists a page of persons and services in the order of their ids. */
  async findPage({ reach, id, email, kind }: WantedUsers, { after, limit }: Portion): Promise<User[]> {
    if (Math.max(after, id ?? 0) > MAX_ID || (id ?? MAX_ID) <= after) return [];
    const where = { ...withinReach(reach), id: id ?? MoreThan(after), kind: kind ?? isNotSender(), email: email ?? Not(Like(ERASED)) };
    return await this.users.find({ where, order: { id: 'ASC' }, take: limit });
  }

  /** Finds active users of any kind, with current rights. */
  async findPrincipals(ids: readonly number[]): Promise<Principal[]> {
    // Raw SQL: it runs for every request with a token, so building entities would be expensive.
    const { rows } = await this.database.query<Principal>(
      `SELECT id, customer_id AS "customerId", email, kind, firstname, lastname, admin_level AS "adminLevel"
        FROM users WHERE id = ANY($1::int[]) AND disabled_at IS NULL`,
      [ids],
    );
    return rows;
  }

  /** Finds the active person or service of a customer by id or canonical e-mail address. */
  async findPrincipal(customerId: number, { id, email }: Pick<User, 'id' | 'email'>): Promise<Principal | null> {
    const isActive = { customerId, kind: isNotSender(), disabledAt: IsNull() };
    const where = [
      { ...isActive, id },
      { ...isActive, email },
    ];
    return await this.users.findOne({ select: PRINCIPAL, where });
  }

  /** Returns the sender with this address at this customer, created with this id if necessary; null if another user has the id. */
  async findOrInsertSender(sender: NewSender): Promise<Sender | null> {
    const { id, customerId, email, firstname, lastname } = sender;
    // Raw SQL, because TypeORM has no upsert on a partial index. Known and unknown addresses cost the same statement and the same write, so
    // that the time reveals nothing. An error for a taken id would abort the surrounding transaction.
    return await this.database.queryOne<Sender>(
      `INSERT INTO users (id, customer_id, email, kind, firstname, lastname)
        SELECT $5::int, $1::int, $2::text, 'sender', $3::text, $4::text WHERE NOT EXISTS (SELECT FROM users WHERE id = $5)
        ON CONFLICT (customer_id, email) WHERE kind = 'sender' DO UPDATE SET updated_at = now(),
          firstname = CASE WHEN users.firstname || users.lastname = '' THEN excluded.firstname ELSE users.firstname END,
          lastname = CASE WHEN users.firstname || users.lastname = '' THEN excluded.lastname ELSE users.lastname END
        RETURNING id, customer_id AS "customerId", email`,
      [customerId, email, firstname, lastname, id],
    );
  }

  /**
   * Whether this member of staff may act for this user. Members of staff are users of the operator; the customer decides until when they may act for
   * its users.
   */
  async isSupportAccessOpen(staffId: number, userId: number, now: Date): Promise<boolean> {
    // Raw SQL, because the entities have no relations to join.
    const { rowCount } = await this.database.query(
      `SELECT FROM users staff
        JOIN customers operator ON operator.id = staff.customer_id AND operator.operator
        JOIN users u ON u.id = $2 AND u.disabled_at IS NULL AND u.${NOT_SENDER}
        JOIN customers c ON c.id = u.customer_id AND c.support_access_until > $3
        WHERE staff.id = $1 AND staff.disabled_at IS NULL AND staff.kind = 'person'`,
      [staffId, userId, now],
    );
    return rowCount === 1;
  }

  async countUsers(customerId: number): Promise<number> {
    return await this.users.countBy({ customerId, kind: Not('sender') });
  }

  /** Finds the enabled people of a customer who administer it. */
  async findAdministrators(customerId: number): Promise<User[]> {
    return await this.users.findBy({ customerId, kind: 'person', adminLevel: MoreThanOrEqual(ADMINISTRATOR_LEVEL), disabledAt: IsNull() });
  }

  async disableUsersOf(customerId: number, at: Date): Promise<void> {
    await this.users.update({ customerId, disabledAt: IsNull() }, { disabledAt: at });
  }

  async deleteUser(id: number): Promise<void> {
    await this.users.delete({ id });
  }

  async saveUser(user: Partial<User>): Promise<User> {
    return await this.users.save(this.users.create(user));
  }

  private get customers() {
    return this.database.repository(Customer);
  }

  private get users() {
    return this.database.repository(User);
  }
}

/** The words of names and address. */
const WORDS = `media_search_words(firstname || ' ' || lastname || ' ' || email)`;

/** The addresses of erased users. */
const ERASED = erasedAddress(null).replace('@', '%@');

const ofEmail = (email: string): FindOptionsWhere<User> => ({
  email: canonicalEmail(email),
  kind: isNotSender(),
});

/** Not a parameter, so that PostgreSQL uses the partial index. */
const isNotSender = () => Raw((column) => NOT_SENDER.replace('kind', column));
