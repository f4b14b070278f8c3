import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aRequest, aSource } from '../../../../../test/support/converter/format-requests.js';
import { buildInvocation } from '../build-invocation.js';
import { planStoryboard } from './drawings.js';
import { squareSize } from './picture-size.js';

describe('the pictures of a storyboard', () => {
  it.each([
    [0.04, { intervalSeconds: 10, pictures: 1, columns: 1, rows: 1 }],
    [10, { intervalSeconds: 10, pictures: 1, columns: 1, rows: 1 }],
    [25.5, { intervalSeconds: 10, pictures: 3, columns: 3, rows: 1 }],
    [600, { intervalSeconds: 10, pictures: 60, columns: 10, rows: 6 }],
    [1_000, { intervalSeconds: 10, pictures: 100, columns: 10, rows: 10 }],
    [1_001, { intervalSeconds: 11, pictures: 91, columns: 10, rows: 10 }],
    [10_800, { intervalSeconds: 108, pictures: 100, columns: 10, rows: 10 }],
  ])('of %s seconds: %o', (length, expected) => {
    expect(planStoryboard(length)).toEqual(expected);
  });

  it('cover every film, with at most a hundred pictures and no empty row', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 1e6, noNaN: true }), (length) => {
        const { intervalSeconds, pictures, columns, rows } = planStoryboard(length);
        expect(pictures * intervalSeconds).toBeGreaterThanOrEqual(length);
        expect((pictures - 1) * intervalSeconds).toBeLessThan(length);
        expect(pictures).toBeLessThanOrEqual(100);
        expect(pictures).toBeGreaterThan(columns * (rows - 1));
        expect(pictures).toBeLessThanOrEqual(columns * rows);
      }),
    );
  });
});

describe('a tile within 160 x 90', () => {
  it.each([
    ['landscape', {}, '160x90'],
    ['portrait', { width: 1080, height: 1920 }, '90x160'],
    ['landscape that is stored sideways', { rotation: -90 }, '90x160'],
    ['of an old television, whose pixels are not square', { width: 720, height: 576, pixelAspect: 64 / 45 }, '160x90'],
    ['of 4:3', { width: 640, height: 480 }, '120x90'],
    ['smaller than the bounds', { width: 100, height: 50 }, '100x50'],
    ['as narrow as a line', { width: 16_000, height: 20 }, '160x2'],
  ])('%s is %s', (_, facts, expected) => {
    const size = squareSize({ width: 160, height: 90 }, aSource(facts));
    expect(`${size?.width}x${size?.height}`).toBe(expected);
  });
});

it.each([
  ['storyboard', { source: aSource({ duration: null }) }, /length of the film is unknown/],
  ['storyboard', { source: aSource({ width: null }) }, /size of the film is unknown/],
  ['storyboard', { source: aSource({ hasVideo: false }) }, /no picture/],
  ['storyboard', { settings: { filetype: 'mp4' } }, /drawn as jpg/],
  ['storyboard', { settings: { burnTimecode: {} } }, /no watermark/],
  ['waveform', { source: aSource({ hasAudio: false }) }, /no sound/],
])('a %s is refused with the reason', (blueprint, change, reason) => {
  expect(buildInvocation(aRequest(blueprint, change))).toEqual({ kind: 'refused', problems: [expect.stringMatching(reason)] });
});
