import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { FormatSettings } from '../../src/modules/formats/index.js';
import { DAMAGED_FILMS, REFUSED_FILMS } from '../corpus/damaged-films.js';
import { type CorpusFilm, FILMS, WIDE } from '../corpus/films.js';
import { makeFilm, type Rgb } from '../corpus/make-file.js';
import { colorDistance, combsOf, filmColor, loudnessOf, mediainfo, pictureColor, pitchOf, timesOf } from '../corpus/measure.js';
import { type CorpusSound, SOUNDS } from '../corpus/sounds.js';
import { useExecutionStage } from '../support/converter/execution-stage.js';

const stage = useExecutionStage();
afterEach(() => expect(stage.leftovers()).toEqual([]));

/** Two frames of 25 a second: one that is rounded, and the one by which the sound of an encoder is longer. */
const FRAMES = 0.081;
/** CIE 1976: little more than what people notice. */
const NOTICED = 3;

/** How long a film is, by what is left of it. */
async function lengthOf(file: string): Promise<number> {
  const streams = [await timesOf(file, 'v'), await timesOf(file, 'a')].filter((times) => times !== null);
  return Math.max(...streams.map(({ end }) => end)) - Math.min(...streams.map(({ start }) => start));
}

async function checkTimes(file: string, film: CorpusFilm, seconds: number): Promise<void> {
  const [picture, sound] = [await timesOf(file, 'v'), await timesOf(file, 'a')];
  expect(picture?.start).toBeCloseTo(0, 1);
  expect(Math.abs((picture?.end ?? 0) - seconds)).toBeLessThanOrEqual(FRAMES);
  if (film.hasSound === false) return expect(sound).toBeNull();
  expect(sound?.start).toBeCloseTo(0, 1);
  expect(Math.abs((sound?.end ?? 0) - seconds)).toBeLessThanOrEqual(FRAMES);
}

const SHOWN = ['PixelAspectRatio', 'ScanType', 'BitDepth', 'ChromaSubsampling'];

async function checkFilm(file: string, film: CorpusFilm, seconds: number): Promise<void> {
  await checkTimes(file, film, seconds);
  const [width, height, ...picture] = await mediainfo(file, 'Video', 'Width', 'Height', ...SHOWN);
  expect(Math.abs(Number(width) / Number(height) - film.aspect)).toBeLessThan(0.02);
  expect(picture).toEqual(['1.000', 'Progressive', '8', '4:2:0']);
  if (film.color) expect(colorDistance(await filmColor(file), film.color)).toBeLessThanOrEqual(NOTICED);
  if (film.isHdr) expectWhite(await filmColor(file));
  if (film.isInterlaced) expect(await combsOf(file)).toBeLessThan(0.1);
  if (film.pitch) expect(Math.abs((await pitchOf(file)) - film.pitch)).toBeLessThan(50);
}

/** White of 203 nits is below the brightest that a screen can show, and has no tint. */
function expectWhite(color: Rgb): void {
  expect(Math.min(...color)).toBeGreaterThan(150);
  expect(Math.max(...color) - Math.min(...color)).toBeLessThan(6);
}

async function checkPicture(file: string, film: CorpusFilm): Promise<void> {
  if (film.color) expect(colorDistance(await pictureColor(file), film.color)).toBeLessThanOrEqual(NOTICED);
  if (film.isHdr) expectWhite(await pictureColor(file));
}

/** The formats that are sound only. */
const SOUND_BLUEPRINTS = ['video-sound', 'streaming-audio'];

async function checkSound(file: string, film: CorpusFilm, seconds: number): Promise<void> {
  const sound = await timesOf(file, 'a');
  expect(sound?.start).toBeCloseTo(0, 1);
  expect(Math.abs((sound?.end ?? 0) - seconds)).toBeLessThanOrEqual(FRAMES);
  expect(await timesOf(file, 'v')).toBeNull();
  if (film.pitch) expect(Math.abs((await pitchOf(file)) - film.pitch)).toBeLessThan(50);
}

/** Whether the picture of a film is other than that of the test film, so that each format has to convert it. */
const isConverted = ({ color, isHdr, isInterlaced, aspect }: CorpusFilm): boolean =>
  Boolean(color || isHdr || isInterlaced) || aspect !== WIDE;

/** LU: a mix of surround sound may differ by as much, because speakers at the back count more (ITU-R BS.1770). */
const LOUDER = 1.5;

describe.each(SOUNDS)('$name', (sound: CorpusSound) => {
  it('sounds and lasts as it did, and tells nothing about its author', async () => {
    const file = await makeFilm(stage.folder, sound);
    const loudness = await loudnessOf(file);
    for (const key of ['mp3', 'aac', 'opus', 'streaming-audio']) {
      const original = { file, type: 'audio', fileExtension: sound.extension };
      const { file: made, source } = await stage.make(original, await stage.blueprint(key));
      const times = await timesOf(made, 'a');
      expect(Math.abs((times?.end ?? 0) - sound.seconds)).toBeLessThan(0.1);
      expect(Math.abs((source.facts.duration ?? 0) - sound.seconds)).toBeLessThan(0.1);
      expect(Math.abs((await loudnessOf(made)) - loudness)).toBeLessThan(LOUDER);
      expect(await timesOf(made, 'v')).toBeNull();
      const bytes = readFileSync(made).toString('latin1');
      for (const secret of sound.secrets ?? []) expect(bytes).not.toContain(secret);
    }
  });
});

describe.each([...FILMS, ...DAMAGED_FILMS])('$name', (film) => {
  it('looks, sounds and lasts as it did, in files, streaming renditions, a poster and drawings', async () => {
    const file = await makeFilm(stage.folder, film);
    const seconds = film.seconds ?? (await lengthOf(file));
    const made = async (key: string, settings: FormatSettings = {}) =>
      await stage.make({ file, fileExtension: film.extension }, await stage.blueprint(key, settings));
    for (const key of ['h264-360p', 'streaming-240p', ...(isConverted(film) ? ['video-preview'] : [])])
      await checkFilm((await made(key, { parameters: { preset: 'ultrafast' } })).file, film, seconds);
    for (const key of film.hasSound === false ? [] : SOUND_BLUEPRINTS) await checkSound((await made(key)).file, film, seconds);
    if (film.hasSound !== false) expect((await made('waveform')).rendition.facts).toMatchObject({ width: 1_280, height: 320 });
    const poster = await made('video-poster');
    expect(Math.abs((poster.rendition.facts.width ?? 0) / (poster.rendition.facts.height ?? 1) - film.aspect)).toBeLessThan(0.02);
    expect(Math.abs((poster.source.facts.duration ?? 0) - seconds)).toBeLessThanOrEqual(FRAMES);
    await checkPicture(poster.file, film);
    const storyboard = await made('storyboard');
    await checkPicture(storyboard.file, film);
    expect(storyboard.rendition.storyboard?.pictures).toBe(Math.ceil((storyboard.source.facts.duration ?? 0) / 10));
  });
});

const FILM_BLUEPRINTS = [
  'h264-360p',
  'video-preview',
  'streaming-240p',
  'streaming-audio',
  'video-sound',
  'video-poster',
  'storyboard',
  'waveform',
];

describe.each(REFUSED_FILMS)('$name', (refused) => {
  it('is refused in every format, with what its owner can do', async () => {
    const placed = await stage.place({ file: await makeFilm(stage.folder, refused), fileExtension: refused.extension });
    for (const key of [...FILM_BLUEPRINTS, 'technical-metadata']) {
      const { outcome } = await stage.run(placed, await stage.blueprint(key));
      expect([key, outcome]).toMatchObject([key, { code: 'source_unreadable', message: expect.stringMatching(refused.reason) }]);
    }
  });
});
