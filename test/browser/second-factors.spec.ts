import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import type { User } from '../../src/modules/accounts/index.js';
import type { Client } from '../../src/modules/oauth/index.js';
import { exchange } from '../support/accounts/oauth.js';
import { aClient, aUser, authorizeUrl, PASSWORD } from '../support/accounts/scenario.js';
import { codeOf, forgetUsedSteps, fromBase32 } from '../support/accounts/second-factors.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { complaintsOf, launchChromium, takePicture } from '../support/browser/chromium.js';
import { type ClientSite, startClientSite } from '../support/browser/client-site.js';

let app: TestApp;
let site: ClientSite;
let browser: Browser;
let client: Client;
beforeAll(async () => {
  [app, site, browser] = await Promise.all([startTestApp(), startClientSite(), launchChromium()]);
  client = await aClient(app, { redirectUris: [site.redirectUri] });
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await app?.close();
});

let context: BrowserContext;
let page: Page;
let complaints: string[];
let user: User;
const open = async (options: Parameters<Browser['newContext']>[0] = {}) => {
  context = await browser.newContext(options);
  page = await context.newPage();
  complaints = complaintsOf(page);
  user = await aUser(app, { requireSecondFactor: true });
};
afterEach(async () => {
  expect(complaints).toEqual([]);
  await context.close();
});

const goToSignIn = async () =>
  await page.goto(authorizeUrl(app.url, { client_id: client.clientId, redirect_uri: site.redirectUri, scope: 'openid api' }));

const enterPassword = async () => {
  await goToSignIn();
  await page.locator('input[name=email]').fill(user.email);
  await page.locator('input[type=password]').fill(PASSWORD);
  await page.locator('input[type=password]').press('Enter');
};

const arrive = async () => {
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
  const { body } = await exchange(app, client, new URL(page.url()).searchParams.get('code') ?? '', { redirect_uri: site.redirectUri });
  return decodeJwt(String(body.id_token));
};

const signOut = async () => await context.clearCookies();

describe.each([
  ['resident, with user verification', { hasResidentKey: true, hasUserVerification: true }],
  ['resident, without user verification', { hasResidentKey: true, hasUserVerification: false }],
  ['not resident, with user verification', { hasResidentKey: false, hasUserVerification: true }],
  ['not resident, without user verification', { hasResidentKey: false, hasUserVerification: false }],
])('a passkey that is %s', (_name, kind) => {
  let cdp: CDPSession;
  beforeEach(async () => {
    await open();
    cdp = await context.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    // For a resident key on a security key without user verification, Chromium would ask the person to set up a PIN.
    const transport = kind.hasResidentKey && !kind.hasUserVerification ? 'internal' : 'usb';
    const options = {
      protocol: 'ctap2',
      transport,
      isUserVerified: kind.hasUserVerification,
      automaticPresenceSimulation: true,
    } as const;
    await cdp.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, ...kind } });
  });

  const isSufficient = kind.hasResidentKey && kind.hasUserVerification;

  it(`is set up, is a second factor, and is ${isSufficient ? '' : 'not '}sufficient alone`, async () => {
    await enterPassword();
    await page.getByLabel('Name').fill('Blue key');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    expect(await page.locator('.codes code').count()).toBe(10);
    await page.getByRole('button', { name: 'I have stored the codes' }).click();
    expect(await arrive()).toMatchObject({ acr: 'mfa', amr: ['pwd', 'hwk', 'user', 'mfa'] });

    await page.goto(`${app.url}/account`);
    await page.getByRole('link', { name: 'Rename: Blue key' }).click();
    await page.getByLabel('Name').fill('Red key');
    await page.getByRole('button', { name: 'Rename' }).click();
    expect(await page.getByRole('status').textContent()).toContain('The passkey was renamed.');
    await takePicture(page, `account with a passkey ${kind.hasResidentKey} ${kind.hasUserVerification}`);

    await signOut();
    await enterPassword();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    expect(await arrive()).toMatchObject({ acr: 'mfa', amr: ['pwd', 'hwk', 'user', 'mfa'] });

    await signOut();
    await goToSignIn();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    if (isSufficient) return void expect(await arrive()).toMatchObject({ acr: 'mfa', amr: ['hwk', 'user', 'mfa'] });
    await page.getByText('The passkey was not used. Try again.').waitFor();
  });
});

it('offers a passkey in the e-mail field (conditional mediation)', async () => {
  await open();
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
  } as const;
  await cdp.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, automaticPresenceSimulation: true } });
  await enterPassword();
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'I have stored the codes' }).click();
  await arrive();
  await signOut();
  await goToSignIn(); // the virtual authenticator answers at once, as a person who chooses the passkey in the field
  expect(await arrive()).toMatchObject({ acr: 'mfa' });
});

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('an authenticator app %s', (name, javaScriptEnabled) => {
  it('is set up with the key that the page shows, and its codes and a recovery code sign in', async () => {
    await open({ javaScriptEnabled });
    await enterPassword();
    const secret = fromBase32((await page.locator('code.secret').textContent()) ?? '');
    await page.getByLabel('Code that the app shows').fill(codeOf(app, secret));
    await page.getByRole('button', { name: 'Add the app' }).click();
    const [code = ''] = await page.locator('.codes code').allTextContents();
    await page.getByRole('button', { name: 'I have stored the codes' }).click();
    await arrive();
    await forgetUsedSteps(app);
    for (const typed of [codeOf(app, secret), code]) {
      await signOut();
      await enterPassword();
      await page.getByLabel('Code of your authenticator app').fill(typed);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      expect(await arrive()).toMatchObject({ acr: 'mfa' });
    }
  });

  it.each([
    ['phone', 'light', 'en', { width: 390, height: 844 }],
    ['phone', 'dark', 'de', { width: 390, height: 844 }],
    ['desktop', 'light', 'de', { width: 1280, height: 800 }],
    ['desktop', 'dark', 'en', { width: 1280, height: 800 }],
  ] as const)('is set up on a %s in %s colours and the language %s', async (device, colorScheme, locale, viewport) => {
    await open({ javaScriptEnabled, colorScheme, locale, viewport });
    const picture = async (what: string) => await takePicture(page, `${what} ${device} ${colorScheme} ${locale} ${name}`);
    await goToSignIn();
    await picture('sign-in');
    await enterPassword();
    expect(await page.locator('html').getAttribute('lang')).toBe(locale);
    await picture('enrol');
    const secret = fromBase32((await page.locator('code.secret').textContent()) ?? '');
    const addApp = page.locator('form[action$="/enrol-app"]');
    await addApp.locator('input[name=code]').fill('000000');
    await addApp.locator('button').click();
    expect(await page.getByRole('alert').first().textContent()).toMatch(locale === 'de' ? /nicht richtig/ : /not correct/);
    await picture('enrol refused');
    await addApp.locator('input[name=code]').fill(codeOf(app, secret));
    await addApp.locator('button').click();
    await page.locator('.codes').waitFor();
    await picture('codes');
    await page.locator('form[action$="/finish"] button').click();
    await arrive();
    await page.goto(`${app.url}/account`);
    await page.locator('a[href="/account/recovery-codes"]').waitFor();
    await picture('account');
    for (const path of ['passkeys/new', 'recovery-codes', 'authenticator/remove']) {
      await page.goto(`${app.url}/account/${path}`);
      await picture(path.replace('/', ' '));
    }
    await signOut();
    await enterPassword();
    await page.locator('form[action$="/code"]').waitFor();
    await picture('second factor');
  });
});
