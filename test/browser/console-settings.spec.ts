import { describe, expect, it } from '@jest/globals';
import { useConsole } from '../support/browser/console-stage.js';
import { call } from '../support/media/uploads.js';

describe('the settings of the console', () => {
  const stage = useConsole({ worker: 'off' });

  it('change the customer, keep an input that another person crosses, and show what is used', async () => {
    const { page } = stage;
    const url = `${stage.app.url}/v5/customer`;
    await stage.open('/settings');
    await page.getByText('0 of').first().waitFor();
    await page.getByLabel('Name').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('Name').fill('Harbour TV');
    await page.getByLabel('Support staff have access until').fill('2031-05-06T12:30');
    await page.getByText('Support staff have access until 6 May 2031').or(page.getByText('May 6, 2031')).waitFor();
    await call(url, { method: 'PUT', token: stage.token, body: { name: 'Theirs', requireSecondFactor: true } });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('Name: your input is kept. Theirs is: Theirs').waitFor();
    await stage.inspect('settings with a conflict');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('banner').getByText('Harbour TV').waitFor();
    const saved = { name: 'Harbour TV', requireSecondFactor: true, supportAccessUntil: expect.stringContaining('2031-05-06') };
    expect((await call(url, { token: stage.token })).body).toMatchObject(saved);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByLabel('Language').selectOption('de');
    await page.getByLabel('Farben').selectOption('dark');
    await page.getByRole('heading', { name: 'Verbrauch' }).waitFor();
    await stage.inspect('settings on a phone, dark');
  });
});
