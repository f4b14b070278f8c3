import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Frame, Page } from 'playwright-core';
import { complaintsOf, launchChromium, takePicture } from '../support/chromium.js';
import { anEmbed, type Embed, type NewEmbed } from '../support/embeds.js';
import { eventually } from '../support/eventually.js';
import { aPublisher, type Publisher } from '../support/player-configurations.js';
import { aPdf, aPicture, aTone, PLAYS_BY_ITSELF, recordFilm } from '../support/recorded-media.js';
import { type Site, startSite } from '../support/site.js';
import { startTestStorage, type TestStorage } from '../support/storage.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

// One file: the films and the picture that its tests show are recorded in Chromium, once for all of them.

const SECONDS = 4;
/** Rules name domains, so the site around a frame needs one. */
const SHOP = 'shop.example';
const VTT = 'WEBVTT\n\n00:00.000 --> 00:10.000\nGood evening\n';
const SRT = '1\n00:00:00,000 --> 00:00:10,000\nGuten Abend\n';

let storage: TestStorage;
let app: TestApp;
let publisher: Publisher;
let browser: Browser;
let large: Buffer;
let small: Buffer;
let poster: Buffer;
let context: BrowserContext | undefined;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  storage = await startTestStorage();
  [app, browser] = await Promise.all([
    startTestApp(storage.settings),
    launchChromium([...PLAYS_BY_ITSELF, `--host-resolver-rules=MAP ${SHOP} 127.0.0.1`]),
  ]);
  publisher = await aPublisher(app);
  [large, small, poster] = await Promise.all([
    recordFilm(browser, { width: 640, height: 360, seconds: SECONDS }),
    recordFilm(browser, { width: 320, height: 180, seconds: SECONDS }),
    aPicture(browser, { width: 640, height: 360, colour: '#a8521c' }),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
  await storage?.close();
});
afterEach(async () => {
  await context?.close();
  context = undefined;
});

const film = (more: Partial<NewEmbed> = {}): NewEmbed => ({
  type: 'video',
  original: { fileName: 'An evening at the river.webm', content: large },
  renditions: {
    Large: { fileName: 'evening', fileExtension: 'webm', content: large, width: 640, height: 360 },
    Small: { fileName: 'evening', fileExtension: 'webm', content: small, width: 320, height: 180 },
  },
  ...more,
});
const subtitled = (subtitle: object): Partial<NewEmbed> => ({
  beside: [
    { fileName: 'evening.en', fileExtension: 'vtt', content: VTT },
    { fileName: 'evening_ger', fileExtension: 'srt', content: SRT },
  ],
  configuration: { settings: { subtitle } },
});
const embed = async (wanted: NewEmbed = film()) => await anEmbed(app, publisher, wanted);

async function visit(url: string, options: BrowserContextOptions = {}): Promise<void> {
  await context?.close();
  context = await browser.newContext(options);
  page = await context.newPage();
  complaints = complaintsOf(page);
  await page.goto(url);
}
const show = async ({ link }: Embed, options?: BrowserContextOptions) => await visit(`${app.url}/v5/deliverEmbed/${link}`, options);

/** What the media element says of itself. */
const MEDIA = `document.querySelector('#media')`;
const state = async (where: Page | Frame = page) =>
  (await where.evaluate(`(({ currentTime, duration, paused, readyState, videoWidth, currentSrc, playbackRate, error }) =>
    ({ currentTime, duration, paused, readyState, videoWidth, currentSrc, playbackRate, error: error && error.message }))(${MEDIA})`)) as {
    currentTime: number;
    duration: number;
    paused: boolean;
    readyState: number;
    videoWidth: number;
    currentSrc: string;
    playbackRate: number;
    error: string | null;
  };
/** By polling: the policy of the page lets nobody evaluate a string within it. */
const until = async (condition: string, where: Page | Frame = page) =>
  await eventually(async () => (await where.evaluate(condition)) === true, 15_000);
const play = async (where: Page | Frame = page) => {
  await until(`${MEDIA}.readyState >= 1`, where);
  await where.evaluate(`${MEDIA}.play()`);
  await until(`${MEDIA}.currentTime > 0.3`, where);
};
const modes = async () => (await page.evaluate(`[...${MEDIA}.textTracks].map(({ mode }) => mode)`)) as string[];

describe('a film', () => {
  it('plays, and plays on from where the viewer goes to', async () => {
    await show(await embed());
    await play();
    expect(await state()).toMatchObject({ paused: false, videoWidth: 640, error: null });
    expect((await state()).duration).toBeCloseTo(SECONDS, 0);
    await page.evaluate(`${MEDIA}.currentTime = 3`);
    await until(`!${MEDIA}.seeking && ${MEDIA}.currentTime > 3.2`);
    await page.evaluate(`${MEDIA}.currentTime = 1`);
    await until(`!${MEDIA}.seeking && ${MEDIA}.currentTime > 1.2 && ${MEDIA}.currentTime < 3`);
    expect(complaints).toEqual([]);
  });

  it('changes its quality where it is, and goes on playing', async () => {
    const media = await embed();
    await show(media);
    await play();
    await page.evaluate(`Object.assign(${MEDIA}, { currentTime: 2, playbackRate: 0.5 })`);
    await until(`${MEDIA}.currentTime > 2.1`);
    expect(await page.getByLabel('Quality').inputValue()).toContain(`formatId=${media.formatIds.Large}`);
    await page.getByLabel('Quality').selectOption('180p');
    await until(`${MEDIA}.videoWidth === 320 && ${MEDIA}.currentTime > 2.1`);
    const after = await state();
    expect(after).toMatchObject({ paused: false, playbackRate: 0.5, error: null });
    expect(after.currentSrc).toContain(`formatId=${media.formatIds.Small}`);
    expect(after.currentTime).toBeLessThan(SECONDS);
    await page.evaluate(`${MEDIA}.pause()`);
    await page.getByLabel('Quality').selectOption('360p');
    await until(`${MEDIA}.videoWidth === 640 && ${MEDIA}.currentTime > 2`);
    expect((await state()).paused).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('shows its poster before it plays', async () => {
    await show(
      await embed(
        film({
          renditions: {
            ...film().renditions,
            Poster: { fileName: 'p', fileExtension: 'png', content: poster, format: { usage: 'preview' } },
          },
          delivers: ['Large'],
        }),
      ),
    );
    const url = (await page.evaluate(`${MEDIA}.poster`)) as string;
    const width = await page.evaluate(
      `new Promise((resolve, reject) => { const image = new Image(); image.onload = () => resolve(image.naturalWidth); image.onerror = reject; image.src = ${JSON.stringify(url)} })`,
    );
    expect(width).toBe(640);
    expect(complaints).toEqual([]);
  });

  it('asks for the file again when its address has ended', async () => {
    const media = await embed(film({ delivers: ['Large'] }));
    await show(media);
    await play();
    await page.evaluate(`${MEDIA}.currentTime = 2`);
    await until(`${MEDIA}.currentTime > 2.1`);
    const asked = page.waitForRequest((request) => request.url().includes('/v5/deliverFile/'));
    await page.evaluate(`${MEDIA}.dispatchEvent(new Event('error'))`);
    await asked;
    await until(`${MEDIA}.currentTime > 2.1 && !${MEDIA}.paused && ${MEDIA}.readyState >= 2`);
  });

  it('says that it goes on while it plays, and not when it is paused', async () => {
    const media = await embed();
    context = await browser.newContext();
    page = await context.newPage();
    await page.clock.install();
    await page.goto(`${app.url}/v5/deliverEmbed/${media.link}`);
    await until(`${MEDIA}.readyState >= 1`);
    await page.evaluate(`Object.assign(${MEDIA}, { loop: true }).play()`);
    await until(`${MEDIA}.currentTime > 0`);
    const renewed = page.waitForResponse((response) => response.url().includes(`/deliverEmbed/${media.link}/lease`));
    await page.clock.fastForward(46_000);
    expect((await renewed).status()).toBe(204);
    let leases = 0;
    page.on('request', (request) => {
      if (request.url().includes('/lease')) leases += 1;
    });
    await page.evaluate(`${MEDIA}.pause()`);
    await until(`${MEDIA}.paused`);
    await page.clock.fastForward(200_000);
    expect(leases).toBe(0);
  });

  it('plays without JavaScript', async () => {
    const media = await embed();
    await visit('about:blank', { javaScriptEnabled: false });
    const loaded = page.waitForResponse((response) => response.url().includes('/renditions/') && response.status() < 300);
    await page.goto(`${app.url}/v5/deliverEmbed/${media.link}`);
    await loaded;
    expect(await page.locator('video[controls]').count()).toBe(1);
    await takePicture(page, 'embed without scripts');
  });
});

describe('subtitles', () => {
  it.each([
    [{ behaviour: 0 }, 'de-DE', []],
    [{ behaviour: 1, lang: 'ger' }, 'en-GB', ['disabled', 'showing']],
    [{ behaviour: 1, lang: 'fra' }, 'en-GB', ['disabled', 'disabled']],
    [{ behaviour: 2 }, 'de-AT', ['disabled', 'showing']],
    [{ behaviour: 2 }, 'en-US', ['showing', 'disabled']],
    [{ behaviour: 2 }, 'fr-FR', ['disabled', 'disabled']],
    [{ behaviour: 3 }, 'fr-FR', ['showing', 'disabled']],
    [{ behaviour: 3, default: 1 }, 'fr-FR', ['disabled', 'showing']],
    [{ behaviour: 4, default: 1, lang: 'ger' }, 'de-DE', ['disabled', 'disabled']],
  ])('of %j for a viewer of %s are %j', async (subtitle, locale, expected) => {
    await show(await embed(film(subtitled(subtitle))), { locale });
    await until(`${MEDIA}.readyState >= 1`);
    expect(await modes()).toEqual(expected);
    const wanted = expected.indexOf('showing');
    if (wanted !== -1) {
      await until(`${MEDIA}.textTracks[${wanted}].cues?.length > 0`);
      expect(await page.evaluate(`${MEDIA}.textTracks[${wanted}].cues[0].text`)).toBe(['Good evening', 'Guten Abend'][wanted]);
    }
    expect(complaints).toEqual([]);
  });

  it('are chosen, turned off, and stay through a change of quality', async () => {
    await show(await embed(film(subtitled({ behaviour: 4 }))));
    await until(`${MEDIA}.readyState >= 1`);
    await page.getByLabel('Subtitles').selectOption('Deutsch');
    expect(await modes()).toEqual(['disabled', 'showing']);
    await page.getByLabel('Quality').selectOption('180p');
    await until(`${MEDIA}.videoWidth === 320`);
    expect(await modes()).toEqual(['disabled', 'showing']);
    await takePicture(page, 'embed subtitles');
    await page.getByLabel('Subtitles').selectOption('Off');
    expect(await modes()).toEqual(['disabled', 'disabled']);
    await page.evaluate(`${MEDIA}.textTracks[0].mode = 'showing'`); // the browser's own menu
    await until(`document.querySelector('#subtitles').value === '0'`);
  });

  it('that are always on can be changed, not turned off', async () => {
    await show(await embed(film(subtitled({ behaviour: 3 }))));
    await until(`${MEDIA}.readyState >= 1`);
    expect(await page.getByLabel('Subtitles').locator('option').allTextContents()).toEqual(['English', 'Deutsch']);
    await page.evaluate(`${MEDIA}.textTracks[0].mode = 'disabled'`);
    await until(`${MEDIA}.textTracks[0].mode === 'showing'`);
    await page.getByLabel('Subtitles').selectOption('Deutsch');
    expect(await modes()).toEqual(['disabled', 'showing']);
  });

  it('of a sound are written above its controls', async () => {
    const talk: NewEmbed = {
      ...film(subtitled({ behaviour: 3 })),
      type: 'audio',
      original: { fileName: 'Talk.wav', content: aTone(3) },
      renditions: {},
    };
    await show(await embed(talk), { viewport: { width: 640, height: 200 } });
    await play();
    await page.getByText('Good evening').waitFor();
    expect(complaints).toEqual([]);
    await takePicture(page, 'embed audio');
  });
});

describe('other media', () => {
  it('a sound plays and seeks', async () => {
    await show(await embed({ type: 'audio', original: { fileName: 'tone.wav', content: aTone(3) } }));
    await play();
    await page.evaluate(`${MEDIA}.currentTime = 2`);
    await until(`!${MEDIA}.seeking && ${MEDIA}.currentTime > 2.1`);
    expect((await state()).duration).toBeCloseTo(3, 1);
  });

  it('an image comes in the size that fits', async () => {
    const [little, big] = await Promise.all([
      aPicture(browser, { width: 400, height: 300 }),
      aPicture(browser, { width: 1600, height: 1200 }),
    ]);
    const image = await embed({
      type: 'image',
      original: { fileName: 'Garden.png', content: big },
      renditions: {
        little: { fileName: 'l', fileExtension: 'png', content: little, width: 400, height: 300 },
        big: { fileName: 'b', fileExtension: 'png', content: big, width: 1600, height: 1200 },
      },
      configuration: { templateId: 1 },
    });
    for (const [width, name] of [
      [320, 'little'],
      [1280, 'big'],
    ] as const) {
      await show(image, { viewport: { width, height: 720 } });
      await until(`document.querySelector('.picture').complete && document.querySelector('.picture').naturalWidth > 0`);
      expect(await page.evaluate(`document.querySelector('.picture').currentSrc`)).toContain(`formatId=${image.formatIds[name]}`);
      await takePicture(page, `embed image ${width}`);
    }
    expect(complaints).toEqual([]);
  });

  it('a PDF is shown by the browser, out of the storage', async () => {
    const document = await embed({
      type: 'document',
      original: { fileName: 'Programme.pdf', content: aPdf('Programme') },
      configuration: { templateId: 1 },
      downloadable: ['original'],
    });
    await visit('about:blank');
    const loaded = page.waitForResponse((response) => response.url().startsWith(app.config.s3Endpoint));
    await page.goto(`${app.url}/v5/deliverEmbed/${document.link}`);
    expect((await loaded).status()).toBe(200);
    expect((await loaded).headers()['content-type']).toBe('application/pdf');
    expect(complaints).toEqual([]);
    await takePicture(page, 'embed pdf');
  });
});

describe('in a frame of another site', () => {
  let shop: Site;
  let stranger: Site;

  beforeAll(async () => {
    const framing = (url: URL) => {
      const sandbox = url.searchParams.has('sandbox') ? 'sandbox="allow-scripts"' : '';
      return { html: `<h1>Shop</h1><iframe width="640" height="420" ${sandbox} src="${url.searchParams.get('frame')}"></iframe>` };
    };
    [shop, stranger] = await Promise.all([startSite('127.0.0.1', framing), startSite('127.0.0.1', framing)]);
  });
  afterAll(async () => await Promise.all([shop?.close(), stranger?.close()]));

  const shopOrigin = () => shop.origin.replace('127.0.0.1', SHOP);
  const frameAt = async (origin: string, { link }: Embed, more = '') => {
    const url = `${app.url}/v5/deliverEmbed/${link}`;
    await visit(`${origin}/?frame=${encodeURIComponent(url)}${more}`);
    const frame = page.frames().find((one) => one.url().startsWith(url));
    if (!frame) throw new Error('There is no frame.');
    return frame;
  };
  const forTheShop = { configuration: { securitySettings: { authOnly: false, matchReferer: [SHOP] } } };

  it('plays on any site without a rule', async () => {
    const frame = await frameAt(stranger.origin, await embed());
    await play(frame);
    expect(complaints).toEqual([]);
  });

  it('plays, with subtitles and another quality, on the site that the rule names', async () => {
    const media = await embed(
      film({ ...subtitled({}), configuration: { ...forTheShop.configuration, settings: { subtitle: { behaviour: 3 } } } }),
    );
    const frame = await frameAt(shopOrigin(), media);
    await play(frame);
    await until(`${MEDIA}.textTracks[0].cues?.length > 0`, frame);
    await frame.getByLabel('Quality').selectOption('180p');
    await until(`${MEDIA}.videoWidth === 320 && ${MEDIA}.currentTime > 0.3`, frame);
    expect(complaints).toEqual([]);
    await takePicture(page, 'embed in a frame');
  });

  it('is refused, in words, on any other', async () => {
    const frame = await frameAt(stranger.origin, await embed({ ...film(), ...forTheShop }));
    await frame.getByText('This can be seen only on the pages that it is meant for.').waitFor();
    await takePicture(page, 'embed refused in a frame');
  });

  it('plays in a sandbox, too', async () => {
    const frame = await frameAt(shopOrigin(), await embed({ ...film(), ...forTheShop }), '&sandbox');
    await play(frame);
  });
});

describe('the looks', () => {
  const looks = [
    ['desktop light', { viewport: { width: 1280, height: 720 }, colorScheme: 'light' }],
    ['desktop dark', { viewport: { width: 1280, height: 720 }, colorScheme: 'dark' }],
    ['phone light', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
    ['frame dark', { viewport: { width: 320, height: 260 }, colorScheme: 'dark' }],
  ] as const;

  it.each(looks)('are as they should be: %s', async (name, options) => {
    const media = await embed({ ...film(subtitled({ behaviour: 3 })), downloadable: ['Large', 'Small'] });
    await show(media, options);
    await play();
    await page.evaluate(`${MEDIA}.pause()`);
    await takePicture(page, `embed video ${name}`);
    await page.getByText('Share').click();
    await page.getByRole('button', { name: 'Copy' }).waitFor();
    expect(await page.locator('#snippet').inputValue()).toMatch(/^<iframe src="http[^"]*" title="An evening at the river"/);
    await takePicture(page, `embed share ${name}`);
    await page.keyboard.press('Escape');
    await page.locator('summary', { hasText: 'Download' }).click();
    expect(await page.locator('details[open] a').count()).toBe(2);
    await takePicture(page, `embed downloads ${name}`);
    // Nothing is wider than the screen, and the media is not squeezed away.
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await page.evaluate(`${MEDIA}.getBoundingClientRect().height`)).toBeGreaterThan(100);
    const denied = await embed({ ...film(), configuration: { securitySettings: { authOnly: true, auth: { enabled: true } } } });
    await page.goto(`${app.url}/v5/deliverEmbed/${denied.link}`);
    await takePicture(page, `embed denied ${name}`);
  });

  it('have the size of the configuration', async () => {
    await show(await embed(film({ configuration: { width: 480, height: 320 } })), { viewport: { width: 800, height: 600 } });
    expect(
      await page.evaluate(`(({ width, height }) => ({ width, height }))(document.querySelector('#player').getBoundingClientRect())`),
    ).toEqual({
      width: 480,
      height: 320,
    });
    await takePicture(page, 'embed fixed');
  });

  it('are bare with the minimal template', async () => {
    await show(await embed(film({ configuration: { templateId: 2 } })), { viewport: { width: 640, height: 360 } });
    await play();
    expect(await page.evaluate(`${MEDIA}.getBoundingClientRect().height`)).toBe(360);
  });
});
