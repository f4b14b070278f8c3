import { describe, expect, it } from '@jest/globals';
import { burnTimecode, defaultFontSize, mergeTimecode, toRational } from './burn-timecode.js';

describe("the customer's configuration of timecodes", () => {
  it("overrides the format's key by key", () => {
    const format = { fontcolor: 'red', fontsize: 20, offset: 0 } as const;
    expect(mergeTimecode(format, { fontcolor: 'blue', box: 1 })).toEqual({ fontcolor: 'blue', fontsize: 20, offset: 0, box: 1 });
    expect(mergeTimecode(format, { fontcolor: null, offset: 1 })).toEqual({ fontcolor: 'red', fontsize: 20, offset: 1 });
    expect(mergeTimecode(format, null)).toEqual(format);
  });

  it('overrides the other name of a key too', () => {
    expect(mergeTimecode({ font: 30, position: 'North' }, { fontsize: '20', gravity: 'South' })).toEqual({
      fontsize: '20',
      gravity: 'South',
    });
    expect(mergeTimecode({ font: 30 }, { fontsize: 20, font: 40 })).toEqual({ fontsize: 20, font: 40 });
  });

  it('has no effect on formats without a timecode', () => {
    expect(mergeTimecode(undefined, { box: 1 })).toBeNull();
  });
});

describe('a burnt-in timecode', () => {
  const options = (timecode: Parameters<typeof burnTimecode>[0], height = 360, frameRate: number | null = 25) =>
    burnTimecode(timecode, { width: (height * 16) / 9, height }, { frameRate })[1]?.options;

  it.each([
    [360, 16],
    [180, 16],
    [720, 32],
    [1080, 48],
    [2160, 96],
  ])('on a picture of %dp is %d px high, landscape or portrait', (height, size) => {
    expect(defaultFontSize({ width: height * 2, height })).toBe(size);
    expect(defaultFontSize({ width: height, height: height * 2 })).toBe(size);
    expect(options({}, height)?.fontsize).toBe(size);
  });

  it('takes font before fontsize, which may be a text', () => {
    expect(options({ fontsize: '20' })?.fontsize).toBe(20);
    expect(options({ fontsize: '20', font: 30 })?.fontsize).toBe(30);
  });

  it('starts at 10 hours, or at zero with offset 1', () => {
    expect(options({})?.timecode).toBe('10:00:00:00');
    expect(options({ offset: 0 })?.timecode).toBe('10:00:00:00');
    expect(options({ offset: 1 })?.timecode).toBe('00:00:00:00');
  });

  it('is at the bottom in the middle by default', () => {
    expect(options({})).toMatchObject({ x: '(w-text_w)/2', y: 'h-text_h-16' });
    expect(options({ gravity: 'NorthWest' })).toMatchObject({ x: '16', y: '16' });
    expect(options({ position: 'North', gravity: 'South' })).toMatchObject({ x: '(w-text_w)/2', y: '16' });
    expect(options({ position: 'East' })).toMatchObject({ x: 'w-text_w-16', y: '(h-text_h)/2' });
  });

  it('has a box by default', () => {
    expect(options({ boxcolor: '#11223380', boxborderw: 3 })).toMatchObject({ box: 1, boxcolor: '0x112233@0.502', boxborderw: 3 });
    expect(options({ box: 0, boxcolor: 'red' })).not.toHaveProperty('box');
  });

  it.each([
    [25, '25/1'],
    [29.97, '30000/1001'],
    [23.976, '24000/1001'],
    [59.94005994, '60000/1001'],
    [12.5, '12500/1000'],
    [0, '25/1'],
    [Number.NaN, '25/1'],
    [90_000, '240/1'],
  ])('counts frames of %d per second as %s', (rate, expected) => {
    expect(toRational(rate)).toBe(expected);
    expect(burnTimecode({}, null, { frameRate: rate })[0]?.options).toEqual({ fps: expected });
  });

  it('counts 25 per second if the frame rate is unknown', () => {
    expect(options({}, 360, null)?.timecode_rate).toBe('25/1');
  });
});
