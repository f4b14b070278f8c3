import type { OnApplicationShutdown } from '@nestjs/common';
import { createTransport } from 'nodemailer';
import { checkMail, type Mail, Mailer, type MailOutcome, subjectLine } from './mailer.port.js';

/** The settings from Config, and those that only tests need. */
export interface SmtpSettings {
  readonly smtpUrl: string;
  readonly mailFrom: string;
  readonly publicUrl: string;
  readonly timeouts?: SmtpTimeouts;
  /** PEM of the only certificate to trust, instead of Node's default ones. */
  readonly ca?: string;
}

/** Milliseconds: for connecting, for the server's greeting, without any data, and for one mail in total. */
interface SmtpTimeouts {
  readonly connect: number;
  readonly greeting: number;
  readonly silence: number;
  readonly mail: number;
}

/** A server that sends its responses very slowly is never silent; the limit `mail` ends that too. It starts when the mail is passed to the pool. */
const TIMEOUTS: SmtpTimeouts = { connect: 10_000, greeting: 10_000, silence: 15_000, mail: 60_000 };

/** For a connection that only tests whether the server accepts e-mails. */
const TRIAL_TIMEOUTS: SmtpTimeouts = { connect: 3_000, greeting: 3_000, silence: 3_000, mail: 3_000 };

/** After the server closed an idle connection, the mail is sent once more; further failures are left to the sender's next attempt. */
const MAX_REQUEUES = 1;

const STOPPED: MailOutcome = { accepted: false, statusCode: 0, reason: 'stopped: the service stopped before the mail was sent' };

/** A BCP 47 tag that is safe in a header. */
const LANGUAGE = /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i;

/**
 * Sends e-mails to a mail server over persistent connections; smtps:// is always encrypted, smtp:// if the server offers it.
 */
export class SmtpMailerAdapter extends Mailer implements OnApplicationShutdown {
  readonly available = true;
  private readonly host: string;
  private readonly timeouts: SmtpTimeouts;
  private readonly server: SmtpServer;
  private readonly pool: ReturnType<typeof openPool>;
  private stopped = false;

  /** `noteOutcome` receives whether the mail server works, as far as sending an e-mail has shown. */
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
      if (!failure.responseCode || failure.code === 'EAUTH') this.noteOutcome(false); // other responses may concern only this e-mail
      return explainMailFailure(failure, this.server.host, (text) => this.server.hide(text));
    }
  }

  /** Connects, signs in and disconnects, on a separate connection, because those of the pool may be busy. */
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

  /** Lets mails in progress finish; mails that wait for a connection are not sent. */
  onApplicationShutdown(): void {
    this.stopped = true;
    this.pool.close();
  }

  /** Passes addresses in parts, with a separate envelope, so that nothing is parsed and no additional recipients can be found. */
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

/** A pool of at most five connections to a mail server, which are reused. */
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

/** The mail server of SMTP_URL. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (smtps://). */
  readonly secure: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
  /** Removes the password from a text, plain or encoded for SMTP, in case the server repeats what it received. */
  hide(text: string): string;
}

/** Submission (RFC 6409), with TLS from the first byte (RFC 8314 section 3.3). */
const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

/** Parses `smtps://user:password@mail.example.org:465`, with user and password percent-encoded. Anything after the host and port is ignored. */
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

/** Longest first, so that nothing remains of a spelling that contains another. */
const spellings = (user: string, pass: string): string[] => (pass ? [base64(`\0${user}\0${pass}`), base64(pass), pass] : []);

/** Decodes percent-encoding; a percent sign that encodes nothing is kept as part of the password. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An error of nodemailer: its own code, the system error that it replaced, and the server's response. */
export interface SmtpError extends Error {
  readonly code?: string;
  readonly originalCode?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

/** A response is shortened to about a sentence. */
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

/** Why sending to the mail server failed; `hide` removes secrets. Rethrows errors of this service. */
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

/** The name (may be empty) and address of a sender. */
export interface Sender {
  readonly name: string;
  readonly address: string;
}

/**
 * Splits `Media, Inc. <media@example.org>` (MAIL_FROM). A parser of address lists would treat the comma as a separator.
 */
export function senderOf(mailFrom: string): Sender {
  const [, name = '', address = mailFrom] = /^(.*)<([^<>]*)>\s*$/s.exec(mailFrom) ?? [];
  return { name: name.trim().replace(/^"(.*)"$/s, '$1'), address: address.trim() };
}
