import { describe, expect, it } from '@jest/globals';
import { isColor, parseColor } from './color.js';

describe('a colour', () => {
  it.each([
    ['red', { name: 'red', hex: null, opacity: 1 }],
    ['White@0.5', { name: 'white', hex: null, opacity: 0.5 }],
    ['#F00', { name: null, hex: 'ff0000', opacity: 1 }],
    ['#12ab34', { name: null, hex: '12ab34', opacity: 1 }],
    ['#12ab3433', { name: null, hex: '12ab34', opacity: 0.2 }],
    ['#12ab34@.25', { name: null, hex: '12ab34', opacity: 0.25 }],
  ])('is read from %s', (text, color) => {
    expect(parseColor(text)).toEqual(color);
  });

  it.each([
    '',
    'nocolor',
    '#12',
    '#12345',
    'red@2',
    'red@',
    'red@0.5@0.5',
    'red:x=1',
    "red'",
    'red\n',
    '#ff0000 ',
    '%f',
    'url(x)',
    'constructor',
  ])('is not %j', (text) => {
    expect(isColor(text)).toBe(false);
  });
});
