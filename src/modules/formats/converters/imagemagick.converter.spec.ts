import { describe, expect, it } from '@jest/globals';
import { AN_IMAGE } from '../../../../test/support/converter/format-requests.js';
import { imageTargetSize } from './imagemagick.converter.js';

describe('the size that ImageMagick makes of 4000 x 3000', () => {
  it.each([
    [{}, '4000x3000'],
    [{ resize: '400x400>' }, '400x300'],
    [{ resize: '8000x8000>' }, '4000x3000'],
    [{ resize: '8000x8000' }, '8000x6000'],
    [{ resize: '8000x8000<' }, '8000x6000'],
    [{ resize: '400x400<' }, '4000x3000'],
    [{ resize: '300x300^' }, '400x300'],
    [{ resize: '300x200!' }, '300x200'],
    [{ resize: '400x' }, '400x300'],
    [{ resize: 'x300' }, '400x300'],
    [{ resize: '50%' }, '2000x1500'],
    [{ thumbnail: '200x200' }, '200x150'],
    [{ crop: '800x600', resize: '400x400>' }, '400x300'],
    [{ crop: '8000x600' }, '4000x600'],
    [{ resize: '300x300^', extent: '300x300' }, '300x300'],
    [{ rotate: 180 }, '4000x3000'],
  ])('with %o is %s', (command, expected) => {
    const size = imageTargetSize(command, AN_IMAGE);
    expect(`${size?.width}x${size?.height}`).toBe(expected);
  });

  it('is unknown if it depends on the content of the picture', () => {
    expect(imageTargetSize({ trim: true }, AN_IMAGE)).toBeNull();
    expect(imageTargetSize({ rotate: 45 }, AN_IMAGE)).toBeNull();
    expect(imageTargetSize({}, { ...AN_IMAGE, height: null })).toBeNull();
  });

  it('is that of the picture upright', () => {
    expect(imageTargetSize({ resize: '400x400' }, { ...AN_IMAGE, rotation: 90 })).toEqual({ width: 300, height: 400 });
  });
});
