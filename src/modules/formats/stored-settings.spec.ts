import { describe, expect, it } from '@jest/globals';
import type { FormatFields } from './format-fields.js';
import { storedSettings } from './stored-settings.js';

const before = { settings: { filetype: 'mp4', ffmpeg: { crf: 1 } }, configuration: { useInPlayer: true } };
const store = (fields: object, present: typeof before | null = before) => storedSettings(present, { name: 'x', ...fields } as FormatFields);

describe('what is stored of a format', () => {
  it('is what was there, and over it what was sent', () => {
    expect(store({})).toEqual({ settings: before.settings, configuration: before.configuration });
    expect(store({ settings: { filetype: 'mov' }, configuration: { previewFormat: true } })).toEqual({
      settings: { filetype: 'mov', ffmpeg: { crf: 1 } },
      configuration: { useInPlayer: true, previewFormat: true },
    });
  });

  it('is nothing that was cleared, to the last object of a list', () => {
    expect(store({ settings: null, configuration: null })).toEqual({ settings: {}, configuration: null });
    const metadata = [{ metaTitle: 'author', key: null, languages: null }];
    expect(store({ settings: { filetype: null, ffmpeg: null, burnTimecode: { font: null }, metadata } }).settings).toEqual({
      burnTimecode: {},
      metadata: [{ metaTitle: 'author' }],
    });
  });

  it('is raw parameters of the deprecated command too, unless the settings name them', () => {
    const raw = { ffmpeg: { crf: 2 } };
    expect(store({ raw }).settings).toEqual({ filetype: 'mp4', ...raw });
    expect(store({ raw, settings: null }).settings).toEqual(raw);
    expect(store({ raw, settings: { ffmpeg: { crf: 3 } } }, null).settings).toEqual({ ffmpeg: { crf: 3 } });
  });
});
