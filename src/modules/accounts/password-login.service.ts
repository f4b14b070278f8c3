import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../shared/clock.js';
import { canonicalEmail } from '../../shared/email-address.js';
import { sha256 } from '../../shared/secrets/index.js';
import { accountsErrors } from './accounts.errors.js';
import { AccountsRepository } from './accounts.repository.js';
import { type Admission, LoginFailuresRepository } from './login-failures.repository.js';
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
  readonly knownBrowser: string | null;
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
  ) {}

  async onModuleInit(): Promise<void> {
    this.decoyHash = await this.hasher.hash('a password that no account has');
  }

  /**
   * Returns the user with these credentials. Known and unknown addresses cost the same hash and get the same answer.
   * @throws DomainError 401 `login_failed`, 429 `login_delayed`
   */
  async signIn({ email, password, clientNetwork, knownBrowser }: LoginAttempt): Promise<User> {
    const addressKey = `address:${clientNetwork}`;
    const accountKey = `${keyOfAccount(email)}${knownBrowser ? `:${knownBrowser}` : ''}`;
    const attemptOfAddress = await this.countAttempt(addressKey, addressWaits);
    await this.countAttempt(accountKey, accountWaits);
    const user = await this.accounts.findUserByEmail(email);
    const matches = await this.hasher.verify(user?.passwordHash ?? this.decoyHash, password);
    if (!user?.passwordHash || !matches || user.disabledAt || user.kind !== 'person') {
      throw accountsErrors.login_failed('The e-mail address or the password is not correct.');
    }
    await this.failures.reset(accountKey);
    await this.failures.uncountAttempt(addressKey, attemptOfAddress);
    return user;
  }

  /**
   * Whether this is the password of a resource that many people open, such as a dropsite. Attempts are counted by `subject`, which names the
   * resource and the network of the visitor.
   * @throws DomainError 429 `login_delayed`
   */
  async verifySharedPassword(subject: string, { passwordHash, password }: { passwordHash: string; password: string }): Promise<boolean> {
    const attempt = await this.countAttempt(subject, sharedPasswordWaits);
    const matches = await this.hasher.verify(passwordHash, password);
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
