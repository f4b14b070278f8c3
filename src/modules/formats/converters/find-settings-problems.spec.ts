import { describe, expect, it } from '@jest/globals';
import { BLUEPRINTS } from '../blueprints/blueprints.js';
import type { FormatSettings } from '../format-settings.dto.js';
import { findSettingsProblems } from './find-settings-problems.js';

const pathsOf = (settings: FormatSettings, converter: 'ffmpeg' | 'imagemagick' = 'ffmpeg') =>
  findSettingsProblems(converter, { filetype: 'png', ...settings }).map(({ path }) => path);

describe('problems of settings', () => {
  it('do not occur in the blueprints', () => {
    for (const { converter, settings } of BLUEPRINTS) expect(findSettingsProblems(converter, settings)).toEqual([]);
  });

  it('are named by their paths', () => {
    const burnTimecode = { fontcolor: 'nocolor', fontsize: '1e9', box: 2, position: 'Middle' } as unknown as FormatSettings['burnTimecode'];
    expect(pathsOf({ burnTimecode })).toEqual(['fontcolor', 'fontsize', 'box', 'position'].map((key) => `settings.burnTimecode.${key}`));
    const annotation = { fill: 'red@0.5', font: 'Wingdings' } as unknown as FormatSettings['annotation'];
    expect(pathsOf({ annotation }, 'imagemagick')).toEqual(['text', 'fill', 'font'].map((key) => `settings.annotation.${key}`));
    expect(pathsOf({ annotation: { text: 'x', font: '/etc/font.ttf' } }, 'imagemagick')).toContain('settings.annotation.font');
    expect(pathsOf({ watermark: { mediaContainerId: 1, widthFactor: 101 } })).toEqual(['settings.watermark.widthFactor']);
    expect(pathsOf({ audioWatermark: { mediaContainerId: 1, interval: 3_601 } })).toEqual(['settings.audioWatermark.interval']);
    expect(pathsOf({ testMode: { seconds: 0 } })).toEqual(['settings.testMode.seconds']);
  });

  it('are file types that a converter does not make', () => {
    expect(findSettingsProblems('ffmpeg', { filetype: 'm3u8' })).toEqual([
      {
        path: 'settings.filetype',
        message: 'filetype must be one of mp4, m4v, mov, webm, mkv, ts, gif, mp3, m4a, aac, flac, wav, ogg, opus, jpg, png, webp.',
      },
    ]);
    expect(findSettingsProblems('imagemagick', {})).toHaveLength(1);
    expect(findSettingsProblems('original', {})).toEqual([]);
  });
});
