import { describe, expect, it } from '@jest/globals';
import { useConsole } from '../support/browser/console-stage.js';
import { aPng, uploadMedia } from '../support/media/media.js';
import { call } from '../support/media/uploads.js';

interface Configuration extends Record<string, unknown> {
  readonly id: number;
}

describe('the player configurations of the console', () => {
  const stage = useConsole({ worker: 'off' });
  const list = async (): Promise<Configuration[]> =>
    (await call<Configuration[]>(`${stage.app.url}/v5/playerconfiguration?showFormats=true`, { token: stage.token })).body;

  it('create one with rules, say them in sentences, and keep an input that another person crosses', async () => {
    const { page } = stage;
    await stage.open('/player-configurations');
    await page.getByRole('heading', { name: 'No player configuration yet' }).waitFor();
    await page.getByRole('link', { name: 'New player configuration' }).click();
    await page.getByLabel('Name').fill('<i>Website</i>');
    await page.getByLabel('For media of type').selectOption('image');
    await page.getByLabel('Add a format').selectOption({ label: 'Original image' });
    await page.getByLabel('Add a format').selectOption({ label: 'JPEG' });
    await page.getByRole('button', { name: 'Move JPEG up' }).click();
    await page.getByRole('checkbox', { name: 'Viewers may download JPEG' }).check();
    await page.getByLabel('People who are signed in').check();
    await page.getByRole('combobox', { name: 'Viewers from these ranges' }).fill('192.0.2.0/99');
    await page.getByLabel('Only host on which links work').fill('media.example.org');
    await page.getByRole('button', { name: 'Add a limit' }).click();
    await page.getByRole('textbox', { name: 'Range of addresses' }).fill('10.0.0.0/8');
    await page.getByRole('textbox', { name: 'Limit', exact: true }).fill('3');
    await page.getByRole('button', { name: 'Create the player configuration' }).click();
    await page.locator('.mantine-InputWrapper-error').first().waitFor();
    await stage.inspect('player configuration form');
    const addresses = page.getByRole('combobox', { name: 'Viewers from these ranges' });
    await addresses.press('Backspace');
    await addresses.fill('192.0.2.0/24');
    await addresses.press('Enter');
    await page.getByRole('button', { name: 'Create the player configuration' }).click();
    await page.getByRole('heading', { name: '<i>Website</i>' }).waitFor();
    await page.getByText('A viewer gets in who is signed in as a user of your organisation or has an address in 192.0.2.0/24.').waitFor();
    await page.getByText('Links work only on media.example.org.').waitFor();
    const [created] = await list();
    expect(created).toMatchObject({
      type: 'image',
      formats: [{ downloadable: true }, { downloadable: false }],
      securitySettings: { auth: { enabled: true }, bandwidthControl: [{ cidr: '10.0.0.0/8', type: 'parallel', limit: 3 }] },
    });

    const url = `${stage.app.url}/v5/playerconfiguration/${created?.id}`;
    await page.getByLabel('Only host on which links work').fill('');
    await call(url, { method: 'PUT', token: stage.token, body: { formats: [], name: 'Theirs', width: 640 } });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('Their changes are in the form now').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Theirs' }).waitFor();
    expect(await list()).toMatchObject([{ name: 'Theirs', width: 640, formats: [], securitySettings: { ipWhiteList: { enabled: true } } }]);
    expect((await list())[0]).not.toHaveProperty('securitySettings.url');
  });

  it('preview the player, ask whether a viewer gets in, and destroy the configuration with its links', async () => {
    const { page } = stage;
    const { id } = await uploadMedia(stage.app, stage.token, { content: aPng(40, 30), fileName: 'lake.png', originalFileExtension: 'png' });
    const body = {
      name: 'Site',
      type: 'image',
      templateId: 1,
      formats: [],
      securitySettings: { authOnly: false, matchReferer: ['www.example.org'] },
    };
    const { body: configuration } = await call<Configuration>(`${stage.app.url}/v5/playerconfiguration`, { token: stage.token, body });
    await stage.open(`/player-configurations/${configuration.id}?medium=${id}`);
    await page.getByRole('button', { name: 'Create a link and show it' }).click();
    await page.getByTitle('Player of lake').waitFor();
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('Enter the IP address of the viewer.').waitFor();
    await page.getByLabel('Address', { exact: false }).first().fill('203.0.113.7');
    await page.getByLabel('Page that shows the player').fill('https://evil.example/');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('This viewer is refused by the rule: Website').waitFor();
    await page.getByRole('cell', { name: /evil\.example/ }).waitFor();
    await stage.inspect('player configuration simulator');
    await page.getByLabel('Page that shows the player').fill('https://www.example.org/news');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('This viewer gets in').waitFor();

    await page.getByRole('button', { name: 'Destroy' }).click();
    const dialog = page.getByRole('dialog', { name: 'Destroy Site?' });
    await dialog.getByText('It has 1 link.').waitFor();
    await stage.inspect('player configuration destroy');
    await dialog.getByRole('button', { name: 'Destroy' }).click();
    await page.getByRole('heading', { name: 'No player configuration yet' }).waitFor();
    expect(await list()).toEqual([]);
  });

  it('deliver all renditions and the original, and become the default of their type', async () => {
    const { page } = stage;
    const body = { name: 'Films', type: 'video', templateId: 1, formats: [], securitySettings: { authOnly: false, matchReferer: [] } };
    const { body: configuration } = await call<Configuration>(`${stage.app.url}/v5/playerconfiguration`, { token: stage.token, body });
    await stage.open(`/player-configurations/${configuration.id}`);
    await page.getByLabel('All renditions that are for viewers').check();
    await page.getByLabel('The original, too').check();
    await stage.inspect('player configuration automatic formats');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The player configuration is saved.').waitFor();
    await page.getByRole('button', { name: 'Make it the default' }).click();
    await page.getByText('Default', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Make it the default' }).count()).toBe(0);
    expect(await list()).toMatchObject([
      { automaticFormats: true, isDefault: true, settings: { download: true }, securitySettings: { authOnly: false, matchReferer: [] } },
    ]);
    await stage.open('/player-configurations');
    await page.getByText('Default', { exact: true }).waitFor();
    await stage.inspect('player configurations with a default');
  });
});
