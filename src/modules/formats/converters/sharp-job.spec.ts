import { describe, expect, it } from '@jest/globals';
import { aRequest, aSource, type Change } from '../../../../test/support/format-requests.js';
import { offeredBy, preferredOf, requirementsOf, strictly } from './alternatives.js';
import { buildInvocation } from './build-invocation.js';
import { MissingProgram } from './converter.js';
import { findSharpObstacles } from './sharp-job.js';

const jobOf = (blueprint: string, change: Change = {}) => {
  const invocation = buildInvocation(aRequest(blueprint, { programs: ['sharp'], ...change }));
  if (invocation.kind !== 'run') return invocation;
  const [step, ...more] = invocation.steps;
  expect([step?.program, step?.argv[0], more]).toEqual(['sharp', 'make', []]);
  return JSON.parse(step?.argv[1] ?? '');
};

describe('an image on a machine without ImageMagick', () => {
  it.each([
    [
      'jpeg',
      {},
      {
        ...{ input: 'input', type: 'jpeg', output: 'output.jpg', size: '2560x2560>', background: 'white', format: 'jpeg' },
        options: { quality: 85, progressive: true, chromaSubsampling: '4:2:0' },
      },
    ],
    [
      'png',
      { parameters: { crop: '800x600', gravity: 'North', colors: 16 }, xmp: '<x/>' },
      {
        ...{ input: 'input', type: 'jpeg', output: 'output.png', crop: '800x600', gravity: 'North', size: '2560x2560>', xmp: '<x/>' },
        ...{ format: 'png', options: { colours: 16, palette: true } },
      },
    ],
    [
      'webp',
      { parameters: { define: 'webp:method=6' }, source: aSource({ mediaType: 'image', fileExtension: 'avif' }) },
      {
        ...{ input: 'input', type: 'avif', output: 'output.webp', size: '2560x2560>', format: 'webp' },
        options: { quality: 80, effort: 6 },
      },
    ],
  ])('%s %o', (blueprint, change, expected) => {
    expect(jobOf(blueprint, change as Change)).toEqual(expected);
  });

  it.each([
    ['a watermark', { settings: { watermark: { mediaContainerId: 1 } } }, ['settings.watermark']],
    ['an annotation', { settings: { annotation: { text: 'x' } } }, ['settings.annotation']],
    ['other subsampling', { parameters: { 'sampling-factor': '4:2:2' } }, ['the parameter sampling-factor 4:2:2']],
  ])('with %s is refused', (_, change, obstacles) => {
    const { settings, command } = aRequest('jpeg', change as Change);
    expect(findSharpObstacles(settings, command)).toEqual(obstacles);
    expect(jobOf('jpeg', change as Change)).toMatchObject({ kind: 'refused' });
  });

  it('ignores operators that are off, and refuses those that sharp does not have', () => {
    expect(findSharpObstacles({ filetype: 'jpg' }, { flip: false, blur: '0x1' })).toEqual(['the parameter blur 0x1']);
  });

  it('of a type that sharp does not read needs ImageMagick', () => {
    expect(() => jobOf('jpeg', { source: aSource({ mediaType: 'image', fileExtension: 'heic' }) })).toThrow(MissingProgram);
  });

  it('is made by ImageMagick where that is', () => {
    const invocation = buildInvocation(aRequest('jpeg', { programs: ['sharp', 'convert', 'ffprobe'] }));
    expect(invocation).toMatchObject({ kind: 'run', steps: [{ program: 'convert' }] });
  });
});

describe('what a machine needs for images', () => {
  const required = (change: Change = {}, key = 'jpeg') => {
    const { converter, settings, command } = aRequest(key, change);
    return requirementsOf(converter, settings, command);
  };

  it('is ImageMagick with its companions, or sharp', () => {
    expect(required()).toEqual(['convert|sharp', 'ffprobe|sharp', 'exiftool|sharp']);
    for (const programs of [['sharp'], ['convert', 'ffprobe', 'exiftool'], ['convert', 'sharp']]) {
      expect(offeredBy(programs)).toEqual(expect.arrayContaining([...required()]));
    }
    expect(offeredBy(['convert'])).not.toEqual(expect.arrayContaining([...required()]));
    expect(required().map(preferredOf)).toEqual(['convert', 'ffprobe', 'exiftool']);
  });

  it('is exiftool for metadata that the format defines', () => {
    expect(required({ settings: { metadata: [{ metaTitle: 'tags' }] } })).toEqual(['convert|sharp', 'ffprobe|sharp', 'exiftool']);
  });

  it('is ImageMagick alone for what sharp cannot do, or for an original that sharp does not read', () => {
    expect(required({ settings: { annotation: { text: 'x' } } })).toEqual(['convert', 'ffprobe', 'exiftool']);
    expect(strictly(required(), 'convert')).toEqual(['convert', 'ffprobe|sharp', 'exiftool|sharp']);
    expect(required({}, 'mp3')).toEqual(['ffmpeg', 'ffprobe']);
  });
});
