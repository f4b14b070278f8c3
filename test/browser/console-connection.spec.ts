import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { Route } from 'playwright-core';
import { PASSWORD } from '../support/accounts/scenario.js';
import { useConsole } from '../support/browser/console-stage.js';
import { eventually } from '../support/eventually.js';
import { call } from '../support/media/uploads.js';

interface Resource extends Record<string, unknown> {
  readonly id: number;
  readonly name: string;
}

/** Most of a first visit, in bytes after compression. */
const MAX_FIRST_PAGE = 400_000;
const SLOW = { offline: false, latency: 400, downloadThroughput: 125_000, uploadThroughput: 125_000 };

describe('the console on a bad connection, at the end of a session, and when two people work at the same time', () => {
  const stage = useConsole({ worker: 'off' });
  const api = (path: string) => `${stage.app.url}/v5${path}`;
  const dropsites = async () => (await call<Resource[]>(api('/dropsite'), { token: stage.token })).body;
  const create = async (path: string, body: object) => (await call<Resource>(api(path), { token: stage.token, body })).body;

  /** Saves with `button` until it has succeeded, and expects that a message says what happened. */
  const saveAgain = async (message: string) => {
    await stage.page.getByRole('button', { name: 'Save' }).click();
    await stage.page.getByText(message).waitFor();
  };

  it('asks to sign in when the session has ended, and returns to the same place with the same input, but without secrets', async () => {
    const { page } = stage;
    await stage.open('/dropsites/new');
    await page.getByLabel('Name').first().fill('Photos of <b>today</b>');
    await page.getByLabel('What senders read').fill('Two lines\nof text');
    await page.getByRole('textbox', { name: 'Password' }).fill('open sesame');
    await page.getByRole('checkbox', { name: 'Pictures' }).check();
    await stage.context.clearCookies();
    const refuse = async (route: Route) =>
      await (route.request().method() === 'POST'
        ? route.fulfill({
            status: 401,
            contentType: 'application/problem+json',
            body: '{"status":401,"code":"unauthorized","detail":"Ended."}',
          })
        : route.continue());
    await page.route('**/v5/dropsite', refuse);
    await page.getByRole('button', { name: 'Create the dropsite' }).click();
    await page.locator('input[autocomplete~=current-password]').waitFor();
    const stored = await page.evaluate('JSON.stringify({ ...sessionStorage })');
    expect(stored).toContain('Two lines');
    expect(stored).not.toContain('open sesame');
    await page.unroute('**/v5/dropsite', refuse);
    await page.locator('input[name=email]').fill(stage.user.email);
    await page.locator('input[autocomplete~=current-password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New dropsite' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/dropsites/new');
    expect(await page.getByLabel('Name').first().inputValue()).toBe('Photos of <b>today</b>');
    expect(await page.getByLabel('What senders read').inputValue()).toBe('Two lines\nof text');
    expect(await page.getByRole('textbox', { name: 'Password' }).inputValue()).toBe('');
    expect(await page.getByRole('checkbox', { name: 'Pictures' }).isChecked()).toBe(true);
    await page.getByText('What you had typed is in the form again').waitFor();
    expect(await page.evaluate('Object.keys(sessionStorage).filter((key) => key.startsWith("console:draft"))')).toEqual([]);
    await page.getByRole('button', { name: 'Create the dropsite' }).click();
    await page.getByRole('heading', { name: 'Photos of <b>today</b>' }).waitFor();
    expect(await dropsites()).toMatchObject([{ description: 'Two lines\nof text', requiresPassword: false }]);
  });

  it('says why it cannot start, and tries again', async () => {
    const { page } = stage;
    stage.expectedComplaint = /ERR_CONNECTION_REFUSED/;
    await page.route('**/v4/requestCode', async (route) => await route.abort('connectionrefused'));
    await page.goto(`${stage.app.url}/console/`);
    await page.getByText('The service cannot be reached.').waitFor();
    await page.unroute('**/v4/requestCode');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('input[autocomplete~=current-password]').waitFor();
  });

  it('leads from another address of the service to the public one, where people can sign in', async () => {
    const other = new URL(stage.app.url);
    other.hostname = other.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
    await stage.page.goto(new URL('/console/shares?ended=true#list', other).href);
    await stage.page.locator('input[autocomplete~=current-password]').waitFor();
    expect(new URL(stage.page.url()).origin).toBe(new URL(stage.app.url).origin);
  });

  it('has its page at every address, but no page in place of a file that it does not have', async () => {
    const read = async (path: string) => await fetch(`${stage.app.url}/console${path}`);
    for (const path of ['', '/', '/media/1', '/assets-of-others']) expect((await read(path)).status).toBe(200);
    for (const path of ['/assets/nope.js', '/assets/old/nope.css', '/assets/nope.js?v=1']) {
      const response = await read(path);
      expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json; charset=utf-8']);
      expect(await response.json()).toMatchObject({ code: 'not_found' });
    }
  });

  it('shows placeholders on a slow connection, reads again by itself, and creates once what is sent twice', async () => {
    const { page } = stage;
    await stage.open('/settings');
    stage.expectedComplaint = /net::ERR_CONNECTION_RESET/;
    const connection = await stage.context.newCDPSession(page);
    await connection.send('Network.enable');
    await connection.send('Network.emulateNetworkConditions', SLOW);
    let lostReads = 0;
    let lostWrites = 0;
    await page.route('**/v5/dropsite*', async (route) => {
      if (route.request().method() === 'GET' && lostReads < 2) {
        lostReads += 1;
        return await route.abort('connectionreset');
      }
      if (route.request().method() === 'POST' && lostWrites < 1) {
        lostWrites += 1;
        await route.fetch(); // it arrives, but its response is lost
        return await route.abort('connectionreset');
      }
      return await route.continue();
    });
    await page.getByRole('link', { name: 'Dropsites' }).click();
    await page.locator('main [aria-busy=true]').waitFor();
    await page.getByRole('heading', { name: 'No dropsite is open' }).waitFor();
    expect(lostReads).toBe(2);
    await page.getByRole('link', { name: 'New dropsite' }).click();
    await page.getByLabel('Name').first().fill('Slow photos');
    await page.getByRole('button', { name: 'Create the dropsite' }).click();
    await page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
    expect(await page.getByLabel('Name').first().inputValue()).toBe('Slow photos');
    expect(await dropsites()).toHaveLength(1);
    await page.getByRole('button', { name: 'Create the dropsite' }).click();
    await page.getByRole('heading', { name: 'Slow photos' }).waitFor();
    expect(await dropsites()).toHaveLength(1);
    await connection.detach();
  });

  it('saves by itself over a change that the form does not show or that is the same, and asks about every other', async () => {
    const { page } = stage;
    const { id } = await create('/dropsite', { name: 'Photos', description: 'ours' });
    const url = api(`/dropsite/${id}`);
    const change = async (body: object) => await call(url, { method: 'PUT', token: stage.token, body });
    await stage.open(`/dropsites/${id}`);
    await page.getByLabel('Name').first().fill('Photos of the summer');
    await change({ name: 'Photos of the summer' });
    await saveAgain('The dropsite is saved.');
    expect(await page.locator('main').getByRole('alert').count()).toBe(0);

    await page.getByLabel('What senders read').fill('mine');
    await change({ description: 'theirs', maxItemsPerDay: 7 });
    await saveAgain('What senders read: your input is kept. Theirs is: theirs');
    expect(await page.getByLabel(/Files a day|items a day/i).inputValue()).toBe('7');
    await saveAgain('The dropsite is saved.');
    await eventually(async () => (await call(url, { token: stage.token })).body.description === 'mine');
    expect((await call(url, { token: stage.token })).body).toMatchObject({ description: 'mine', maxItemsPerDay: 7 });
  });

  it('asks about a subscription that another person has changed', async () => {
    const { page } = stage;
    const fields = {
      name: 'event:s3success',
      flag: 0,
      instructions: [{ type: 'email', to: [{ recipient: 'desk@example.org' }], template: 's3success' }],
    };
    const { id } = await create('/subscriptions', { ...fields, notes: 'ours' });
    const url = api(`/subscriptions/${id}`);
    await stage.open(`/subscriptions/${id}`);
    await page.getByLabel('Notes').fill('mine');
    await call(url, { method: 'PUT', token: stage.token, body: { ...fields, flag: 2, notes: 'theirs' } });
    await saveAgain('Notes: your input is kept. Theirs is: theirs');
    expect(await page.getByLabel('How often').inputValue()).toBe('true');
    await saveAgain('The subscription is saved.');
    expect((await call(url, { token: stage.token })).body).toMatchObject({ notes: 'mine', flag: 2 });
  });

  it('keeps the focus where it was after a dialog, and moves it on when a row is removed', async () => {
    const { page } = stage;
    const focused = async () =>
      await page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent');
    for (const name of ['First', 'Second', 'Third']) await create('/dropsite', { name });
    await stage.open('/shares?kind=dropsite');
    await page.getByRole('button', { name: 'End Second' }).press('Enter');
    await eventually(async () => (await focused()) === 'End Third');
    await page.keyboard.press('Enter');
    await eventually(async () => (await focused()) === 'End First');
    await page.keyboard.press('Enter');
    await eventually(async () => (await focused()) === 'Shares');
    await page.getByRole('link', { name: 'Dropsites' }).click();
    const one = await create('/dropsite', { name: 'Fourth' });
    await stage.open(`/dropsites/${one.id}`);
    await page.getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await focused()).toBe('Delete');
    await page.getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
    await eventually(async () => (await page.evaluate('document.activeElement.tagName')) === 'H1' && (await focused()) === 'Dropsites');
  });

  it(`loads less than ${MAX_FIRST_PAGE / 1_000} kB for its first page`, async () => {
    const { page } = stage;
    await stage.open('/');
    const files = new Map<string, Promise<Buffer>>();
    page.on('response', (response) => {
      if (new URL(response.url()).pathname.startsWith('/console/assets/')) files.set(response.url(), response.body());
    });
    await page.route('**/console/assets/**', async (route) => await route.continue()); // without the cache
    await page.reload();
    await page.locator('main h1').waitFor();
    const sizes = await Promise.all([...files.values()].map(async (body) => gzipSync(await body).length));
    expect(sizes.length).toBeGreaterThan(2);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_FIRST_PAGE);
  });
});
