import { expect, it } from '@jest/globals';
import type { DeliverableItem } from '../../../media/index.js';
import { subtitleTracks } from './subtitle-tracks.js';

const anItem = (id: number, fileName: string, fileExtension: string) => ({ id, fileName, fileExtension }) as DeliverableItem;

it('are the files of either kind, in their order, named by their language or else by their file', () => {
  const items = [anItem(1, 'talk', 'mp4'), anItem(2, 'talk.de', 'vtt'), anItem(3, 'talk_eng', 'SRT'), anItem(4, 'talk', 'vtt')];
  expect(subtitleTracks(items)).toEqual([
    { mediaId: 2, language: 'de', label: 'Deutsch' },
    { mediaId: 3, language: 'en', label: 'English' },
    { mediaId: 4, language: null, label: 'talk' },
  ]);
});

it('of one language are told apart', () => {
  const labels = subtitleTracks([anItem(1, 'talk.en', 'vtt'), anItem(2, 'notes.en', 'vtt')]).map(({ label }) => label);
  expect(labels).toEqual(['English (talk.en)', 'English (notes.en)']);
});
