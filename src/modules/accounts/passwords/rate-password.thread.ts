import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common';
import { dictionary as german } from '@zxcvbn-ts/language-de';
import { dictionary as english } from '@zxcvbn-ts/language-en';
import { runInThread } from '../../../shared/threads/index.js';

/** A password, or its beginning, and the words that are easy to guess for this person. */
export interface RatedPassword {
  readonly password: string;
  readonly context: readonly string[];
}

/** How hard the password is to guess. */
export interface PasswordRating {
  /** From 0 to 4. */
  readonly score: number;
  /** Keys of the sentences in the language packages of zxcvbn-ts: what is wrong, and what would be better. */
  readonly warning: string | null;
  readonly suggestions: readonly string[];
}

// A tenth of the default: passwords with many letters replaced by signs take 0.3 instead of 2 s, and their score hardly changes.
const zxcvbn = new ZxcvbnFactory({ dictionary: { ...common, ...english, ...german }, graphs: adjacencyGraphs, l33tMaxSubstitutions: 10 });

runInThread(({ password, context }: RatedPassword): PasswordRating => {
  const { score, feedback } = zxcvbn.check(password, [...context]);
  return { score, warning: feedback.warning, suggestions: feedback.suggestions };
});
