import type { MailOutcome } from './mailer.port.js';

/** A mail server as SMTP_URL names it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (smtps://). */
  readonly secure: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
  /** The text without the password, plain or as SMTP encodes it, in case the server repeats what it was told. */
  hide(text: string): string;
}

/** Submission (RFC 6409), with TLS from the first byte (RFC 8314 section 3.3). */
const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

/** Reads `smtps://user:password@mail.example.org:465`, user and password percent-encoded. Anything behind the host is ignored. */
export function smtpServerOf(smtpUrl: string): SmtpServer {
  const url = new URL(smtpUrl);
  const [user, pass] = [decode(url.username), decode(url.password)];
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port) || (PORTS[url.protocol] ?? 587),
    secure: url.protocol === 'smtps:',
    ...(user && { auth: { user, pass } }),
    hide: (text) => spellings(user, pass).reduce((rest, secret) => rest.replaceAll(secret, '***'), text),
  };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** The longest first: of what holds another one nothing may stay. */
const spellings = (user: string, pass: string): string[] => (pass ? [base64(`\0${user}\0${pass}`), base64(pass), pass] : []);

/** A percent sign that encodes nothing is one of the password. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

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

/** A sender's name (empty: none) and address. */
export interface Sender {
  readonly name: string;
  readonly address: string;
}

/** `Media, Inc. <media@example.org>` (MAIL_FROM) in its two parts. A parser of address lists would take the comma for the end of an address. */
export function senderOf(mailFrom: string): Sender {
  const [, name = '', address = mailFrom] = /^(.*)<([^<>]*)>\s*$/s.exec(mailFrom) ?? [];
  return { name: name.trim().replace(/^"(.*)"$/s, '$1'), address: address.trim() };
}
