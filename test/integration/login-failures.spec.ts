import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AccountsRepository } from '../../src/modules/accounts/accounts.repository.js';
import { AccountMailsService, Customer, User } from '../../src/modules/accounts/index.js';
import { type Admission, LoginFailuresRepository } from '../../src/modules/accounts/login-failures.repository.js';
import { accountDelay, addressDelay, delayTable, PasswordLoginService } from '../../src/modules/accounts/password-login.service.js';
import { FakeClock } from '../../src/shared/clock.js';
import { Database } from '../../src/shared/database/index.js';
import { DomainError } from '../../src/shared/errors.js';
import { FakePasswordHasher } from '../support/accounts/fake-password-hasher.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';

const start = new Date('2026-01-01T00:00:00Z');
const HOUR = 3_600;

let process: TestContext;
let database: Database;
let failures: LoginFailuresRepository;
beforeAll(async () => {
  process = await startTestContext();
  database = process.get(Database);
  failures = process.get(LoginFailuresRepository);
});
afterAll(async () => await process.close());

const failuresOf = async (key: string) =>
  (await database.queryOne<{ failures: number }>('SELECT failures FROM login_failures WHERE key = $1', [key]))?.failures;

describe('failed logins', () => {
  /** What the table of waits says, without a database. */
  function model(waits: readonly number[]) {
    let state: { failures: number; waitUntil: number; updatedAt: number } | null = null;
    return (now: number): Omit<Admission, 'attempt'> & { failures: number } => {
      const stale = state !== null && state.updatedAt < now - HOUR;
      const count = state === null || stale ? 1 : state.failures + 1;
      const isWaiting = state !== null && state.waitUntil > now;
      const waitUntil = isWaiting && state ? state.waitUntil : now + (waits[Math.min(count, waits.length) - 1] ?? 0);
      state = { failures: count, waitUntil, updatedAt: now };
      return { admitted: !isWaiting, waitSeconds: isWaiting ? Math.max(1, waitUntil - now) : 0, failures: count };
    };
  }

  it('are counted and delayed by the table of delays, and reset after an hour without failures', async () => {
    const waits = fc.array(fc.constantFrom(0, 0, 1, 2, 60), { minLength: 1, maxLength: 4 });
    const steps = fc.array(fc.constantFrom(0, 1, 2, 30, 59, 60, HOUR, HOUR + 1), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(waits, steps, async (table, pauses) => {
        const [key, clock, expected] = [randomUUID(), new FakeClock(start), model(table)];
        for (const pause of pauses) {
          clock.advance(pause);
          const { attempt: _, ...admission } = await failures.countAttempt(key, table, clock.now());
          const answer = { ...admission, failures: await failuresOf(key) };
          expect(answer).toEqual(expected(clock.now().getTime() / 1_000));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('are all counted when concurrent, and only the free attempts and the first delayed one continue', async () => {
    const key = randomUUID();
    const admissions = await Promise.all(
      Array.from({ length: 50 }, async () => await failures.countAttempt(key, delayTable(accountDelay), start)),
    );
    expect(await failuresOf(key)).toBe(50);
    expect(admissions.filter(({ admitted }) => admitted)).toHaveLength(accountDelay.free + 1);
    expect(new Set(admissions.filter(({ admitted }) => !admitted).map(({ waitSeconds }) => waitSeconds))).toEqual(new Set([1]));
    expect(new Set(admissions.map(({ attempt }) => attempt)).size).toBe(50);
  });

  it('of one key do not affect another', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    for (let time = 0; time < 10; time += 1) await failures.countAttempt(one, [60], start);
    expect(await failures.countAttempt(other, [60], start)).toMatchObject({ admitted: true });
  });

  it('are reset by a success', async () => {
    const key = randomUUID();
    for (let time = 0; time < 3; time += 1) await failures.countAttempt(key, [0, 60], start);
    await failures.reset(key);
    expect(await failures.countAttempt(key, [0, 60], start)).toMatchObject({ admitted: true });
    expect(await failuresOf(key)).toBe(1);
  });

  it('do not include a successful attempt, which causes no delay', async () => {
    const key = randomUUID();
    await failures.countAttempt(key, [0, 60], start);
    const right = await failures.countAttempt(key, [0, 60], start);
    await failures.uncountAttempt(key, right);
    expect(await failuresOf(key)).toBe(1);
    expect(await failures.countAttempt(key, [0, 60], start)).toMatchObject({ admitted: true });
  });

  it('still have to wait when a wrong try came between a right one and its success', async () => {
    const key = randomUUID();
    const right = await failures.countAttempt(key, [0, 60, 60], start);
    await failures.countAttempt(key, [0, 60, 60], start);
    await failures.uncountAttempt(key, right);
    expect(await failures.countAttempt(key, [0, 60, 60], start)).toMatchObject({ admitted: false, waitSeconds: 60 });
  });
});

describe('signing in', () => {
  const PASSWORD = 'correct horse battery staple';
  let clock: FakeClock;
  let login: PasswordLoginService;
  beforeAll(async () => {
    clock = new FakeClock(start);
    login = new PasswordLoginService(
      process.get(AccountsRepository),
      failures,
      new FakePasswordHasher(),
      clock,
      process.get(AccountMailsService),
    );
    await login.onModuleInit();
  });

  async function aUser(overrides: Partial<User> = {}): Promise<User> {
    const { id: customerId } = await database.repository(Customer).save({ name: randomUUID() });
    const passwordHash = await new FakePasswordHasher().hash(PASSWORD);
    return await database.repository(User).save({ customerId, email: `${randomUUID()}@example.org`, passwordHash, ...overrides });
  }

  const anAddress = () => randomUUID();

  async function outcome(email: string, options: { password?: string; clientNetwork?: string; knownBrowser?: string | null } = {}) {
    const { password = PASSWORD, clientNetwork = anAddress(), knownBrowser = null } = options;
    try {
      return (await login.signIn({ email, password, clientNetwork, knownBrowser: () => knownBrowser })).id;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { code: error.code, detail: error.detail, retryAfter: error.extras.retryAfter };
    }
  }

  const failed = { code: 'login_failed', detail: expect.any(String), retryAfter: undefined };
  const delayed = (retryAfter: number) => ({ code: 'login_delayed', detail: expect.any(String), retryAfter });

  it('needs the right password; case and origin of the address do not matter', async () => {
    const user = await aUser();
    expect(await outcome(user.email)).toBe(user.id);
    expect(await outcome(user.email.toUpperCase())).toBe(user.id);
    expect(await outcome(user.email, { password: 'wrong' })).toEqual(failed);
  });

  it('returns the same for a wrong password, an unknown address, a disabled user, a service and a user without password', async () => {
    const users = [await aUser({ disabledAt: start }), await aUser({ kind: 'service' }), await aUser({ passwordHash: null })];
    const answers = [
      await outcome((await aUser()).email, { password: 'wrong' }),
      await outcome('nobody@example.org'),
      ...(await Promise.all(users.map(async ({ email }) => await outcome(email)))),
      ...(await Promise.all(users.map(async ({ email }) => await outcome(email, { password: 'a password that nobody has' })))),
    ];
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toEqual(failed);
  });

  it('is delayed after five failures of the account from any address, and possible afterwards', async () => {
    const { email, id } = await aUser();
    for (let time = 0; time < 6; time += 1) expect(await outcome(email, { password: 'wrong' })).toEqual(failed);
    expect(await outcome(email)).toEqual(delayed(1));
    clock.advance(1);
    expect(await outcome(email)).toBe(id);
    expect(await outcome(email, { password: 'wrong' })).toEqual(failed); // the count began anew
    expect(await outcome(email)).toBe(id);
  });

  it('is possible from a known browser despite failures of others', async () => {
    const { email, id } = await aUser();
    for (let time = 0; time < 20; time += 1) await outcome(email, { password: 'wrong' });
    expect(await outcome(email)).toMatchObject({ code: 'login_delayed' });
    expect(await outcome(email, { knownBrowser: 'a known browser' })).toBe(id);
    expect(await outcome(email)).toMatchObject({ code: 'login_delayed' });
  });

  it('has to wait after a hundred failures from one address, for whatever account; others do not', async () => {
    const { email, id } = await aUser();
    const clientNetwork = anAddress();
    for (let time = 0; time <= addressDelay.free; time += 1) {
      expect(await outcome(`${randomUUID()}@example.org`, { clientNetwork })).toEqual(failed);
    }
    expect(await outcome(email, { clientNetwork })).toEqual(delayed(1));
    expect(await outcome(email)).toBe(id);
    clock.advance(1);
    expect(await outcome(email, { clientNetwork })).toBe(id);
  });

  it('does not delay an address because of successful logins', async () => {
    const { email, id } = await aUser();
    const clientNetwork = anAddress();
    for (let time = 0; time < addressDelay.free; time += 1) await outcome(`${randomUUID()}@example.org`, { clientNetwork });
    for (let time = 0; time < 5; time += 1) expect(await outcome(email, { clientNetwork })).toBe(id);
  });

  it('keeps no address of a person in the table of failures', async () => {
    const { email } = await aUser();
    await outcome(email, { password: 'wrong' });
    const row = await database.queryOne('SELECT FROM login_failures WHERE key ILIKE $1', [`%${email.split('@')[0]}%`]);
    expect(row).toBeNull();
  });

  it('lets the owner in after a thousand wrong passwords from a thousand addresses: in a known browser, or after a reset', async () => {
    const { email, id } = await aUser();
    const guess = async () => await outcome(email, { password: 'wrong' });
    for (let guesses = 0; guesses < 100; guesses += 1) {
      expect(await guess()).toEqual(failed);
      clock.advance(61);
    }
    const rest = await Promise.all(Array.from({ length: 900 }, guess));
    expect(rest.filter((one) => typeof one === 'number')).toEqual([]);
    clock.advance(61);
    expect(await outcome(email)).toEqual(failed); // the right password tells a stranger nothing
    expect(await outcome(email, { knownBrowser: 'kitchen' })).toBe(id);
    clock.advance(2 * HOUR);
    expect(await outcome(email)).toEqual(failed);
    await login.forgetFailures(email);
    expect(await outcome(email)).toBe(id);
  });

  it('counts wrong passwords in a known browser too, which then counts as unknown', async () => {
    const { email, id } = await aUser();
    for (let guesses = 0; guesses < 100; guesses += 1) {
      await outcome(email, { password: 'wrong', knownBrowser: 'stolen' });
      clock.advance(61);
    }
    expect(await outcome(email, { knownBrowser: 'stolen' })).toBe(id); // strangers have not reached the limit
    for (let guesses = 0; guesses < 100; guesses += 1) {
      await outcome(email, { password: 'wrong' });
      clock.advance(61);
    }
    expect(await outcome(email, { knownBrowser: 'stolen' })).toEqual(failed);
    expect(await outcome(email, { knownBrowser: 'kitchen' })).toBe(id);
  });
});
