import { describe, expect, it } from '@jest/globals';
import type { Format } from '../../formats/index.js';
import type { DeliverableItem } from '../../media/index.js';
import { choosePreviewItem, isPicture, isPlayable, isSubtitle, playedTypeOf } from './choose-file.js';

it.each(['', 'html', 'js', 'constructor', '__proto__', 'hasownproperty'])(
  'a file with an unknown extension (%p) is neither picture, nor playable, nor subtitles',
  (extension) => {
    expect([isPicture(extension), isPlayable(extension), isSubtitle(extension)]).toEqual([false, false, false]);
  },
);

it('the codec decides if it is known', () => {
  expect([isPlayable('mp4', 'h264'), isPlayable('mp4', 'hevc'), isPlayable('mp4')]).toEqual([true, false, true]);
  expect(playedTypeOf('mp4', null)).toBe('video/mp4');
  expect(playedTypeOf('mp4', 'h264')).toBe('video/mp4');
  expect(playedTypeOf('mp4', 'hevc')).toBe('video/mp4; codecs="hvc1"');
  expect(playedTypeOf('mov', 'prores')).toBe('video/quicktime; codecs="prores"');
});

describe('the preview picture of a container', () => {
  const anItem = (id: number, fileExtension: string, formatId: number | null = null, width: number | null = null) =>
    ({ id, fileExtension, formatId, width }) as DeliverableItem;
  const aFormat = (id: number, fields: Partial<Format> = {}): [number, Format] => [
    id,
    { id, usage: 'transcoding', settings: {}, ...fields } as Format,
  ];

  const formats = new Map([
    aFormat(1),
    aFormat(2, { usage: 'preview' }),
    aFormat(3, { usage: 'preview', settings: { createThumbnailVersions: true } }),
    aFormat(5, { settings: { createThumbnailVersions: true } }),
    aFormat(4, { usage: 'preview', settings: { previewFormat: true } }),
    aFormat(9, { usage: 'preview', settings: { previewFormat: true } }),
    aFormat(6, { usage: 'preview', converter: 'ffmpeg', settings: { mediaTypes: ['audio'], parameters: { draw: 'waveform' } } }),
    aFormat(7, { usage: 'preview', converter: 'ffmpeg', settings: { mediaTypes: ['video'], parameters: { draw: 'storyboard' } } }),
  ]);

  const choose = (type: string, items: DeliverableItem[], delivered: DeliverableItem[] = [], width = 640) =>
    choosePreviewItem({ type, items, tracks: [], formats, delivered, width })?.id ?? null;

  it('is the newest poster, whatever else there is', () => {
    const tracks = [
      { ...anItem(7, 'vtt'), role: 'subtitles' },
      { ...anItem(8, 'png'), role: 'poster' },
      { ...anItem(9, 'jpg'), role: 'poster' },
    ] as DeliverableItem[];
    const items = [anItem(1, 'mp4', 2), anItem(2, 'jpg', 4)];
    expect(choosePreviewItem({ type: 'video', items, tracks, formats, delivered: [], width: 640 })?.id).toBe(9);
  });

  it('is a preview or thumbnail, preferably the marked one', () => {
    expect(choose('video', [anItem(1, 'mp4', 2), anItem(2, 'jpg', 1), anItem(3, 'JPG', 2)])).toBe(3);
    expect(choose('image', [anItem(1, 'jpg', 1), anItem(2, 'jpg', 3)], [anItem(1, 'jpg', 1)])).toBe(2);
    expect(choose('video', [anItem(1, 'jpg', 2), anItem(2, 'png', 4)])).toBe(2);
  });

  it('is not a format that only requests thumbnails', () => {
    expect(choose('image', [anItem(1, 'jpg', 5, 4000)])).toBeNull();
  });

  it('is a delivered format for images, and any picture for other media', () => {
    expect(choose('image', [anItem(1, 'tif'), anItem(2, 'jpg', 1), anItem(3, 'jpg', 1)], [anItem(1, 'tif'), anItem(3, 'jpg', 1)])).toBe(3);
    expect(choose('image', [anItem(1, 'jpg', 1)])).toBeNull();
    expect(choose('audio', [anItem(1, 'mp3'), anItem(2, 'png')])).toBe(2);
  });

  it('is not a file that browsers cannot show, nor an uploaded SVG', () => {
    expect(choose('video', [anItem(1, 'mp4', 2), anItem(2, 'svg'), anItem(3, 'tif', 2)])).toBeNull();
  });

  it('is the smallest that is large enough, otherwise the largest; one of unknown size only if there is no other', () => {
    const posters = [anItem(1, 'jpg', 2, 1280), anItem(2, 'jpg', 3, 400), anItem(3, 'jpg', 2, 800), anItem(4, 'jpg', 2)];
    expect([300, 400, 640, 1000, 2000].map((width) => choose('video', posters, [], width))).toEqual([2, 2, 3, 1, 1]);
    expect(choose('video', [anItem(1, 'jpg', 2), anItem(2, 'jpg', 2)])).toBe(1);
  });

  it('is a waveform only of audio that has no other picture, and never a storyboard', () => {
    const waveform = anItem(1, 'png', 6, 1280);
    const storyboard = anItem(2, 'jpg', 7, 1600);
    expect(choose('audio', [waveform])).toBe(1);
    expect(choose('audio', [waveform, anItem(3, 'jpg')])).toBe(3);
    expect(choose('video', [waveform, storyboard])).toBeNull();
    expect(choose('video', [waveform, storyboard, anItem(3, 'jpg', 2, 400)])).toBe(3);
  });

  it('is of the marked format, regardless of other sizes', () => {
    expect(choose('video', [anItem(1, 'jpg', 2, 640), anItem(2, 'jpg', 4, 200), anItem(3, 'jpg', 4, 320)])).toBe(3);
    expect(choose('video', [anItem(1, 'jpg', 9, 640), anItem(2, 'jpg', 4, 200)])).toBe(2);
  });
});
