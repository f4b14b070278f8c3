import { describe, expect, it } from '@jest/globals';
import { annotate, escapeText, toImageMagickColor } from './annotate.js';

describe('an annotation', () => {
  it('is as large as the picture wants it, unless it is said', () => {
    expect(annotate({ text: 'x' }, { width: 1000, height: 500 })).toEqual(
      '-gravity South -font DejaVu-Sans -pointsize 20 -fill white -annotate +0+20 x'.split(' '),
    );
    expect(annotate({ text: 'x', pointSize: 9, relative: 3, gravity: 'NorthEast', fill: '#f00', font: 'Courier New' }, null)).toEqual(
      '-gravity NorthEast -font DejaVu-Sans-Mono -pointsize 9 -fill #ff0000 -annotate +3+3 x'.split(' '),
    );
    expect(annotate({ text: 'x', gravity: 'West' }, { width: 100, height: 100 })).toEqual(expect.arrayContaining(['12', '+2+0']));
  });

  it.each([
    ['plain', 'plain'],
    ['100% %w %[exif:*]', '100%% %%w %%[exif:*]'],
    ['@/etc/passwd', '\\@/etc/passwd'],
    ['  @x', '\\@x'],
    ['a@b', 'a@b'],
    ['C:\\new', 'C:\\\\new'],
    ['A & B &lt;', 'A &amp; B &amp;lt;'],
    ['two\r\nlines\u0000', 'two\nlines'],
    ['-fill red', '-fill red'],
  ])('prints %j literally', (text, escaped) => {
    expect(escapeText(text)).toBe(escaped);
  });

  it.each([
    ['Red', 'red'],
    ['#0f0', '#00ff00'],
    ['#00ff0080', '#00ff0080'],
  ])('has the colour %s', (text, expected) => {
    expect(toImageMagickColor(text)).toBe(expected);
  });
});
