import { expect, it } from '@jest/globals';
import { boxOf, fitInto } from './embed-snippet.js';

const open = { width: null, height: null };
const square = { width: 500, height: 500 };

it.each([
  ['responsive without a size', open, 'video', square, null],
  ['as it is set', { width: 640, height: 300 }, 'video', square, { width: 640, height: 300 }],
  ['as high as the media wants', { width: 640, height: null }, 'image', square, { width: 640, height: 640 }],
  ['as wide as the media wants', { width: null, height: 300 }, 'video', square, { width: 300, height: 300 }],
  ['16 by 9 where the size is not known', { width: 640, height: null }, 'document', null, { width: 640, height: 360 }],
  ['low for sound', { width: 640, height: null }, 'audio', null, { width: 640, height: 140 }],
])('a box is %s', (_, configuration, type, media, box) => {
  expect(boxOf(configuration, type, media)).toEqual(box);
});

it.each([
  [{}, { width: 640, height: 360 }],
  [{ maxWidth: 320 }, { width: 320, height: 180 }],
  [
    { maxWidth: 320, maxHeight: 90 },
    { width: 160, height: 90 },
  ],
  [{ maxWidth: 9_000 }, { width: 640, height: 360 }],
])('a box fits into %j', (limits, box) => {
  expect(fitInto({ width: 640, height: 360 }, limits)).toEqual(box);
});
