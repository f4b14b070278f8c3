import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Frame, Page } from 'playwright-core';
import { startTestApp, type TestApp } from '../app/test-app.js';
import { anEmbed, type Embed, type NewEmbed } from '../delivery/embeds.js';
import { aPublisher, type Publisher } from '../delivery/player-configurations.js';
import { eventually } from '../eventually.js';
import { startTestStorage, type TestStorage } from '../storage/storage.js';
import { complaintsOf, launchChromium } from './chromium.js';
import { aFilm, PLAYS_BY_ITSELF } from './small-media.js';

/** How long the films are. */
export const SECONDS = 4;
/** Rules name domains, so the site around a frame needs one. */
export const SHOP = 'shop.example';
/** The media element of the page, for scripts that are evaluated there. */
export const MEDIA = `document.querySelector('#media')`;

const VTT = 'WEBVTT\n\n00:00.000 --> 00:10.000\nGood evening\n';
const SRT = '1\n00:00:00,000 --> 00:00:10,000\nGuten Abend\n';

/** What the media element says of itself. */
interface MediaState {
  readonly currentTime: number;
  readonly duration: number;
  readonly paused: boolean;
  readonly readyState: number;
  readonly videoWidth: number;
  readonly currentSrc: string;
  readonly playbackRate: number;
  readonly error: string | null;
}

/** The player page in Chromium, with two films. Each test has a page of its own. */
export class EmbedPageStage {
  storage: TestStorage;
  app: TestApp;
  publisher: Publisher;
  browser: Browser;
  /** 640 x 360 and 320 x 180. */
  large: Buffer;
  small: Buffer;
  context: BrowserContext | undefined;
  page: Page;
  /** What Chromium complains of. */
  complaints: string[];

  /** `browserArguments`: beside those of all pages. */
  constructor(private readonly browserArguments: readonly string[] = []) {}

  async start(): Promise<void> {
    this.storage = await startTestStorage();
    [this.app, this.browser] = await Promise.all([
      startTestApp(this.storage.settings),
      launchChromium([...PLAYS_BY_ITSELF, `--host-resolver-rules=MAP ${SHOP} 127.0.0.1`, ...this.browserArguments]),
    ]);
    this.publisher = await aPublisher(this.app);
    [this.large, this.small] = await Promise.all([
      aFilm({ width: 640, height: 360, seconds: SECONDS }),
      aFilm({ width: 320, height: 180, seconds: SECONDS }),
    ]);
  }

  async stop(): Promise<void> {
    await this.browser?.close();
    await this.app?.close();
    await this.storage?.close();
  }

  async closePage(): Promise<void> {
    await this.context?.close();
    this.context = undefined;
  }

  film(more: Partial<NewEmbed> = {}): NewEmbed {
    const file = { fileName: 'evening', fileExtension: 'webm', duration: SECONDS };
    return {
      type: 'video',
      original: { fileName: 'An evening at the river.webm', content: this.large },
      renditions: {
        Large: { ...file, content: this.large, width: 640, height: 360 },
        Small: { ...file, content: this.small, width: 320, height: 180 },
      },
      ...more,
    };
  }

  async embed(wanted: NewEmbed = this.film()): Promise<Embed> {
    return await anEmbed(this.app, this.publisher, wanted);
  }

  urlOf({ link }: Embed): string {
    return `${this.app.url}/v5/deliverEmbed/${link}`;
  }

  async open(options: BrowserContextOptions = {}): Promise<void> {
    await this.closePage();
    this.context = await this.browser.newContext(options);
    this.page = await this.context.newPage();
    this.complaints = complaintsOf(this.page);
  }

  async visit(url: string, options?: BrowserContextOptions): Promise<void> {
    await this.open(options);
    await this.page.goto(url);
  }

  async show(embed: Embed, options?: BrowserContextOptions): Promise<void> {
    await this.visit(this.urlOf(embed), options);
  }

  async state(where: Page | Frame = this.page): Promise<MediaState> {
    return await where.evaluate(`(({ currentTime, duration, paused, readyState, videoWidth, currentSrc, playbackRate, error }) =>
      ({ currentTime, duration, paused, readyState, videoWidth, currentSrc, playbackRate, error: error && error.message }))(${MEDIA})`);
  }

  /** By polling, because the policy of the page does not permit evaluating a string within it. A page that is just loaded again counts as not yet. */
  async until(condition: string, where: Page | Frame = this.page): Promise<void> {
    await eventually(async () => (await where.evaluate(condition).catch(() => false)) === true);
  }

  /** Chooses an item of a menu of the controls. */
  async choose(menu: 'closed captions' | 'quality' | 'Playback rate', item: string, where: Page | Frame = this.page): Promise<void> {
    await where.getByRole('button', { name: menu }).click();
    await where.getByRole('menuitemradio', { name: item }).click();
  }

  async play(where: Page | Frame = this.page): Promise<void> {
    await this.until(`${MEDIA}.readyState >= 1`, where);
    await where.evaluate(`${MEDIA}.play()`);
    await this.until(`${MEDIA}.currentTime > 0.3`, where);
  }
}

/** Two tracks beside a film, one of each kind. */
export const subtitled = (subtitle: object): Partial<NewEmbed> => ({
  beside: [
    { fileName: 'evening.en', fileExtension: 'vtt', language: 'en', content: VTT },
    { fileName: 'evening_ger', fileExtension: 'srt', language: 'de', content: SRT },
  ],
  configuration: { settings: { subtitle } },
});

/** The stage of a test file: it stands before the first test and is gone after the last. */
export function stageEmbedPages(browserArguments?: readonly string[]): EmbedPageStage {
  const stage = new EmbedPageStage(browserArguments);
  beforeAll(async () => await stage.start());
  afterAll(async () => await stage.stop());
  afterEach(async () => await stage.closePage());
  return stage;
}
