import { describe, expect, it } from '@jest/globals';
import { NARROW, scrollsSideways, seriousFindings, takePicture, ZOOMED } from '../support/browser/chromium.js';
import { MEDIA, SECONDS, stageEmbedPages, subtitled } from '../support/browser/embed-page-stage.js';
import { aPicture } from '../support/browser/small-media.js';

const stage = stageEmbedPages();

describe('a film', () => {
  it('plays, and continues at the position that the viewer seeks', async () => {
    await stage.show(await stage.embed());
    await stage.play();
    expect(await stage.state()).toMatchObject({ paused: false, videoWidth: 640, error: null });
    expect((await stage.state()).duration).toBeCloseTo(SECONDS, 0);
    await stage.page.evaluate(`${MEDIA}.currentTime = 3`);
    await stage.until(`!${MEDIA}.seeking && ${MEDIA}.currentTime > 3.2`);
    await stage.page.evaluate(`${MEDIA}.currentTime = 1`);
    await stage.until(`!${MEDIA}.seeking && ${MEDIA}.currentTime > 1.2 && ${MEDIA}.currentTime < 3`);
    expect(stage.complaints).toEqual([]);
  });

  it('is the file that fits the screen, and another if that one is missing', async () => {
    const film = await stage.embed();
    await stage.show(film, { viewport: { width: 320, height: 240 }, deviceScaleFactor: 2 });
    await stage.until(`${MEDIA}.videoWidth === 640`);
    await stage.show(film, { viewport: { width: 320, height: 240 } });
    await stage.until(`${MEDIA}.videoWidth === 320`);
    await stage.open({ viewport: { width: 320, height: 240 } });
    await stage.page.route(`**/deliverFile/**formatId=${film.formatIds.Small}*`, (route) => route.fulfill({ status: 404 }));
    await stage.page.goto(stage.urlOf(film));
    await stage.until(`${MEDIA}.videoWidth === 640`);
    expect(await stage.page.locator('#trouble').isHidden()).toBe(true);
  });

  it('shows its poster before it plays', async () => {
    const poster = await aPicture(stage.browser, { width: 640, height: 360, colour: '#a8521c' });
    await stage.show(
      await stage.embed(
        stage.film({
          renditions: {
            ...stage.film().renditions,
            Poster: { fileName: 'p', fileExtension: 'png', content: poster, format: { usage: 'preview' } },
          },
          delivers: ['Large'],
        }),
      ),
    );
    const url = (await stage.page.evaluate(`${MEDIA}.poster`)) as string;
    const width = await stage.page.evaluate(
      `new Promise((resolve, reject) => { const image = new Image(); image.onload = () => resolve(image.naturalWidth); image.onerror = reject; image.src = ${JSON.stringify(url)} })`,
    );
    expect(width).toBe(640);
    expect(stage.complaints).toEqual([]);
  });

  it('requests the file again when its URL has expired', async () => {
    const media = await stage.embed(stage.film({ delivers: ['Large'] }));
    await stage.show(media);
    await stage.play();
    await stage.page.evaluate(`${MEDIA}.currentTime = 2`);
    await stage.until(`${MEDIA}.currentTime > 2.1`);
    const asked = stage.page.waitForRequest((request) => request.url().includes('/v5/deliverFile/'));
    await stage.page.evaluate(`${MEDIA}.dispatchEvent(new Event('error'))`);
    await asked;
    await stage.until(`${MEDIA}.currentTime > 2.1 && !${MEDIA}.paused && ${MEDIA}.readyState >= 2`);
  });

  it('renews its lease while it plays, and not when it is paused', async () => {
    const media = await stage.embed();
    await stage.open();
    await stage.page.clock.install();
    await stage.page.goto(`${stage.app.url}/v5/deliverEmbed/${media.link}`);
    await stage.until(`${MEDIA}.readyState >= 1`);
    await stage.page.evaluate(`Object.assign(${MEDIA}, { loop: true }).play()`);
    await stage.until(`${MEDIA}.currentTime > 0`);
    const renewed = stage.page.waitForResponse((response) => response.url().includes(`/deliverEmbed/${media.link}/lease`));
    await stage.page.clock.fastForward(46_000);
    expect((await renewed).status()).toBe(204);
    let transcodings = 0;
    stage.page.on('request', (request) => {
      if (request.url().includes('/lease')) transcodings += 1;
    });
    await stage.page.evaluate(`${MEDIA}.pause()`);
    await stage.until(`${MEDIA}.paused`);
    await stage.page.clock.fastForward(200_000);
    expect(transcodings).toBe(0);
  });

  it('plays without JavaScript', async () => {
    const media = await stage.embed();
    await stage.visit('about:blank', { javaScriptEnabled: false });
    const loaded = stage.page.waitForResponse((response) => response.url().includes('/renditions/') && response.status() < 300);
    await stage.page.goto(`${stage.app.url}/v5/deliverEmbed/${media.link}`);
    await loaded;
    expect(await stage.page.locator('video[controls]').count()).toBe(1);
    await takePicture(stage.page, 'embed without scripts');
  });
});

describe('the keys', () => {
  it('play, seek, mute and fill the screen wherever the focus is, and are listed', async () => {
    await stage.show(await stage.embed(stage.film(subtitled({ behaviour: 3 }))), { viewport: { width: 800, height: 450 } });
    await stage.until(`${MEDIA}.readyState >= 1 && customElements.get('media-controller') !== undefined`);
    const { keyboard } = stage.page;
    const begin = stage.page.locator('.begin');
    await begin.waitFor();
    expect((await begin.boundingBox())?.height).toBeGreaterThanOrEqual(72);
    await keyboard.press('Space');
    await stage.until(`!${MEDIA}.paused && ${MEDIA}.currentTime > 0`);
    await begin.waitFor({ state: 'hidden' });
    await keyboard.press('k');
    await stage.until(`${MEDIA}.paused`);
    await keyboard.press('ArrowRight');
    await stage.until(`${MEDIA}.currentTime === ${MEDIA}.duration`); // it is shorter than ten seconds
    await keyboard.press('ArrowLeft');
    await stage.until(`${MEDIA}.currentTime === 0`);
    await keyboard.press('M');
    await stage.until(`${MEDIA}.muted`);
    await keyboard.press('f');
    await stage.until(`document.fullscreenElement?.id === 'player'`);
    await keyboard.press('f');
    await stage.until(`document.fullscreenElement === null`);
    await keyboard.press('?');
    await stage.page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await takePicture(stage.page, 'embed keys');
    await keyboard.press('m'); // belongs to the dialog
    await keyboard.press('Escape');
    expect(await stage.page.evaluate(`${MEDIA}.muted`)).toBe(true);
    expect(stage.complaints).toEqual([]);
  });

  it('leave those of a control to it', async () => {
    await stage.show(await stage.embed(), { viewport: { width: 800, height: 450 } });
    await stage.until(`${MEDIA}.readyState >= 1`);
    await stage.page.locator('summary', { hasText: 'Share' }).press('Space');
    await stage.page.locator('#snippet').press('k');
    await stage.page.locator('#snippet').press('Space');
    expect(await stage.page.evaluate(`${MEDIA}.paused`)).toBe(true);
  });

  it.each([
    ['in a narrow window', NARROW],
    ['at 200 % zoom', ZOOMED],
  ])('have names for screen readers, also %s', async (_, viewport) => {
    await stage.show(await stage.embed({ ...stage.film(subtitled({ behaviour: 3 })), downloadable: ['Large', 'Small'] }), {
      viewport,
    });
    await stage.page.locator('.begin').waitFor();
    expect(await scrollsSideways(stage.page)).toBe(false);
    expect(await seriousFindings(stage.page)).toEqual([]);
  });
});

describe('the looks', () => {
  const looks = [
    ['desktop light', { viewport: { width: 1280, height: 720 }, colorScheme: 'light' }],
    ['desktop dark', { viewport: { width: 1280, height: 720 }, colorScheme: 'dark' }],
    ['phone light', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
    ['frame dark', { viewport: { width: 320, height: 260 }, colorScheme: 'dark' }],
  ] as const;

  it.each(looks)('match the reference: %s', async (name, options) => {
    const media = await stage.embed({ ...stage.film(subtitled({ behaviour: 3 })), downloadable: ['Large', 'Small'] });
    await stage.show(media, options);
    await stage.play();
    await stage.page.evaluate(`${MEDIA}.pause()`);
    await takePicture(stage.page, `embed video ${name}`);
    await stage.page.getByText('Share').click();
    await stage.page.getByRole('button', { name: 'Copy' }).waitFor();
    expect(await stage.page.locator('#snippet').inputValue()).toMatch(/^<iframe src="http[^"]*" title="An evening at the river"/);
    await takePicture(stage.page, `embed share ${name}`);
    await stage.page.keyboard.press('Escape');
    await stage.page.locator('summary', { hasText: 'Download' }).click();
    expect(await stage.page.locator('details[open] a').count()).toBe(2);
    await takePicture(stage.page, `embed downloads ${name}`);
    // Nothing is wider than the screen, and the media is not squeezed away.
    expect(await stage.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await stage.page.evaluate(`${MEDIA}.getBoundingClientRect().height`)).toBeGreaterThan(100);
    const denied = await stage.embed({ ...stage.film(), configuration: { securitySettings: { authOnly: true, auth: { enabled: true } } } });
    await stage.page.goto(`${stage.app.url}/v5/deliverEmbed/${denied.link}`);
    await takePicture(stage.page, `embed denied ${name}`);
  });

  it('have the size of the configuration', async () => {
    await stage.show(await stage.embed(stage.film({ configuration: { width: 480, height: 320 } })), {
      viewport: { width: 800, height: 600 },
    });
    expect(
      await stage.page.evaluate(`(({ width, height }) => ({ width, height }))(document.querySelector('#player').getBoundingClientRect())`),
    ).toEqual({
      width: 480,
      height: 320,
    });
    await takePicture(stage.page, 'embed fixed');
  });

  it('are bare with the minimal template', async () => {
    await stage.show(await stage.embed(stage.film({ configuration: { templateId: 2 } })), { viewport: { width: 640, height: 360 } });
    await stage.play();
    expect(await stage.page.evaluate(`${MEDIA}.getBoundingClientRect().height`)).toBe(360);
  });
});
