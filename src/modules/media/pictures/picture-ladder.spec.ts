import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chooseLadderSize, ladderOf, nearestSize, previewSizeOf } from './picture-ladder.js';

const shape = (text: string) => {
  const [width = 0, height = 0] = text.split('x').map(Number);
  return { width, height };
};
const side = fc.integer({ min: 1, max: 40_000 });
const pictures = fc.record({ width: side, height: side });
const wantedSizes = fc.record({
  width: fc.integer({ min: 1, max: 8_192 }),
  height: fc.option(fc.integer({ min: 1, max: 8_192 }), { nil: undefined }),
  fit: fc.constantFrom('inside' as const, 'cover' as const),
});

describe('the size of a picture', () => {
  it.each([
    ['1500x1000', 'inside 100', '160x107'],
    ['1500x1000', 'inside 1400', '1500x1000'],
    ['1500x1000', 'inside 640x640', '640x427'],
    ['1000x1500', 'inside 640x640', '427x640'],
    ['1500x1000', 'cover 640x640', '640x640c'],
    ['1500x1000', 'cover 641x360', '960x540c'],
    ['300x200', 'cover 640x640', '200x200c'],
    ['16382x3628', 'inside 8192', '3840x850'],
    ['3000x1', 'inside 160', '160x1'],
  ])('of %s for %s is %s', (picture, text, name) => {
    const [, fit, width, height] = /^(\w+) (\d+)(?:x(\d+))?$/.exec(text) ?? [];
    const wanted = { fit: fit as 'inside', width: Number(width), height: height === undefined ? undefined : Number(height) };
    expect(chooseLadderSize(shape(picture), wanted).name).toBe(name);
  });

  it('is never larger than the picture nor wider than 3,840 pixels, and there are few of them', () => {
    fc.assert(
      fc.property(pictures, fc.array(wantedSizes), (picture, wanted) => {
        const sizes = wanted.map((one) => chooseLadderSize(picture, one));
        for (const { width, height } of sizes) {
          expect(width).toBeLessThanOrEqual(Math.min(picture.width, 3_840));
          expect(height).toBeLessThanOrEqual(picture.height);
          expect(Math.min(width, height)).toBeGreaterThanOrEqual(1);
        }
        expect(new Set(sizes.filter(({ isPlain }) => isPlain).map(({ name }) => name)).size).toBeLessThanOrEqual(9);
      }),
    );
  });
});

it('pages offer each size once', () => {
  expect(ladderOf(shape('1000x500')).map(({ name }) => name)).toEqual(['160x80', '320x160', '480x240', '640x320', '960x480', '1000x500']);
  expect(ladderOf(shape('100x50')).map(({ name }) => name)).toEqual(['100x50']);
});

it.each([
  ['1500x1000', '480x320'],
  ['1000x1500', '320x480'],
  ['300x400', '300x400'],
  ['3000x4000', '480x640'],
])('the preview of %s has at least 480 pixels on the longer side, if the picture has: %s', (picture, name) => {
  expect(previewSizeOf(shape(picture)).name).toBe(name);
});

it('is replaced by one of the same shape, rather larger than smaller', () => {
  const ready = ['160x107', '640x427', '480x480'].map(shape);
  expect(nearestSize(ready, shape('480x320'))).toEqual(shape('640x427'));
  expect(nearestSize(ready, shape('160x160'))).toEqual(shape('480x480'));
  expect(nearestSize([], shape('160x160'))).toBeNull();
});
