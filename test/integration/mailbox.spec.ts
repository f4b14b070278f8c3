import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import { HousekeepingService } from '../../src/shared/jobs/index.js';
import { Mailer } from '../../src/shared/mail/index.js';
import { SmtpMailerAdapter } from '../../src/shared/mail/smtp-mailer.adapter.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';

describe('the mailbox', () => {
  let context: TestContext;
  let database: Database;
  beforeAll(async () => {
    context = await startTestContext();
    database = context.get(Database);
  });
  afterAll(async () => await context.close());
  beforeEach(async () => {
    await database.query('TRUNCATE mailbox');
  });

  const subjects = async () =>
    (await database.query<{ subject: string }>('SELECT subject FROM mailbox ORDER BY id')).rows.map((row) => row.subject);
  const aMail = { messageId: 'msg_1.1', to: 'ada@example.org', subject: 'First', text: 'Hello' };

  it('ignores a repeated mail, and reports it as stored', async () => {
    const mailer = context.get(Mailer);
    await mailer.send(aMail);
    expect(await mailer.send({ ...aMail, subject: 'Again' })).toEqual({ accepted: true, statusCode: 250, reason: null });
    await mailer.send({ ...aMail, messageId: 'msg_1.2', subject: 'Second' });
    expect(await subjects()).toEqual(['First', 'Second']);
  });

  it('keeps the newest 500', async () => {
    await database.query(
      `INSERT INTO mailbox (message_id, sender, recipient, subject, text)
       SELECT 'msg_' || n, 's@example.org', 'r@example.org', n, '' FROM generate_series(1, 1700) AS n`,
    );
    await context.get(HousekeepingService).run();
    expect(await subjects()).toEqual(Array.from({ length: 500 }, (_, n) => String(1_201 + n)));
  });
});

describe('the mailer', () => {
  const choose = async (settings: Parameters<typeof startTestContext>[0]) => {
    const context = await startTestContext(settings);
    const mailer = context.get(Mailer);
    await context.close();
    return mailer;
  };

  it('is the mail server that is named', async () => {
    expect(await choose({ smtpUrl: 'smtp://127.0.0.1:1' })).toBeInstanceOf(SmtpMailerAdapter);
    expect(await choose({ smtpUrl: 'smtp://127.0.0.1:1', nodeEnv: 'production' })).toBeInstanceOf(SmtpMailerAdapter);
  });

  it('is absent in production without a mail server, with a clear error', async () => {
    const mailer = await choose({ nodeEnv: 'production' });
    expect(mailer.available).toBe(false);
    expect(await mailer.send({ messageId: 'msg_1.1', to: 'ada@example.org', subject: '', text: '' })).toEqual({
      accepted: false,
      statusCode: 0,
      reason: 'no mail server: this installation sends no e-mails, SMTP_URL is not set',
    });
  });
});
