import { expect, it } from '@jest/globals';
import { isPicture, isPlayable, isSubtitle, mimeTypeOf, playedTypeOf } from './media-kinds.js';

it.each([
  ['mp4', 'video/mp4'],
  ['SVG', 'image/svg+xml'],
  ['7z', 'application/x-7z-compressed'],
])('files with the extension %s are %s', (extension, type) => {
  expect(mimeTypeOf(extension)).toBe(type);
});

it.each(['', 'html', 'js', 'constructor', '__proto__', 'hasownproperty'])('what nobody knows (%p) is bytes', (extension) => {
  expect(mimeTypeOf(extension)).toBe('application/octet-stream');
  expect([isPicture(extension), isPlayable(extension), isSubtitle(extension)]).toEqual([false, false, false]);
});

it('what is inside counts where it is known', () => {
  expect([isPlayable('mp4', 'h264'), isPlayable('mp4', 'hevc'), isPlayable('mp4')]).toEqual([true, false, true]);
  expect(playedTypeOf('mp4', null)).toBe('video/mp4');
  expect(playedTypeOf('mp4', 'h264')).toBe('video/mp4');
  expect(playedTypeOf('mp4', 'hevc')).toBe('video/mp4; codecs="hvc1"');
  expect(playedTypeOf('mov', 'prores')).toBe('video/quicktime; codecs="prores"');
});
