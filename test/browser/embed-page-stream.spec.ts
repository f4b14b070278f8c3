import { tmpdir } from 'node:os';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { CDPSession } from 'playwright-core';
import { TokenStatesService } from '../../src/modules/access/index.js';
import { CountingService } from '../../src/shared/counting/index.js';
import { Database } from '../../src/shared/database/index.js';
import { seriousFindings, takePicture } from '../support/browser/chromium.js';
import { MEDIA, stageEmbedPages, subtitled } from '../support/browser/embed-page-stage.js';
import { aPicture } from '../support/browser/small-media.js';
import { addRendition } from '../support/converter/renditions.js';
import { runDebianProgram } from '../support/debian-program.js';
import type { Embed, NewEmbed } from '../support/delivery/embeds.js';
import { eventually } from '../support/eventually.js';
import { asSound, encodeRung, withoutSound } from '../support/media/streaming.js';
import { call, tokenOf } from '../support/media/uploads.js';
import { retryInCi } from '../support/retries.js';

retryInCi('The quality of a stream follows the speed of the line, which Chromium measures while it decodes on the processor alone.');

/** With the features that Playwright disables by default, Chromium does not throttle requests for ranges. */
const stage = stageEmbedPages(['--disable-features=None']);
const LARGE_SCREEN = { viewport: { width: 1280, height: 720 } };
/** Compressed, without the media. */
const MAX_PAGE_BYTES = 250_000;
const AHEAD = `${MEDIA}.buffered.end(0) - ${MEDIA}.currentTime`;

const CHAPTERS = 'WEBVTT\n\n00:00.000 --> 00:30.000\nThe bridge\n\n00:30.000 --> 01:00.000\nThe harbour\n';

/** The name of the focused element, which may be in a shadow tree. */
const FOCUSED = `(function nameOf(element) {
  const inner = element.shadowRoot?.activeElement;
  return inner ? nameOf(inner) : (element.getAttribute('aria-label') ?? element.textContent.trim());
})(document.activeElement)`;

let rungs: NonNullable<NewEmbed['renditions']>;
let tiles: Buffer;

beforeAll(async () => {
  const [high, low] = await Promise.all([
    encodeRung({ height: 360, kbit: 900, seconds: 60 }),
    encodeRung({ height: 180, kbit: 150, seconds: 60 }),
  ]);
  rungs = { 'Streaming 360p': high, 'Streaming 180p': low };
  tiles = await aPicture(stage.browser, { width: 320, height: 90 });
});

const aStream = async (more: Partial<NewEmbed> = {}): Promise<Embed> => await stage.embed(stage.film({ renditions: rungs, ...more }));
const isWidth = async (width: number) => await stage.until(`${MEDIA}.videoWidth === ${width}`);

/** The requests for segments of a rung, from now on. */
function countSegments({ mediaIds }: Embed, name: string): () => number {
  let count = 0;
  stage.page.on('request', (request) => {
    if (request.url().includes(`/media/${mediaIds[name]}.mp4`)) count += 1;
  });
  return () => count;
}

describe('a stream', () => {
  it('plays from a page of less than 250 kB, loads one segment before it is started, and little ahead of the picture', async () => {
    const film = await aStream();
    await stage.open(LARGE_SCREEN);
    const sizes: Promise<number>[] = [];
    stage.page.on('requestfinished', (request) => {
      const isMedia = /\.(mp4|m3u8)\b|\/renditions\//.test(request.url());
      if (!isMedia) sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await stage.page.goto(stage.urlOf(film));
    await stage.until(`${MEDIA}.readyState >= 2`);
    expect(await stage.page.evaluate(AHEAD)).toBeLessThan(5);
    await stage.play();
    await isWidth(640);
    await stage.until(`${AHEAD} > 12`);
    expect(await stage.page.evaluate(AHEAD)).toBeLessThanOrEqual(20);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect([bytes > 100_000, bytes < MAX_PAGE_BYTES, bytes]).toEqual([true, true, bytes]);
    await stage.page.evaluate(`${MEDIA}.currentTime = 50`);
    await stage.until(`!${MEDIA}.seeking && ${MEDIA}.currentTime > 50.3`);
    expect((await stage.state()).currentSrc).toMatch(/^blob:/);
    expect(stage.complaints).toEqual([]);
  });

  it('goes down on a slow line, and up again', async () => {
    const film = await aStream();
    await stage.open(LARGE_SCREEN);
    const throttle = async (kbit: number) =>
      await line.send('Network.emulateNetworkConditions', {
        ...{ offline: false, latency: 20, uploadThroughput: -1 },
        downloadThroughput: (kbit * 1_000) / 8,
      });
    await stage.page.goto(stage.urlOf(film));
    const line: CDPSession = await (stage.context?.newCDPSession(stage.page) ?? Promise.reject());
    await line.send('Network.enable');
    const [high, low] = [countSegments(film, 'Streaming 360p'), countSegments(film, 'Streaming 180p')];
    await stage.play();
    await isWidth(640);
    expect(low()).toBe(0);
    await throttle(400);
    await stage.page.evaluate(`Object.assign(${MEDIA}, { playbackRate: 2 })`);
    await isWidth(320);
    const before = high();
    await throttle(6_000);
    await eventually(() => high() > before);
    await isWidth(640);
    expect(stage.complaints).toEqual([]);
  });

  it('has a menu of qualities, and the next page remembers the choice until it is automatic again', async () => {
    const film = await aStream();
    await stage.show(film, LARGE_SCREEN);
    await stage.play();
    await isWidth(640);
    await stage.page.getByRole('button', { name: 'quality' }).click();
    expect(await stage.page.getByRole('menuitemradio').allTextContents()).toEqual(['360p', '180p', 'Auto (360p)']);
    await takePicture(stage.page, 'stream qualities');
    await stage.page.getByRole('menuitemradio', { name: '180p' }).click();
    await isWidth(320);
    await stage.page.goto(stage.urlOf(await aStream()));
    await stage.play();
    await isWidth(320);
    await stage.choose('quality', 'Auto');
    await isWidth(640);
    await stage.page.reload();
    await isWidth(640);
    await stage.choose('Playback rate', '1.5');
    await stage.until(`${MEDIA}.playbackRate === 1.5`);
    expect(stage.complaints).toEqual([]);
  });

  it('shows pictures of the film at the seek bar', async () => {
    const storyboard = { intervalSeconds: 30, pictures: 2, columns: 2, rows: 1 };
    const file = { fileName: 'tiles', fileExtension: 'png', type: 'image', content: tiles, width: 320, height: 90 };
    const film = await aStream({
      renditions: { ...rungs, Tiles: { ...file, storyboard, format: { usage: 'preview' } } },
      delivers: Object.keys(rungs),
      configuration: { securitySettings: { authOnly: false, matchReferer: ['127.0.0.1'] } },
    });
    await stage.open(LARGE_SCREEN);
    await stage.page.setExtraHTTPHeaders({ referer: 'http://127.0.0.1/' });
    await stage.page.goto(stage.urlOf(film));
    await stage.until(`${MEDIA}.readyState >= 1`);
    const picture = stage.page.waitForResponse((response) => response.url().includes('/renditions/') && response.ok());
    await stage.page.locator('media-time-range').hover();
    expect((await picture).headers()['content-type']).toBe('image/png');
    await takePicture(stage.page, 'stream storyboard');
    expect(stage.complaints).toEqual([]);
  });

  it('plays with the browser’s own controls where the template is minimal', async () => {
    await stage.show(await aStream({ configuration: { templateId: 2 } }), LARGE_SCREEN);
    await stage.play();
    await isWidth(640);
    expect((await stage.state()).currentSrc).toMatch(/^blob:/);
    expect(await stage.page.evaluate(`[${MEDIA}.controls, document.querySelectorAll('media-controller').length]`)).toEqual([true, 0]);
    expect(stage.complaints).toEqual([]);
  });
});

describe('without Media Source Extensions', () => {
  it.each([
    ['the browser plays the stream', 'maybe', /master\.m3u8/],
    ['the browser plays the file, if it cannot play streams', '', /deliverFile/],
  ])('%s', async (_, answer, expected) => {
    await stage.open(LARGE_SCREEN);
    await stage.page.addInitScript(`
      delete window.MediaSource; delete window.ManagedMediaSource;
      const { canPlayType } = HTMLMediaElement.prototype;
      HTMLMediaElement.prototype.canPlayType = function (type) {
        return type === 'application/vnd.apple.mpegurl' ? '${answer}' : canPlayType.call(this, type);
      };`);
    await stage.page.goto(stage.urlOf(await aStream(subtitled({ behaviour: 3 }))));
    await stage.play();
    expect((await stage.state()).currentSrc).toMatch(expected);
    await stage.until(`[...${MEDIA}.textTracks].filter(({ mode }) => mode === 'showing').length === 1`);
    expect(await stage.page.evaluate(`[...${MEDIA}.textTracks].map(({ label }) => label).sort()`)).toEqual(['Deutsch', 'English']);
  });
});

describe('a film that plays', () => {
  const message = (text: string) => stage.page.getByText(text);

  it('stops at the next segment when a rule was tightened, and continues when it was loosened', async () => {
    const film = await aStream();
    await stage.show(film, LARGE_SCREEN);
    await stage.play();
    const rule = (ipWhiteList: unknown) => ({
      formats: film.configuration.formats,
      securitySettings: { authOnly: false, ipWhiteList },
    });
    const change = async (ipWhiteList: unknown) =>
      await stage.publisher.send(`playerconfiguration/${film.configuration.id}`, 'PUT', rule(ipWhiteList));
    await change([{ cidr: '203.0.113.0/24', type: 'ipv4' }]);
    await stage.page.evaluate(`${MEDIA}.currentTime = 40`);
    await stage.page.getByRole('alert').getByText('ip_not_allowed').waitFor();
    expect(await stage.page.locator('video').count()).toBe(0);
    await takePicture(stage.page, 'stream stopped');
    await change(null);
    await stage.page.getByRole('button', { name: 'Try again' }).click();
    await stage.play();
    await isWidth(640);
    expect(stage.complaints).toEqual([]);
  });

  const signedIn = { configuration: { securitySettings: { authOnly: true, auth: { enabled: true } } } };
  const onePlay = { securitySettings: { authOnly: false, bandwidthControl: [{ cidr: '127.0.0.0/8', type: 'parallel', limit: 1 }] } };
  const endLink = async ({ containerId }: Embed) => await stage.publisher.send(`mediacontainer/${containerId}`, 'DELETE');
  const revoke = async (_: Embed, token: string) =>
    await stage.app.app.get(TokenStatesService).revoke(String(decodeJwt(token).jti), new Date(Date.now() + 3_600_000));
  const usePlays = async () => await stage.app.app.get(Database).query(`UPDATE playback_leases SET viewer = '127.0.0.9'`);

  it.each<[string, () => Promise<Embed>, (film: Embed, token: string) => Promise<unknown>, string]>([
    ['a stream whose link has ended', () => aStream(), endLink, 'This link is no longer available.'],
    ['a file whose link has ended', () => stage.embed(), endLink, 'This link is no longer available.'],
    ['a stream of a viewer whose token was revoked', () => aStream(signedIn), revoke, 'Sign in to see this.'],
    ['a stream whose plays are used up', () => aStream({ configuration: onePlay }), usePlays, 'Too many people in your network'],
  ])('stops within 30 seconds, although everything is loaded: %s', async (_, make, change, reason) => {
    const film = await make();
    const token = await tokenOf(stage.app, stage.publisher.user);
    await stage.open(LARGE_SCREEN);
    await stage.page.clock.install();
    await stage.page.route(stage.urlOf(film), async (route, request) => {
      await route.continue({ headers: { ...request.headers(), authorization: `Bearer ${token}` } });
    });
    await stage.page.goto(stage.urlOf(film));
    await stage.until(`${MEDIA}.readyState >= 1`);
    await stage.page.evaluate(`Object.assign(${MEDIA}, { loop: true }).play()`);
    await stage.until(`${MEDIA}.currentTime > 0.3`);
    await change(film, token);
    await stage.page.clock.fastForward(21_000);
    await message(reason).waitFor();
    expect(await stage.page.locator('video').count()).toBe(0);
  });

  it('says that the connection is interrupted, and continues as soon as it is back', async () => {
    await stage.show(await aStream(), LARGE_SCREEN);
    await stage.play();
    await stage.context?.setOffline(true);
    await stage.page.evaluate(`${MEDIA}.currentTime = 45`);
    await message('The connection is interrupted.').waitFor();
    await takePicture(stage.page, 'stream interrupted');
    expect(await message('The connection is interrupted.').isVisible()).toBe(true);
    await stage.context?.setOffline(false);
    await stage.until(`${MEDIA}.currentTime > 45.3 && !${MEDIA}.paused`);
    expect(await stage.page.locator('#trouble').isHidden()).toBe(true);
  });
});

describe('a film of several sounds', () => {
  /** The frequency in hertz that is heard, with a step of 12. */
  const HEARD = `(() => {
    const heard = (globalThis.heard ??= (() => {
      const audio = new AudioContext();
      const analyser = new AnalyserNode(audio, { fftSize: 4096 });
      audio.createMediaElementSource(${MEDIA}).connect(analyser).connect(audio.destination);
      return { analyser, levels: new Uint8Array(analyser.frequencyBinCount), step: audio.sampleRate / 4096 };
    })());
    heard.analyser.getByteFrequencyData(heard.levels);
    return heard.levels.indexOf(Math.max(...heard.levels)) * heard.step;
  })()`;
  const hears = async (tone: number) => await stage.until(`Math.abs(${HEARD} - ${tone}) < 20`);

  const aFilmOfSounds = async (): Promise<Embed> => {
    const tones = [
      { tone: 400, language: 'en', label: 'English' },
      { tone: 800, language: 'de', label: 'Deutsch: Kino' },
    ] as const;
    const [english, german] = await Promise.all(
      tones.map(async ({ tone, ...track }, index) =>
        asSound(await encodeRung({ height: null, seconds: 20, tone }), { ...track, isDefault: index === 0 }),
      ),
    );
    if (!english || !german) throw new Error('There are two sounds.');
    const silent = withoutSound(await encodeRung({ height: 180, seconds: 20, tone: null }));
    const film = await aStream({ ...subtitled({ behaviour: 4 }), renditions: { Picture: silent, Sounds: english } });
    await addRendition(stage.app, { ...german, containerId: film.containerId, formatId: film.formatIds.Sounds ?? 0 });
    return film;
  };

  it('changes its sound while it plays, and its subtitles, by keyboard alone, and remembers the sound', async () => {
    const film = await aFilmOfSounds();
    await stage.show(film, LARGE_SCREEN);
    await stage.play();
    await hears(400);
    const { keyboard } = stage.page;
    const open = async (name: string, menu: string) => {
      await stage.page.getByRole('button', { name, exact: true }).focus();
      await keyboard.press('Enter');
      await stage.until(`document.activeElement.localName === '${menu}'`);
    };
    await open('Audio', 'media-audio-track-menu');
    const items = stage.page.getByRole('menuitemradio');
    expect(await items.allTextContents()).toEqual(['English', 'Deutsch: Kino']);
    expect(await items.evaluateAll((all) => all.map((item) => item.getAttribute('aria-checked')))).toEqual(['true', 'false']);
    await takePicture(stage.page, 'stream sounds');
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await hears(800);
    expect((await stage.state()).paused).toBe(false);
    await stage.until(`${FOCUSED} === 'Audio'`);
    await open('closed captions', 'media-captions-menu');
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await stage.until(`[...${MEDIA}.textTracks].some(({ mode }) => mode === 'showing')`);
    await open('Audio', 'media-audio-track-menu');
    await keyboard.press('Escape');
    await stage.until(`${FOCUSED} === 'Audio'`);
    await stage.page.reload();
    await stage.play();
    await hears(800);
    expect(stage.complaints).toEqual([]);
  });
});

describe('the controls', () => {
  it('are used by keyboard alone', async () => {
    await stage.show(await aStream(subtitled({ behaviour: 4 })), LARGE_SCREEN);
    await stage.play();
    await stage.page.evaluate(`${MEDIA}.pause()`);
    await stage.page.getByRole('button', { name: 'play', exact: true }).first().waitFor(); // the controls know it
    const { keyboard } = stage.page;
    const names: string[] = [];
    for (let count = 0; count < 12 && names.at(-1) !== 'Share'; count += 1) {
      await keyboard.press('Tab');
      names.push(String(await stage.page.evaluate(FOCUSED)));
    }
    const expected = ['seek', 'play', 'mute', 'volume', 'closed captions', 'Playback rate 1', 'quality', 'enter fullscreen mode', 'Share'];
    expect(names.filter((name) => expected.includes(name))).toEqual(expected);
    const tabTo = async (wanted: string) => {
      for (let count = 0; count < 20 && (await stage.page.evaluate(FOCUSED)) !== wanted; count += 1) await keyboard.press('Shift+Tab');
      expect(await stage.page.evaluate(FOCUSED)).toBe(wanted);
    };
    await tabTo('quality');
    await keyboard.press('Enter');
    await stage.until(`document.activeElement.localName === 'media-rendition-menu'`);
    await takePicture(stage.page, 'stream keyboard');
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await stage.until(`[...${MEDIA}.videoRenditions][${MEDIA}.videoRenditions.selectedIndex]?.height === 180`);
    await tabTo('closed captions');
    await keyboard.press('Enter');
    await stage.until(`document.activeElement.id === 'captions'`);
    await keyboard.press('Escape');
    await stage.until(`${FOCUSED} === 'closed captions'`);
    await tabTo('play');
    await keyboard.press('Space');
    await stage.until(`!${MEDIA}.paused && ${FOCUSED} === 'pause'`); // the controls know it, too
    await keyboard.press('k');
    await stage.until(`${MEDIA}.paused`);
    await tabTo('seek');
    await keyboard.press('End');
    await stage.until(`${MEDIA}.currentTime > 55`);
    expect(stage.complaints).toEqual([]);
  });

  it.each([
    ['desktop light', { ...LARGE_SCREEN, colorScheme: 'light' }],
    ['phone dark', { viewport: { width: 375, height: 667 }, colorScheme: 'dark' }],
  ] as const)('have names, contrast and size: %s', async (name, options) => {
    const chapters = { role: 'chapters', language: 'en', fileName: 'chapters', fileExtension: 'vtt', content: CHAPTERS };
    const { beside = [], configuration } = subtitled({ behaviour: 3 });
    await stage.show(await aStream({ beside: [...beside, chapters], configuration, downloadable: Object.keys(rungs) }), options);
    await stage.play();
    await stage.page.getByRole('button', { name: 'chapters' }).waitFor();
    await stage.page.evaluate(`${MEDIA}.pause()`);
    expect(await seriousFindings(stage.page)).toEqual([]);
    for (const button of await stage.page.locator('media-control-bar [role="button"]:visible').all()) {
      const box = await button.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(24); // success criterion 2.5.8
    }
    expect(await stage.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await takePicture(stage.page, `stream ${name}`);
  });
});

describe('the statistics of a stream', () => {
  interface Figures {
    readonly plays: number;
    readonly watchedSeconds: number;
    readonly finished: number;
  }
  const get = async <Body>(path: string) => (await call<Body>(`${stage.app.url}/v5/${path}`, { token: stage.publisher.token })).body;
  /** The figures of a film once they are these, and how much of it was seen: the first and the last hundredth of each part. */
  const figuresOf = async ({ containerId }: Embed, areThese: (figures: Figures) => boolean) => {
    const figures: Figures | null = await eventually(async () => {
      await stage.app.app.get(CountingService).writeAll();
      const [row] = await get<Figures[]>(`statistics?mediaContainer=${containerId}`);
      return row && areThese(row) ? row : null;
    });
    const retention = await get<number[]>(`mediacontainer/${containerId}/retention`);
    const edges = retention.flatMap((share, index) => (share !== (retention[index - 1] ?? 0) ? [index] : []));
    if (!figures) throw new Error('The film has no figures.');
    return { ...figures, edges };
  };

  it('are what the page has played: twelve seconds, a jump, a moment, and the viewer leaves', async () => {
    const film = await aStream();
    await stage.show(film);
    await stage.play();
    await stage.until(`${MEDIA}.currentTime >= 11`);
    await stage.page.evaluate(`${MEDIA}.currentTime = 40`);
    await stage.until(`!${MEDIA}.seeking && ${MEDIA}.currentTime > 41`);
    await stage.page.goto('about:blank');
    const { plays, finished, watchedSeconds, edges } = await figuresOf(film, (row) => row.watchedSeconds > 8);
    expect([plays, finished]).toEqual([1, 0]);
    expect(Math.abs(watchedSeconds - 12)).toBeLessThanOrEqual(2);
    const [begin = -1, jump = -1, land = -1, end = -1] = edges; // a hundredth is 0.6 seconds
    expect([begin, land, edges.length]).toEqual([0, expect.any(Number), 4]);
    expect(Math.abs(jump - 18.3)).toBeLessThanOrEqual(2);
    expect(Math.abs(land - 66.7)).toBeLessThanOrEqual(1);
    expect(Math.abs(end - 68.7)).toBeLessThanOrEqual(2);
    expect(stage.complaints).toEqual([]);
  });

  it('count a player that reports nothing by what it fetches', async () => {
    const film = await aStream();
    const playlist = `${stage.urlOf(film)}/master.m3u8`;
    const { code, output } = await runDebianProgram(
      'ffmpeg',
      ['-v', 'error', '-http_persistent', '0', '-i', playlist, '-map', '0:v:0', '-c', 'copy', '-f', 'null', '-'],
      { cwd: tmpdir() },
    );
    expect([code, output]).toEqual([0, '']);
    const { plays, watchedSeconds, finished, edges } = await figuresOf(film, (row) => row.finished === 1);
    expect({ plays, watchedSeconds, finished, edges }).toEqual({ plays: 1, watchedSeconds: 60, finished: 1, edges: [0] });
  });
});
