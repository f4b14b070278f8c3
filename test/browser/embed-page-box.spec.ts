import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { takePicture } from '../support/browser/chromium.js';
import { MEDIA, SECONDS, stageEmbedPages, subtitled } from '../support/browser/embed-page-stage.js';
import { type Site, startSite } from '../support/browser/site.js';
import { aFilm, aPicture, aTone } from '../support/browser/small-media.js';
import type { Embed, NewEmbed } from '../support/delivery/embeds.js';

const stage = stageEmbedPages();
let portrait: Buffer;
let site: Site;
/** What the site around the player shows. */
let html: string;

beforeAll(async () => {
  portrait = await aFilm({ width: 180, height: 320, seconds: 1 });
  site = await startSite('127.0.0.1', () => ({ html }));
});
afterAll(async () => await site?.close());

const landscapeFilm = (templateId: number) => stage.film({ delivers: ['Large'], configuration: { templateId } });
const portraitFilm = (templateId: number): NewEmbed => ({
  type: 'video',
  original: { fileName: 'Tower.webm', content: portrait },
  renditions: { Tall: { fileName: 'tower', fileExtension: 'webm', duration: 1, content: portrait, width: 180, height: 320 } },
  configuration: { templateId },
});

/** The HTML to copy, from the page where it is shown, else as oEmbed answers it. */
async function snippetOf(media: Embed, query = ''): Promise<string> {
  const answer = await fetch(`${stage.app.url}/v5/oembed?url=${encodeURIComponent(stage.urlOf(media))}${query}`);
  return ((await answer.json()) as { html: string }).html;
}

/** Shows a snippet in a page of another site, and answers the frame. */
async function embedIn(snippet: string, width: number, colorScheme: 'light' | 'dark' = 'light') {
  html = `<meta name="viewport" content="width=device-width"><style>body { margin: 0 }</style>${snippet}`;
  await stage.visit(site.origin, { viewport: { width, height: 800 }, colorScheme });
  const frame = await (await stage.page.waitForSelector('iframe')).contentFrame();
  if (!frame) throw new Error('The page shows no frame.');
  await frame.waitForSelector('#player');
  return frame;
}

/** The colours (red, green, blue) of the outermost pixels of the frame, in the middle of each side. */
async function edgeColours(): Promise<Record<'left' | 'right' | 'top' | 'bottom', number[]>> {
  const picture = (await stage.page.locator('iframe').screenshot()).toString('base64');
  const blank = await stage.browser.newPage();
  const colours = await blank.evaluate(`(async () => {
    const bytes = Uint8Array.from(atob('${picture}'), (character) => character.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const drawing = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height }).getContext('2d');
    drawing.drawImage(image, 0, 0);
    const at = (x, y) => [...drawing.getImageData(Math.round(x), Math.round(y), 1, 1).data.slice(0, 3)];
    const [right, bottom, middle] = [image.width - 3, image.height - 3, image.height / 2];
    return { left: at(2, middle), right: at(right, middle), top: at(image.width / 2, 2), bottom: at(image.width / 2, bottom) };
  })()`);
  await blank.close();
  return colours as never;
}

const isBlack = (colour: readonly number[]): boolean => Math.max(...colour) < 40;

describe.each([375, 1280])('in a page %i pixels wide', (width) => {
  it.each([
    ['a film', () => landscapeFilm(1), width],
    ['a film without a bar', () => landscapeFilm(2), width],
    ['a portrait film', () => portraitFilm(1), Math.min(width, 450)],
    ['a portrait film without a bar', () => portraitFilm(2), Math.min(width, 450)],
  ])('%s fills its box', async (name, film, expected) => {
    const frame = await embedIn(await snippetOf(await stage.embed(film())), width);
    await stage.play(frame);
    await frame.evaluate(`${MEDIA}.loop = true, document.querySelector('#player').classList.add('idle')`);
    const box = await stage.page.locator('iframe').boundingBox();
    expect(box?.width).toBeCloseTo(expected, -0.5);
    const picture = (await frame.evaluate(`(() => {
      const { clientWidth, clientHeight, videoWidth, videoHeight } = ${MEDIA};
      const scale = Math.min(clientWidth / videoWidth, clientHeight / videoHeight);
      return { width: scale * videoWidth, height: scale * videoHeight };
    })()`)) as { width: number; height: number };
    expect(Math.abs(picture.width - (box?.width ?? 0))).toBeLessThanOrEqual(1);
    expect(Math.abs(picture.height - (box?.height ?? 0))).toBeLessThanOrEqual(1);
    const { left, right } = await edgeColours();
    expect([left, right].filter(isBlack)).toEqual([]);
    await takePicture(stage.page, `box ${name} ${width}`);
  });

  it('a box of fixed size keeps its shape', async () => {
    const frame = await embedIn(await snippetOf(await stage.embed(stage.film({ configuration: { width: 640 } }))), width);
    await stage.play(frame);
    const box = await stage.page.locator('iframe').boundingBox();
    expect([box?.width, box?.height]).toEqual(width === 375 ? [375, expect.closeTo(210.9, 0)] : [640, 360]);
  });

  it('an oEmbed answer keeps the shape of the film within the limits', async () => {
    const snippet = await snippetOf(await stage.embed(landscapeFilm(1)), '&maxwidth=600&maxheight=180');
    await embedIn(snippet, width);
    const box = await stage.page.locator('iframe').boundingBox();
    expect([box?.width, box?.height]).toEqual([320, expect.closeTo(180, 0)]);
  });

  it.each(['light', 'dark'] as const)('a sound fits its frame: %s', async (scheme) => {
    const cover = await aPicture(stage.browser, { width: 640, height: 360, colour: '#a8521c' });
    const poster = { fileName: 'p', fileExtension: 'png', type: 'image', content: cover, format: { usage: 'preview' as const } };
    const sound: NewEmbed = {
      ...{ type: 'audio', original: { fileName: 'A tone of four hundred and forty hertz.wav', content: aTone(3) } },
      ...{ renditions: { Poster: poster }, delivers: ['original'], downloadable: ['original'] },
      ...{ ...subtitled({ behaviour: 3 }) },
    };
    for (const [name, wanted] of [
      ['with picture', sound],
      ['plain', { ...sound, renditions: {}, beside: [] }],
    ] as const) {
      const media = await stage.embed(wanted as NewEmbed);
      const frame = await embedIn(await snippetOf(media), width, scheme);
      await stage.play(frame);
      expect(await frame.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
      const hidden = await frame.evaluate(`[...document.querySelectorAll('audio, .tools > *, .art')].filter((element) => {
        const { top, bottom, left, right, width } = element.getBoundingClientRect();
        return width > 0 && (top < 0 || bottom > innerHeight || left < 0 || right > innerWidth);
      }).map(({ outerHTML }) => outerHTML)`);
      expect(hidden).toEqual([]);
      await takePicture(stage.page, `sound framed ${name} ${width} ${scheme}`);
      await stage.show(media, { viewport: { width, height: 720 }, colorScheme: scheme });
      await stage.until(`${MEDIA}.readyState >= 1`);
      expect(await stage.page.getByText('A tone of four hundred and forty hertz', { exact: true }).isVisible()).toBe(true);
      expect(await stage.page.locator('.art').isVisible()).toBe(true);
      const controls = await stage.page.locator('audio').boundingBox();
      expect(controls?.height).toBeGreaterThanOrEqual(40);
      expect(controls?.width).toBeLessThanOrEqual(640);
      await takePicture(stage.page, `sound ${name} ${width} ${scheme}`);
    }
  });
});

describe('on a phone', () => {
  it('the menus have labels and are not clipped, and a cue is shown on the picture', async () => {
    const film = await stage.embed({ ...stage.film(subtitled({ behaviour: 3 })), downloadable: ['Large', 'Small'] });
    await stage.show(film, { viewport: { width: 375, height: 667 }, colorScheme: 'light' });
    await stage.play();
    await stage.page.evaluate(`${MEDIA}.pause()`);
    await takePicture(stage.page, 'phone film');
    const [video, screen] = [await stage.page.locator('video').boundingBox(), SECONDS > 0 ? 667 : 0];
    expect(video?.height).toBeCloseTo((375 * 9) / 16, -0.5); // cues stand at the lower edge of the element
    expect(screen).toBeGreaterThan(video?.height ?? 0);
    await stage.page.getByRole('button', { name: 'closed captions' }).click();
    for (const item of await stage.page.getByRole('menuitemradio').all()) {
      const box = await item.boundingBox();
      expect([box?.x, (box?.x ?? 0) + (box?.width ?? 0)].every((side) => (side ?? -1) >= 0 && (side ?? 999) <= 375)).toBe(true);
      expect(box?.height).toBeGreaterThanOrEqual(24); // success criterion 2.5.8
    }
    await takePicture(stage.page, 'phone subtitles');
    await stage.page.keyboard.press('Escape');
    await stage.page.getByText('Share').click();
    const copy = await stage.page.getByRole('button', { name: 'Copy' }).boundingBox();
    expect((copy?.y ?? 0) + (copy?.height ?? 0)).toBeLessThanOrEqual(667);
    await takePicture(stage.page, 'phone share');
  });
});

describe('the bar over the picture', () => {
  it('is hidden during playback and shown when the film is paused, touched, or focused by the keyboard', async () => {
    await stage.open({ viewport: { width: 640, height: 360 } });
    await stage.page.clock.install();
    await stage.page.goto(stage.urlOf(await stage.embed()));
    const isIdle = `document.querySelector('#player').classList.contains('idle')`;
    await stage.until(`${MEDIA}.readyState >= 1`);
    await stage.page.clock.fastForward(10_000);
    expect(await stage.page.evaluate(isIdle)).toBe(false);
    await stage.page.evaluate(`Object.assign(${MEDIA}, { loop: true }).play()`);
    await stage.until(`!${MEDIA}.paused`);
    await stage.page.clock.fastForward(10_000);
    expect(await stage.page.evaluate(isIdle)).toBe(true);
    await stage.page.mouse.move(100, 100);
    expect(await stage.page.evaluate(isIdle)).toBe(false);
    await stage.page.clock.fastForward(10_000);
    expect(await stage.page.evaluate(isIdle)).toBe(true);
    await stage.page.keyboard.press('Tab');
    await stage.until(`!${isIdle}`);
    await stage.page.getByText('Share').click();
    await stage.page.clock.fastForward(10_000);
    expect(await stage.page.evaluate(isIdle)).toBe(false);
    await stage.page.keyboard.press('Escape');
    await stage.page.evaluate(`document.activeElement.blur()`);
    await stage.page.clock.fastForward(10_000);
    expect(await stage.page.evaluate(isIdle)).toBe(true);
    await stage.page.evaluate(`${MEDIA}.pause()`);
    await stage.until(`!${isIdle}`);
  });
});
