import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { EMAIL_TEMPLATES } from '../../src/modules/subscriptions/instructions/email/email-templates.js';
import { EmailWriterService } from '../../src/modules/subscriptions/instructions/email/email-writer.service.js';
import { Database } from '../../src/shared/database/index.js';
import { Mailer } from '../../src/shared/mail/index.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { complaintsOf, launchChromium, takePicture } from '../support/browser/chromium.js';
import { anAttempt } from '../support/subscriptions/email-attempts.js';
import { emailSamples } from '../support/subscriptions/email-samples.js';

const PHONE = { viewport: { width: 375, height: 800 } };

let app: TestApp;
let browser: Browser;
let context: BrowserContext | undefined;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  [app, browser] = await Promise.all([startTestApp(), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
});
afterEach(async () => {
  await context?.close();
  context = undefined;
});

async function visit(path: string, options: BrowserContextOptions = {}): Promise<void> {
  await context?.close();
  context = await browser.newContext(options);
  page = await context.newPage();
  complaints = complaintsOf(page);
  await page.goto(`${app.url}${path}`);
}

const isWiderThanScreen = async () => await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

it('explains its purpose while it is empty', async () => {
  for (const [name, options] of [
    ['mailbox-empty', {}],
    ['mailbox-empty-phone-dark', { ...PHONE, colorScheme: 'dark' as const }],
  ] as const) {
    await visit('/dev/mail', options);
    await page.getByText('E-mails of subscriptions appear here').waitFor();
    await takePicture(page, name);
    expect(complaints).toEqual([]);
  }
});

it('shows sent e-mails', async () => {
  await sendAll();
  await visit('/dev/mail');
  const subjects = await page.locator('.subject').allTextContents();
  expect(subjects.slice(0, 2)).toEqual(['A plain one', 'Neue Dateien für öffentliche Bereiche: Press photos']);
  await takePicture(page, 'mailbox');
  await page.getByRole('link', { name: 'Ready to download: Summer party' }).click();
  const mail = page.frameLocator('iframe');
  await mail.getByRole('heading', { name: 'Your download is ready' }).waitFor();
  // Its styles count although the page around it allows none.
  expect(await page.frames()[1]?.evaluate(`getComputedStyle(document.querySelector('td.button')).backgroundColor`)).toBe(
    'rgb(14, 99, 119)',
  );
  expect(await page.locator('pre').textContent()).toContain('Ada Lovelace has sent you 3 files.');
  await takePicture(page, 'mail');
  expect(complaints).toEqual([]);
});

it('opens the links of a mail in a new window', async () => {
  await visit('/dev/mail/1');
  const opened = page.waitForEvent('popup');
  await page.frameLocator('iframe').getByRole('link', { name: 'Download', exact: true }).click();
  expect((await opened).url()).toBe(`${app.url}/l/b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11`);
  expect(page.url()).toBe(`${app.url}/dev/mail/1`);
});

it('runs no content of a mail', async () => {
  const html = '<p id="p">Before</p><script>document.getElementById("p").textContent = "After"; parent.document.title = "After"</script>';
  await app.app.get(Mailer, { strict: false }).send({ messageId: 'evil', to: 'eve@example.org', subject: 'Evil', text: '', html });
  await visit('/dev/mail');
  await page.getByRole('link', { name: 'Evil' }).click();
  expect(await page.frameLocator('iframe').locator('#p').textContent()).toBe('Before');
  expect(await page.title()).toContain('Evil');
});

it('fits a phone, dark too', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await visit('/dev/mail', { ...PHONE, colorScheme });
    expect(await isWiderThanScreen()).toBe(false);
    await takePicture(page, `mailbox-phone-${colorScheme}`);
    await visit('/dev/mail/1', { ...PHONE, colorScheme });
    expect(await isWiderThanScreen()).toBe(false);
    await page.frameLocator('iframe').getByRole('heading').waitFor();
    await takePicture(page, `mail-phone-${colorScheme}`);
  }
});

it.each([375, 700])('every mail fits a screen of %d pixels', async (width) => {
  await visit('/dev/mail', { viewport: { width, height: 700 } });
  const { rows } = await app.app
    .get(Database, { strict: false })
    .query<{ id: string }>('SELECT id FROM mailbox WHERE html IS NOT NULL ORDER BY id');
  for (const { id } of rows) {
    await page.goto(`${app.url}/dev/mail/${id}/html`);
    expect([id, await isWiderThanScreen()]).toEqual([id, false]);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await takePicture(page, `mail-${id}-${width}-${colorScheme}`);
    }
  }
});

/** Every template in both languages, a mail of one's own words, and one without HTML. */
async function sendAll(): Promise<void> {
  const [mailer, writer] = [app.app.get(Mailer, { strict: false }), app.app.get(EmailWriterService, { strict: false })];
  let n = 0;
  const send = async (mail: { subject: string; text: string; html?: string }) => {
    n += 1;
    await mailer.send({
      ...mail,
      messageId: `msg_${n}.1`,
      to: n % 3 === 0 ? 'somebody.with.a.long.name@department.example.org' : 'ada@example.org',
    });
  };
  for (const template of EMAIL_TEMPLATES) {
    const { payload, parameters } = emailSamples[template];
    const own = template === 'downloadLink' ? { ...parameters, url: '/l/b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11' } : parameters;
    for (const language of ['en', 'de']) await send(writer.write(anAttempt({ template, parameters: own, to: [] }, { payload }), language));
  }
  await send({ subject: 'A plain one', text: 'Only text.\nIn two lines.' });
}
