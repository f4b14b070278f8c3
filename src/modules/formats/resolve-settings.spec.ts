import { describe, expect, it } from '@jest/globals';
import type { Format } from './format.entity.js';
import { resolveSettings } from './resolve-settings.js';

const blueprint = { settings: { mediaTypes: ['video'], filetype: 'mp4', parameters: { crf: 23 } } } as unknown as Format;
const resolve = (settings: object, configuration: object | null = null) => resolveSettings({ settings, configuration }, blueprint);

describe('the settings that count', () => {
  it('take media types and file type from the blueprint, but not its parameters', () => {
    expect(resolve({})).toEqual({ mediaTypes: ['video'], filetype: 'mp4', useInPlayer: true });
  });

  it('are the own ones first, then those of the deprecated configuration', () => {
    const configuration = { useInPlayer: false, autoGenerate: ['video'], transcodingCreateNotAllowed: true };
    expect(resolve({ filetype: 'mov', autoGenerate: [] }, configuration)).toEqual({
      mediaTypes: ['video'],
      filetype: 'mov',
      useInPlayer: false,
      autoGenerate: [],
    });
  });

  it('leave out what was cleared', () => {
    expect(resolve({ filetype: null }, { watermark: null })).toEqual({ mediaTypes: ['video'], filetype: 'mp4', useInPlayer: true });
  });
});
