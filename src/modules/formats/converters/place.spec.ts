import { describe, expect, it } from '@jest/globals';
import { placeOf, watermarkGravity, watermarkWidth } from './place.js';

describe('the place of a watermark', () => {
  it('is its position on videos, its gravity on images, and bottom right when neither is set', () => {
    const both = { mediaContainerId: 1, position: 'tl', gravity: 'South' } as const;
    expect(watermarkGravity(both, 'position')).toBe('NorthWest');
    expect(watermarkGravity(both, 'gravity')).toBe('South');
    expect(watermarkGravity({ mediaContainerId: 1, gravity: 'South' }, 'position')).toBe('South');
    expect(watermarkGravity({ mediaContainerId: 1, position: 'c' }, 'gravity')).toBe('Center');
    expect(watermarkGravity({ mediaContainerId: 1 }, 'position')).toBe('SouthEast');
  });

  it('lies along both sides', () => {
    expect(placeOf('NorthWest')).toEqual({ x: 'start', y: 'start' });
    expect(placeOf('East')).toEqual({ x: 'end', y: 'middle' });
    expect(placeOf('South')).toEqual({ x: 'middle', y: 'end' });
    expect(placeOf('Center')).toEqual({ x: 'middle', y: 'middle' });
  });
});

describe('the width of a watermark', () => {
  it.each([
    [undefined, 200],
    [10, 100],
    [100, 1000],
    [0, null],
  ])('with factor %s on 1000 pixels is %s', (widthFactor, width) => {
    expect(watermarkWidth({ mediaContainerId: 1, widthFactor }, { width: 1000, height: 500 })).toEqual({ width, margin: 20 });
  });

  it('needs the size of the target', () => {
    expect(() => watermarkWidth({ mediaContainerId: 1 }, null)).toThrow("A watermark needs the picture's size");
  });
});
