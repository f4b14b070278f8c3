import { describe, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import { takePicture } from '../support/browser/chromium.js';
import { stageUploadPages } from '../support/browser/upload-page-stage.js';
import { aTranscoding } from '../support/converter/shown-transcoding.js';
import { aDropsite, type DropsiteBody } from '../support/delivery/dropsites.js';
import { aFormat } from '../support/delivery/player-configurations.js';

const stage = stageUploadPages();

const text = (words: string) => stage.page.locator('.preview-text:visible', { hasText: words });

/** Three films that a stranger has delivered, and a format of previews. */
async function aDelivery() {
  const { owner, dropsite } = await aDropsite(stage.app, { name: 'Photos of the party' });
  const preview = await aFormat(stage.app, owner, { usage: 'preview', settings: { mediaTypes: ['video'], filetype: 'mp4' } });
  const files = ['speech.mp4', 'dance.mp4', 'farewell.mp4'].map((name) => stage.aFileOf(name, 20_000));
  await stage.visit(dropsite.link);
  await stage.choose(...files);
  await stage.press(/^Upload 3 files/);
  await stage.delivered();
  const containers = await containersOf(dropsite);
  return {
    dropsite,
    transcode: async (name: string, progress: number) =>
      await aTranscoding(stage.app, { containerId: containers.get(name) ?? 0, formatId: preview.id, progress }),
  };
}

async function containersOf({ id }: Pick<DropsiteBody, 'id'>): Promise<Map<string, number>> {
  const sql = `SELECT file_name AS name, media_container_id AS id FROM media_items
    WHERE media_container_id IN (SELECT id FROM media_containers WHERE origin = $1)`;
  const { rows } = await stage.app.app.get(Database).query<{ name: string; id: number }>(sql, [id]);
  return new Map(rows.map((row) => [row.name.replace(/\.mp4$/, ''), row.id]));
}

describe('the receipt', () => {
  it('shows the progress of previews, and omits a failed one', async () => {
    const { transcode } = await aDelivery();
    const [speech, dance] = [await transcode('speech', 42), await transcode('dance', 0)];
    await text('Preview is being made… 42\u00a0%').waitFor();
    expect(await stage.page.getByRole('progressbar', { name: 'Preview of speech.mp4' }).getAttribute('value')).toBe('42');
    expect(await stage.page.locator('#announcement').textContent()).toBe('Previews are being made.');
    await speech.advance(80);
    await text('Preview is being made… 80\u00a0%').waitFor();
    await speech.succeed();
    await text('Preview ready').waitFor();
    await dance.fail();
    await text('Preview is being made…').waitFor({ state: 'hidden' });
    expect(await stage.page.locator('.preview:visible').count()).toBe(1);
    expect(await stage.page.locator('#announcement').textContent()).toBe('The previews are ready.');
    expect(stage.complaints).toEqual([]);
  });

  it('stops polling when all are ready, and does not poll while the page is hidden', async () => {
    const { transcode } = await aDelivery();
    const job = await transcode('speech', 10);
    await text('Preview is being made… 10\u00a0%').waitFor();
    let asked = 0;
    stage.page.on('request', (request) => {
      if (request.url().includes('/progress?')) asked += 1;
    });
    await stage.page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })`);
    await job.succeed();
    await stage.page.evaluate(`delete document.hidden, document.dispatchEvent(new Event('visibilitychange'))`);
    await text('Preview ready').waitFor();
    await stage.press('Send more files');
    const before = asked;
    await stage.page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    expect(asked).toBe(before);
  });

  it.each([
    ['375 light', { viewport: { width: 375, height: 667 }, colorScheme: 'light' }],
    ['375 dark', { viewport: { width: 375, height: 667 }, colorScheme: 'dark' }],
    ['1280 light', { viewport: { width: 1280, height: 720 }, colorScheme: 'light' }],
    ['1280 dark', { viewport: { width: 1280, height: 720 }, colorScheme: 'dark' }],
  ] as const)('looks calm: %s', async (name, options) => {
    await stage.open(options);
    const { transcode } = await aDelivery();
    await (await transcode('speech', 50)).succeed();
    await transcode('dance', 42);
    await text('Preview is being made… 42\u00a0%').waitFor();
    await takePicture(stage.page, `upload previews ${name}`);
    expect(await stage.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});
