import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import { type Mail, Mailer } from '../../src/shared/mail/index.js';
import { SmtpMailerAdapter } from '../../src/shared/mail/smtp-mailer.adapter.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { FakeMailer } from '../support/subscriptions/fake-mailer.js';
import { type MailServer, startMailServer } from '../support/subscriptions/mail-server.js';

type Kept = Pick<Mail, 'to' | 'subject' | 'text'> & { readonly html: string | null };

/** A mailer, and what arrived by it, the oldest first. */
interface Subject {
  readonly mailer: Mailer;
  arrived(): Promise<Kept[]>;
  close(): Promise<void>;
}

async function fake(): Promise<Subject> {
  const mailer = new FakeMailer();
  return {
    mailer,
    arrived: async () => mailer.sent.map(({ to, subject, text, html = null }) => ({ to, subject, text, html })),
    close: async () => {},
  };
}

async function mailbox(): Promise<Subject> {
  const context: TestContext = await startTestContext();
  return {
    mailer: context.get(Mailer),
    arrived: async () =>
      (await context.get(Database).query<Kept>('SELECT recipient AS "to", subject, text, html FROM mailbox ORDER BY id')).rows,
    close: async () => await context.close(),
  };
}

async function smtp(): Promise<Subject> {
  const server: MailServer = await startMailServer();
  const settings = { smtpUrl: `smtp://${server.host}`, mailFrom: 'Media <media@example.org>', publicUrl: 'https://media.example.org' };
  const mailer = new SmtpMailerAdapter(settings);
  return {
    mailer,
    arrived: async () =>
      server.mails.map(({ envelope, headers, text, html }) => ({ to: envelope.to.join(), subject: headers.subject ?? '', text, html })),
    close: async () => {
      mailer.onApplicationShutdown();
      await server.close();
    },
  };
}

describe.each([
  ['the fake', fake],
  ['the mailbox', mailbox],
  ['SMTP', smtp],
])('a mailer: %s', (_name, start) => {
  let subject: Subject;
  let count = 0;
  beforeAll(async () => {
    subject = await start();
  });
  afterAll(async () => await subject.close());
  beforeEach(() => {
    count += 1;
  });

  const aMail = (fields: Partial<Mail> = {}): Mail => ({
    messageId: `msg_${count}.1`,
    to: 'ada@example.org',
    subject: 'Grüße aus Köln: 3 Dateien',
    text: 'Hallo Ada,\n\nes gibt 3 Dateien — „Sommer“.\nhttps://example.org/l/1?a=1&b=2',
    html: '<p>Hallo <b>Ada</b>, „Sommer“.</p>',
    ...fields,
  });
  const send = async (fields: Partial<Mail> = {}) => await subject.mailer.send(aMail(fields));
  const last = async () => (await subject.arrived()).at(-1);

  it('can send', () => {
    expect(subject.mailer.available).toBe(true);
  });

  it('hands over recipient, subject and both texts as they are', async () => {
    expect(await send({ language: 'de' })).toEqual({ accepted: true, statusCode: 250, reason: null });
    const { to, subject: line, text, html = null } = aMail();
    expect(await last()).toEqual({ to, subject: line, text, html });
  });

  it('hands over a mail without HTML', async () => {
    expect(await send({ html: undefined })).toMatchObject({ accepted: true });
    expect(await last()).toMatchObject({ text: aMail().text, html: null });
  });

  it('writes a subject with line breaks on one line', async () => {
    expect(await send({ subject: 'Files\r\nBcc: eve@example.org\n\n<script>\u2028x' })).toMatchObject({ accepted: true });
    expect(await last()).toMatchObject({ to: 'ada@example.org', subject: 'Files Bcc: eve@example.org <script> x' });
  });

  it.each([
    'ada@example.org, eve@example.org',
    'ada@example.org\r\nBcc: eve@example.org',
    '"ada\r\nRCPT TO:<eve@example.org>"@example.org',
    'Ada <ada@example.org>',
    'nobody',
    '',
  ])('refuses %j, which is not one address', async (to) => {
    const before = await subject.arrived();
    const outcome = await send({ to });
    expect(outcome).toMatchObject({ accepted: false, statusCode: 0 });
    expect(outcome.reason).toMatch(/^recipient: ".*" is not one e-mail address$/);
    expect(await subject.arrived()).toEqual(before);
  });

  it('sends many at once', async () => {
    const before = (await subject.arrived()).length;
    const recipients = Array.from({ length: 20 }, (_, n) => `reader-${n}@example.org`);
    const outcomes = await Promise.all(recipients.map(async (to, n) => await send({ to, messageId: `msg_many.${n}` })));
    expect(outcomes.every(({ accepted }) => accepted)).toBe(true);
    const arrived = (await subject.arrived()).slice(before).map(({ to }) => to);
    expect(arrived.sort()).toEqual(recipients.sort());
  });
});
