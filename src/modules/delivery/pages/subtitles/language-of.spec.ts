import { expect, it } from '@jest/globals';
import { isSameLanguage, languageName, languageOf } from './language-of.js';

it.each([
  ['talk.de', 'de'],
  ['talk.ger', 'de'],
  ['talk_eng', 'en'],
  ['talk-FRA', 'fr'],
  ['talk.pt-BR', 'pt-BR'],
  ['talk_en_GB', 'en-GB'],
  ['talk.haw', 'haw'],
  ['the_new', null],
  ['talk', null],
  ['talk.xx', null],
  ['talk.und', null],
  ['', null],
])('the name %j ends with the language %j', (name, language) => {
  expect(languageOf(name)).toBe(language);
});

it('compares languages by what they are', () => {
  expect(isSameLanguage('ger', 'de-AT')).toBe(true);
  expect(isSameLanguage('deu', 'DE')).toBe(true);
  expect(isSameLanguage('de', 'en')).toBe(false);
  expect(isSameLanguage('nonsense', 'nonsense')).toBe(false);
});

it('names a language in itself', () => {
  expect(['de', 'en', 'fr', 'pt-BR'].map(languageName)).toEqual(['Deutsch', 'English', 'Français', 'Português (Brasil)']);
});
