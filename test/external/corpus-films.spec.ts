import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import pLimit from 'p-limit';
import { blueprintsFor, formatsOf, MAX_WAIT_MS, numbered, settingsOf, type Turns } from '../corpus/by-turns.js';
import { DAMAGED_FILMS, REFUSED_FILMS } from '../corpus/damaged-films.js';
import { type CorpusFilm, FILMS } from '../corpus/films.js';
import { makeFilm, type Rgb } from '../corpus/make-file.js';
import {
  colorDistance,
  decode,
  filmColor,
  loudnessOf,
  mediainfo,
  type Period,
  pictureColor,
  pitchOf,
  privateTags,
  tagsOf,
  timesOf,
} from '../corpus/measure.js';
import { type CorpusSound, SOUNDS } from '../corpus/sounds.js';
import { type MadeRendition, type PlacedOriginal, useExecutionStage } from '../support/converter/execution-stage.js';

jest.setTimeout(MAX_WAIT_MS);

const stage = useExecutionStage();
afterEach(() => expect(stage.leftovers()).toEqual([]));

/** Two frames of 25 a second: one that is rounded, and the one by which the sound of an encoder is longer. */
const FRAMES = 0.081;
/** CIE 1976: little more than what people notice. */
const NOTICED = 3;
/** The loudest sample of a film with sound, in dB: ffmpeg's tones have -18. */
const AUDIBLE = -30;
/** LU: a mix of surround sound may differ by as much, because speakers at the back count more (ITU-R BS.1770). */
const LOUDER = 1.5;
/** LU: one channel has half of the loudness of two. */
const ONE_CHANNEL = 3;
/** Programs that run at the same time: while one is starting, another uses the processor. */
const limit = pLimit(3);

/** Of each line a film gets one format in CI, so that all of them have their turn; each kind of film has a film, a stream, a poster and a storyboard. */
const FILM_TURNS: Turns = [
  ['h264-360p', 'h264-720p', 'h264-1080p', 'video-preview'],
  ['streaming-240p', 'streaming-360p', 'streaming-480p', 'streaming-720p', 'streaming-1080p'],
  ['video-sound', 'streaming-audio', 'waveform', 'technical-metadata', 'copy'],
  ['video-poster'],
  ['storyboard'],
];
const SOUND_TURNS: Turns = [['mp3'], ['aac'], ['opus'], ['streaming-audio'], ['audio-preview', 'waveform', 'technical-metadata', 'copy']];

/** A rendition, and what it was made of. */
interface Cell<Source> {
  readonly key: string;
  readonly source: Source;
  readonly original: string;
  /** How long the source is. */
  readonly seconds: number;
  readonly made: MadeRendition;
}

function expectPeriod(period: Period | null, seconds: number): void {
  expect(period?.start).toBeCloseTo(0, 1);
  expect(Math.abs((period?.end ?? 0) - seconds)).toBeLessThanOrEqual(FRAMES);
}

const SHAPE = ['PixelAspectRatio', 'ScanType', 'BitDepth', 'ChromaSubsampling'];
const COLORS = ['colour_range', 'transfer_characteristics', 'matrix_coefficients', 'colour_primaries'];

/** White of 203 nits is below the brightest that a screen can show, and has no tint. */
function expectWhite(color: Rgb): void {
  expect(Math.min(...color)).toBeGreaterThan(150);
  expect(Math.max(...color) - Math.min(...color)).toBeLessThan(6);
}

function expectColor(color: Rgb, source: CorpusFilm): void {
  if (source.color) expect(colorDistance(color, source.color)).toBeLessThanOrEqual(NOTICED);
  if (source.isHdr) expectWhite(color);
}
const hasColor = ({ color, isHdr }: CorpusFilm): boolean => color !== undefined || isHdr !== undefined;

async function checkFilm({ made: { file }, source, seconds }: Cell<CorpusFilm>): Promise<void> {
  const { picture, sound } = await timesOf(file);
  expectPeriod(picture, seconds);
  const hasSound = source.hasSound !== false;
  if (hasSound) expectPeriod(sound, seconds);
  const [width, height, ...shape] = await mediainfo(file, 'Video', 'Width', 'Height', ...SHAPE, ...COLORS);
  expect(Math.abs(Number(width) / Number(height) - source.aspect)).toBeLessThan(0.02);
  // The primaries of a film in standard definition hardly differ, and are stated instead of being converted.
  const primaries = source.isHdr ? 'BT.709' : expect.stringMatching(/^BT\.(709|601 (NTSC|PAL))$/);
  expect(shape).toEqual(['1.000', 'Progressive', '8', '4:2:0', 'Limited', 'BT.709', 'BT.709', primaries]);
  const { combs, peak } = await decode(file);
  expect([sound !== null, (peak ?? Number.NEGATIVE_INFINITY) > AUDIBLE]).toEqual([hasSound, hasSound]);
  if (source.isInterlaced) expect([combs < 0.1, (await mediainfo(file, 'Video', 'FrameRate'))[0]]).toEqual([true, '25.000']);
  if (hasColor(source)) expectColor(await filmColor(file), source);
  if (source.pitch) expect(Math.abs((await pitchOf(file)) - source.pitch)).toBeLessThan(50);
}

async function checkSoundOfFilm({ made: { file }, source, seconds }: Cell<CorpusFilm>): Promise<void> {
  const { picture, sound } = await timesOf(file);
  expectPeriod(sound, seconds);
  expect(picture).toBeNull();
  expect((await decode(file)).peak).toBeGreaterThan(AUDIBLE);
  if (source.pitch) expect(Math.abs((await pitchOf(file)) - source.pitch)).toBeLessThan(50);
}

async function checkPoster({ made, source, seconds }: Cell<CorpusFilm>): Promise<void> {
  const { width, height } = made.rendition.facts;
  expect(Math.abs((width ?? 0) / (height ?? 1) - source.aspect)).toBeLessThan(0.02);
  expect(Math.abs((made.source.facts.duration ?? 0) - seconds)).toBeLessThanOrEqual(FRAMES);
  if (hasColor(source)) expectColor(await pictureColor(made.file), source);
}

async function checkStoryboard({ made, source }: Cell<CorpusFilm>): Promise<void> {
  if (hasColor(source)) expectColor(await pictureColor(made.file), source);
  expect(made.rendition.storyboard?.pictures).toBe(Math.ceil((made.source.facts.duration ?? 0) / 10));
}

async function checkWaveform({ made }: Cell<unknown>): Promise<void> {
  expect(made.rendition.facts).toMatchObject({ width: 1_280, height: 320 });
}

/** It has what ffprobe reads from the header of the file, which may be wrong. */
async function checkReport({ made }: Cell<unknown>): Promise<void> {
  const { streams, format } = JSON.parse(readFileSync(made.file, 'utf8')) as { streams: readonly unknown[]; format: object };
  expect([streams.length > 0, format]).toEqual([true, expect.objectContaining({ format_name: expect.any(String) })]);
}

async function checkCopy({ made, original }: Cell<unknown>): Promise<void> {
  expect(readFileSync(made.file).equals(readFileSync(original))).toBe(true);
}

const OTHER_CHECKS = { waveform: checkWaveform, 'technical-metadata': checkReport, copy: checkCopy };
const FILM_CHECKS: Readonly<Record<string, (cell: Cell<CorpusFilm>) => Promise<void>>> = {
  ...OTHER_CHECKS,
  'video-sound': checkSoundOfFilm,
  'streaming-audio': checkSoundOfFilm,
  'video-poster': checkPoster,
  storyboard: checkStoryboard,
};
/** Formats that are made of sound alone. */
const SOUND_ALONE = ['video-sound', 'streaming-audio', 'waveform'];

/** How long a film is, by what is left of it. */
async function lengthOf(file: string): Promise<number> {
  const { picture, sound } = await timesOf(file);
  const periods = [picture, sound].filter((period) => period !== null);
  return Math.max(...periods.map(({ end }) => end)) - Math.min(...periods.map(({ start }) => start));
}

/** Expects that nothing that is made of a film tells its secrets; a copy is the original, and its facts are for its owner. */
async function expectPrivacy(cells: readonly Cell<{ readonly secrets?: readonly string[] }>[]): Promise<void> {
  const files = cells.filter(({ key }) => !['copy', 'technical-metadata'].includes(key)).map(({ made }) => made.file);
  const [{ source: { secrets = [] } = {} } = {}] = cells;
  if (secrets.length === 0) return;
  for (const tags of await tagsOf(files)) expect(privateTags(tags, secrets)).toEqual([]);
  for (const file of files) for (const secret of secrets) expect(readFileSync(file).includes(secret)).toBe(false);
}

async function expectNoSound(placed: PlacedOriginal, key: string): Promise<void> {
  const { outcome } = await stage.run(placed, await stage.blueprint(key));
  expect([key, outcome.kind]).not.toEqual([key, 'made']);
  expect(JSON.stringify(outcome)).toContain('has no sound');
}

describe.each(numbered([...FILMS, ...DAMAGED_FILMS]))('$name', ({ number, ...film }) => {
  it('looks, sounds and lasts as it did', async () => {
    const original = await makeFilm(stage.folder, film);
    const seconds = film.seconds ?? (await lengthOf(original));
    const placed = await stage.upload({ file: original, fileExtension: film.extension });
    const convert = async (key: string): Promise<Cell<CorpusFilm> | null> => {
      if (film.hasSound === false && SOUND_ALONE.includes(key)) {
        await expectNoSound(placed, key);
        return null;
      }
      const made = await stage.make(placed, await stage.blueprint(key, settingsOf(key)));
      const cell = { key, source: film, original, seconds, made };
      await (FILM_CHECKS[key] ?? checkFilm)(cell);
      return cell;
    };
    const cells = await Promise.all(formatsOf(FILM_TURNS, number).map(async (key) => await limit(convert, key)));
    await expectPrivacy(cells.filter((cell) => cell !== null));
  });
});

async function checkSound({ key, source: { title }, made: { file, source }, original, seconds }: Cell<CorpusSound>): Promise<void> {
  const { picture, sound } = await timesOf(file);
  expect(Math.abs((sound?.end ?? 0) - seconds)).toBeLessThan(0.1);
  expect(Math.abs((source.facts.duration ?? 0) - seconds)).toBeLessThan(0.1);
  expect(picture).toBeNull();
  const difference = Math.abs((await loudnessOf(file)) - (await loudnessOf(original)));
  expect(difference).toBeLessThan(LOUDER + (key === 'audio-preview' ? ONE_CHANNEL : 0));
  if (title && key === 'mp3') expect((await tagsOf([file]))[0]).toMatchObject({ 'ID3v2_3:Title': title });
}

const SOUND_CHECKS: Readonly<Record<string, (cell: Cell<CorpusSound>) => Promise<void>>> = OTHER_CHECKS;

describe.each(numbered(SOUNDS))('$name', ({ number, ...sound }) => {
  it('sounds and lasts as it did, and tells nothing about its author', async () => {
    const original = await makeFilm(stage.folder, sound);
    const placed = await stage.upload({ file: original, type: 'audio', fileExtension: sound.extension });
    const convert = async (key: string): Promise<Cell<CorpusSound>> => {
      const made = await stage.make(placed, await stage.blueprint(key));
      const cell = { key, source: sound, original, seconds: sound.seconds, made };
      await (SOUND_CHECKS[key] ?? checkSound)(cell);
      return cell;
    };
    await expectPrivacy(await Promise.all(formatsOf(SOUND_TURNS, number).map(async (key) => await limit(convert, key))));
  });
});

describe.each(REFUSED_FILMS)('$name', (refused) => {
  it('is refused in every format, with what its owner can do', async () => {
    const placed = await stage.place({ file: await makeFilm(stage.folder, refused), fileExtension: refused.extension });
    const refuse = async (key: string) => {
      const { outcome } = await stage.run(placed, await stage.blueprint(key, settingsOf(key)));
      expect([key, outcome]).toMatchObject([key, { code: 'source_unreadable', message: expect.stringMatching(refused.reason) }]);
    };
    const keys = blueprintsFor('video').filter((key) => key !== 'copy');
    await Promise.all(keys.map(async (key) => await limit(refuse, key)));
  });
});

it('every format that converts films or sounds has its turn', () => {
  expect(FILM_TURNS.flat().sort()).toEqual([...blueprintsFor('video')].sort());
  expect(SOUND_TURNS.flat().sort()).toEqual([...blueprintsFor('audio')].sort());
});
