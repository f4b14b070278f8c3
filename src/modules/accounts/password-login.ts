import { Injectable, type OnModuleInit } from '@nestjs/common';
import { sha256 } from '../../shared/secrets/index.js';
import { Clock } from '../../shared/time/index.js';
import { accountsErrors } from './accounts.errors.js';
import { type Admission, LoginFailuresRepository } from './login-failures.repository.js';
import { accountDelay, addressDelay, delayTable } from './next-attempt-at.js';
import { PasswordHasher } from './password-hasher.js';
import { tooManyTries } from './too-many-tries.js';
import type { User } from './user.entity.js';
import { UsersRepository } from './users.repository.js';

export interface LoginAttempt {
  readonly email: string;
  readonly password: string;
  /** The address, or for IPv6 its network, for which tries are counted. */
  readonly clientNetwork: string;
  /** Marks a browser from which this account signed in before: its tries are counted apart, so that strangers cannot make it wait. */
  readonly knownBrowser: string | null;
}

const accountWaits = delayTable(accountDelay);
const addressWaits = delayTable(addressDelay);

/** Sign-in by e-mail and password. Known and unknown addresses cost the same hash and get the same words. */
@Injectable()
export class PasswordLogin implements OnModuleInit {
  private decoyHash: string;

  constructor(
    private readonly users: UsersRepository,
    private readonly failures: LoginFailuresRepository,
    private readonly hasher: PasswordHasher,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    this.decoyHash = await this.hasher.hash('a password that nobody has');
  }

  /**
   * The user whose credentials these are.
   * @throws DomainError 401 `login_failed`, 429 `login_delayed`.
   */
  async signIn(attempt: LoginAttempt): Promise<User> {
    const addressKey = `address:${attempt.clientNetwork}`;
    const accountKey = `account:${sha256(attempt.email.toLowerCase())}${attempt.knownBrowser ? `:${attempt.knownBrowser}` : ''}`;
    const tryOfAddress = await this.admit(addressKey, addressWaits);
    await this.admit(accountKey, accountWaits);
    const user = await this.users.findByEmail(attempt.email);
    const matches = await this.hasher.verify(user?.passwordHash ?? this.decoyHash, attempt.password);
    if (!user?.passwordHash || !matches || user.disabledAt || user.kind !== 'person') {
      throw accountsErrors.login_failed('The e-mail address or the password is not correct.');
    }
    await this.failures.clear(accountKey);
    await this.failures.forgive(addressKey, tryOfAddress);
    return user;
  }

  private async admit(key: string, waits: readonly number[]): Promise<Admission> {
    const admission = await this.failures.admit(key, waits, this.clock.now());
    if (admission.admitted) return admission;
    throw tooManyTries(admission);
  }
}
