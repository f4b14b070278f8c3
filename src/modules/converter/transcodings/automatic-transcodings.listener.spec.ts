import { describe, expect, it } from '@jest/globals';
import type { Format } from '../../formats/index.js';
import type { MediaType } from '../../media/index.js';
import { chooseAutomaticFormats } from './automatic-transcodings.listener.js';

const OURS: Partial<Format> = { customerId: 1, blueprintKey: null, converter: 'ffmpeg', usage: 'transcoding', flag: 0 };
const aFormat = (id: number, settings: Format['settings'], more: Partial<Format> = {}): Format =>
  ({ id, ...OURS, ...more, settings: { mediaTypes: ['video'], ...settings } }) as Format;

const BLUEPRINT: Partial<Format> = { customerId: null, usage: 'preview' };
const BLUEPRINTS = [
  aFormat(1, { previewFormat: true, autoGenerate: ['video'] }, { ...BLUEPRINT, blueprintKey: 'video-preview' }),
  aFormat(2, { filetype: 'jpg' }, { ...BLUEPRINT, blueprintKey: 'video-poster' }),
  aFormat(3, { mediaTypes: ['image'], filetype: 'jpg', createThumbnailVersions: true }, { ...BLUEPRINT, blueprintKey: 'image-thumbnail' }),
  aFormat(4, { mediaTypes: ['document'], filetype: 'jpg' }, { ...BLUEPRINT, blueprintKey: 'document-page' }),
];

function chosen(type: MediaType, ...formats: Format[]): number[] {
  const all = [...BLUEPRINTS, ...formats];
  return chooseAutomaticFormats({ all, byId: new Map(all.map((format) => [format.id, format])) }, type).map(({ id }) => id);
}

describe('the automatic transcodings of an upload', () => {
  it('are not added without formats of the customer', () => {
    expect(chosen('video')).toEqual([]);
    expect(chosen('image', aFormat(9, { mediaTypes: ['image'] }))).toEqual([]);
  });

  it.each<[string, Format]>([
    ['that says so', aFormat(9, { autoGenerate: ['audio', 'video'] })],
    ['that may not be asked for', aFormat(9, { autoGenerate: ['video'] }, { configuration: { transcodingCreateNotAllowed: true } })],
    ['that is marked as the preview', aFormat(9, { previewFormat: true }, { usage: 'preview' })],
    ['that makes thumbnails as a preview', aFormat(9, { createThumbnailVersions: true, filetype: 'png' }, { usage: 'preview' })],
  ])('include a format %s', (_, format) => {
    expect(chosen('video', format)).toEqual([9]);
  });

  it.each<[string, Format]>([
    ['says so of another type', aFormat(9, { mediaTypes: ['video', 'audio'], autoGenerate: ['audio'] })],
    ['says so of a type of which it is not made', aFormat(9, { mediaTypes: ['audio'], autoGenerate: ['video'] })],
    ['is destroyed', aFormat(9, { autoGenerate: ['video'] }, { flag: 1 })],
    ['is the original itself', aFormat(9, { autoGenerate: ['video'] }, { converter: 'original' })],
    ['is a preview that is not marked as one to use', aFormat(9, {}, { usage: 'preview' })],
    ['is marked as the preview, but used for transcoding', aFormat(9, { previewFormat: true })],
  ])('do not include a format that %s', (_, format) => {
    expect(chosen('video', format)).toEqual([]);
  });

  it('include every marked preview, regardless of the one that the player uses', () => {
    const preview = (id: number) => aFormat(id, { previewFormat: true }, { usage: 'preview' });
    expect(chosen('video', preview(8), preview(9))).toEqual([8, 9]);
  });

  it.each<[MediaType, number[]]>([
    ['video', [8, 9, 2]],
    ['image', [8, 9, 3]],
    ['document', [8, 9, 4]],
    ['audio', [8, 9]],
  ])('include the managed thumbnail of a %s once, if a format requests thumbnails and is not one itself', (type, ids) => {
    const settings = { mediaTypes: [type], autoGenerate: [type], createThumbnailVersions: true, filetype: 'jpg' } as const;
    expect(chosen(type, aFormat(8, settings), aFormat(9, settings))).toEqual(ids);
  });
});
