import { expect, it } from '@jest/globals';
import { chooseTrack, type SubtitleSettings } from './choose-track.js';

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

it('turns nothing on where there is nothing', () => {
  expect(chooseTrack({ behaviour: 3, default: 0 }, [], ['en'])).toBeNull();
});
