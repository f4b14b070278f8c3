import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { filter, writeFilters, writeGraph } from './filter-graph.js';

/** Reads one level of ffmpeg's escaping: a backslash takes the next character as it is, quotes take all up to the next. */
const readLevel = (text: string): string => text.replaceAll(/\\(.)|'([^']*)'/gs, (_, one?: string, quoted?: string) => one ?? quoted ?? '');

describe('a filter graph', () => {
  it('is written with its labels', () => {
    const chains = [
      { from: ['0:V:0'], filters: [filter('hflip'), filter('scale', { w: 2, h: 4 })], to: 'a' },
      { from: ['a', '1:v:0'], filters: [filter('overlay', { x: 'main_w-1' })], to: 'b' },
    ];
    expect(writeGraph(chains)).toBe('[0:V:0]hflip,scale=w=2:h=4[a];[a][1:v:0]overlay=x=main_w-1[b]');
  });

  it('holds any value as one value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const written = writeFilters([filter('x', { k: value })]).slice('x=k='.length);
        expect(/(?<!\\)(\\\\)*[[\],;']/.test(written)).toBe(false);
        const option = readLevel(written);
        expect(/(?<!\\)(\\\\)*[:']/.test(option)).toBe(false);
        expect(readLevel(option)).toBe(value);
      }),
    );
  });
});
