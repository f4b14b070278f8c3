import { describe, expect, it } from '@jest/globals';
import type { Format } from './format.entity.js';
import type { FormatFieldsDto } from './format-inputs.dto.js';
import { resolveSettings, storedSettings } from './stored-settings.js';

const blueprint = { settings: { mediaTypes: ['video'], filetype: 'mp4', parameters: { crf: 23 } } } as unknown as Format;
const resolve = (settings: object, configuration: object | null = null) => resolveSettings({ settings, configuration }, blueprint);

describe('the effective settings', () => {
  it('take media types and file type from the blueprint, but not its parameters', () => {
    expect(resolve({})).toEqual({ mediaTypes: ['video'], filetype: 'mp4', useInPlayer: true });
  });

  it('keep a drawing out of players', () => {
    const drawing = { settings: { filetype: 'png', parameters: { draw: 'waveform' } } } as unknown as Format;
    expect(resolveSettings({ settings: {}, configuration: null }, drawing).useInPlayer).toBe(false);
    expect(resolveSettings({ settings: { useInPlayer: true }, configuration: null }, drawing).useInPlayer).toBe(true);
  });

  it("are the format's own, completed by the deprecated configuration", () => {
    const configuration = { useInPlayer: false, autoGenerate: ['video'], transcodingCreateNotAllowed: true };
    expect(resolve({ filetype: 'mov', autoGenerate: [] }, configuration)).toEqual({
      mediaTypes: ['video'],
      filetype: 'mov',
      useInPlayer: false,
      autoGenerate: [],
    });
  });

  it('omit cleared values', () => {
    expect(resolve({ filetype: null }, { watermark: null })).toEqual({ mediaTypes: ['video'], filetype: 'mp4', useInPlayer: true });
  });
});

const before = { settings: { filetype: 'mp4', ffmpeg: { crf: 1 } }, configuration: { useInPlayer: true } };
const store = (fields: object, present: typeof before | null = before) =>
  storedSettings(present, { name: 'x', ...fields } as FormatFieldsDto);

describe('the stored settings of a format', () => {
  it('are the previous values, overridden by the sent ones', () => {
    expect(store({})).toEqual({ settings: before.settings, configuration: before.configuration });
    expect(store({ settings: { filetype: 'mov' }, configuration: { previewFormat: true } })).toEqual({
      settings: { filetype: 'mov', ffmpeg: { crf: 1 } },
      configuration: { useInPlayer: true, previewFormat: true },
    });
  });

  it('contain no cleared values, even in objects of a list', () => {
    expect(store({ settings: null, configuration: null })).toEqual({ settings: {}, configuration: null });
    const metadata = [{ metaTitle: 'author', key: null, languages: null }];
    expect(store({ settings: { filetype: null, ffmpeg: null, burnTimecode: { font: null }, metadata } }).settings).toEqual({
      burnTimecode: {},
      metadata: [{ metaTitle: 'author' }],
    });
  });

  it('contain raw parameters of the deprecated command, unless the settings contain them', () => {
    const command = { ffmpeg: { crf: 2 } };
    expect(store({ command }).settings).toEqual({ filetype: 'mp4', ...command });
    expect(store({ command, settings: null }).settings).toEqual(command);
    expect(store({ command, settings: { ffmpeg: { crf: 3 } } }, null).settings).toEqual({ ffmpeg: { crf: 3 } });
  });
});
