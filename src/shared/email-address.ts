import { isEmail, ValidateBy, type ValidationOptions } from 'class-validator';
import { toAsciiDomain } from './validation/parse-url.js';

/**
 * Returns the one spelling by which an e-mail address is stored and compared (RFC 6531, RFC 5891 section 4.4): NFC, in lower case, the domain as
 * A-labels (`jörg@exämple.test` becomes `jörg@xn--exmple-cua.test`). A text without a valid domain keeps what stands there.
 */
export function canonicalEmail(address: string): string {
  const text = address.trim().normalize('NFC').toLowerCase();
  const at = text.lastIndexOf('@');
  const domain = at === -1 ? '' : toAsciiDomain(text.slice(at + 1));
  return domain === '' ? text : `${text.slice(0, at)}@${domain}`;
}

/** RFC 5321 section 4.5.3.1: a path has at most 256 octets, two of which are angle brackets. */
export const MAX_EMAIL_CHARACTERS = 254;

/**
 * Whether the text is exactly one e-mail address. Refuses quotes and control characters, which RFC 5321 allows but which could carry further
 * headers.
 */
export function isMailAddress(text: string): boolean {
  return !/["\s\p{Cc}]/u.test(text) && isEmail(text, { require_tld: false });
}

/**
 * Returns the one spelling of an address that may become that of a user; null for any other text. The rule of all doors: a quoted local part (`"ada"@…`)
 * and a dot after the domain would be further spellings of one mailbox.
 */
export function readEmailAddress(text: string): string | null {
  const email = canonicalEmail(text);
  return email.length <= MAX_EMAIL_CHARACTERS && isMailAddress(email) ? email : null;
}

/** An address that may become that of a user (`readEmailAddress`). */
export const IsUserAddress = (options: ValidationOptions = {}): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isEmail',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && readEmailAddress(value) !== null,
        defaultMessage: () => '$property must be an e-mail address, without quotes and without a dot at the end',
      },
    },
    options,
  );
