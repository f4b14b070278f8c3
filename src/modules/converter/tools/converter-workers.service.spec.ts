import { describe, expect, it } from '@jest/globals';
import { fewestMissing } from './converter-workers.service.js';

const worker = (...programs: string[]) => ({ programs });

describe('the missing programs of a format', () => {
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
  ])('are those that the best worker lacks, because one worker needs all of them: %j', (workers, missing) => {
    expect(fewestMissing(['soffice', 'pdftoppm'], workers)).toEqual(missing);
  });

  it('are empty for a format that needs no program', () => {
    expect(fewestMissing([], [worker()])).toEqual([]);
  });
});
