import { expect, it } from '@jest/globals';
import { chooseFile, type PlayableFile } from './choose-file.js';

type Named = PlayableFile & { readonly name: string };

const a = (name: string, size: [number, number] | null, isPreview = false): Named => ({
  ...{ name, width: size?.[0] ?? null, height: size?.[1] ?? null, isPreview },
});
const film = [a('1080p', [1920, 1080]), a('720p', [1280, 720]), a('360p', [640, 360]), a('preview', [640, 360], true)];
const choose = (width: number, height: number, files: readonly Named[] = film) => chooseFile(files, { width, height })?.name ?? null;

it.each([
  ['as large as the player', [1280, 720], '720p'],
  ['larger where the screen has more pixels', [2560, 1440], '1080p'],
  ['not larger than the visible size', [690, 390], '360p'],
  ['large enough on one side', [3000, 700], '720p'],
  ['the largest on a wall', [7680, 4320], '1080p'],
] as const)('is %s', (_, [width, height], expected) => {
  expect(choose(width, height)).toBe(expected);
});

it('is a preview if there is no other file', () => {
  expect(choose(1280, 720, [a('small', [320, 180], true), a('large', [640, 360], true)])).toBe('large');
});

it('is the first if nothing is known about the files', () => {
  expect(choose(1280, 720, [a('one', null), a('two', null)])).toBe('one');
  expect(choose(1280, 720, [a('unknown', null), a('known', [640, 360])])).toBe('known');
  expect(choose(1280, 720, [])).toBeNull();
});
