import { describe, expect, it } from '@jest/globals';
import { complaintsOf, launchWholeChromium, takePicture } from '../support/browser/chromium.js';
import { MEDIA, stageEmbedPages } from '../support/browser/embed-page-stage.js';
import { aPdf, aPicture, aTone } from '../support/browser/small-media.js';
import { eventually } from '../support/eventually.js';

const stage = stageEmbedPages();

describe('other media', () => {
  it('a sound plays and seeks', async () => {
    await stage.show(await stage.embed({ type: 'audio', original: { fileName: 'tone.wav', content: aTone(3) } }));
    await stage.play();
    await stage.page.evaluate(`${MEDIA}.currentTime = 2`);
    await stage.until(`!${MEDIA}.seeking && ${MEDIA}.currentTime > 2.1`);
    expect((await stage.state()).duration).toBeCloseTo(3, 1);
  });

  it('an image that the browser cannot show says so', async () => {
    const original = { fileName: 'Garden.png', content: Buffer.from('not a picture') };
    for (const colorScheme of ['light', 'dark'] as const) {
      await stage.show(await stage.embed({ type: 'image', original }), { viewport: { width: 375, height: 600 }, colorScheme });
      await stage.until(`!document.getElementById('trouble').hidden`);
      expect(await stage.page.locator('#trouble').innerText()).toBe('This image cannot be shown here.');
      expect(await stage.page.locator('.picture').isVisible()).toBe(false);
      await takePicture(stage.page, `embed image broken ${colorScheme}`);
    }
  });

  it('an image comes in the size that fits', async () => {
    const [little, big] = await Promise.all([
      aPicture(stage.browser, { width: 400, height: 300 }),
      aPicture(stage.browser, { width: 1600, height: 1200 }),
    ]);
    const image = await stage.embed({
      type: 'image',
      original: { fileName: 'Garden.png', content: big },
      renditions: {
        little: { fileName: 'l', fileExtension: 'png', content: little, width: 400, height: 300 },
        big: { fileName: 'b', fileExtension: 'png', content: big, width: 1600, height: 1200 },
      },
      configuration: { templateId: 1 },
    });
    for (const width of [320, 1280]) {
      // A size that is not ready after 3 s is answered by the nearest one that is; the next visit gets it.
      await eventually(async () => {
        await stage.show(image, { viewport: { width, height: 720 } });
        await stage.until(`document.querySelector('.picture').complete && document.querySelector('.picture').naturalWidth > 0`);
        return (await stage.page.evaluate(`document.querySelector('.picture').naturalWidth`)) === width;
      });
      expect(await stage.page.evaluate(`document.querySelector('.picture').currentSrc`)).toMatch(
        new RegExp(`/image\\?width=${width}&play=page$`),
      );
      const [picture, bar] = await Promise.all(['.picture', '.bar'].map(async (part) => await stage.page.locator(part).boundingBox()));
      expect((picture?.y ?? 0) + (picture?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0); // the bar never covers it
      await takePicture(stage.page, `embed image ${width}`);
    }
    expect(stage.complaints).toEqual([]);
  });

  it('a PDF is shown by the browser, out of the storage', async () => {
    const document = await stage.embed({
      type: 'document',
      original: { fileName: 'Programme.pdf', content: aPdf('Programme') },
      configuration: { templateId: 1 },
      downloadable: ['original'],
    });
    const browser = await launchWholeChromium();
    try {
      const page = await browser.newPage();
      const complaints = complaintsOf(page);
      const loaded = page.waitForResponse((response) => response.url().startsWith(stage.app.config.s3Endpoint));
      await page.goto(`${stage.app.url}/v5/deliverEmbed/${document.link}`);
      expect((await loaded).status()).toBe(200);
      expect((await loaded).headers()['content-type']).toBe('application/pdf');
      expect(complaints).toEqual([]);
      await takePicture(page, 'embed pdf');
    } finally {
      await browser.close();
    }
  });
});
