import { Injectable } from '@nestjs/common';
import { Clock } from '../../shared/time/index.js';
import { LoginFailuresRepository } from './login-failures.repository.js';
import { type DelayPolicy, delayTable } from './next-attempt-at.js';
import { PasswordHasher } from './password-hasher.js';
import { tooManyTries } from './too-many-tries.js';

/** Many people may share the address and the password, and try at the same moment; a program that guesses is slowed down all the same. */
const policy: DelayPolicy = { free: 50, maxSeconds: 60 };

/** Passwords that belong to a thing instead of an account: whoever keeps failing has to wait. */
@Injectable()
export class PasswordGuesses {
  private readonly waits = delayTable(policy);

  constructor(
    private readonly failures: LoginFailuresRepository,
    private readonly hasher: PasswordHasher,
    private readonly clock: Clock,
  ) {}

  /** Whether it is the password. `subject`: what is guessed at, and from which network. @throws DomainError 429 `login_delayed` */
  async verify(subject: string, { passwordHash, password }: { passwordHash: string; password: string }): Promise<boolean> {
    const admission = await this.failures.admit(subject, this.waits, this.clock.now());
    if (!admission.admitted) throw tooManyTries(admission);
    const matches = await this.hasher.verify(passwordHash, password);
    if (matches) await this.failures.forgive(subject, admission);
    return matches;
  }
}
