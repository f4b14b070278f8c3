import { describe, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import { useConsole } from '../support/browser/console-stage.js';
import { aPng, uploadMedia } from '../support/media/media.js';

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

describe('the statistics of the console', () => {
  const stage = useConsole({ worker: 'off' });

  /** Figures of two days, as deliveries write them. */
  async function countFigures(mediaContainerId: number): Promise<void> {
    const rows = [
      { day: daysAgo(1), host: 'shop.example.org', device: 'phone', rule: '', plays: 12, watched: 4_000, refused: 0 },
      { day: daysAgo(3), host: '<b>news</b>.example.org', device: 'desktop', rule: '', plays: 30, watched: 900, refused: 0 },
      { day: daysAgo(3), host: 'copy.example.org', device: 'desktop', rule: 'matchReferer', plays: 0, watched: 0, refused: 5 },
    ];
    const database = stage.app.app.get(Database);
    for (const { day, host, device, rule, plays, watched, refused } of rows) {
      await database.query(
        `INSERT INTO daily_figures
           (customer_id, day, media_container_id, embed_link_id, player_configuration_id, host, device, rule, plays, watched_seconds, refused)
         VALUES ($1, $2, $3, 9, 4, $4, $5, $6, $7, $8, $9)`,
        [stage.user.customerId, day, mediaContainerId, host, device, rule, plays, watched, refused],
      );
    }
  }

  it('say what to do where nothing was counted', async () => {
    await stage.open('/statistics');
    await stage.page.getByRole('heading', { name: 'Nothing was counted in this period' }).waitFor();
    await stage.inspect('statistics empty');
  });

  it('sum a period, split it, and lead from each figure to what it counts', async () => {
    const { page } = stage;
    const { id } = await uploadMedia(stage.app, stage.token, {
      content: aPng(40, 30),
      fileName: 'harbour.png',
      originalFileExtension: 'png',
    });
    await countFigures(id);
    await stage.open('/statistics');
    await page.getByRole('button', { name: 'Plays 42' }).waitFor();
    await page.getByRole('button', { name: 'Watch time 1:21:40' }).click();
    await page.getByRole('img', { name: 'Watch time per day' }).waitFor();
    await stage.inspect('statistics by day');
    await page.getByLabel('Split by').selectOption({ label: 'Website' });
    await page.getByRole('cell', { name: '<b>news</b>.example.org', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Refused 5, by Rule that refused: copy.example.org' }).click();
    await page.getByRole('button', { name: 'Refused 5' }).waitFor();
    await page.getByRole('cell', { name: 'Website', exact: true }).waitFor();
    await stage.inspect('statistics by rule');
    await page.getByRole('button', { name: 'Do not filter by Website' }).click();
    await page.getByLabel('Split by').selectOption({ label: 'Medium' });
    await page.getByRole('button', { name: '7 days' }).click();
    expect(new URL(page.url()).search).toContain(`from=${daysAgo(6)}`);
    await page.setViewportSize({ width: 360, height: 740 });
    await stage.inspect('statistics on a phone');
    await page.emulateMedia({ colorScheme: 'dark' });
    await stage.inspect('statistics on a phone, dark');
    await page.getByRole('table').getByRole('link', { name: 'harbour', exact: false }).first().click();
    await page.waitForURL(`**/console/media/${id}`);
  });
});
