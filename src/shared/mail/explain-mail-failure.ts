import type { MailOutcome } from './mailer.js';

/** What nodemailer throws: its own code, the system's code that it replaced, and what the server said. */
export interface SmtpError extends Error {
  readonly code?: string;
  readonly originalCode?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

/** What of an answer is kept: a sentence, not a page. */
const MAX_ANSWER = 300;

const TLS_CODES = /CERT|TLS|SSL|SIGNED|ISSUER/;
const NAME_CODES = ['EDNS', 'ENOTFOUND', 'EAI_AGAIN'];

const REASONS: Readonly<Record<string, (host: string, detail: string) => string>> = {
  ETIMEDOUT: (host) => `timeout: ${host} did not answer in time`,
  EABORT: (host) => `timeout: ${host} did not take the mail in time`,
  ETLS: (host, detail) => `tls: no encrypted connection to ${host}${detail}`,
  ECONNECTION: (host, detail) => `connection: ${host} broke it off or refused it${detail}`,
  ESOCKET: (host, detail) => `connection: ${host} broke it off or refused it${detail}`,
  EAUTH: (host) => `authentication: ${host} offers no way to sign in that this service knows`,
  ENOAUTH: (host) => `authentication: ${host} wants one, and SMTP_URL has no user`,
  EENVELOPE: (host) => `recipient: ${host} does not take such an address`,
  EPROTOCOL: (host) => `protocol: the answer of ${host} is not SMTP`,
  EMESSAGE: (host) => `message: ${host} does not take this mail`,
};

/** How a try to reach the mail server failed; `hide` removes what must not be told. Throws what is no fault of the other side. */
export function explainMailFailure(error: SmtpError, host: string, hide: (text: string) => string): MailOutcome {
  const { code = '', originalCode = '', responseCode, response = '' } = error;
  if (responseCode) {
    const answer = hide(response.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()).slice(0, MAX_ANSWER);
    return { accepted: false, statusCode: responseCode, reason: `mail server refused: ${answer}` };
  }
  const failed = (reason: string): MailOutcome => ({ accepted: false, statusCode: 0, reason });
  if (NAME_CODES.some((name) => name === code || name === originalCode)) return failed(`dns: ${host} was not found`);
  const explain = REASONS[TLS_CODES.test(originalCode) ? 'ETLS' : code];
  if (!explain) throw error;
  return failed(explain(host, originalCode && ` (${originalCode})`));
}
