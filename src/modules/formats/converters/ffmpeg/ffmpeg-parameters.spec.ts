import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseFilters } from './ffmpeg-parameters.js';

describe('a chain of filters', () => {
  it('is read into names and arguments', () => {
    expect(parseFilters('yadif,scale=1280:-2:flags=lanczos,fps=30000/1001,format=yuv420p', 'video')).toEqual([
      { name: 'yadif', args: [] },
      { name: 'scale', args: ['1280', '-2', 'flags=lanczos'] },
      { name: 'fps', args: ['30000/1001'] },
      { name: 'format', args: ['yuv420p'] },
    ]);
    expect(parseFilters('loudnorm=I=-16:TP=-1.5:LRA=11', 'audio')).toEqual([{ name: 'loudnorm', args: ['I=-16', 'TP=-1.5', 'LRA=11'] }]);
    expect(parseFilters('volume=-3dB', 'audio')).toEqual([{ name: 'volume', args: ['-3dB'] }]);
  });

  it.each([
    '',
    'movie=/etc/passwd',
    'drawtext=textfile=x',
    'subtitles=x.srt',
    'lut3d=file=x.cube',
    "scale='1280'",
    'scale=iw*2:-1',
    'scale=1280;[a]movie',
    '[0]scale=1',
    'scale=1280:-2,',
    'scale=w=1280:psfile=x',
    'scale=/etc/passwd',
    'scale=..',
    'scale=1\n',
    'fps=25 -i x',
    'volume=3dB',
    Array(21).fill('hflip').join(','),
  ])('is not %j', (text) => {
    expect(parseFilters(text, 'video')).toBeNull();
  });

  it('never holds a character that means something to ffmpeg beyond name, arguments and order', () => {
    const piece = fc.constantFrom(
      'scale',
      'fps',
      '=',
      ':',
      ',',
      '1280',
      '-2',
      'w',
      ';',
      '[a]',
      "'",
      '\\',
      '%',
      '/',
      '\n',
      'file',
      '@',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        const filters = parseFilters(text, 'video');
        if (filters === null) return true;
        const again = filters.map(({ name, args }) =>
          text.includes(`${name}=`) || args.length ? [name, args.join(':')].filter(Boolean).join('=') : name,
        );
        return again.join(',') === text && !/[;[\]'\\%\n@ ]/.test(text) && !text.includes('file=');
      }),
    );
  });
});
