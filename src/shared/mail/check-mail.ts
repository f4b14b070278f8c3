import { isMailAddress } from './is-mail-address.js';
import type { Mail, MailOutcome } from './mailer.js';

/** What every mailer does before anything else: null, or why the mail goes nowhere. Without it a recipient could be many, or a header. */
export function checkMail({ to }: Mail): MailOutcome | null {
  if (isMailAddress(to)) return null;
  return { accepted: false, statusCode: 0, reason: `recipient: ${JSON.stringify(to.slice(0, 254))} is not one e-mail address` };
}
