import { expect, it } from '@jest/globals';
import { isPicture, isPlayable, isSubtitle, playedTypeOf } from './media-kinds.js';

it.each(['', 'html', 'js', 'constructor', '__proto__', 'hasownproperty'])(
  'an unknown extension (%p) is neither a picture, nor playable, nor a subtitle',
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
