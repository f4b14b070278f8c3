import { describe, expect, it } from '@jest/globals';
import { fewestMissing } from './converter-workers.service.js';

const worker = (...programs: string[]) => ({ programs });

describe('what is missing for a format', () => {
  it.each([
    [[], null],
    [[worker('soffice', 'pdftoppm')], []],
    [[worker(), worker('soffice', 'pdftoppm', 'ffmpeg')], []],
    [[worker('soffice')], ['pdftoppm']],
    [[worker(), worker('soffice'), worker('ffmpeg')], ['pdftoppm']],
    [
      [worker(), worker('ffmpeg')],
      ['soffice', 'pdftoppm'],
    ],
  ])('is what the best worker lacks, since one has to have all: %j', (workers, missing) => {
    expect(fewestMissing(['soffice', 'pdftoppm'], workers)).toEqual(missing);
  });

  it('of one that needs nothing is nothing', () => {
    expect(fewestMissing([], [worker()])).toEqual([]);
  });
});
