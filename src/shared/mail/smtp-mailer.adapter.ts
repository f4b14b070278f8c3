import type { OnApplicationShutdown } from '@nestjs/common';
import { createTransport } from 'nodemailer';
import { checkMail, type Mail, Mailer, type MailOutcome, subjectLine } from './mailer.port.js';
import { explainMailFailure, type SmtpError, type SmtpServer, senderOf, smtpServerOf } from './smtp-server.js';

/** What Config has of it, and what only tests need. */
export interface SmtpSettings {
  readonly smtpUrl: string;
  readonly mailFrom: string;
  readonly publicUrl: string;
  readonly timeouts?: SmtpTimeouts;
  /** PEM of the one certificate to trust, in place of those that Node trusts. */
  readonly ca?: string;
}

/** Milliseconds: until a connection stands, until the server greets, of silence, and for one mail altogether. */
interface SmtpTimeouts {
  readonly connect: number;
  readonly greeting: number;
  readonly silence: number;
  readonly mail: number;
}

/** A server that trickles its answers is never silent: the last one ends that too. It counts from when the mail was handed to the pool. */
const TIMEOUTS: SmtpTimeouts = { connect: 10_000, greeting: 10_000, silence: 15_000, mail: 60_000 };

/** An idle connection that the server closed is replaced once; later failures are left to the sender's next attempt. */
const MAX_REQUEUES = 1;

const STOPPED: MailOutcome = { accepted: false, statusCode: 0, reason: 'stopped: the service stopped before the mail was sent' };

/** BCP 47 as it may stand in a header. */
const LANGUAGE = /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i;

/** Hands e-mails to a mail server, over connections that are kept; encrypted always with smtps://, with smtp:// when the server offers it. */
export class SmtpMailer extends Mailer implements OnApplicationShutdown {
  readonly available = true;
  private readonly host: string;
  private readonly timeouts: SmtpTimeouts;
  private readonly server: SmtpServer;
  private readonly pool: ReturnType<typeof openPool>;
  private stopped = false;

  constructor(private readonly settings: SmtpSettings) {
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
      return { accepted: true, statusCode: 250, reason: null };
    } catch (error) {
      const failure = error as SmtpError;
      if (this.stopped && !failure.responseCode) return STOPPED;
      return explainMailFailure(failure, this.server.host, (text) => this.server.hide(text));
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
function openPool({ host, port, secure, auth }: SmtpServer, { connect, greeting, silence }: SmtpTimeouts, { publicUrl, ca }: SmtpSettings) {
  return createTransport({
    pool: true,
    maxConnections: 5,
    maxRequeues: MAX_REQUEUES,
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
  });
}
