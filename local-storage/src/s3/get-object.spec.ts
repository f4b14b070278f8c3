import { describe, expect, it } from '@jest/globals';
import { readRange } from './get-object.js';

describe('A range', () => {
  it.each([
    ['bytes=0-3', { start: 0, end: 4 }],
    ['bytes=4-', { start: 4, end: 10 }],
    ['bytes=-3', { start: 7, end: 10 }],
    ['bytes=-30', { start: 0, end: 10 }],
    ['bytes=9-99', { start: 9, end: 10 }],
    ['bytes=5-3', null],
    ['bytes=0-1,3-4', null],
    ['bytes=-', null],
    ['lines=0-1', null],
    [undefined, null],
  ])('%s of ten bytes is %j', (range, expected) => {
    expect(readRange(range, 10)).toEqual(expected);
  });

  it.each(['bytes=10-', 'bytes=11-20', 'bytes=-0'])('%s of ten bytes is refused', (range) => {
    expect(() => readRange(range, 10)).toThrow(expect.objectContaining({ code: 'InvalidRange', status: 416 }));
  });
});
