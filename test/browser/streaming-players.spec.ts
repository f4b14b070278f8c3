import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../support/browser/chromium.js';
import { type Site, startSite } from '../support/browser/site.js';
import { PLAYS_BY_ITSELF } from '../support/browser/small-media.js';
import { stageDeliverEmbed } from '../support/delivery/deliver-embed-stage.js';
import type { Embed } from '../support/delivery/embeds.js';
import { eventually } from '../support/eventually.js';
import { encodeRung } from '../support/media/streaming.js';
import { retryInCi } from '../support/retries.js';

retryInCi('Players choose a quality by the speed of the line, which they measure while they decode on the processor alone.');

const SECONDS = 48;
/** Lines of the picture, and kbit/s besides 32 of sound. */
const RUNGS = [
  { height: 360, kbit: 1_200 },
  { height: 270, kbit: 600 },
  { height: 180, kbit: 200 },
];
const [TOP, BOTTOM] = [360, 180];
/** kbit/s of the line: many times what the best rendition needs, and far below the second. */
const [FAST, SLOW] = [12_000, 400];

interface Player {
  /** Of a package; null: the browser itself. */
  readonly file: string | null;
  /** A script that starts the player on `film` with the playlist `url`; its settings are those by which sites shorten the time to a decision. */
  readonly start: string;
}

const PLAYERS: Readonly<Record<string, Player>> = {
  'hls.js': {
    file: 'hls.js/dist/hls.min.js',
    start: `
      const hls = new Hls({ maxBufferLength: 4, maxBufferSize: 0, abrEwmaFastVoD: 1, abrEwmaSlowVoD: 1 });
      hls.on(Hls.Events.ERROR, (event, { fatal, details }) => fatal && problems.push(details));
      hls.loadSource(url);
      hls.attachMedia(film);`,
  },
  'Shaka Player': {
    file: 'shaka-player/dist/shaka-player.compiled.js',
    start: `
      const player = new shaka.Player();
      player.addEventListener('error', ({ detail }) => problems.push('error ' + detail.code));
      player.configure({
        streaming: { bufferingGoal: 4, rebufferingGoal: 1 },
        abr: { useNetworkInformation: false, switchInterval: 1, advanced: { fastHalfLife: 1, slowHalfLife: 1 } },
      });
      player.attach(film).then(() => player.load(url)).catch(({ code, message }) => problems.push('load ' + (code ?? message)));`,
  },
  'the player of Chromium': {
    file: null,
    start: `
      film.addEventListener('error', () => problems.push(film.error.message));
      film.src = url;`,
  },
};
/** A change takes some seconds, several times that when the machine is busy. */
const CHANGE_MS = 60_000;

/** With the features that Playwright disables by default, Chromium does not throttle requests for ranges. */
const CHROMIUM = [...PLAYS_BY_ITSELF, '--disable-features=None'];

const stage = stageDeliverEmbed();
let browser: Browser;
let site: Site;
let film: Embed;

beforeAll(async () => {
  const page = '<title>Films</title><video id="film" autoplay muted playsinline crossorigin="anonymous" style="width:640px"></video>';
  [browser, site] = await Promise.all([launchChromium(CHROMIUM), startSite('127.0.0.1', () => ({ html: page }))]);
  const rungs = await Promise.all(RUNGS.map(async (rung) => await encodeRung({ ...rung, seconds: SECONDS })));
  film = await stage.embed({
    type: 'video',
    original: { fileName: 'river.mov', content: 'original' },
    renditions: Object.fromEntries(rungs.map((rung) => [String(rung.height), rung])),
  });
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** A viewer on a page of another origin than the service. */
class Viewer {
  /** The requests for playlists (`360 m3u8`) and segments (`360 mp4`) of renditions so far. */
  readonly requests: string[] = [];

  private constructor(
    private readonly page: Page,
    private readonly throttle: (kbit: number) => Promise<void>,
  ) {
    const names = new Map(Object.entries(film.mediaIds).map(([name, id]) => [String(id), name]));
    page.on('request', (request) => {
      const [, id = '', extension] = /\/media\/(\d+)\.(m3u8|mp4)/.exec(request.url()) ?? [];
      if (extension) this.requests.push(`${names.get(id)} ${extension}`);
    });
  }

  static async watch({ file, start }: Player): Promise<Viewer> {
    const page = await browser.newPage();
    await page.goto(site.origin);
    if (file) await page.addScriptTag({ path: createRequire(import.meta.url).resolve(file) });
    const line = await page.context().newCDPSession(page);
    await line.send('Network.enable');
    const viewer = new Viewer(page, async (kbit) => {
      const conditions = { offline: false, latency: 20, uploadThroughput: -1, downloadThroughput: (kbit * 1_000) / 8 };
      await line.send('Network.emulateNetworkConditions', conditions);
    });
    await viewer.hasLine(FAST);
    const url = `${stage.app.url}/v5/deliverEmbed/${film.link}/master.m3u8`;
    await page.evaluate(`(() => {
      window.film = document.querySelector('#film');
      window.problems = [];
      const url = ${JSON.stringify(url)};
      ${start}
    })()`);
    return viewer;
  }

  async hasLine(kbit: number): Promise<void> {
    await this.throttle(kbit);
  }

  /** Waits until the picture has so many lines, or the player has given up. */
  async sees(height: number): Promise<void> {
    const seen = await eventually(async () => {
      const state = await this.read<{ lines: number; problems: string[] }>('({ lines: film.videoHeight, problems })');
      return (state.lines === height || state.problems.length > 0) && state;
    }, CHANGE_MS);
    expect(seen).toEqual({ lines: height, problems: [] });
  }

  async read<Value>(script: string): Promise<Value> {
    return (await this.page.evaluate(script)) as Value;
  }

  async close(): Promise<void> {
    await this.page.close();
  }
}

describe('a page of another origin', () => {
  it.each(Object.entries(PLAYERS))(
    'plays a film with %s, whose quality goes down on a slow line and up again',
    async (_, player) => {
      const viewer = await Viewer.watch(player);
      await viewer.sees(TOP);
      await viewer.hasLine(SLOW);
      await viewer.sees(BOTTOM);
      const soFar = viewer.requests.length;
      await viewer.hasLine(FAST);
      await viewer.sees(TOP);
      const both = [`${TOP} m3u8`, `${TOP} mp4`, `${BOTTOM} m3u8`, `${BOTTOM} mp4`];
      expect(viewer.requests.slice(0, soFar)).toEqual(expect.arrayContaining(both));
      expect(viewer.requests.slice(soFar)).toContain(`${TOP} mp4`);
      await viewer.close();
    },
    3 * CHANGE_MS,
  );
});
