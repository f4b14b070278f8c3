import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { AccountLinksService } from '../../src/modules/accounts/index.js';
import { nextMail } from '../support/accounts/account-mails.js';
import { aClient, aUser, obtainTokens, PASSWORD } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';
import { complaintsOf, launchChromium, takePicture } from '../support/browser/chromium.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const NEW = 'seventeen purple kayaks on a glacier';

const english = {
  title: 'Your account',
  email: 'E-mail',
  forgot: 'Forgot your password?',
  changePassword: 'Change password',
  current: 'Current password',
  new: 'New password',
  changed: 'Your password has been changed.',
  weak: 'too easy to guess',
  endOthers: 'End all other sessions',
  send: 'Send the link',
  sent: 'Look into your mailbox',
  reset: 'Choose a new password',
  save: 'Save',
  resetDone: 'Password changed',
  welcome: 'Welcome',
  setUp: 'Set up the account',
  deny: 'This was not me',
  console: 'Console',
  changeSupport: 'Change support access',
  supportOpened: 'Support staff can act for your organisation now.',
  changeEmail: 'Change your e-mail address',
  newEmail: 'New e-mail address',
  changeAddress: 'Change the address',
  addressChanged: 'E-mail address changed',
};
const german: typeof english = {
  title: 'Ihr Konto',
  email: 'E-Mail',
  forgot: 'Passwort vergessen?',
  changePassword: 'Passwort ändern',
  current: 'Bisheriges Passwort',
  new: 'Neues Passwort',
  changed: 'Ihr Passwort wurde geändert.',
  weak: 'zu leicht zu erraten',
  endOthers: 'Alle anderen Sitzungen beenden',
  send: 'Link senden',
  sent: 'Sehen Sie in Ihr Postfach',
  reset: 'Neues Passwort wählen',
  save: 'Speichern',
  resetDone: 'Passwort geändert',
  welcome: 'Willkommen',
  setUp: 'Konto einrichten',
  deny: 'Das war ich nicht',
  console: 'Konsole',
  changeSupport: 'Zugriff des Supports ändern',
  supportOpened: 'Der Support kann jetzt für Ihre Organisation handeln.',
  changeEmail: 'E-Mail-Adresse ändern',
  newEmail: 'Neue E-Mail-Adresse',
  changeAddress: 'Adresse ändern',
  addressChanged: 'E-Mail-Adresse geändert',
};

const phone = { width: 360, height: 740 };
const desktop = { width: 1280, height: 900 };

describe.each([
  ['desktop light', desktop, 'light', 'en-GB', english],
  ['desktop dark', desktop, 'dark', 'de-DE', german],
  ['phone light', phone, 'light', 'de-DE', german],
  ['phone dark', phone, 'dark', 'en-GB', english],
] as const)('the account pages on %s', (name, viewport, colorScheme, locale, words) => {
  const app = useTestApp({ worker: 'inline' });
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(async () => await browser?.close());
  beforeEach(async () => {
    context = await browser.newContext({ viewport, colorScheme, locale });
    page = await context.newPage();
    complaints = complaintsOf(page);
  });
  afterEach(async () => {
    expect(complaints).toEqual([]);
    await context.close();
  });

  const button = (label: string) => page.getByRole('button', { name: label, exact: true });
  const heading = async (text: string) => await page.getByRole('heading', { name: text, exact: true }).waitFor();

  /** Keeps a picture; the page fits the screen, and axe-core finds nothing of importance. */
  async function inspect(what: string): Promise<void> {
    await takePicture(page, `account ${what} ${name}`);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.evaluate(AXE);
    const findings = await page.evaluate(
      `axe.run().then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => [id, nodes[0].html]))`,
    );
    expect(findings).toEqual([]);
  }

  async function signIn(email: string, password = PASSWORD): Promise<void> {
    await page.locator('input[name=email]').fill(email);
    await page.locator('input[type=password]').fill(password);
    await page.locator('input[type=password]').press('Enter');
  }

  it('show how a person signs in, and change the password', async () => {
    const user = await aUser(app, { adminLevel: 9 });
    const client = await aClient(app, { name: 'Holiday Photos' });
    for (const device of ['phone', 'tablet']) await obtainTokens(app, { user, client, query: { device } });
    await page.goto(`${app.url}/account`);
    await signIn(user.email);
    await heading(words.title);
    await inspect('overview');
    await page.getByRole('link', { name: words.changePassword }).click();
    await page.getByLabel(words.current).fill(PASSWORD);
    await page.getByLabel(words.new).fill('passwordpasswordpassword');
    await button(words.changePassword).click();
    expect(await page.getByRole('alert').textContent()).toContain(words.weak);
    await inspect('password refused');
    await page.getByLabel(words.current).fill(PASSWORD);
    await page.getByLabel(words.new).fill(NEW);
    await button(words.changePassword).click();
    expect(await page.getByRole('status').textContent()).toContain(words.changed);
    await page.getByRole('link', { name: words.title === 'Your account' ? 'Change your name' : 'Namen ändern' }).click();
    await inspect('name');
    await page.goto(`${app.url}/account`);
    await page.getByRole('link', { name: words.console }).waitFor();
    await page.getByRole('link', { name: words.changeSupport }).click();
    await inspect('support');
    await button(words.save).click();
    expect(await page.getByRole('status').textContent()).toContain(words.supportOpened);
    await page.getByRole('link', { name: words.changeEmail }).click();
    await inspect('e-mail');
    await page.getByLabel(words.newEmail).fill(`new-${user.email}`);
    await button(words.send).click();
    await heading(words.sent);
    await page.goto((await nextMail(app, `new-${user.email}`)).link);
    await inspect('e-mail confirmation');
    await button(words.changeAddress).click();
    await heading(words.addressChanged);
    await page.goto((await nextMail(app, user.email, 3)).link); // after the notices of the password and the support access
    await page.getByText(user.email).waitFor();
    await inspect('not me with an address');
    for (const path of ['/account', '/account/password', '/account/passkeys/new', '/account/authenticator']) {
      await page.setViewportSize({ width: 320, height: 640 });
      await page.goto(`${app.url}${path}`);
      await inspect(`${path.replaceAll('/', ' ')} at 320`);
    }
  });

  it('replace a forgotten password with the link of a mail', async () => {
    const user = await aUser(app);
    await page.goto(`${app.url}/account`);
    await page.getByRole('link', { name: words.forgot }).click();
    await inspect('forgot');
    await page.getByLabel(words.email).fill(user.email);
    await button(words.send).click();
    await heading(words.sent);
    await inspect('forgot sent');
    const { link } = await nextMail(app, user.email);
    await page.goto(link);
    await heading(words.reset);
    expect([page.url(), await page.evaluate('document.referrer')]).toEqual([`${app.url}/account/link/reset`, `${app.url}/account/link`]);
    await inspect('reset');
    await page.getByLabel(words.new).fill(NEW);
    await button(words.save).click();
    await heading(words.resetDone);
    await page.goto(link);
    await page.getByRole('alert').waitFor();
    await inspect('link used');
  });

  it('welcome an invited person, and help one whose account was changed by another person', async () => {
    const user = await aUser(app, { firstname: '', lastname: '' });
    const links = app.app.get(AccountLinksService);
    await page.goto((await links.create(user.id, 'invitation')).url);
    await heading(words.welcome);
    await inspect('invitation');
    await page.locator('#firstname').fill('Grace');
    await page.getByLabel(words.new).fill(NEW);
    await button(words.setUp).click();
    await page.getByRole('status').waitFor();
    await page.goto((await links.create(user.id, 'not-me')).url);
    await button(words.deny).waitFor();
    await inspect('not me');
    await button(words.deny).click();
    await heading(words.reset);
  });
});
