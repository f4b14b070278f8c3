import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { launchChromium } from '../support/browser/chromium.js';
import { useConsole } from '../support/browser/console-stage.js';
import { eventually } from '../support/eventually.js';
import { uploadMedia } from '../support/media/media.js';
import { call } from '../support/media/uploads.js';

const PHOTO = readFileSync(new URL('../../samples/photo.jpg', import.meta.url));

describe('the console', () => {
  const stage = useConsole({ worker: 'off' });
  const upload = async (fileName: string) =>
    await uploadMedia(stage.app, stage.token, { content: PHOTO, fileName, originalFileExtension: 'jpg', type: 'image' });

  it('has a strict policy, asks no other host, and keeps no token outside its memory', async () => {
    await upload('harbour');
    const hosts = new Set<string>();
    stage.page.on('request', (request) => hosts.add(new URL(request.url()).origin));
    await stage.open('/');
    await stage.page.locator('.tile-picture img').first().waitFor();
    const response = await fetch(`${stage.app.url}/console`, { headers: { accept: 'text/html' } });
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/style-src 'self' 'nonce-[\w+/=]+'/);
    expect(policy).not.toContain('unsafe');
    const again = await fetch(`${stage.app.url}/console`, { headers: { accept: 'text/html' } });
    expect(again.headers.get('content-security-policy')).not.toBe(policy);
    expect([...hosts].filter((origin) => ![stage.app.url, new URL(stage.app.config.s3Endpoint ?? '').origin].includes(origin))).toEqual([]);
    const stored = await stage.page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(stored).not.toMatch(/eyJ/);
  });

  it('stays signed in after a reload, and a sign-out in one window ends the others', async () => {
    await stage.open('/');
    await stage.page.reload();
    await stage.page.getByRole('heading', { name: 'Your first medium' }).waitFor();
    const other = await stage.context.newPage();
    await other.goto(`${stage.app.url}/console/shares`);
    await other.getByRole('heading', { name: 'Shares' }).waitFor();
    await stage.page.getByRole('button', { name: /Menu of/ }).click();
    await stage.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.getByLabel('Password').waitFor();
  });

  it('shows what is shared, and ends it after the time to take it back', async () => {
    const { page } = stage;
    const { id } = await upload('harbour');
    const api = `${stage.app.url}/v5`;
    const image = (await call<{ id: number; name: string }[]>(`${api}/format`, { token: stage.token })).body.find(
      ({ name }) => name === 'Original image',
    );
    const configuration = await call<{ id: number }>(`${api}/playerconfiguration`, {
      method: 'POST',
      token: stage.token,
      body: { name: 'Website', type: 'image', templateId: 1, formats: [{ formatId: image?.id }] },
    });
    const link = { playerConfigurationId: configuration.body.id };
    await call(`${api}/embedlink/${id}`, { method: 'POST', token: stage.token, body: link });
    await stage.open(`/media/${id}`);
    const player = page.frameLocator('iframe');
    await player.locator('img').first().waitFor();
    await page.getByRole('img', { name: /^QR code of the player of / }).waitFor();
    await page.getByText('Plays', { exact: true }).waitFor();
    await stage.inspect('medium with player');
    await page.getByRole('link', { name: 'Shares' }).click();
    await page.getByText('By the rules of Website').waitFor();
    await stage.inspect('shares');
    await page.getByRole('button', { name: /^End harbour/ }).click();
    await page.getByRole('heading', { name: 'Nothing is shared' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('By the rules of Website').waitFor();
    await page.getByRole('button', { name: /^End harbour/ }).click();
    await page.getByRole('link', { name: 'Activity' }).click(); // leaving the page carries it out
    await eventually(async () => (await call<object[]>(`${api}/embedlink`, { token: stage.token })).body.length === 0);
  });
});

describe('the console on a telephone in the dark, in German', () => {
  const stage = useConsole({ worker: 'off' }, { viewport: { width: 360, height: 740 }, colorScheme: 'dark', locale: 'de-DE' });

  it.each([
    ['/', 'Mediathek'],
    ['/shares', 'Freigaben'],
    ['/activity', 'Aktivität'],
    ['/settings', 'Einstellungen'],
  ])('%s fits the window, without a finding of axe-core', async (address, title) => {
    await uploadMedia(stage.app, stage.token, { content: PHOTO, fileName: 'harbour.jpg' });
    await stage.open(address);
    await stage.page.getByRole('heading', { name: title, level: 1 }).waitFor();
    await stage.inspect(`telephone ${title}`);
  });
});

describe('with CONSOLE=off', () => {
  let app: TestApp;
  let browser: Browser;
  beforeAll(async () => {
    [app, browser] = await Promise.all([startTestApp({ console: 'off' }), launchChromium()]);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  it('the start page says what runs here instead, and /console is not found', async () => {
    const page = await browser.newPage();
    await page.goto(app.url);
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    expect(await page.getByRole('link', { name: 'Open the console' }).count()).toBe(0);
    expect((await page.goto(`${app.url}/console`))?.status()).toBe(404);
  });
});
