import { describe, expect, it } from '@jest/globals';
import { nameStream } from './name-stream.js';

describe('the name of a stream', () => {
  it.each([
    ['ger', null, null, { language: 'de', label: 'Deutsch' }],
    ['pt-br', null, 'forced', { language: 'pt-BR', label: 'Português (Brasil) (forced)' }],
    ['eng', 'Director', 'commentary', { language: 'en', label: 'Director' }],
    ['mul', null, null, { language: null, label: 'Sound 3' }],
    ['qaa', null, null, { language: null, label: 'Sound 3' }],
    ['english', null, 'commentary', { language: null, label: 'Sound 3 (commentary)' }],
    [null, 'x'.repeat(300), null, { language: null, label: 'x'.repeat(255) }],
  ])('of the language %j with the title %j (%j)', (language, title, note, expected) => {
    expect(nameStream({ language, title }, { noun: 'Sound', number: 3, note })).toEqual(expected);
  });
});
