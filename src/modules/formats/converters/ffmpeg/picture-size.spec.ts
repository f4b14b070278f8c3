import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aSource } from '../../../../../test/support/converter/format-requests.js';
import { displaySize } from '../converter.js';
import { squareSize } from './picture-size.js';

describe('the size in which players show a film', () => {
  it.each([
    [
      { width: 720, height: 576, pixelAspect: 64 / 45 },
      { width: 1024, height: 576 },
    ],
    [
      { width: 720, height: 576, pixelAspect: 64 / 45, rotation: -90 },
      { width: 576, height: 1024 },
    ],
    [
      { width: 720, height: 480, pixelAspect: 8 / 9 },
      { width: 720, height: 540 },
    ],
    [
      { width: 720, height: 480, pixelAspect: 8 / 9, rotation: 270 },
      { width: 540, height: 720 },
    ],
    [
      { width: 1920, height: 1080, rotation: 180 },
      { width: 1920, height: 1080 },
    ],
  ])('of %o is %o', (source, expected) => {
    expect(displaySize(aSource(source))).toEqual(expected);
  });
});

describe('the size that ffmpeg makes', () => {
  it.each([
    [{ width: 1280, height: 720 }, {}, { width: 1280, height: 720 }],
    [
      { width: 640, height: 360 },
      { width: 640, height: 480 },
      { width: 480, height: 360 },
    ],
    [{ width: 3840, height: 2160 }, {}, { width: 1920, height: 1080 }],
    [{ height: 360 }, {}, { width: 640, height: 360 }],
    [
      { width: 1280, height: 720 },
      { width: 1920, height: 1080, rotation: -90 },
      { width: 720, height: 1280 },
    ],
    [
      { width: 1280, height: 720 },
      { width: 720, height: 1280 },
      { width: 720, height: 1280 },
    ],
    [
      { width: 720, height: 1280 },
      { width: 1920, height: 1080 },
      { width: 1280, height: 720 },
    ],
    [
      { width: 640, height: 360 },
      { width: 720, height: 1280 },
      { width: 360, height: 640 },
    ],
    [{ height: 360 }, { width: 720, height: 1280 }, { width: 360, height: 640 }],
    [{ width: 640 }, { width: 720, height: 1280 }, { width: 360, height: 640 }],
    [
      { width: 1280, height: 720 },
      { width: 1000, height: 1000 },
      { width: 720, height: 720 },
    ],
    [
      { width: 640, height: 360 },
      { width: 352, height: 576, pixelAspect: 24 / 11 },
      { width: 480, height: 360 },
    ],
    [
      { width: 640, height: 360 },
      { width: 352, height: 576, pixelAspect: 24 / 11, rotation: 90 },
      { width: 360, height: 480 },
    ],
    [{}, { width: 641, height: 361 }, { width: 640, height: 360 }],
  ])('with %o of %o is %o', (command, source, expected) => {
    expect(squareSize(command, aSource(source))).toEqual(expected);
  });

  it('is not known without the size of the source', () => {
    expect(squareSize({}, aSource({ width: null }))).toBeNull();
  });

  it('is even, and never larger than its source and its bounds', () => {
    const side = fc.integer({ min: 16, max: 8_000 });
    fc.assert(
      fc.property(side, side, side, side, (width, height, w, h) => {
        const size = squareSize({ width, height }, aSource({ width: w, height: h }));
        if (size === null) throw new Error('known');
        return (
          size.width % 2 === 0 &&
          size.height % 2 === 0 &&
          size.width <= w &&
          size.height <= h &&
          Math.min(size.width, size.height) <= Math.min(width, height) &&
          Math.max(size.width, size.height) <= Math.max(width, height)
        );
      }),
    );
  });
});
