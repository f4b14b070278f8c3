import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import type { Browser, Page } from 'playwright-core';
import { STREAMED_PRESET } from '../corpus/by-turns.js';
import { DAMAGED_FILMS } from '../corpus/damaged-films.js';
import { type CorpusFilm, FILMS } from '../corpus/films.js';
import { makeFilm } from '../corpus/make-file.js';
import { launchChromium } from '../support/browser/chromium.js';
import { type Site, startSite } from '../support/browser/site.js';
import { PLAYS_BY_ITSELF } from '../support/browser/small-media.js';
import { useExecutionStage } from '../support/converter/execution-stage.js';
import { stageDeliverEmbed } from '../support/delivery/deliver-embed-stage.js';
import { retryInCi } from '../support/retries.js';

retryInCi('Chromium decodes films on the processor alone: on a busy machine it drops frames and stalls.');

/** Chromium stretches sound up to this rate, and a gap in the stream stops it at any rate. */
const RATE = 4;
/** The longest film takes three seconds; ten times that when the machine is busy. */
const MAX_WAIT_MS = 30_000;
/** Two frames of 25 a second. */
const FRAMES = 0.081;
/** The smallest sample of a tone of the corpus, which ffmpeg makes with an amplitude of 1/8, that is certainly no silence. */
const AUDIBLE = 0.02;
/** Programs that convert at the same time: as many as the machines of this project's CI have cores. */
const AT_ONCE = 2;
/** Films of which only the colours are special are the same to a player; the others are twenty and more. */
const PLAYED = [...FILMS.filter(({ color, isHdr }) => !color && !isHdr), ...DAMAGED_FILMS];

const maker = useExecutionStage();
const stage = stageDeliverEmbed();
/** The addresses of the playlists, by the names of the films. */
const playlists = new Map<string, Promise<string>>();
let browser: Browser;
let site: Site;
let page: Page;

beforeAll(async () => {
  const html = '<title>Films</title><video playsinline crossorigin="anonymous" style="width:426px"></video>';
  [browser, site] = await Promise.all([launchChromium(PLAYS_BY_ITSELF), startSite('127.0.0.1', () => ({ html }))]);
  const format = await maker.blueprint('streaming-240p', { parameters: { preset: STREAMED_PRESET } });
  const limit = pLimit(AT_ONCE);
  for (const film of PLAYED) playlists.set(film.name, limit(publish, film, format));
  await Promise.allSettled(playlists.values());
  page = await browser.newPage();
  await page.goto(site.origin);
  await page.addScriptTag({ path: createRequire(import.meta.url).resolve('hls.js/dist/hls.min.js') });
  await page.evaluate(LISTEN);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** Makes a film and its streaming rendition; returns the address of its playlist. */
async function publish(film: CorpusFilm, format: number): Promise<string> {
  const { file, rendition } = await maker.make({ file: await makeFilm(maker.folder, film), fileExtension: film.extension }, format);
  const { facts, fileExtension, streaming } = rendition;
  if (!streaming) throw new Error('It is no streaming rendition.');
  const described = { fileName: 'film', fileExtension, width: facts.width ?? 0, height: facts.height ?? 0, duration: facts.duration ?? 0 };
  const rung = { ...described, type: 'video', codec: 'h264', content: await readFile(file), streaming };
  const { link } = await stage.embed({
    ...{ type: 'video', original: { fileName: 'film.mov', content: 'original' } },
    renditions: { 'Streaming 240p': rung },
  });
  return `${stage.app.url}/v5/deliverEmbed/${link}/master.m3u8`;
}

/** Connects the loudspeakers of the page with a meter. */
const LISTEN = `(() => {
  const context = new AudioContext();
  window.meter = new AnalyserNode(context);
  context.createMediaElementSource(document.querySelector('video')).connect(meter).connect(context.destination);
})()`;

interface Play {
  /** How it ended: `ended`, an error of the player, or `never`. */
  readonly end: string;
  /** Seconds at which the film stood still because what follows was missing. */
  readonly stalls: readonly number[];
  /** The periods that can be played, in seconds: one, unless there are gaps. */
  readonly buffered: readonly (readonly [start: number, end: number])[];
  readonly position: number;
  readonly duration: number;
  readonly aspect: number;
  /** The largest sample that was heard, from 0 to 1. */
  readonly loudest: number;
}

/** Loads a film to its end, then plays it from its first second to its last. */
const playScript = (url: string) => `new Promise((resolve) => {
  const film = document.querySelector('video');
  const hls = new Hls();
  const [stalls, samples, done] = [[], new Float32Array(meter.fftSize), new AbortController()];
  let loudest = 0;
  const buffered = () => [...Array(film.buffered.length).keys()].map((index) => [film.buffered.start(index), film.buffered.end(index)]);
  const isBuffered = (time) => buffered().some(([start, end]) => start <= time && time < end);
  const listen = () => {
    if (done.signal.aborted) return;
    meter.getFloatTimeDomainData(samples);
    loudest = Math.max(loudest, ...samples);
    requestAnimationFrame(listen);
  };
  const finish = (end) => {
    if (done.signal.aborted) return;
    done.abort();
    const { currentTime: position, duration, videoWidth, videoHeight } = film;
    const play = { end, stalls, buffered: buffered(), position, duration, aspect: videoWidth / videoHeight, loudest };
    hls.destroy();
    resolve(play);
  };
  const on = (event, listener) => film.addEventListener(event, listener, { signal: done.signal });
  on('ended', () => finish('ended'));
  on('waiting', () => isBuffered(film.currentTime + ${FRAMES}) || stalls.push(film.currentTime));
  hls.on(Hls.Events.ERROR, (event, { fatal, details }) => fatal && finish(details));
  hls.on(Hls.Events.BUFFERED_TO_END, () => {
    film.playbackRate = ${RATE};
    film.play();
    listen();
  });
  hls.loadSource(${JSON.stringify(url)});
  hls.attachMedia(film);
  setTimeout(() => finish('never'), ${MAX_WAIT_MS});
})`;

describe('Chromium', () => {
  it.each(PLAYED)('plays to its end without a stall: $name', async (film) => {
    const url = (await playlists.get(film.name)) ?? '';
    const { buffered, position, duration, aspect, loudest, ...play } = (await page.evaluate(playScript(url))) as Play;
    expect(play).toEqual({ end: 'ended', stalls: [] });
    expect(buffered).toHaveLength(1);
    const seconds = film.seconds ?? duration;
    expect([position, duration, buffered[0]?.[1]].map((end = 0) => Math.abs(end - seconds) < FRAMES)).toEqual([true, true, true]);
    expect(Math.abs(aspect - film.aspect)).toBeLessThan(0.02);
    expect(loudest > AUDIBLE).toBe(film.hasSound !== false);
  });
});
