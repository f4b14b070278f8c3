import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { PASSWORD } from '../support/accounts/scenario.js';
import { takePicture } from '../support/browser/chromium.js';
import { stageEmbedPages } from '../support/browser/embed-page-stage.js';
import { startSite } from '../support/browser/site.js';

const stage = stageEmbedPages();
const aFilm = () => stage.embed(stage.film({ configuration: { securitySettings: { authOnly: true, auth: { enabled: true } } } }));

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('E-mail').fill(stage.publisher.user.email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

it.each([true, false])('a film in its own tab is shown after the sign-in (scripts: %s)', async (javaScriptEnabled) => {
  const film = await aFilm();
  await stage.show(film, { javaScriptEnabled });
  await stage.page.getByRole('link', { name: 'Sign in' }).click();
  await signIn(stage.page);
  await stage.page.waitForURL(stage.urlOf(film));
  await stage.page.locator('video').waitFor();
});

it.each([
  ['any site', {}],
  ['a site that the rule names', { matchReferer: ['127.0.0.1'] }],
])('a film in a frame of %s continues automatically after a sign-in in a separate window', async (_, rules) => {
  const securitySettings = { authOnly: true, auth: { enabled: true }, ...rules };
  const film = await stage.embed(stage.film({ configuration: { securitySettings } }));
  const html = `<iframe width="640" height="360" src="${stage.urlOf(film)}"></iframe>`;
  const site = await startSite('127.0.0.1', () => ({ html }));
  await stage.visit(site.origin);
  const frame = await (await stage.page.waitForSelector('iframe')).contentFrame();
  const opened = stage.page.waitForEvent('popup');
  await frame?.getByRole('link', { name: 'Sign in' }).click();
  const window = await opened;
  const closed = window.waitForEvent('close');
  await signIn(window);
  await closed;
  await frame?.locator('video').waitFor();
  if (frame) await stage.play(frame);
  expect(stage.page.url()).toBe(`${site.origin}/`);
  expect(stage.complaints).toEqual([]);
  await site.close();
});

it.each([
  ['375 light', { viewport: { width: 375, height: 667 }, colorScheme: 'light' }],
  ['375 dark', { viewport: { width: 375, height: 211 }, colorScheme: 'dark' }],
  ['1280 light', { viewport: { width: 1280, height: 720 }, colorScheme: 'light' }],
] as const)('the refusal fits its frame: %s', async (name, options) => {
  await stage.show(await aFilm(), options);
  expect(await stage.page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
  await takePicture(stage.page, `refused ${name}`);
});
