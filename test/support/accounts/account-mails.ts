import { Database } from '../../../src/shared/database/index.js';
import type { TestApp } from '../app/test-app.js';
import { eventually } from '../eventually.js';

/** A mail in the mailbox of the service, with the link of its text. */
export interface AccountMailInBox {
  readonly subject: string;
  readonly text: string;
  readonly link: string;
}

/** The mails to this address, the oldest first. */
export async function mailsTo({ app }: TestApp, email: string): Promise<AccountMailInBox[]> {
  const { rows } = await app
    .get(Database)
    .query<{ subject: string; text: string }>('SELECT subject, text FROM mailbox WHERE recipient = $1 ORDER BY id', [email]);
  return rows.map(({ subject, text }) => ({ subject, text, link: /https?:\S+#[\w-]+/.exec(text)?.[0] ?? '' }));
}

/** Waits for the mail number `count` to this address. */
export async function nextMail(app: TestApp, email: string, count = 1): Promise<AccountMailInBox> {
  const mail = await eventually(async () => (await mailsTo(app, email))[count - 1]);
  if (!mail) throw new Error('eventually() returns what is truthy.');
  return mail;
}
