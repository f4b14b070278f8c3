import { expect, it } from '@jest/globals';
import { PictureFormats } from './picture-formats.js';

const photo = { animated: false, transparent: false };

it.each([
  ['image/avif,image/webp,*/*;q=0.8', photo, 'avif'],
  ['image/webp,*/*', photo, 'webp'],
  ['IMAGE/AVIF;q=0.000, image/WebP;q=0.1', photo, 'webp'],
  ['image/*', photo, 'jpeg'],
  [undefined, photo, 'jpeg'],
  ['*/*', { animated: false, transparent: true }, 'png'],
  ['image/avif,image/webp', { animated: true, transparent: true }, 'webp'],
  ['image/avif', { animated: true, transparent: true }, 'gif'],
] as const)('%p is answered for %j with %s', (accept, picture, format) => {
  expect(new PictureFormats('auto', accept).chooseFor(picture)).toBe(format);
});

it('an explicit type is what it says', () => {
  const formats = new PictureFormats('png', 'image/avif');
  expect([formats.chooseFor(photo), formats.accepts('png'), formats.accepts('avif')]).toEqual(['png', true, false]);
});
