import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccountsRepository } from '../../src/modules/accounts/accounts.repository.js';
import { AccountsService, User } from '../../src/modules/accounts/index.js';
import { Database } from '../../src/shared/database/index.js';
import { FakePasswordHasher } from '../support/accounts/fake-password-hasher.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { eventually } from '../support/eventually.js';

/** Hashes when it is told to. */
class HeldHasher extends FakePasswordHasher {
  private go = () => {};
  readonly asked: Promise<void>;
  private tellAsked = () => {};
  private readonly gone = new Promise<void>((resolve) => {
    this.go = resolve;
  });

  constructor() {
    super();
    this.asked = new Promise((resolve) => {
      this.tellAsked = resolve;
    });
  }

  release(): void {
    this.go();
  }

  override async hash(password: string): Promise<string> {
    this.tellAsked();
    await this.gone;
    return await super.hash(password);
  }
}

describe('the administration of customers and users', () => {
  let process: TestContext;
  let database: Database;
  let accounts: AccountsService;
  let customer: string;
  let email: string;
  const accountsWith = (hasher: FakePasswordHasher) => new AccountsService(database, process.get(AccountsRepository), hasher);
  beforeAll(async () => {
    process = await startTestContext();
    database = process.get(Database);
    accounts = accountsWith(new FakePasswordHasher());
  });
  afterAll(async () => await process.close());
  beforeEach(async () => {
    customer = randomUUID();
    email = `${randomUUID()}@example.org`;
    await accounts.declareCustomer({ name: customer });
  });

  it('creates missing records, and changes only declared fields', async () => {
    const created = await accounts.declareUser({ email, customer, firstname: 'Ada', lastname: 'Lovelace', password: 'x', adminLevel: 3 });
    expect(created).toMatchObject({ email, kind: 'person', firstname: 'Ada', lastname: 'Lovelace', adminLevel: 3, disabledAt: null });
    const changed = await accounts.declareUser({ email, customer, adminLevel: 0 });
    expect(changed).toMatchObject({ id: created.id, firstname: 'Ada', adminLevel: 0, passwordHash: created.passwordHash });
    const until = new Date('2030-01-01T00:00:00Z');
    await accounts.declareCustomer({ name: customer, supportAccessUntil: until });
    expect(await accounts.declareCustomer({ name: customer, operator: true })).toMatchObject({ operator: true, supportAccessUntil: until });
    expect(await accounts.declareCustomer({ name: customer, supportAccessUntil: null })).toMatchObject({ supportAccessUntil: null });
  });

  it('keeps the hash of a password that is declared again, and makes one of a new password', async () => {
    const { passwordHash } = await accounts.declareUser({ email, customer, password: 'the same' });
    expect((await accounts.declareUser({ email, customer, password: 'the same' })).passwordHash).toBe(passwordHash);
    expect((await accounts.declareUser({ email, customer, password: 'another' })).passwordHash).not.toBe(passwordHash);
  });

  it('knows an e-mail address in any case, once', async () => {
    const { id } = await accounts.declareUser({ email: email.toUpperCase(), customer });
    expect(await accounts.findByEmail(email)).toMatchObject({ id, email });
    expect((await accounts.declareUser({ email, customer })).id).toBe(id);
  });

  it('refuses a customer that is not declared, and to move a user to another one', async () => {
    await expect(accounts.declareUser({ email, customer: 'nobody' })).rejects.toMatchObject({ code: 'customer_unknown' });
    await accounts.declareUser({ email, customer });
    await accounts.declareCustomer({ name: `${customer} 2` });
    await expect(accounts.declareUser({ email, customer: `${customer} 2` })).rejects.toMatchObject({ code: 'user_of_other_customer' });
    await expect(accounts.setPassword('nobody@example.org', 'x')).rejects.toMatchObject({ code: 'user_unknown' });
  });

  it('disables a user from the first time on, until enabled', async () => {
    await accounts.declareUser({ email, customer });
    const first = new Date('2026-01-01T00:00:00Z');
    await accounts.disable(email, first);
    expect(await accounts.disable(email, new Date())).toMatchObject({ disabledAt: first });
    expect(await accounts.declareUser({ email, customer, adminLevel: 1 })).toMatchObject({ disabledAt: first });
    expect(await accounts.enable(email)).toMatchObject({ disabledAt: null });
  });

  it('never takes back a disabling, because a password was being set at the same time', async () => {
    await accounts.declareUser({ email, customer, password: 'old' });
    const hasher = new HeldHasher();
    const setting = accountsWith(hasher).setPassword(email, 'new');
    await hasher.asked;
    const { passwordHash: old } = await accounts.disable(email, new Date());
    hasher.release();
    await setting;
    const user = await database.repository(User).findOneByOrFail({ email });
    expect(user.disabledAt).toBeInstanceOf(Date);
    expect(user.passwordHash).not.toBe(old);
  });

  it('never takes back a disabling, because a declaration read the user before it', async () => {
    await accounts.declareUser({ email, customer, password: 'old' });
    const hasher = new HeldHasher();
    const declaring = accountsWith(hasher).declareUser({ email, customer, password: 'new' });
    await hasher.asked;
    const disabling = accounts.disable(email, new Date());
    const isWaiting = async () =>
      (await database.query(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)).rowCount === 1;
    await Promise.race([disabling, eventually(isWaiting)]); // it has to wait, or has ended too early
    hasher.release();
    await Promise.all([declaring, disabling]);
    expect(await accounts.findByEmail(email)).toMatchObject({ disabledAt: expect.any(Date) });
  });

  it('serializes concurrent declarations of one user', async () => {
    await accounts.declareUser({ email, customer });
    await Promise.all([
      ...Array.from({ length: 5 }, async (_, index) => await accounts.declareUser({ email, customer, adminLevel: index })),
      accounts.declareUser({ email, customer, firstname: 'Ada' }),
      accounts.disable(email, new Date()),
      accounts.declareUser({ email, customer, lastname: 'Lovelace' }),
    ]);
    expect(await accounts.findByEmail(email)).toMatchObject({ firstname: 'Ada', lastname: 'Lovelace', disabledAt: expect.any(Date) });
  });
});
