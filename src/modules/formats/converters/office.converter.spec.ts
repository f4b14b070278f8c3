import { expect, it } from '@jest/globals';
import { isDocument } from './office.converter.js';

const COMPOUND = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';

it.each([
  ['docx', 'PK\x03\x04', true],
  ['odp', 'PK\x03\x04', true],
  ['doc', COMPOUND, true],
  ['pdf', 'junk\n%PDF-1.4', true],
  ['txt', 'Hello', true],
  ['csv', 'a;b\n<b>', true],
  ['tsv', 'a\tb', true],
  ['docx', '<html>', false],
  ['docx', '{\\rtf1', false],
  ['docx', COMPOUND, false],
  ['doc', '{\\rtf1', false],
  ['doc', '<!doctype html>', false],
  ['txt', '\n <html>', false],
  ['txt', '\xef\xbb\xbf<?xml', false],
  ['csv', '{\\rtf1', false],
  ['pdf', 'PK\x03\x04', false],
  ['rtf', '{\\rtf1', false],
  ['html', '<html>', false],
])('a .%s that begins with %j: %s', (extension, content, expected) => {
  expect(isDocument(extension, Buffer.from(content, 'latin1'))).toBe(expected);
});
