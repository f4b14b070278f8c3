import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../shared/clock.js';
import { canonicalEmail } from '../../shared/email-address.js';
import { sha256 } from '../../shared/secrets/index.js';
import { accountsErrors } from './accounts.errors.js';
import { AccountsRepository } from './accounts.repository.js';
import { type Admission, IN_A_ROW, LoginFailuresRepository } from './login-failures.repository.js';
import { AccountMailsService } from './mails/account-mails.service.js';
import { PasswordHasher } from './password-hasher.port.js';
import type { User } from './user.entity.js';

/** The number of consecutive failures without a delay, and the maximum delay in seconds. */
export interface DelayPolicy {
  readonly free: number;
  readonly maxSeconds: number;
}

/** For one account: people mistype a few times. The maximum is short, so that a stranger who keeps failing cannot lock a person out. */
export const accountDelay: DelayPolicy = { free: 5, maxSeconds: 60 };

/** For one address: many people may share it, so more failures are allowed before attempts are delayed. */
export const addressDelay: DelayPolicy = { free: 100, maxSeconds: 60 };

/**
 * For a password that many people know: they may share an address and try at the same moment, while a program that guesses is still slowed
 * down.
 */
const sharedPasswordDelay: DelayPolicy = { free: 50, maxSeconds: 60 };

/** Seconds to wait after the given number of failures: none, then 1, 2, 4, … up to the maximum. */
export function delaySeconds(policy: DelayPolicy, failures: number): number {
  if (failures <= policy.free) return 0;
  return Math.min(policy.maxSeconds, 2 ** Math.min(failures - policy.free - 1, 30));
}

/** The delays in seconds after the 1st, 2nd, … failure, up to the first maximum delay. */
export function delayTable(policy: DelayPolicy): readonly number[] {
  const table: number[] = [];
  while (table.at(-1) !== policy.maxSeconds) table.push(delaySeconds(policy, table.length + 1));
  return table;
}

const accountWaits = delayTable(accountDelay);
const addressWaits = delayTable(addressDelay);
const sharedPasswordWaits = delayTable(sharedPasswordDelay);

export interface LoginAttempt {
  readonly email: string;
  readonly password: string;
  /** The address, or for IPv6 its network, for which attempts are counted. */
  readonly clientNetwork: string;
  /** Identifies a browser in which this account signed in before; its attempts are counted separately, so that strangers cannot delay it. */
  readonly knownBrowser: (user: User | null) => string | null;
}

/** Wrong passwords in a row after which strangers cannot guess on (NIST SP 800-63B-4 section 3.2.2). */
export const MAX_FAILURES_IN_A_ROW = 100;

/** Attempts at addresses that no account has take turns with those of customers, like those of one more customer. */
const UNKNOWN = 'unknown accounts';

/** Wrong passwords in a row for one account, in browsers that it has not signed in with, or in one that it has. */
interface FailureRow {
  readonly key: string;
  readonly isFull: boolean;
  readonly isOfAccount: boolean;
}

/** Checks passwords, and delays attempts after repeated failures. */
@Injectable()
export class PasswordLoginService implements OnModuleInit {
  private decoyHash: string;

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly failures: LoginFailuresRepository,
    private readonly hasher: PasswordHasher,
    private readonly clock: Clock,
    private readonly mails: AccountMailsService,
  ) {}

  async onModuleInit(): Promise<void> {
    this.decoyHash = await this.hasher.hash('a password that no account has');
  }

  /**
   * Returns the user with these credentials. Known and unknown addresses cost the same statements and hashes, and get the same answer. After
   * MAX_FAILURES_IN_A_ROW wrong passwords the account is restricted: its password works only in known browsers, until it is reset.
   * @throws DomainError 401 `login_failed`, 429 `login_delayed`
   */
  async signIn({ email, password, clientNetwork, knownBrowser: recognise }: LoginAttempt): Promise<User> {
    const user = await this.accounts.findUserByEmail(email);
    const knownBrowser = recognise(user);
    const addressKey = `address:${clientNetwork}`;
    const accountKey = `${keyOfAccount(email)}${knownBrowser ? `:${knownBrowser}` : ''}`;
    const attemptOfAddress = await this.countAttempt(addressKey, addressWaits);
    await this.countAttempt(accountKey, accountWaits);
    const row = await this.findRow(email, knownBrowser);
    const matches = await this.hasher.matches(user?.passwordHash ?? this.decoyHash, password, String(user?.customerId ?? UNKNOWN));
    if (!user?.passwordHash || !matches || row.isFull || user.disabledAt || user.kind !== 'person') {
      await this.countInARow(row, user);
      throw accountsErrors.login_failed('The e-mail address or the password is not correct.');
    }
    await this.failures.endRows([row.key, rowKey(email, null)], MAX_FAILURES_IN_A_ROW);
    await this.failures.reset(accountKey);
    await this.failures.uncountAttempt(addressKey, attemptOfAddress);
    return user;
  }

  /** Lets the password of an account work everywhere again, without delays: it was reset. */
  async forgetFailures(email: string): Promise<void> {
    await this.failures.deleteOfAccount(keyOfAccount(email));
  }

  /** Finds the row of wrong passwords that the attempt continues: of its known browser, unless too many were entered in that, too. */
  private async findRow(email: string, knownBrowser: string | null): Promise<FailureRow> {
    const [ofAccount, ofBrowser] = [rowKey(email, null), rowKey(email, knownBrowser)];
    const counts = await this.failures.countsOf([ofAccount, ofBrowser]);
    const isFull = (key: string) => (counts.get(key) ?? 0) >= MAX_FAILURES_IN_A_ROW;
    const key = isFull(ofBrowser) ? ofAccount : ofBrowser;
    return { key, isFull: isFull(key), isOfAccount: key === ofAccount };
  }

  private async countInARow({ key, isOfAccount }: FailureRow, user: User | null): Promise<void> {
    const count = await this.failures.countInARow(key, this.clock.now());
    if (isOfAccount && count === MAX_FAILURES_IN_A_ROW) await this.mails.send({ kind: 'password-restricted', userId: user?.id ?? null });
  }

  /**
   * Whether this is the password of a resource that many people open, such as a dropsite. Attempts are counted by `subject`, which names the
   * resource and the network of the visitor.
   * @throws DomainError 429 `login_delayed`
   */
  async verifySharedPassword(
    subject: string,
    { passwordHash, password, customerId }: { readonly passwordHash: string; readonly password: string; readonly customerId: number },
  ): Promise<boolean> {
    const attempt = await this.countAttempt(subject, sharedPasswordWaits);
    const matches = await this.hasher.verify(passwordHash, password, String(customerId));
    if (matches) await this.failures.uncountAttempt(subject, attempt);
    return matches;
  }

  private async countAttempt(key: string, waits: readonly number[]): Promise<Admission> {
    const admission = await this.failures.countAttempt(key, waits, this.clock.now());
    if (admission.admitted) return admission;
    const { waitSeconds } = admission;
    const detail = `Too many failed attempts. Wait ${waitSeconds} ${waitSeconds === 1 ? 'second' : 'seconds'} and try again.`;
    throw accountsErrors.login_delayed(detail, { retryAfter: waitSeconds });
  }
}

/** The key under which failed attempts at an account are counted; the keys of browsers that signed in before begin with it. */
export const keyOfAccount = (email: string): string => `account:${sha256(canonicalEmail(email))}`;

const rowKey = (email: string, knownBrowser: string | null): string =>
  `${keyOfAccount(email)}${IN_A_ROW}${knownBrowser ? `:${knownBrowser}` : ''}`;
