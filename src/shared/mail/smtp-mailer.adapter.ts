import type { OnApplicationShutdown } from '@nestjs/common';
import { createTransport } from 'nodemailer';
import { checkMail, type Mail, Mailer, type MailOutcome, subjectLine } from './mailer.port.js';

/** What Config has of it, and what only tests need. */
export interface SmtpSettings {
  readonly smtpUrl: string;
  readonly mailFrom: string;
  readonly publicUrl: string;
  readonly timeouts?: SmtpTimeouts;
  /** PEM of the one certificate to trust, in place of those that Node trusts. */
  readonly ca?: string;
}

/** Milliseconds: until a connection is made, until the server greets, of silence, and for one mail altogether. */
interface SmtpTimeouts {
  readonly connect: number;
  readonly greeting: number;
  readonly silence: number;
  readonly mail: number;
}

/** A server that trickles its answers is never silent: the last one ends that too. It counts from when the mail was handed to the pool. */
const TIMEOUTS: SmtpTimeouts = { connect: 10_000, greeting: 10_000, silence: 15_000, mail: 60_000 };

/** For a connection that only shows whether the server accepts e-mails. */
const TRIAL_TIMEOUTS: SmtpTimeouts = { connect: 3_000, greeting: 3_000, silence: 3_000, mail: 3_000 };

/** An idle connection that the server closed is replaced once; later failures are left to the sender's next attempt. */
const MAX_REQUEUES = 1;

const STOPPED: MailOutcome = { accepted: false, statusCode: 0, reason: 'stopped: the service stopped before the mail was sent' };

/** BCP 47 as it may stand in a header. */
const LANGUAGE = /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i;

/**
 * Hands e-mails to a mail server, over connections that are kept; encrypted always with smtps://, with smtp:// when the server offers it.
 */
export class SmtpMailerAdapter extends Mailer implements OnApplicationShutdown {
  readonly available = true;
  private readonly host: string;
  private readonly timeouts: SmtpTimeouts;
  private readonly server: SmtpServer;
  private readonly pool: ReturnType<typeof openPool>;
  private stopped = false;

  /** `noteOutcome` is called with whether the mail server works, as far as sending an e-mail has shown it. */
  constructor(
    private readonly settings: SmtpSettings,
    private readonly noteOutcome: (works: boolean) => void = () => {},
  ) {
    super();
    this.host = new URL(settings.publicUrl).hostname;
    this.timeouts = settings.timeouts ?? TIMEOUTS;
    this.server = smtpServerOf(settings.smtpUrl);
    this.pool = openPool(this.server, this.timeouts, settings);
  }

  async send(mail: Mail): Promise<MailOutcome> {
    const problem = checkMail(mail);
    if (problem) return problem;
    try {
      await this.pool.sendMail(this.messageOf(mail));
      this.noteOutcome(true);
      return { accepted: true, statusCode: 250, reason: null };
    } catch (error) {
      const failure = error as SmtpError;
      if (this.stopped && !failure.responseCode) return STOPPED;
      if (!failure.responseCode || failure.code === 'EAUTH') this.noteOutcome(false); // other answers may be about one e-mail only
      return explainMailFailure(failure, this.server.host, (text) => this.server.hide(text));
    }
  }

  /** Connects, signs in and leaves, on a connection of its own: those of the pool may be busy. */
  override async findProblem(): Promise<string | null> {
    const trial = createTransport(connectionTo(this.server, TRIAL_TIMEOUTS, this.settings));
    try {
      await trial.verify();
      return null;
    } catch (error) {
      const { reason } = explainMailFailure(error as SmtpError, this.server.host, (text) => this.server.hide(text));
      return `E-mails are not sent (${reason}).`;
    } finally {
      trial.close();
    }
  }

  /** Mails that are under way are finished; those that wait for a connection are not sent. */
  onApplicationShutdown(): void {
    this.stopped = true;
    this.pool.close();
  }

  /** The addresses are given in their parts and the envelope apart from them, so that nothing is parsed and no further recipient found. */
  private messageOf({ messageId, to, subject, text, html, language }: Mail) {
    const from = senderOf(this.settings.mailFrom);
    const spoken = language !== undefined && LANGUAGE.test(language) ? { 'Content-Language': language } : {};
    return {
      from,
      to: { name: '', address: to },
      envelope: { from: from.address, to: [to] },
      messageId: `<${messageId}@${this.host}>`,
      subject: subjectLine(subject),
      text,
      html,
      headers: { 'Auto-Submitted': 'auto-generated', ...spoken },
      disableFileAccess: true,
      disableUrlAccess: true,
      signal: AbortSignal.timeout(this.timeouts.mail),
    };
  }
}

/** Connections to a mail server, five at most; they are kept for the next mails. */
function openPool(server: SmtpServer, timeouts: SmtpTimeouts, settings: SmtpSettings) {
  return createTransport({ pool: true, maxConnections: 5, maxRequeues: MAX_REQUEUES, ...connectionTo(server, timeouts, settings) });
}

function connectionTo({ host, port, secure, auth }: SmtpServer, { connect, greeting, silence }: SmtpTimeouts, settings: SmtpSettings) {
  const { publicUrl, ca } = settings;
  return {
    host,
    port,
    secure,
    auth,
    name: new URL(publicUrl).hostname,
    connectionTimeout: connect,
    dnsTimeout: connect,
    greetingTimeout: greeting,
    socketTimeout: silence,
    tls: ca === undefined ? {} : { ca },
  };
}

/** A mail server as SMTP_URL names it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (smtps://). */
  readonly secure: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
  /** The text without the password, plain or as SMTP encodes it, in case the server repeats what it received. */
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

/** Why an attempt to reach the mail server failed; `hide` removes secrets. Throws errors of our own. */
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

/**
 * `Media, Inc. <media@example.org>` (MAIL_FROM) in its two parts. A parser of address lists would take the comma for the end of an address.
 */
export function senderOf(mailFrom: string): Sender {
  const [, name = '', address = mailFrom] = /^(.*)<([^<>]*)>\s*$/s.exec(mailFrom) ?? [];
  return { name: name.trim().replace(/^"(.*)"$/s, '$1'), address: address.trim() };
}
