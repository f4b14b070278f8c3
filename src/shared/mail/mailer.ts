/** One e-mail to one person. */
export interface Mail {
  /** Unique; the same for every try, so that a mail server or client can tell a repetition. Without angle brackets. */
  readonly messageId: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** BCP 47, of the text. */
  readonly language?: string;
}

/** How handing over an e-mail ended. */
export interface MailOutcome {
  readonly accepted: boolean;
  /** SMTP status, 250 when it was accepted; 0: never connected. */
  readonly statusCode: number;
  /** Null when it was accepted; else a code, a colon and a sentence: `mail server refused: 550 no such user`. No secrets. */
  readonly reason: string | null;
}

/** Hands e-mails over to whoever delivers them. It answers for whatever the other side does and throws only for its own faults. */
export abstract class Mailer {
  /** Whether this installation can send at all; false: production without SMTP_URL. */
  abstract readonly available: boolean;
  abstract send(mail: Mail): Promise<MailOutcome>;
}
