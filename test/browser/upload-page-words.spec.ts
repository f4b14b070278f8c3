import { describe, expect, it } from '@jest/globals';
import { takePicture } from '../support/browser/chromium.js';
import { stageUploadPages } from '../support/browser/upload-page-stage.js';
import { aDropsite } from '../support/delivery/dropsites.js';

const stage = stageUploadPages();

const DESCRIPTION = 'Please send:\n– the photos of Saturday\n– the films\n\nUp to 4 GB each. Thank you! <3';
const WIDTHS = [1280, 375];

describe('the texts of a dropsite', () => {
  it.each(['light', 'dark'] as const)('keep the line breaks of the description, wide and narrow (%s)', async (colorScheme) => {
    const { dropsite } = await aDropsite(stage.app, { description: DESCRIPTION, expiresAt: '2031-05-01', maxItemsPerDay: 200 });
    for (const width of WIDTHS) {
      await stage.open({ viewport: { width, height: 800 }, colorScheme, timezoneId: 'Europe/Berlin' });
      await stage.visit(dropsite.link);
      await stage.ready();
      expect(await stage.page.locator('.description').innerText()).toBe(DESCRIPTION);
      expect(await stage.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await takePicture(stage.page, `upload words ${width} ${colorScheme}`);
    }
    expect(stage.complaints).toEqual([]);
  });

  it.each([
    ['2031-05-01', 'Europe/Berlin', 'Open until 2 May 2031 at 02:00.'],
    ['2031-05-01', 'UTC', 'Open until the end of 1 May 2031.'],
    ['2031-05-01T00:00:00+02:00', 'Europe/Berlin', 'Open until the end of 30 April 2031.'],
    ['2031-05-01T16:30:00Z', 'America/New_York', 'Open until 1 May 2031 at 12:30.'],
  ])('show the closing time in the time zone of the browser: %s in %s', async (expiresAt, timezoneId, words) => {
    const { dropsite } = await aDropsite(stage.app, { expiresAt });
    await stage.open({ timezoneId });
    await stage.visit(dropsite.link);
    await stage.ready();
    expect(await stage.page.locator('#closing').innerText()).toBe(words);
  });

  it('show the closing time in UTC without scripts', async () => {
    for (const [expiresAt, words] of [
      ['2031-05-01', 'Open until the end of 1 May 2031 (UTC).'],
      ['2031-05-01T16:30:00Z', 'Open until 1 May 2031 at 16:30 UTC.'],
    ]) {
      const { dropsite } = await aDropsite(stage.app, { expiresAt, description: DESCRIPTION });
      await stage.open({ javaScriptEnabled: false, timezoneId: 'Europe/Berlin', viewport: { width: 375, height: 800 } });
      await stage.visit(dropsite.link);
      expect(await stage.page.locator('#closing').innerText()).toBe(words);
      await takePicture(stage.page, 'upload words no script');
    }
  });
});
