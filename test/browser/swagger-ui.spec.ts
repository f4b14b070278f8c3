import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { EVENT_NAMES } from '../../src/shared/events/index.js';
import { aClient, aUser, PASSWORD } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { launchChromium, NARROW, scrollsSideways, seriousFindings, takePicture } from '../support/browser/chromium.js';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startTestApp();
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await app.close();
});

it('opens with all operations collapsed, says how to sign in, and finds operations by subject', async () => {
  const page = await browser.newPage();
  await page.goto(`${app.url}/docs`);
  await page.getByText('To sign in, press Authorize').waitFor();
  expect(await page.locator('.opblock-tag-section .opblock').count()).toBe(0);
  await page.getByPlaceholder('Filter by tag').fill('Download');
  await page.locator('.opblock-tag', { hasText: 'Download links' }).waitFor();
  expect(await page.locator('.opblock-tag').count()).toBe(1);
  await takePicture(page, 'swagger-ui');
  await page.close();
});

it('shows the document of OpenAPI 3.1: an example of a request, and the webhooks', async () => {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  await page.goto(`${app.url}/docs`);
  await page.locator('.version-stamp', { hasText: 'OAS 3.1' }).waitFor();
  await page.locator('.opblock-tag[data-tag="Customer"]').click();
  const operation = page.locator('.opblock-put', { has: page.locator('[data-path="/v5/customer"]') });
  await operation.locator('.opblock-summary').click();
  await operation.locator('.opblock-section-request-body', { hasText: '2030-01-31T18:00:00Z' }).waitFor();
  if (process.env.SCREENSHOT_DIR) await operation.screenshot({ path: `${process.env.SCREENSHOT_DIR}/swagger-ui-operation.png` });
  expect(await page.locator('.webhooks .opblock').count()).toBe(EVENT_NAMES.length);
  if (process.env.SCREENSHOT_DIR)
    await page.locator('.webhooks').screenshot({ path: `${process.env.SCREENSHOT_DIR}/swagger-ui-webhooks.png` });
  expect(problems).toEqual([]);
  await page.close();
});

it('lets a person sign in to the API documentation and try an operation', async () => {
  const redirectUris = [`${app.url}/docs/oauth2-redirect.html`];
  await aClient(app, { clientId: 'demo', name: 'API documentation', redirectUris, firstParty: false });
  const { email } = await aUser(app);
  const context = await browser.newContext();
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  await page.goto(`${app.url}/docs`);
  await page.click('button.authorize');
  const flow = page.locator('.auth-container', { hasText: 'authorizationCode' }).first();
  expect(await flow.locator('#client_id_authorizationCode').first().inputValue()).toBe('demo');

  const opened = context.waitForEvent('page');
  await flow.locator('button.authorize').click();
  const signIn = await opened;
  await signIn.fill('input[name=email]', email);
  await signIn.fill('input[name=password]', PASSWORD);
  await signIn.press('input[name=password]', 'Enter');
  const closed = signIn.waitForEvent('close');
  await signIn.waitForSelector('button:has-text("Allow")');
  await signIn.waitForLoadState(); // its buttons are guarded from then on
  await signIn.click('button:has-text("Allow")');
  await closed;

  await page.locator('.auth-container button', { hasText: 'Logout' }).first().waitFor();
  await page.locator('.auth-container button.btn-done').first().click();
  await page.locator('.opblock-tag[data-tag="Authorized applications"]').click();
  const operation = page.locator('.opblock-get', { has: page.locator('[data-path="/v4/apps"]') });
  await operation.locator('.opblock-summary').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname === '/v4/apps');
  await operation.getByRole('button', { name: 'Execute' }).click();
  const response = await answered;
  expect(response.status()).toBe(200);
  expect(await response.json()).toMatchObject([{ client_id: 'demo' }]);
  expect(await operation.locator('.live-responses-table .response-col_status').last().innerText()).toContain('200');
  expect(problems).toEqual([]);
  await context.close();
});

it('is found from the start page, to which an unknown address leads', async () => {
  const context = await browser.newContext({ viewport: NARROW, javaScriptEnabled: false });
  const page = await context.newPage();
  expect((await page.goto(`${app.url}/no/such/page`))?.status()).toBe(404);
  await takePicture(page, 'unknown address');
  await page.getByRole('link', { name: 'Go to the start page' }).click();
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  await takePicture(page, 'start page');
  expect(await scrollsSideways(page)).toBe(false);
  const links = await page
    .locator('main a')
    .evaluateAll((elements) => elements.map((element) => (element as unknown as { href: string }).href));
  expect(links).toEqual(expect.arrayContaining([`${app.url}/docs`, `${app.url}/account`, `${app.url}/samples/photo.jpg`]));
  const answers = await Promise.all(links.map(async (link) => (await fetch(link, { redirect: 'manual' })).status));
  expect(answers.filter((status) => status !== 200)).toEqual([302]); // the account asks for a sign-in
  expect(await (await fetch(app.url)).json()).toEqual({
    service: expect.any(String),
    version: expect.any(String),
    documentation: `${app.url}/docs`,
    openapi: `${app.url}/docs/openapi.json`,
    account: `${app.url}/account`,
    console: `${app.url}/console`,
    samples: expect.arrayContaining([`${app.url}/samples/film.mp4`, `${app.url}/samples/photo.jpg`]),
  });
  await context.close();
});

it('a page without a sign-in in progress leads to one', async () => {
  const page = await browser.newPage();
  await page.goto(`${app.url}/v4/interaction/unknown`);
  await page.getByText('No sign-in is in progress').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.locator('input[name=password]').waitFor();
  await page.close();
});
