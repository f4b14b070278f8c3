import { describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { takePicture } from '../support/chromium.js';
import { MEDIA, stageEmbedPages } from '../support/embed-page-stage.js';
import type { Embed } from '../support/embeds.js';
import { eventually } from '../support/eventually.js';

const stage = stageEmbedPages();

const quality = () => stage.page.getByLabel('Quality');
const auto = async () => (await quality().locator('option').first().textContent()) ?? '';
const width = async (expected: number) => await stage.until(`${MEDIA}.readyState >= 1 && ${MEDIA}.videoWidth === ${expected}`);

/** A page on a line of which the browser says this. */
async function showOn(connection: object | null, embed: Embed, options?: BrowserContextOptions): Promise<void> {
  await stage.open(options);
  await stage.page.addInitScript(
    `Object.defineProperty(navigator, 'connection', { get: () => (${JSON.stringify(connection ?? undefined)}) })`,
  );
  await stage.page.goto(stage.urlOf(embed));
}
/** Two films and a preview, with rates of 800, 200 and 40 kbit/s as the page is told. */
async function aFilm(): Promise<Embed> {
  const file = { fileName: 'evening', fileExtension: 'webm' };
  const lasting = (bytes: number, kbit: number) => (bytes * 8) / (kbit * 1_000);
  const { large, small } = stage;
  return await stage.embed(
    stage.film({
      renditions: {
        Large: { ...file, content: large, width: 640, height: 360, duration: lasting(large.length, 800) },
        Small: { ...file, content: small, width: 320, height: 180, duration: lasting(small.length, 200) },
        Sketch: { ...file, content: small, width: 320, height: 180, duration: lasting(small.length, 40), format: { usage: 'preview' } },
      },
    }),
  );
}

describe('a player chooses', () => {
  it('the file that fits the screen', async () => {
    const film = await aFilm();
    await showOn({ downlink: 10 }, film, { viewport: { width: 1280, height: 720 } });
    await width(640);
    expect(await auto()).toBe('Auto (360p)');
    await showOn({ downlink: 10 }, film, { viewport: { width: 320, height: 240 } });
    await width(320);
    expect(await auto()).toBe('Auto (180p)');
    await showOn({ downlink: 10 }, film, { viewport: { width: 320, height: 240 }, deviceScaleFactor: 2 });
    await width(640);
    expect(stage.complaints).toEqual([]);
  });

  it('the file that suits the connection', async () => {
    const film = await aFilm();
    await showOn({ downlink: 0.4 }, film);
    await width(320);
    expect(await auto()).toBe('Auto (180p)');
    await showOn({ downlink: 0.05 }, film);
    await stage.until(`${MEDIA}.currentSrc.includes('formatId=${film.formatIds.Sketch}')`);
    expect(await auto()).toBe('Auto (Preview)');
    await showOn({ downlink: 10, saveData: true }, film);
    await width(320);
  });

  it('by the last measurement if the browser reports no speed', async () => {
    const film = await aFilm();
    await stage.open();
    await stage.page.addInitScript(`Object.defineProperty(navigator, 'connection', { get: () => undefined })`);
    await stage.page.addInitScript(`localStorage.getItem('player:speed') ?? localStorage.setItem('player:speed', '300000')`);
    await stage.page.goto(stage.urlOf(film));
    await width(320);
    expect(await auto()).toBe('Auto (180p)');
  });

  it('a lower quality, once, after a stall', async () => {
    const film = await aFilm();
    await stage.open();
    await stage.page.clock.install();
    await stage.page.goto(stage.urlOf(film));
    await width(640);
    const stall = async () => {
      await stage.page.evaluate(`${MEDIA}.play()`);
      await stage.page.evaluate(`Object.assign(${MEDIA}, { playbackRate: 0 }).dispatchEvent(new Event('waiting'))`);
      await stage.page.clock.fastForward(2_500);
    };
    // What is still on its way of having begun to play ends a stall; then it stalls again.
    await eventually(async () => {
      await stall();
      return (await stage.state()).videoWidth === 320;
    });
    expect(await auto()).toBe('Auto (180p)');
    await stage.until(`${MEDIA}.readyState >= 3`);
    for (let count = 0; count < 3; count += 1) await stall();
    expect(await auto()).toBe('Auto (180p)');
    expect((await stage.state()).currentSrc).toContain(`formatId=${film.formatIds.Small}`);
  });

  it('another file if one is missing', async () => {
    const film = await aFilm();
    await stage.open({ viewport: { width: 320, height: 240 } });
    await stage.page.route(`**/deliverFile/**formatId=${film.formatIds.Small}*`, (route) => route.fulfill({ status: 404 }));
    await stage.page.goto(stage.urlOf(film));
    await width(640);
    expect(await stage.page.locator('#trouble').isHidden()).toBe(true);
  });
});

describe('a viewer chooses', () => {
  it('by hand, which the next page remembers until automatic choice is restored', async () => {
    const film = await aFilm();
    await stage.show(film);
    expect(await quality().locator('option').allTextContents()).toEqual(['Auto (360p)', '360p', '180p', 'Preview']);
    await stage.openSettings();
    await quality().selectOption('180p');
    await width(320);
    expect(await auto()).toBe('Auto');
    await stage.page.goto(stage.urlOf(await aFilm()));
    await width(320);
    expect(await quality().inputValue()).toBe('180p');
    await stage.openSettings();
    await quality().selectOption('');
    await width(640);
    await stage.page.reload();
    await width(640);
    expect(await auto()).toBe('Auto (360p)');
    expect(stage.complaints).toEqual([]);
  });

  it('again before the first choice has loaded, without losing the position', async () => {
    await stage.show(await aFilm());
    await stage.play();
    await stage.page.evaluate(`Object.assign(${MEDIA}, { currentTime: 2, playbackRate: 0.25 })`);
    await stage.until(`!${MEDIA}.seeking && ${MEDIA}.currentTime > 2`);
    await stage.page.evaluate(`for (const value of ['180p', 'Preview', '180p']) {
      Object.assign(document.querySelector('#quality'), { value }).dispatchEvent(new Event('change'));
    }`);
    await stage.until(`${MEDIA}.videoWidth === 320 && ${MEDIA}.currentTime > 2`);
    expect(await stage.state()).toMatchObject({ paused: false, playbackRate: 0.25 });
  });
});

describe('the menu', () => {
  it.each([
    ['375 light', { viewport: { width: 375, height: 667 }, colorScheme: 'light' }],
    ['375 dark', { viewport: { width: 375, height: 667 }, colorScheme: 'dark' }],
    ['1280 light', { viewport: { width: 1280, height: 720 }, colorScheme: 'light' }],
    ['1280 dark', { viewport: { width: 1280, height: 720 }, colorScheme: 'dark' }],
  ] as const)('stands below the media: %s', async (name, options) => {
    await stage.show(await aFilm(), options);
    await stage.play();
    await stage.page.evaluate(`${MEDIA}.pause()`);
    await stage.openSettings();
    await quality().focus();
    await takePicture(stage.page, `qualities ${name}`);
    expect(await stage.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});
