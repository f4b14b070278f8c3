import { isEmail } from 'class-validator';

/** Whether this is one e-mail address and nothing else. Quotes and control characters, which RFC 5321 would allow, could carry further headers. */
export function isMailAddress(text: string): boolean {
  return !/["\s\p{Cc}]/u.test(text) && isEmail(text, { require_tld: false });
}
