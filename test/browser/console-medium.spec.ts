import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { useConsole } from '../support/browser/console-stage.js';
import { eventually } from '../support/eventually.js';
import { uploadMedia } from '../support/media/media.js';
import { call } from '../support/media/uploads.js';

const FILM = readFileSync(new URL('../../samples/film.mp4', import.meta.url));
const SUBTITLES = 'WEBVTT\n\n00:00.000 --> 00:02.000\nHello\n';
const HOSTILE = `<img src=x onerror=alert(1)> \u202egnp.evil ${'wide'.repeat(60)}`;

interface Container {
  readonly [field: string]: unknown;
  readonly media: readonly {
    readonly role: string | null;
    readonly status: string;
    readonly language: string | null;
    readonly default: boolean;
  }[];
}

describe('the page of a medium', () => {
  const stage = useConsole({ worker: 'off' });
  const api = (address: string, more: object = {}) => ({ url: `${stage.app.url}/v5/${address}`, token: stage.token, ...more });
  const ask = async <Body>(address: string, more: object = {}) => {
    const { url, ...rest } = api(address, more);
    return (await call<Body>(url, rest)).body;
  };
  const upload = async () =>
    (await uploadMedia(stage.app, stage.token, { content: FILM, fileName: 'film', originalFileExtension: 'mp4', type: 'video' })).id;
  const read = async (id: number) => await ask<Container>(`mediacontainer/${id}`);
  const region = (name: string) => stage.page.getByRole('region', { name, exact: true });
  /** An embed link of a new player configuration that delivers originals. */
  const embed = async (id: number, name: string) => {
    const formats = await ask<{ id: number; name: string }[]>('format');
    const formatId = formats.find((format) => format.name === 'Original video')?.id;
    const body = { name, type: 'video', templateId: 1, formats: [{ formatId }] };
    const configuration = await ask<{ id: number }>('playerconfiguration', { method: 'POST', body });
    return await ask<{ id: number }>(`embedlink/${id}`, { method: 'POST', body: { playerConfigurationId: configuration.id } });
  };
  /** Drops a file on what is shown above the player. */
  const dropOnPlayer = async (name: string, content: string) =>
    await stage.page.evaluate(`
      const transfer = new DataTransfer();
      transfer.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}));
      const fire = (target, type) => target.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
      fire(document.body, 'dragenter');
      new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame)).then(() => {
        const layer = document.querySelector('.track-drop-layer');
        fire(layer, 'dragover');
        fire(layer, 'drop');
      });
    `);

  it('shows the player of each embed link, says who gets in, and ends links', async () => {
    const { page } = stage;
    const id = await upload();
    await stage.open(`/media/${id}`);
    await page.getByText('There is no player configuration for this type of medium yet.').waitFor();
    await embed(id, 'Website');
    const second = await embed(id, 'Intranet');
    await page.reload();
    await page.frameLocator('iframe').locator('video').waitFor();
    await page.getByLabel('Embed link').selectOption(String(second.id));
    await page.getByRole('img', { name: 'QR code of the player of film' }).waitFor();
    await page.getByRole('textbox', { name: 'Address', exact: true }).fill('203.0.113.7');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByRole('status').filter({ hasText: 'gets in' }).waitFor();
    await stage.inspect('medium links');
    const links = async () => (await ask<{ id: number }[]>(`embedlink/${id}`)).map((link) => link.id);
    const endLink = page.getByRole('button', { name: 'End this embed link' });
    await endLink.click();
    await page.getByLabel('Embed link', { exact: true }).waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('As viewers get it');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByLabel('Embed link', { exact: true }).selectOption(String(second.id));
    expect(await links()).toHaveLength(2);
    await endLink.click();
    await region('As viewers get it').getByLabel('Player configuration').selectOption({ label: 'Intranet' });
    await page.getByRole('button', { name: 'Create an embed link' }).click();
    await page.getByLabel('Embed link', { exact: true }).waitFor();
    expect(await links()).toHaveLength(2);
    expect(await links()).not.toContain(second.id);
  });

  it('takes subtitles that are dropped on the player, changes and deletes them', async () => {
    const { page } = stage;
    const id = await upload();
    await embed(id, 'Website');
    await stage.open(`/media/${id}`);
    await page.frameLocator('iframe').locator('video').waitFor();
    await dropOnPlayer('film.de.vtt', SUBTITLES);
    const form = page.getByRole('form', { name: 'Add a track' });
    expect(await form.getByLabel('Language').inputValue()).toBe('de');
    await stage.inspect('medium new track');
    await form.getByRole('button', { name: 'Upload' }).click();
    const track = page.getByRole('form', { name: 'Subtitles: Deutsch' });
    await track.waitFor();
    await track.getByLabel('Default').check();
    await track.getByRole('button', { name: 'Save Subtitles: Deutsch' }).click();
    await eventually(async () => (await read(id)).media.some(({ role, default: isDefault }) => role === 'subtitles' && isDefault));

    await dropOnPlayer('broken.vtt', 'WEBVTT\n\nthis is no cue --> at all\n');
    await form.getByLabel('Language').fill('en');
    await form.getByRole('button', { name: 'Upload' }).click();
    await form.getByRole('alert').waitFor();
    await form.getByRole('button', { name: 'Cancel' }).click();

    await track.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await eventually(async () => (await read(id)).media.every(({ role, status }) => role === null || status !== 'successful'));
    await page.getByText('There are no tracks.').waitFor();
  });

  it('makes formats, hands the medium over by a download link, and shows what happened', async () => {
    const { page } = stage;
    const id = await upload();
    await stage.open(`/media/${id}`);
    await region('Files').getByText('Original', { exact: true }).waitFor();
    await region('Files').getByRole('combobox', { name: 'Formats to make' }).click();
    const format = page.locator('[role=option]:visible').first();
    const name = await format.innerText();
    await format.click();
    await page.keyboard.press('Escape');
    await region('Files').getByRole('button', { name: 'Make' }).click();
    await region('Files').getByRole('progressbar', { name }).waitFor({ state: 'attached' });
    await region('What happened').getByText(`Rendition: ${name}`).waitFor();

    await page.getByRole('button', { name: 'Create a download link' }).click();
    const form = page.getByRole('form', { name: 'Create a download link' });
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText('Choose at least one format.').waitFor();
    await form.getByRole('combobox', { name: 'Offered formats' }).press('ArrowDown');
    await page.locator('[role=option]:visible', { hasText: 'Original video' }).click();
    await page.keyboard.press('Escape');
    await form.getByLabel('Title').fill('For the press');
    await form.getByLabel('Last day').fill('2031-01-31');
    await form.getByRole('button', { name: 'Create' }).click();
    await region('Download links').getByRole('link', { name: 'For the press' }).waitFor();
    await region('Download links').getByText('Until Jan 31, 2031').waitFor();
    await stage.inspect('medium download link');
    await region('Download links').getByRole('button', { name: 'End For the press' }).click();
    await region('Download links').getByText('No download link offers this medium.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await region('Download links').getByRole('button', { name: 'End For the press' }).click();
    await region('Download links').getByText('No download link offers this medium.').waitFor();
    expect(await ask<object[]>('downloadlink')).toHaveLength(1);
    await page.getByRole('link', { name: 'Shares' }).click(); // leaving the page ends the wait
    await eventually(async () => (await ask<object[]>('downloadlink')).length === 0);
  });

  it('describes it, with a licence whose dates stand on a line of time', async () => {
    const { page } = stage;
    const id = await upload();
    await stage.open(`/media/${id}`);
    const form = page.getByRole('form', { name: 'Details' });
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Sunrise');
    await form.getByLabel('Name of the licence').fill('Press');
    await form.getByLabel('Valid from').fill('2026-01-01');
    await form.getByLabel('Valid to').fill('2025-01-01');
    await form.getByRole('button', { name: 'Add an entry' }).click();
    await form.getByLabel('Title').fill('author');
    await form.getByLabel('Content').fill(HOSTILE);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.locator('[aria-invalid=true]').first().waitFor();
    await form.getByLabel('Valid to').fill('2031-01-31');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Sunrise', level: 1 }).waitFor();
    await region('Periods').getByText('Jan 1, 2026 to Jan 31, 2031').waitFor();
    expect(await read(id)).toMatchObject({
      name: 'Sunrise',
      license: { name: 'Press' },
      metadata: [{ title: 'author', content: HOSTILE }],
    });
    await stage.inspect('medium described');
  });

  it('shows what another person has changed in the meantime, and loses nothing', async () => {
    const { page } = stage;
    const id = await upload();
    await stage.open(`/media/${id}`);
    const form = page.getByRole('form', { name: 'Details' });
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('My name');
    await ask(`mediacontainer/${id}`, { method: 'PUT', body: { name: 'Their name', description: 'Their words' } });
    await form.getByRole('button', { name: 'Save' }).click();
    const alert = form.getByRole('alert');
    await alert.getByText('Name: your input is kept. Theirs is: Their name').waitFor();
    expect(await form.getByLabel('Description').inputValue()).toBe('Their words');
    await stage.inspect('medium conflict');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await read(id)).toMatchObject({ name: 'My name', description: 'Their words' });
  });

  it('goes to the trash and back', async () => {
    const { page } = stage;
    const id = await upload();
    await stage.open(`/media/${id}`);
    await page.getByRole('button', { name: 'Move to trash' }).click();
    await page.getByText('This medium is in the trash').waitFor();
    expect((await read(id)).flag).toBe(1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('This medium is in the trash').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Move to trash' }).click();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('button', { name: 'Move to trash' }).waitFor();
    expect((await read(id)).flag).toBe(0);
  });
});

describe('the page of a medium on a telephone in the dark, in German', () => {
  const stage = useConsole({ worker: 'off' }, { viewport: { width: 360, height: 740 }, colorScheme: 'dark', locale: 'de-DE' });

  it('fits the window with hostile words', async () => {
    const { id } = await uploadMedia(stage.app, stage.token, {
      content: FILM,
      fileName: 'film',
      originalFileExtension: 'mp4',
      type: 'video',
    });
    const license = { name: HOSTILE, usageTerms: HOSTILE, end: '2031-01-31', types: [HOSTILE] };
    const body = { name: HOSTILE, description: HOSTILE.repeat(30).slice(0, 10_000), tags: [HOSTILE], license, end: '2030-01-31' };
    await call(`${stage.app.url}/v5/mediacontainer/${id}`, { method: 'PUT', token: stage.token, body });
    await stage.open(`/media/${id}`);
    await stage.page.getByRole('region', { name: 'Zeiträume' }).waitFor();
    await stage.inspect('medium telephone');
  });
});
