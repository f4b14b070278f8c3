import { describe, expect, it } from '@jest/globals';
import type { FileDescription } from '../../media/index.js';
import { lengthOf, sourceFactsOf } from './source-facts.js';

const aDescription = (facts: Partial<FileDescription> = {}): FileDescription => ({
  ...{ version: 1, problem: null, content: null, size: 1_000, width: null, height: null, duration: null, codec: null, media: null },
  ...facts,
});
const VIDEO = { mediaType: 'video', fileExtension: 'mov' } as const;
const IMAGE = { mediaType: 'image', fileExtension: 'jpg' } as const;
const CSV = { mediaType: 'document', fileExtension: 'csv' } as const;
const A_FILM = {
  format: { format_name: 'mov,mp4,m4a', start_time: '0.000000', duration: '10.0' },
  streams: [
    {
      index: 0,
      codec_type: 'video',
      codec_name: 'hevc',
      width: 1920,
      height: 1080,
      side_data_list: [{ rotation: -90 }],
      field_order: 'tb',
    },
    { index: 2, codec_type: 'audio', codec_name: 'aac', channels: 6, disposition: { default: 1 } },
  ],
  chapters: [],
};

describe('the length of a film', () => {
  const times = [70, 50].map((end, index) => ({ index, start: 0, end }));

  it('is where its last packet ends, whatever its header says', () => {
    for (const duration of [null, 1, 360_000]) expect(lengthOf({ duration }, times)).toBe(70);
    expect(sourceFactsOf(VIDEO, aDescription({ media: A_FILM, times }))).toMatchObject({ duration: 70 });
  });

  it('is that of its header if its packets are not measured, or unknown', () => {
    expect(lengthOf({ duration: 12 }, [])).toBe(12);
    expect(lengthOf({ duration: null }, [])).toBeNull();
  });
});

describe('the facts of a source', () => {
  it('of a film are those of its streams and of their measured times', () => {
    const times = [
      { index: 0, start: 0.5, end: 10 },
      { index: 2, start: 0, end: 9 },
    ];
    expect(sourceFactsOf(VIDEO, aDescription({ media: A_FILM, times }))).toMatchObject({
      ...{ mediaType: 'video', fileExtension: 'mov', width: 1920, height: 1080, rotation: -90, fieldOrder: 'bottom', duration: 10 },
      ...{ hasVideo: true, hasAudio: true, pictureTimes: { start: 0.5, end: 10 } },
      sounds: [{ index: 2, channels: 6, isDefault: true, times: { start: 0, end: 9 } }],
    });
    expect(sourceFactsOf(VIDEO, aDescription({ media: A_FILM }))).toMatchObject({ pictureTimes: null, sounds: [{ times: null }] });
  });

  it('of a picture are the type of its content and the size that is shown', () => {
    const picture = aDescription({ content: 'heic', width: 300, height: 400, codec: 'hevc' });
    expect(sourceFactsOf(IMAGE, picture)).toMatchObject({
      ...{ mediaType: 'image', fileExtension: 'heic', width: 300, height: 400, rotation: 0, hasVideo: true, hasAudio: false },
    });
  });

  it('of a CSV contain its separator', () => {
    expect(sourceFactsOf(CSV, aDescription({ separator: ';' }))).toMatchObject({ fileExtension: 'csv', separator: ';' });
    expect(sourceFactsOf({ ...CSV, fileExtension: 'docx' }, aDescription())).not.toHaveProperty('separator');
  });

  it.each([
    ['that was not inspected', VIDEO, null],
    ['that cannot be read', VIDEO, aDescription({ problem: 'It is a text.', media: A_FILM })],
    ['whose streams no program of the machine could read', VIDEO, aDescription()],
    ['that is a drawing', IMAGE, aDescription({ content: 'svg', width: 48, height: 24 })],
    ['that is a picture of unknown size', IMAGE, aDescription({ content: 'psd' })],
    ['that is a picture which was too large to be inspected', IMAGE, aDescription({ width: 9, height: 9 })],
  ])('are unknown for a file %s', (_, item, description) => expect(sourceFactsOf(item, description)).toBeNull());
});
