import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { useConsole } from '../support/browser/console-stage.js';
import { uploadMedia } from '../support/media/media.js';
import { call } from '../support/media/uploads.js';

const PHOTO = readFileSync(new URL('../../samples/photo.jpg', import.meta.url));

interface Format {
  readonly id: number;
  readonly name: string;
  readonly isBlueprint: boolean;
}

describe('the formats of the console', () => {
  const stage = useConsole();
  const formats = async (): Promise<Format[]> =>
    (await call<Format[]>(`${stage.app.url}/v5/format?refresh=true`, { token: stage.token })).body.filter(
      ({ isBlueprint }) => !isBlueprint,
    );

  it('create a format from a blueprint, change it while another person does, and destroy it', async () => {
    const { page } = stage;
    await stage.open('/formats?type=image');
    await stage.inspect('formats');
    await page.getByRole('link', { name: 'Create a format from JPEG', exact: true }).click();
    await page.getByLabel('Name').fill('<b>Shop</b>');
    await page.getByLabel(/\(quality\)/).fill('400');
    await page.getByRole('button', { name: 'Create the format' }).click();
    await page.getByText('The blueprint allows values that match 1–100').waitFor();
    await page.getByLabel(/\(quality\)/).fill('40');
    await page.getByLabel(/\(colorspace\)/).selectOption('Gray');
    await stage.inspect('format form');
    await page.getByRole('button', { name: 'Create the format' }).click();
    await page.getByRole('heading', { name: '<b>Shop</b>' }).waitFor();
    const [created] = await formats();
    const url = `${stage.app.url}/v5/format/${created?.id}`;
    expect((await call(url, { token: stage.token })).body).toMatchObject({ settings: { parameters: { quality: 40, colorspace: 'Gray' } } });

    await page.getByLabel('Name').fill('Shop of mine');
    const theirs = { name: 'Shop of theirs', settings: { testMode: { seconds: 7 } } };
    await call(url, { method: 'PUT', token: stage.token, body: theirs });
    await page.getByRole('button', { name: 'Save' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('Name: your input is kept. Theirs is: Shop of theirs').waitFor();
    expect(await page.getByLabel(/^Test mode/).inputValue()).toBe('7');
    await stage.inspect('format conflict');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Shop of mine' }).waitFor();
    expect((await call(url, { token: stage.token })).body).toMatchObject({ name: 'Shop of mine', settings: { testMode: { seconds: 7 } } });

    await page.getByRole('button', { name: 'Destroy' }).click();
    const dialog = page.getByRole('dialog', { name: 'Destroy Shop of mine?' });
    await dialog.waitFor();
    await stage.inspect('format destroy');
    await dialog.getByRole('button', { name: 'Destroy' }).click();
    await page.getByRole('heading', { name: 'You have no formats of your own yet' }).waitFor();
    expect(await formats()).toEqual([]);
  });

  it('are tried on a medium, and compared with its original', async () => {
    const { page } = stage;
    const { id } = await uploadMedia(stage.app, stage.token, { content: PHOTO, fileName: 'holiday.jpg' });
    await stage.open('/formats?type=image');
    await page.getByRole('link', { name: 'WebP', exact: true }).click();
    await page.getByRole('combobox', { name: 'Medium' }).fill('holi');
    await page.getByRole('option', { name: 'holiday' }).click();
    await page.getByText('It is made by these commands.').waitFor();
    expect(new URL(page.url()).searchParams.get('medium')).toBe(String(id));
    await page.getByRole('button', { name: 'Make it now' }).click();
    const slider = page.getByRole('slider', { name: 'Position of the border' });
    await slider.press('ArrowRight');
    expect(await slider.getAttribute('aria-valuenow')).toBe('51');
    await page.waitForFunction(`[...document.images].some(({ alt, naturalWidth }) => alt === 'Result' && naturalWidth > 0)`);
    await stage.inspect('format comparison');
  });
});
