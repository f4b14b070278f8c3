import { expect, it } from '@jest/globals';
import { canonicalLanguage, languageName } from './languages.js';

it.each([
  ['de', 'de'],
  ['DE-at', 'de-AT'],
  ['ger', 'de'],
  ['iw', 'he'],
  ['sr-latn', 'sr-Latn'],
  ['en-us-x-twain', 'en-US-x-twain'],
  ['zh-yue', 'yue'],
  ['zh-cmn-Hans', 'zh-Hans'],
  ['en-usa', null],
  ['SGN-ase-us', 'ase-US'],
  ['de_DE', null],
  ['english', null],
  ['x-private', null],
  ['e', null],
  ['', null],
  ['de\n', null],
])('the tag %j is %j', (text, expected) => {
  expect(canonicalLanguage(text)).toBe(expected);
});

it('names a language in itself', () => {
  expect(['de', 'en', 'fr', 'pt-BR', 'aaa'].map(languageName)).toEqual(['Deutsch', 'English', 'Français', 'Português (Brasil)', 'Aaa']);
  expect(['en-x-twain', 'de-u-co-phonebk', 'en-a-bcd'].map(languageName)).toEqual(['English', 'Deutsch', 'English']); // Node 24 refuses these
});
