import { expect, it } from '@jest/globals';
import { extensionOf, mediaTypeOf } from './media-type.js';

it.each([
  ['IMG_1.HEIC', '', 'image'],
  ['raw.CR3', 'application/octet-stream', 'image'],
  ['clip.mxf', '', 'video'],
  ['clip.unknown', 'video/x-new', 'video'],
  ['movie.ts', 'text/vnd.trolltech.linguist', 'video'],
  ['song.flac', 'audio/flac', 'audio'],
  ['report.pdf', 'application/pdf', 'document'],
  ['archive.tar.gz', 'application/gzip', 'document'],
  ['README', '', 'document'],
])('%s (%s) counts as %s', (name, mimeType, type) => {
  expect(mediaTypeOf(name, mimeType)).toBe(type);
});

it.each([
  ['a/b.c/Photo.JPG', 'jpg'],
  ['a.b/none', ''],
  ['.profile', ''],
  ['odd.jp g', ''],
  ['long.abcdefghijklmnopq', ''],
])('the extension of %s is "%s"', (name, extension) => {
  expect(extensionOf(name)).toBe(extension);
});
