import { expect, it } from '@jest/globals';
import { nameContent } from './source-inspector.service.js';

it.each([
  ['', 'empty'],
  ['\0\0\0\0', 'nothing but zeros'],
  ['#EXTM3U\n#EXT-X-VERSION:3\nfile:///etc/passwd\n', 'a playlist'],
  ['\xef\xbb\xbf#EXTM3U', 'a playlist'],
  ['<svg xmlns="http://www.w3.org/2000/svg">', 'an SVG drawing'],
  ['<?xml version="1.0"?>\n<svg>', 'an SVG drawing'],
  ['<?xml version="1.0"?><image>', 'a text in a markup language'],
  ['  <html>', 'a text in a markup language'],
  ['push graphic-context\n', 'a text'],
  ['PK\x03\x04\x14\0', 'a ZIP archive or an office document'],
  ['%PDF-1.7', 'a PDF'],
  ['\xff\xd8\xff\xe0', 'a picture (jpg)'],
  ['\x00\x01\x02\x03', null],
])('%j is %s', (content, expected) => {
  expect(nameContent(Buffer.from(content, 'latin1'))).toBe(expected);
});
