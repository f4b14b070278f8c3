import { expect, it } from '@jest/globals';
import { fixedPreviewImage } from './fixed-preview-images.js';

it.each([
  ['mp4', 'mp4.png'],
  ['PDF', 'pdf.png'],
  ['unheard-of', 'default.png'],
  ['', 'default.png'],
])('a file of extension %j is stood for by %s', (extension, name) => {
  expect(fixedPreviewImage('https://cdn.example', extension)).toBe(`https://cdn.example/fixedPreviewImages/${name}`);
});
