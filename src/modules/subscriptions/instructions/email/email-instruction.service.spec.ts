import { beforeEach, describe, expect, it } from '@jest/globals';
import { anAttempt } from '../../../../../test/support/subscriptions/email-attempts.js';
import { FakeMailer } from '../../../../../test/support/subscriptions/fake-mailer.js';
import { loadConfig } from '../../../../shared/config/index.js';
import type { QuotasService } from '../../../../shared/quotas/index.js';
import type { SubscriptionLogsRepository } from '../../logs/subscription-logs.repository.js';
import { INSTRUCTION_KINDS } from '../instruction-kinds.js';
import { EmailInstructionService } from './email-instruction.service.js';
import { EmailWriterService } from './email-writer.service.js';

/** The recipients that the log says the mail has reached: none, unless a test says so. */
const reached = new Set<string>();
const logs = { findLatestPayload: async () => ({ reached: [...reached] }) } as unknown as SubscriptionLogsRepository;

/** As many mails as a test leaves. */
const quotas = {
  left: 0,
  take: async (_customerId: number, _name: string, mails: number) => {
    if (quotas.left < mails) return false;
    quotas.left -= mails;
    return true;
  },
  charge: async (_customerId: number, _name: string, mails: number) => {
    quotas.left -= mails;
  },
  secondsUntilReset: () => 3_600,
};

let mailer: FakeMailer;
let runner: EmailInstructionService;
beforeEach(() => {
  mailer = new FakeMailer();
  quotas.left = 100;
  reached.clear();
  runner = new EmailInstructionService(mailer, new EmailWriterService(loadConfig({})), logs, quotas as unknown as QuotasService);
});

const ada = { recipient: 'ada@example.org' };
const bob = { recipient: 'bob@example.org' };
const eve = { recipient: 'eve@example.org' };
const note = (to: readonly { recipient: string; language?: string }[]) => ({ subject: 'News', text: 'Hello', to });
const sent = () => mailer.sent.map(({ to, messageId }) => `${to} ${messageId}`);

describe('an email instruction', () => {
  it('is carried out by the runner of its kind', () => {
    expect(INSTRUCTION_KINDS.email.runner).toBe(EmailInstructionService);
  });

  it('beyond the daily mails sends the remaining ones, and the rest the next day', async () => {
    quotas.left = 2;
    const attempt = anAttempt(note([ada, bob, eve]));
    const outcome = await runner.run(attempt);
    expect(outcome).toMatchObject({ succeeded: false, statusCode: 429, retryAfterSeconds: 3_600, final: false });
    expect(outcome.reason).toMatch(/^quota: /);
    expect(mailer.sent.map(({ to }) => to)).toEqual(['ada@example.org', 'bob@example.org']);
  });

  it('sends one mail to each recipient, with an id that is the same in all attempts', async () => {
    await runner.run(anAttempt(note([ada, bob])));
    await runner.run(anAttempt(note([ada, bob]), { attempt: 2 }));
    const both = ['ada@example.org msg_1.1', 'bob@example.org msg_1.2'];
    expect(sent()).toEqual([...both, ...both]);
  });

  it('logs recipients and subjects, without texts', async () => {
    expect(await runner.run(anAttempt(note([ada, bob])))).toEqual({
      succeeded: true,
      statusCode: 250,
      reason: null,
      payload: { to: ['ada@example.org', 'bob@example.org'], subject: 'News' },
    });
    const template = { template: 'downloadLink', parameters: { url: 'https://x.example/secret', title: 'Film' }, to: [ada] };
    const { payload } = await runner.run(anAttempt(template));
    expect(payload).toEqual({ to: ['ada@example.org'], subject: 'Ready to download: Film', template: 'downloadLink' });
  });

  it('fills placeholders in recipients, languages, subject and text', async () => {
    const to = [{ recipient: ':user.email', language: ':language' }];
    const values = { user: { email: 'ada@example.org' }, language: 'de', name: 'Film' };
    await runner.run(anAttempt({ subject: 'About :name', text: 'See :name', to }, { values }));
    expect(mailer.sent).toMatchObject([{ to: 'ada@example.org', language: 'de', subject: 'About Film', text: 'See Film' }]);
  });

  it('writes to each in their language', async () => {
    const to = [{ ...ada, language: 'de-AT' }, { ...bob, language: 'fr' }, eve];
    await runner.run(anAttempt({ template: 's3success', to }, { payload: { mediaContainerId: 12, mediaId: 34 } }));
    expect(mailer.sent.map(({ subject, language }) => [language, subject])).toEqual([
      ['de', 'Datei angekommen: Mediencontainer Nr. 12'],
      ['en', 'File arrived: Media container no. 12'],
      ['en', 'File arrived: Media container no. 12'],
    ]);
  });

  it('attempts all recipients, and fails with the first failure', async () => {
    mailer.refuse('bob@example.org', { statusCode: 550, reason: 'mail server refused: 550 no such user' });
    mailer.refuse('eve@example.org', { statusCode: 0, reason: 'timeout: mail.example.org did not answer in time' });
    const outcome = await runner.run(anAttempt(note([bob, ada, eve])));
    expect(outcome).toMatchObject({ succeeded: false, statusCode: 550, reason: 'mail server refused: 550 no such user', final: false });
    expect(sent()).toEqual(['ada@example.org msg_1.2']);
    expect(outcome.payload).toEqual({
      to: ['bob@example.org', 'ada@example.org', 'eve@example.org'],
      subject: 'News',
      reached: ['ada@example.org'],
    });
  });

  it('does not send again to reached recipients, and keeps them', async () => {
    reached.add('ada@example.org');
    mailer.refuse('eve@example.org', { statusCode: 451, reason: 'mail server refused: 451 busy' });
    const { payload } = await runner.run(anAttempt(note([ada, bob, eve]), { attempt: 2 }));
    expect(sent()).toEqual(['bob@example.org msg_1.2']);
    expect(payload).toMatchObject({ reached: ['ada@example.org', 'bob@example.org'] });
    mailer.refuseNobody();
    reached.add('bob@example.org');
    expect(await runner.run(anAttempt(note([ada, bob, eve]), { attempt: 3 }))).toMatchObject({ succeeded: true, statusCode: 250 });
    expect(sent()).toEqual(['bob@example.org msg_1.2', 'eve@example.org msg_1.3']);
  });

  it.each(['', 'ada@example.org, eve@example.org', 'ada@example.org\r\nBcc: eve@example.org'])(
    'sends nothing to %j in place of one address, and does not try again',
    async (email) => {
      const outcome = await runner.run(anAttempt(note([{ recipient: ':email' }]), { values: { email } }));
      expect(outcome).toMatchObject({ succeeded: false, statusCode: 0, final: true });
      expect(outcome.reason).toMatch(/^recipient: /);
      expect(mailer.sent).toEqual([]);
    },
  );

  it('is repeated while a recipient may be reached', async () => {
    mailer.refuse('bob@example.org', { statusCode: 451, reason: 'mail server refused: 451 busy' });
    expect(await runner.run(anAttempt(note([{ recipient: '' }, bob])))).toMatchObject({ final: false });
  });

  it('does not repeat a mail that cannot be written', async () => {
    const outcome = await runner.run(anAttempt({ template: 'downloadLink', parameters: { url: 'javascript:alert(1)' }, to: [ada] }));
    expect(outcome).toEqual({
      succeeded: false,
      statusCode: 0,
      reason: 'template: the parameter url must be an http or https address',
      payload: { to: ['ada@example.org'], subject: null, template: 'downloadLink' },
      final: true,
    });
  });

  it('does not hide a fault of ours behind an outcome', async () => {
    mailer.send = async () => Promise.reject(new TypeError('broken'));
    await expect(runner.run(anAttempt(note([ada])))).rejects.toThrow('broken');
  });
});
