import { DomainError } from '../../../shared/errors.js';
import type { User } from '../../accounts/index.js';
import type { AccountMessages } from './account.messages.js';
import type { FormField } from './account-pages.service.js';

/** What a form of a page below `/account` has posted. */
export type Form = Readonly<Record<string, unknown>>;

/** Whether an error is shown on the form: the person can correct it. */
export const isRefusal = (error: unknown): error is DomainError =>
  error instanceof DomainError && ['password_refused', 'login_failed', 'login_delayed'].includes(error.code);

/** The field for a new password. */
export const newPasswordField = (t: AccountMessages, minLength: number): FormField => ({
  name: 'password',
  label: t.newPassword,
  type: 'password',
  autocomplete: 'new-password',
  note: t.passwordAdvice(minLength),
});

/** The fields for a person's names, with the present ones. */
export const nameFields = (t: AccountMessages, { firstname, lastname }: Pick<User, 'firstname' | 'lastname'>): readonly FormField[] => [
  { name: 'firstname', label: t.firstname, autocomplete: 'given-name', value: firstname },
  { name: 'lastname', label: t.lastname, autocomplete: 'family-name', required: false, value: lastname },
];

/** Longer texts are no passwords; they cost a hash no more than these. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 4_096) : '');

/** A name on one line, without control characters; as long as the longest names of the other sources. */
export const nameOf = (value: unknown): string =>
  textOf(value)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, 200);
