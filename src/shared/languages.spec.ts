import { describe, expect, it } from '@jest/globals';
import { toLanguage, viewerLanguages } from './languages.js';

describe('the languages of a viewer', () => {
  it.each([
    [undefined, []],
    ['de-AT,de;q=0.9,en;q=0.5', ['de-AT', 'de', 'en']],
    ['en;q=0.5, fr , de;q=0.9', ['fr', 'de', 'en']],
    ['*, de;q=0, en;q=2, e_n, fr ; q=0.1', ['fr']],
  ])('of %j are %j', (header, languages) => {
    expect(viewerLanguages(header)).toEqual(languages);
  });

  it('are at most the first 16 ranges within 1 KiB', () => {
    const many = Array.from({ length: 600 }, (_, n) => `en-x-a${1_000 + n}`);
    expect(viewerLanguages(many.join(','))).toEqual(many.slice(0, 16));
    expect(viewerLanguages(`${' '.repeat(1_020)}de,en`)).toEqual(['de']);
  });
});

describe('the language of a page or mail', () => {
  it.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['DE_ch', 'de'],
    ['en-US', 'en'],
    ['fr', 'en'],
    ['den', 'en'],
    ['', 'en'],
    [undefined, 'en'],
  ])('for %j is %s', (wanted, language) => {
    expect(toLanguage(wanted)).toBe(language);
  });
});
