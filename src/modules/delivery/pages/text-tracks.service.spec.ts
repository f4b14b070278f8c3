import { describe, expect, it } from '@jest/globals';
import type { DeliverableItem, TrackRole } from '../../media/index.js';
import { chooseTrack, languageOf, listTracks, primaryLanguage, type SubtitleSettings } from './text-tracks.service.js';

describe('the text tracks', () => {
  const anItem = (id: number, fileName: string, fileExtension: string) => ({ id, fileName, fileExtension }) as DeliverableItem;
  const aTrack = (id: number, role: TrackRole, fields: Partial<DeliverableItem> = {}) =>
    ({ ...anItem(id, 'x', 'vtt'), role, language: null, label: null, isDefault: false, ...fields }) as DeliverableItem;

  it('are the uploaded ones as they were described, without posters', () => {
    const french = aTrack(7, 'captions', { language: 'fr', label: 'Pour sourds', isDefault: true });
    const tracks = [french, aTrack(5, 'poster'), aTrack(3, 'chapters', { language: 'en', label: 'English' })];
    expect(listTracks({ items: [anItem(4, 'talk.de', 'srt')], tracks })).toEqual([
      { mediaId: 3, role: 'chapters', language: 'en', label: 'English', default: false },
      { mediaId: 4, role: 'subtitles', language: 'de', label: 'Deutsch', default: false },
      { mediaId: 7, role: 'captions', language: 'fr', label: 'Pour sourds', default: true },
    ]);
  });

  it('of older containers are the files of either kind, named by their language or else by their file', () => {
    const items = [anItem(1, 'talk', 'mp4'), anItem(2, 'talk.de', 'vtt'), anItem(3, 'talk_eng', 'SRT'), anItem(4, 'talk', 'vtt')];
    const older = { role: 'subtitles', default: false };
    expect(listTracks({ items, tracks: [] })).toEqual([
      { ...older, mediaId: 2, language: 'de', label: 'Deutsch' },
      { ...older, mediaId: 3, language: 'en', label: 'English' },
      { ...older, mediaId: 4, language: null, label: 'talk' },
    ]);
  });

  it('of one language are named with their files', () => {
    const items = [anItem(1, 'talk.en', 'vtt'), anItem(2, 'notes.en', 'vtt')];
    const labels = listTracks({ items, tracks: [] }).map(({ label }) => label);
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
    const codes = ['ger', 'deu', 'de-AT', 'DE', 'en', 'nonsense'];
    expect(codes.map(primaryLanguage)).toEqual(['de', 'de', 'de', 'de', 'en', null]);
  });

  const tracks = ['en', 'de', null, 'de-AT'].map((language) => ({ language, default: false }));

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

  it.each<[SubtitleSettings, string[], number | null]>([
    [{}, ['fr'], 3],
    [{ behaviour: 4 }, ['de'], null],
    [{ behaviour: 0 }, ['de'], null],
    [{ behaviour: 1, lang: 'ger' }, ['en'], 3],
    [{ behaviour: 1, lang: 'ger', default: 1 }, ['en'], 1],
    [{ behaviour: 1, lang: 'eng' }, ['en'], 0],
    [{ behaviour: 2 }, ['de'], 3],
    [{ behaviour: 3 }, ['fr'], 3],
  ])('%j for a viewer of %j turns track %j on, of which the last was uploaded as the default', (settings, viewer, expected) => {
    const marked = tracks.map((track, index) => ({ ...track, default: index === 3 }));
    expect(chooseTrack(settings, marked, viewer)).toBe(expected);
  });

  it('are all off where the container has none', () => {
    expect(chooseTrack({ behaviour: 3, default: 0 }, [], ['en'])).toBeNull();
  });
});
