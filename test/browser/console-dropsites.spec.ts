import { describe, expect, it } from '@jest/globals';
import { useConsole } from '../support/browser/console-stage.js';
import { type DropsiteBody, put, senderOf } from '../support/delivery/dropsites.js';
import { call } from '../support/media/uploads.js';

describe('the dropsites of the console', () => {
  const stage = useConsole({ worker: 'off' });
  const list = async (state = 'active'): Promise<DropsiteBody[]> =>
    (await call<DropsiteBody[]>(`${stage.app.url}/v5/dropsite?state=${state}`, { token: stage.token })).body;

  it('create one, share it, show what arrives, change it, and delete it', async () => {
    const { page, app } = stage;
    await stage.open('/dropsites');
    await page.getByRole('heading', { name: 'No dropsite is open' }).waitFor();
    await page.getByRole('link', { name: 'New dropsite' }).click();
    await page.getByRole('button', { name: 'Create the dropsite' }).click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('Name', { exact: false }).first().fill('<u>Photos</u>');
    await page.getByRole('textbox', { name: 'Password' }).fill('open sesame');
    await page.getByLabel('Open until').fill('2040-01-31T18:00');
    await page.getByLabel('Megabytes a day').fill('1.5');
    await page.getByRole('checkbox', { name: 'Pictures' }).check();
    await stage.inspect('dropsite form');
    await page.getByRole('button', { name: 'Create the dropsite' }).click();
    await page.getByRole('heading', { name: '<u>Photos</u>' }).waitFor();
    const [created] = await list();
    expect(created).toMatchObject({ requiresPassword: true, maxBytesPerDay: 1_500_000, allowedTypes: ['image'], allowAnonymous: true });
    const url = `${app.url}/d/${created?.link}`;
    await page.getByText(url, { exact: true }).waitFor();
    await page.getByText(`<a href="${url}">&lt;u&gt;Photos&lt;/u&gt;</a>`).waitFor();
    await page.getByRole('img', { name: 'QR code of the page of <u>Photos</u>' }).waitFor();
    await page.getByText('Nothing has arrived yet.').waitFor();

    const sender = senderOf(app, created?.link ?? '');
    const as = { headers: { clientid: created?.clientId ?? '' } };
    const { body: upload } = await sender.create({ password: 'open sesame' }, as);
    const [item] = upload.processed;
    if (!item) throw new Error(`Nothing was prepared: ${JSON.stringify(upload)}`);
    await put(item);
    expect((await sender.succeed(item, as)).status).toBe(200);
    await stage.open(`/dropsites/${created?.id}`);
    await page.getByText('1 medium').waitFor();
    await page.getByRole('link', { name: 'portrait' }).waitFor();

    await page.getByRole('checkbox', { name: 'Remove the password' }).check();
    await page.getByLabel('Open until').fill('2020-01-31T18:00');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('It has ended').waitFor();
    expect(await list('ended')).toMatchObject([{ requiresPassword: false, maxBytesPerDay: 1_500_000 }]);
    await stage.inspect('dropsite');

    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete <u>Photos</u>?' });
    await dialog.getByText('What arrived stays in the library.').waitFor();
    await stage.inspect('dropsite delete');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No dropsite is open' }).waitFor();
    expect(await list('all')).toMatchObject([{ id: created?.id, endedBy: 1 }]); // lists show deleted dropsites as ended
  });
});
