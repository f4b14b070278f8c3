import { describe, expect, it } from '@jest/globals';
import { emailLanguage } from './email-language.js';

describe('the language of a mail', () => {
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
    expect(emailLanguage(wanted)).toBe(language);
  });
});
