import { expect, it } from '@jest/globals';
import { mimeTypeOf } from './mime-type-of.js';

it.each([
  ['mp4', 'video/mp4'],
  ['SVG', 'image/svg+xml'],
  ['7z', 'application/x-7z-compressed'],
])('files with the extension %s are %s', (extension, type) => {
  expect(mimeTypeOf(extension)).toBe(type);
});

it.each(['', 'html', 'js', 'constructor', '__proto__', 'hasownproperty'])(
  'an unknown extension (%p) gives application/octet-stream',
  (extension) => {
    expect(mimeTypeOf(extension)).toBe('application/octet-stream');
  },
);
