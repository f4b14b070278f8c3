import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { useConsole } from '../support/browser/console-stage.js';
import { eventually } from '../support/eventually.js';
import { uploadMedia } from '../support/media/media.js';
import { call } from '../support/media/uploads.js';

const PHOTO = readFileSync(new URL('../../samples/photo.jpg', import.meta.url));
/** A text that would be markup, turns the direction of writing, and does not fit a line. */
const HOSTILE = `<img src=x onerror=alert(1)> \u202egnp.evil ${'wide'.repeat(240)}`;
/** So many media have pages beyond those that the service counts. */
const MANY = 20_000;
/** Elements of a page of tiles on a screen of 1280 × 900, with those just beyond it. */
const MAX_CELLS = 120;

describe('the library', () => {
  const stage = useConsole({ worker: 'off' });
  const upload = async (...names: string[]) => {
    const ids: number[] = [];
    for (const fileName of names)
      ids.push((await uploadMedia(stage.app, stage.token, { content: PHOTO, fileName, originalFileExtension: 'jpg', type: 'image' })).id);
    return ids;
  };
  const names = async () => await stage.page.locator('.tile-name').allInnerTexts();
  const shows = async (...wanted: string[]) => await eventually(async () => (await names()).join() === wanted.join());
  const focused = async () => await stage.page.evaluate('document.activeElement?.dataset.index');
  const container = async (id: number) =>
    (await call<Record<string, unknown>>(`${stage.app.url}/v5/mediacontainer/${id}`, { token: stage.token })).body;

  it('finds as one types, filters, and sorts', async () => {
    const [harbour] = await upload('harbour', 'tower', 'garden');
    await call(`${stage.app.url}/v5/mediacontainer/${harbour}`, { method: 'PUT', token: stage.token, body: { tags: ['sea'] } });
    const { page } = stage;
    await stage.open('/');
    await eventually(async () => (await names()).length === 3);
    await stage.inspect('library');
    await page.keyboard.press('/');
    await page.keyboard.type('tow/');
    await shows('tower');
    expect(await page.getByRole('searchbox').inputValue()).toBe('tow/');
    await page.getByRole('searchbox').fill('');
    await eventually(async () => (await names()).length === 3);
    await page.getByLabel('Order').selectOption('Name, A to Z');
    await shows('garden', 'harbour', 'tower');
    await page.getByRole('combobox', { name: 'Tag' }).selectOption({ label: 'sea (1)' });
    await shows('harbour');
    await page.getByLabel('Added to').fill('2020-01-01');
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await page.getByRole('button', { name: 'Remove all filters' }).click();
    await eventually(async () => (await names()).length === 3);
  });

  it('selects by keyboard: arrows, Space, Shift for a range, Ctrl and A, Escape', async () => {
    await upload('five', 'four', 'three', 'two', 'one');
    const { page } = stage;
    await stage.open('/');
    await shows('one', 'two', 'three', 'four', 'five');
    const bar = (count: number) => page.getByRole('toolbar', { name: `${count} selected` });
    await page.getByRole('gridcell').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Space');
    await bar(1).waitFor();
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await bar(3).waitFor();
    expect(await focused()).toBe('3');
    expect(await page.getByRole('gridcell', { selected: true }).count()).toBe(3);
    await page.keyboard.press('Escape');
    await bar(3).waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+a');
    await bar(5).waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('Space');
    await bar(4).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'one', level: 1 }).waitFor();
    await page.goBack();
    await bar(4).waitFor();
    await stage.inspect('library selection');
  });

  it('tags, licenses and removes what is selected, and takes each of it back', async () => {
    const [harbour = 0, tower = 0, garden = 0] = await upload('harbour', 'tower', 'garden');
    await call(`${stage.app.url}/v5/mediacontainer/${garden}`, { method: 'PUT', token: stage.token, body: { tags: ['summer'] } });
    const { page } = stage;
    await stage.open('/?sort=name&order=asc');
    await shows('garden', 'harbour', 'tower');
    await page.getByLabel('Select garden').click();
    await page.getByLabel('Select tower').click({ modifiers: ['Shift'] });
    const bar = page.getByRole('toolbar', { name: '3 selected' });
    await bar.getByRole('button', { name: 'Tags' }).click();
    await page.getByRole('combobox', { name: 'Add these tags' }).fill('summer');
    await page.getByRole('combobox', { name: 'Add these tags' }).press('Enter');
    await stage.inspect('library tag');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('3 media have the tag summer.').waitFor();
    await page.getByRole('combobox', { name: 'Tag' }).locator('option', { hasText: 'summer (3)' }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => JSON.stringify((await container(tower)).tags) === '[]');
    expect((await container(garden)).tags).toEqual(['summer']); // it had the tag before

    await bar.getByRole('button', { name: 'Licence' }).click();
    await page.getByLabel('Name of the licence').fill('Press');
    await page.getByLabel('Valid to').fill('2031-01-31');
    await stage.inspect('library licence');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('The licences of 3 media are changed.').waitFor();
    expect((await container(harbour)).license).toMatchObject({ name: 'Press', end: '2031-01-31' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => (await container(harbour)).license === null);

    await page.getByRole('button', { name: 'Clear selection' }).click();
    await page.getByLabel('Select harbour').click();
    await page.getByRole('button', { name: 'Move to trash' }).click();
    await shows('garden', 'tower');
    await page.getByRole('button', { name: 'Undo' }).click();
    await shows('garden', 'harbour', 'tower');
    await page.getByLabel('Select harbour').click();
    await page.getByRole('button', { name: 'Move to trash' }).click();
    await page.getByText('Trash', { exact: true }).click();
    await shows('harbour');
    await page.getByLabel('Select harbour').click();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
    expect((await container(harbour)).flag).toBe(0);
  });

  it('makes formats of what is selected, and says which media were not changed', async () => {
    const [harbour = 0] = await upload('harbour');
    const api = `${stage.app.url}/v5`;
    await stage.open('/');
    const { page } = stage;
    await page.getByLabel('Select harbour').click();
    await page.getByRole('button', { name: 'Make formats' }).click();
    await page.getByRole('combobox', { name: 'Formats to make' }).click();
    await page.locator('[role=option]:visible').first().click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('Formats of 1 medium are being made.').waitFor();
    const jobs = await call<object[]>(`${api}/activity?type=transcoding&mediaContainerId=${harbour}`, { token: stage.token });
    expect(jobs.body).toHaveLength(1);
    await call(`${api}/mediacontainer/${harbour}?forceDelete=true`, { method: 'DELETE', token: stage.token });
    await page.getByRole('button', { name: 'Move to trash' }).click();
    await page.getByText('1 medium was not changed').waitFor();
    await page.getByText(`The media container ${harbour} does not exist.`).waitFor();
  });

  it('shows hostile names and tags as text', async () => {
    const { page } = stage;
    const [harbour] = await upload('harbour', 'tower');
    await call(`${stage.app.url}/v5/mediacontainer/${harbour}`, {
      method: 'PUT',
      token: stage.token,
      body: { name: HOSTILE, tags: [HOSTILE], description: HOSTILE.padEnd(10_000, 'x'), license: { name: HOSTILE, usageTerms: HOSTILE } },
    });
    await stage.open('/');
    await page.getByRole('link', { name: '<img src=x' }).last().waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    await stage.inspect('library hostile');
    await page.getByText('List', { exact: true }).click();
    await stage.inspect('library hostile list');
    await page.getByLabel('Select <img src=x').click();
    await page.getByRole('button', { name: 'Tags' }).click();
    await stage.inspect('library hostile tags');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Clear selection' }).click();
    await page.getByRole('link', { name: '<img src=x' }).click();
    await page.getByRole('heading', { name: '<img src=x' }).waitFor();
    await stage.inspect('medium hostile');
  });

  it('shows a few of many media at a time, to the end and back, and returns to the same place', async () => {
    await stage.app.app.get(DataSource).query(
      `WITH made AS (INSERT INTO media_containers (customer_id, creator_id, type, name, created_at)
        SELECT $1, $2, 'image', 'Picture ' || n, now() - n * interval '1 minute' FROM generate_series(1, ${MANY}) AS n RETURNING id)
      INSERT INTO media_items (media_container_id, customer_id, type, file_name, file_extension, file_size, status, bucket, s3_key)
        SELECT id, $1, 'image', 'picture', 'jpg', id, 'successful', 'media', 'many/' || id FROM made`,
      [stage.user.customerId, stage.user.id],
    );
    const { page } = stage;
    await stage.open('/');
    await page.getByText('20,000 media').waitFor();
    const cells = async () => await page.getByRole('gridcell').count();
    await page.getByRole('gridcell').first().focus();
    await page.keyboard.press('End');
    await page.getByText(`Picture ${MANY}`, { exact: true }).waitFor();
    expect(await focused()).toBe(String(MANY - 1));
    expect(await cells()).toBeLessThan(MAX_CELLS);
    await page.evaluate('scrollTo(0, document.body.scrollHeight / 2)');
    const inSight = page.locator('.tile-name').nth(30);
    await inSight.waitFor();
    const name = await inSight.innerText();
    expect(await cells()).toBeLessThan(MAX_CELLS);
    await inSight.click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.goBack();
    await page.getByText(name, { exact: true }).waitFor();
    await page.evaluate('scrollTo(0, 0)');
    await page.getByText('Picture 1', { exact: true }).waitFor();
    expect(await cells()).toBeLessThan(MAX_CELLS);
  });
});

describe('people without media', () => {
  const stage = useConsole({ worker: 'off' });

  it('have a player with the sample film after one click', async () => {
    const { page } = stage;
    await stage.open('/');
    await page.getByRole('heading', { name: 'Your first medium' }).waitFor();
    await stage.inspect('start');
    await page.getByRole('button', { name: 'Use the sample film' }).click();
    await page.frameLocator('iframe').locator('video').waitFor();
    const frame = page.frames().find((one) => one.url().includes('/v5/deliverEmbed/'));
    await eventually(async () => Number(await frame?.evaluate(`document.querySelector('#media').readyState`)) > 0);
    await page.getByRole('button', { name: 'Copy the HTML snippet' }).waitFor();
    await stage.inspect('start done');
    await page.getByRole('link', { name: 'Go to the library' }).click();
    await page.locator('.tile-name', { hasText: 'film' }).waitFor();
  });

  it('find their trash', async () => {
    const { id } = await uploadMedia(stage.app, stage.token, { content: PHOTO, fileName: 'harbour.jpg' });
    await call(`${stage.app.url}/v5/mediacontainer/${id}`, { method: 'DELETE', token: stage.token });
    await stage.open('/');
    await stage.page.getByRole('heading', { name: 'The library is empty' }).waitFor();
  });
});
