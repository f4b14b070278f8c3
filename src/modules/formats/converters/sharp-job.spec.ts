import { describe, expect, it } from '@jest/globals';
import { aRequest, aSource, type Change } from '../../../../test/support/converter/format-requests.js';
import { offeredBy, preferredOf, requirementsOf } from './alternatives.js';
import { buildInvocation } from './build-invocation.js';
import { MissingProgram } from './converter.js';
import { findSharpObstacles } from './sharp-job.js';

const anImage = (fileExtension: string) => aSource({ mediaType: 'image', width: 4000, height: 3000, fileExtension });
const stepsOf = (blueprint: string, change: Change = {}) => {
  const invocation = buildInvocation(aRequest(blueprint, change));
  if (invocation.kind !== 'run') throw new Error(JSON.stringify(invocation));
  return invocation.steps.map(({ program, argv }) => [program, program === 'sharp' ? JSON.parse(argv[1] ?? '') : argv] as const);
};
const COMMON = { input: 'input', maxPixels: 256_000_000 };

describe('an image', () => {
  it.each([
    [
      'jpeg',
      {},
      {
        ...{ type: 'jpeg', output: 'output.jpg', size: '2560x2560>', background: 'white', format: 'jpeg' },
        options: { quality: 85, progressive: true, chromaSubsampling: '4:2:0' },
      },
    ],
    [
      'png',
      { parameters: { crop: '800x600', gravity: 'North', colors: 16 }, xmp: '<x/>' },
      {
        ...{ type: 'jpeg', output: 'output.png', crop: '800x600', gravity: 'North', size: '2560x2560>', xmp: '<x/>' },
        ...{ format: 'png', options: { colours: 16, palette: true } },
      },
    ],
    [
      'webp',
      { parameters: { define: 'webp:method=6' }, source: anImage('avif') },
      {
        ...{ type: 'heif', output: 'output.webp', size: '2560x2560>', animated: true, format: 'webp' },
        options: { quality: 80, effort: 6 },
      },
    ],
    [
      'avif',
      { parameters: { 'sampling-factor': '4:2:2', profile: 'keep' } },
      {
        ...{ type: 'jpeg', output: 'output.avif', size: '2560x2560>', keepsProfile: true, format: 'avif' },
        options: { quality: 60, chromaSubsampling: '4:4:4' },
      },
    ],
    [
      'jpeg',
      { settings: { filetype: 'webp', watermark: { mediaContainerId: 1, gravity: 'North', widthFactor: 10 } } },
      {
        ...{ type: 'jpeg', output: 'output.webp', size: '2560x2560>', animated: true, format: 'webp', options: { quality: 85 } },
        watermark: { input: 'watermark', type: 'png', percent: 10, margin: 0.02, gravity: 'North', maxPixels: 256_000_000 },
      },
    ],
    [
      'png',
      { parameters: { depth: 16 } },
      { type: 'jpeg', output: 'output.png', size: '2560x2560>', deep: true, format: 'png', options: {} },
    ],
  ] as [string, Change, object][])('%s %o is made by sharp alone', (blueprint, change, expected) => {
    expect(stepsOf(blueprint, { watermark: { fileExtension: 'png' }, ...change })).toEqual([['sharp', { ...COMMON, ...expected }]]);
  });

  it.each([
    [
      'heic',
      ['heif-convert', ['input', 'input-decoded.png']],
      { input: 'input-decoded.png', type: 'png', isUpright: true, mainOf: 'input' },
    ],
    ['psd', ['convert', expect.arrayContaining(['psd:input[0]', 'tiff:input-decoded'])], { input: 'input-decoded', type: 'tiff' }],
    ['bmp', ['convert', expect.arrayContaining(['bmp:input[0]', 'tiff:input-decoded'])], { input: 'input-decoded', type: 'tiff' }],
    ['cielab', ['convert', expect.arrayContaining(['tiff:input[0]', 'tiff:input-decoded'])], { input: 'input-decoded', type: 'tiff' }],
  ])('of the type %s is decoded first', (extension, decoded, job) => {
    const [first, second, ...more] = stepsOf('webp', { source: anImage(extension) });
    expect([first, second?.[0], more]).toEqual([decoded, 'sharp', []]);
    expect(second?.[1]).toMatchObject(job);
  });

  it.each([
    ['heic', 'heif-convert'],
    ['psd', 'convert'],
    ['avis', 'ffprobe'],
  ])('of the type %s needs %s', (extension, program) => {
    const build = () => stepsOf('webp', { source: anImage(extension), programs: ['sharp'] });
    expect(build).toThrow(new MissingProgram(program as 'convert'));
  });

  it('of an animated AVIF is decoded by ffmpeg, of an APNG by sharp', () => {
    expect(stepsOf('webp', { source: anImage('avis') })).toMatchObject([
      ['ffprobe', expect.arrayContaining(['mov'])],
      ['ffmpeg', []],
      ['sharp', { input: 'input', type: 'heif', frames: 'input-frames' }],
    ]);
    expect(stepsOf('webp', { source: anImage('apng'), programs: ['sharp'] })).toMatchObject([['sharp', { type: 'png', frames: 'input' }]]);
    expect(stepsOf('jpeg', { source: anImage('avis'), programs: ['sharp'] })).toMatchObject([['sharp', { input: 'input', type: 'heif' }]]);
  });

  it('of an APNG for a type without animation is its first picture', () => {
    expect(stepsOf('jpeg', { source: anImage('apng'), programs: ['sharp'] })).toMatchObject([['sharp', { type: 'png' }]]);
  });

  it.each([
    ['an annotation', { settings: { annotation: { text: 'x' } } }, ['settings.annotation']],
    ['other subsampling', { parameters: { 'sampling-factor': '4:2:2' } }, ['the parameter sampling-factor 4:2:2']],
  ])('with %s needs ImageMagick, which works on the image of sharp', (_, change, obstacles) => {
    const { settings, command } = aRequest('jpeg', change as Change);
    expect(findSharpObstacles(settings, command)).toEqual(obstacles);
    const [shaped, drawn] = stepsOf('jpeg', change as Change);
    expect(shaped).toMatchObject(['sharp', { size: '2560x2560>', background: 'white', output: 'shaped', format: 'png' }]);
    expect(drawn).toMatchObject(['convert', expect.arrayContaining(['png:shaped'])]);
    expect(() => stepsOf('jpeg', { ...(change as Change), programs: ['sharp'] })).toThrow(MissingProgram);
  });

  it('is shaped by ImageMagick after the first operator that sharp does not have', () => {
    const raw = { crop: '800x600', rotate: 45, resize: '50%', blur: '0x1', interlace: 'Plane' };
    const [shaped, drawn, written, ...more] = stepsOf('jpeg', { settings: { imagemagick: raw } });
    expect(shaped?.[1]).toEqual({
      ...{ ...COMMON, type: 'jpeg', crop: '800x600', gravity: 'NorthWest', background: 'white', output: 'shaped', format: 'png' },
      options: { compressionLevel: 1 },
    });
    const argv = (drawn?.[1] ?? []) as readonly string[];
    expect(argv.slice(argv.indexOf('png:shaped') + 1)).toEqual([
      ...['-background', 'white', '-rotate', '45', '+repage', '-resize', '50%', '-blur', '0x1', '+profile', '!icc,*', 'png:drawn'],
    ]);
    expect([written, more]).toMatchObject([['sharp', { input: 'drawn', output: 'output.jpg' }], []]);
  });

  it('ignores operators that are off, and refuses those that sharp does not have', () => {
    expect(findSharpObstacles({ filetype: 'jpg' }, { flip: false, blur: '0x1' })).toEqual(['the parameter blur 0x1']);
  });
});

describe('what a machine needs for images', () => {
  const required = (change: Change = {}, key = 'jpeg') => {
    const { converter, settings, command } = aRequest(key, change);
    return requirementsOf(converter, settings, command);
  };

  it('is sharp, which can replace exiftool', () => {
    expect(required()).toEqual(['sharp', 'exiftool|sharp']);
    for (const programs of [['sharp'], ['convert', 'sharp'], ['sharp', 'exiftool']]) {
      expect(offeredBy(programs)).toEqual(expect.arrayContaining([...required()]));
    }
    expect(offeredBy(['convert', 'ffprobe', 'exiftool'])).not.toEqual(expect.arrayContaining([...required()]));
    expect(required().map(preferredOf)).toEqual(['sharp', 'exiftool']);
  });

  it('of transcodings that wait since an earlier version is offered too', () => {
    expect(offeredBy(['sharp'])).toEqual(expect.arrayContaining(['convert|sharp', 'ffprobe|sharp', 'exiftool|sharp']));
  });

  it('is exiftool for metadata that the format defines', () => {
    expect(required({ settings: { metadata: [{ metaTitle: 'tags' }] } })).toEqual(['sharp', 'exiftool']);
  });

  it('is ImageMagick too for what sharp does not have', () => {
    expect(required({ settings: { annotation: { text: 'x' } } })).toEqual(['sharp', 'convert', 'exiftool']);
    expect(required({}, 'mp3')).toEqual(['ffmpeg', 'ffprobe']);
  });
});
