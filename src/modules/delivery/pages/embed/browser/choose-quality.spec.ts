import { expect, it } from '@jest/globals';
import { bestFirst, type Conditions, chooseQuality, lowerQuality, type Quality } from './choose-quality.js';

type Named = Quality & { readonly name: string };

const a = (name: string, size: [number, number] | null, bitrate: number | null, isPreview = false): Named => ({
  ...{ name, width: size?.[0] ?? null, height: size?.[1] ?? null, bitrate, isPreview },
});
const film = [
  a('1080p', [1920, 1080], 5_000_000),
  a('720p', [1280, 720], 2_500_000),
  a('360p', [640, 360], 800_000),
  a('preview', [640, 360], 300_000, true),
];
const here: Conditions = { width: 1280, height: 720, speed: Number.POSITIVE_INFINITY, savesData: false };
const choose = (conditions: Partial<Conditions>, qualities = film) =>
  qualities[chooseQuality(qualities, { ...here, ...conditions })]?.name ?? null;

it.each([
  ['as large as the player', {}, '720p'],
  ['larger where the screen has more pixels', { width: 2560, height: 1440 }, '1080p'],
  ['not larger than the visible size', { width: 690, height: 390 }, '360p'],
  ['large enough on one side', { width: 3000, height: 700 }, '720p'],
  ['the largest on a wall', { width: 7680, height: 4320 }, '1080p'],
  ['what the line carries', { speed: 2_000_000 }, '360p'],
  ['what the line carries with something to spare', { speed: 2_600_000 }, '360p'],
  ['what most lines carry, when nothing is known of this one', { width: 1920, height: 1080, speed: null }, '720p'],
  ['the preview on a poor line', { speed: 500_000 }, 'preview'],
  ['the least where nothing is carried', { speed: 1_000 }, 'preview'],
  ['the least but the preview for who saves data', { savesData: true }, '360p'],
  ['the preview for who saves data on a poor line', { savesData: true, speed: 500_000 }, 'preview'],
] as const)('is %s', (_, conditions, expected) => {
  expect(choose(conditions)).toBe(expected);
});

it('is a preview if there is no other file', () => {
  expect(choose({}, [a('small', [320, 180], null, true), a('large', [640, 360], null, true)])).toBe('large');
});

it('is the first if nothing is known about the files', () => {
  expect(choose({}, [a('one', null, null), a('two', null, null)])).toBe('one');
  expect(choose({}, [a('unknown', null, null), a('known', [640, 360], 100_000)])).toBe('known');
});

it('is of a sound the first that the line carries', () => {
  const sounds = [a('FLAC', null, 900_000), a('AAC', null, 192_000), a('MP3', null, 128_000)];
  expect(choose({ speed: 10_000_000 }, sounds)).toBe('FLAC');
  expect(choose({ speed: 300_000 }, sounds)).toBe('AAC');
  expect(choose({ savesData: true }, sounds)).toBe('MP3');
});

it('is -1 without files', () => {
  expect(chooseQuality([], here)).toBe(-1);
});

it('goes down by one, and previews are the last resort', () => {
  const after = (name: string) =>
    film[
      lowerQuality(
        film,
        film.findIndex((one) => one.name === name),
      )
    ]?.name ?? null;
  expect(['1080p', '720p', '360p', 'preview'].map(after)).toEqual(['720p', '360p', 'preview', null]);
  expect(lowerQuality(film, -1)).toBe(-1);
});

it('is offered from the best to the least', () => {
  const shuffled = [film[3], film[2], film[0], film[1]].flatMap((one) => one ?? []);
  expect(bestFirst(shuffled).map(({ name }) => name)).toEqual(['1080p', '720p', '360p', 'preview']);
});
