import { expect, it } from '@jest/globals';
import type { DeliverableItem } from '../../../media/index.js';
import { chooseTrack, isSameLanguage, languageName, languageOf, type SubtitleSettings, subtitleTracks } from './subtitle-tracks.js';

const anItem = (id: number, fileName: string, fileExtension: string) => ({ id, fileName, fileExtension }) as DeliverableItem;

it('are the files of either kind, in their order, named by their language or else by their file', () => {
  const items = [anItem(1, 'talk', 'mp4'), anItem(2, 'talk.de', 'vtt'), anItem(3, 'talk_eng', 'SRT'), anItem(4, 'talk', 'vtt')];
  expect(subtitleTracks(items)).toEqual([
    { mediaId: 2, language: 'de', label: 'Deutsch' },
    { mediaId: 3, language: 'en', label: 'English' },
    { mediaId: 4, language: null, label: 'talk' },
  ]);
});

it('of one language are distinguished', () => {
  const labels = subtitleTracks([anItem(1, 'talk.en', 'vtt'), anItem(2, 'notes.en', 'vtt')]).map(({ label }) => label);
  expect(labels).toEqual(['English (talk.en)', 'English (notes.en)']);
});

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

it('compares languages by their meaning', () => {
  expect(isSameLanguage('ger', 'de-AT')).toBe(true);
  expect(isSameLanguage('deu', 'DE')).toBe(true);
  expect(isSameLanguage('de', 'en')).toBe(false);
  expect(isSameLanguage('nonsense', 'nonsense')).toBe(false);
});

it('names a language in itself', () => {
  expect(['de', 'en', 'fr', 'pt-BR'].map(languageName)).toEqual(['Deutsch', 'English', 'Français', 'Português (Brasil)']);
});

const tracks = ['en', 'de', null, 'de-AT'];

it.each<[SubtitleSettings, string[], number | null]>([
  [{}, ['de'], null],
  [{ behaviour: 0, default: 1, lang: 'ger' }, ['de'], null],
  [{ behaviour: 4, default: 1, lang: 'ger' }, ['de'], null],
  [{ behaviour: 1, lang: 'ger' }, ['en'], 1],
  [{ behaviour: 1, lang: 'ger', default: 3 }, ['en'], 3],
  [{ behaviour: 1, lang: 'ger', default: 0 }, ['en'], 1],
  [{ behaviour: 1, lang: 'fra' }, ['en'], null],
  [{ behaviour: 1, default: 2 }, ['en'], 2],
  [{ behaviour: 2 }, ['fr', 'de-CH', 'en'], 1],
  [{ behaviour: 2, lang: 'eng' }, ['fr'], null],
  [{ behaviour: 2, default: 3 }, ['de'], 3],
  [{ behaviour: 3 }, ['fr'], 0],
  [{ behaviour: 3, default: 2 }, ['de'], 2],
  [{ behaviour: 3, default: 9 }, ['de'], 0],
  [{ behaviour: 3, lang: 'ger' }, ['en'], 1],
  [{ behaviour: 3, lang: 'fra' }, ['en'], 0],
])('%j for a viewer of %j turns track %j on', (settings, viewer, expected) => {
  expect(chooseTrack(settings, tracks, viewer)).toBe(expected);
});

it('turns no track on if there is none', () => {
  expect(chooseTrack({ behaviour: 3, default: 0 }, [], ['en'])).toBeNull();
});
