import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { translations as german } from '@zxcvbn-ts/language-de';
import { translations as english } from '@zxcvbn-ts/language-en';
import { Config } from '../../../shared/config/index.js';
import { type Language, messages } from '../../../shared/languages.js';
import { LimitedThread, ThreadLimitExceeded } from '../../../shared/threads/index.js';
import { AccountsRepository } from '../accounts.repository.js';
import type { User } from '../user.entity.js';
import { BlockedPasswordsService } from './blocked-passwords.service.js';
import type { PasswordRating, RatedPassword } from './rate-password.thread.js';

/** Characters; NIST SP 800-63B-4 section 3.1.1.2 asks for at least 64, and a longer one costs a hash its time. */
export const MAX_PASSWORD_LENGTH = 128;
/** Characters that are rated: the time grows faster than the length, and 64 hard ones suffice. */
const MAX_RATED = 64;
/** The lowest score of zxcvbn, of 4, that is accepted: "safely unguessable". */
const MIN_SCORE = 3;
/** Ten times what the slowest password takes. */
const MAX_MS = 5_000;
/** Three times the size of the dictionaries. */
const MAX_HEAP_MB = 192;
/** Shorter parts of names and addresses occur in too many words. */
const MIN_CONTEXT_LENGTH = 3;

/** Decides which new passwords are good enough (NIST SP 800-63B-4 section 3.1.1.2). Passwords of earlier versions stay valid. */
@Injectable()
export class PasswordPolicyService implements OnApplicationShutdown {
  private readonly thread = new LimitedThread<RatedPassword, PasswordRating>(new URL('./rate-password.thread.js', import.meta.url), {
    maxMs: MAX_MS,
    maxHeapMb: MAX_HEAP_MB,
  });

  constructor(
    private readonly config: Config,
    private readonly accounts: AccountsRepository,
    private readonly blocked: BlockedPasswordsService,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.thread.end();
  }

  /** The minimum number of characters (PASSWORD_MIN_LENGTH). */
  get minLength(): number {
    return this.config.passwordMinLength;
  }

  /** Why this user cannot have this new password, in words that help to choose a better one; null: it is good. The event loop is not blocked. */
  async findProblem(password: string, user: User, language: Language): Promise<string | null> {
    const texts = TEXTS[language];
    const characters = [...password.normalize('NFC')];
    if (characters.length < this.minLength) return texts.tooShort(this.minLength);
    if (characters.length > MAX_PASSWORD_LENGTH) return texts.tooLong(MAX_PASSWORD_LENGTH);
    if (await this.blocked.includes(password)) return texts.blocked;
    const rating = await this.rate(
      { password: characters.slice(0, MAX_RATED).join(''), context: await this.contextOf(user) },
      user.customerId,
    );
    if (rating === null) return texts.unrated;
    return rating.score < MIN_SCORE ? [texts.guessable, ...explain(rating, language)].join(' ') : null;
  }

  /** Null: it cannot be rated within the limits. */
  private async rate(rated: RatedPassword, customerId: number): Promise<PasswordRating | null> {
    try {
      return await this.thread.run(rated, customerId);
    } catch (error) {
      if (error instanceof ThreadLimitExceeded) return null;
      throw error;
    }
  }

  private async contextOf({ firstname, lastname, email, customerId }: User): Promise<string[]> {
    const customer = (await this.accounts.findCustomer(customerId))?.name ?? '';
    const { serviceName, publicUrl } = this.config;
    const texts = [firstname, lastname, `${firstname} ${lastname}`, email, customer, serviceName, new URL(publicUrl).hostname];
    const words = texts.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]);
    return [...new Set(words)].filter((word) => word.length >= MIN_CONTEXT_LENGTH);
  }
}

const TEXTS = messages({
  en: {
    tooShort: (min: number) =>
      `The password is too short. Use at least ${min} characters, for example four or five words that do not belong together.`,
    tooLong: (max: number) => `The password is too long. Use at most ${max} characters.`,
    blocked: 'This password is on a list of known passwords. Choose one that only you could think of.',
    unrated: 'It cannot be determined how safe this password is. Choose a different one.',
    guessable: 'This password is too easy to guess.',
    advice: english,
  },
  de: {
    tooShort: (min) =>
      `Das Passwort ist zu kurz. Verwenden Sie mindestens ${min} Zeichen, zum Beispiel vier oder fünf Wörter, die nicht zusammengehören.`,
    tooLong: (max) => `Das Passwort ist zu lang. Verwenden Sie höchstens ${max} Zeichen.`,
    blocked: 'Dieses Passwort steht auf einer Liste bekannter Passwörter. Wählen Sie eines, auf das nur Sie kommen.',
    unrated: 'Es lässt sich nicht feststellen, wie sicher dieses Passwort ist. Wählen Sie ein anderes.',
    guessable: 'Dieses Passwort ist zu leicht zu erraten.',
    advice: german,
  },
});

/** The sentences of zxcvbn-ts for a rating. */
function explain({ warning, suggestions }: PasswordRating, language: Language): string[] {
  const { warnings, suggestions: advice } = TEXTS[language].advice;
  const sentence = (texts: object, key: string | null): string[] =>
    key && Object.hasOwn(texts, key) ? [String(Reflect.get(texts, key))] : [];
  return [...sentence(warnings, warning), ...suggestions.flatMap((key) => sentence(advice, key))];
}
