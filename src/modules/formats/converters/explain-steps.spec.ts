import { describe, expect, it } from '@jest/globals';
import { A_DOCUMENT, A_SOUND, AN_IMAGE, aRequest, aSource, type Change } from '../../../../test/support/converter/format-requests.js';
import type { FileDescription } from '../../media/index.js';
import { BLUEPRINTS } from '../blueprints/blueprints.js';
import { buildInvocation } from './build-invocation.js';
import type { Invocation, SourceFacts } from './converter.js';
import { type ExplainedStep, explainSteps } from './explain-steps.js';
import { mergeParameters } from './merge-parameters.js';
import { sourceFactsOf } from './source-facts.js';

/** The description of a film as ffprobe names its streams: the picture, then the sounds. */
const aFilm = (picture: object, ...sounds: readonly object[]): FileDescription => ({
  ...{ version: 1, problem: null, content: null, size: 1_000, width: null, height: null, duration: null, codec: null },
  media: {
    format: { format_name: 'mov,mp4', start_time: '0', duration: '60' },
    streams: [
      { codec_type: 'video', codec_name: 'h264', width: 1920, height: 1080, avg_frame_rate: '25/1', r_frame_rate: '25/1', ...picture },
      ...sounds.map((sound) => ({ codec_type: 'audio', codec_name: 'aac', channels: 2, ...sound })),
    ].map((stream, index) => ({ index, ...stream })),
    chapters: [],
  },
});
const HDR = { color_transfer: 'smpte2084', color_primaries: 'bt2020', color_space: 'bt2020nc', color_range: 'tv' };
const DV = { width: 720, height: 576, sample_aspect_ratio: '64:45', field_order: 'tb', color_space: 'smpte170m' };

const factsOf = (description: FileDescription): SourceFacts => {
  const facts = sourceFactsOf({ mediaType: 'video', fileExtension: 'mov' }, description);
  if (facts === null) throw new Error('The description is not sufficient.');
  return facts;
};

/** The command of a custom format of a blueprint, and its explanation. */
function explain(key: string, { parameters = {}, ...change }: Change = {}) {
  const request = aRequest(key, { parameters, ...change });
  const invocation = buildInvocation(request);
  const blueprint = BLUEPRINTS.find((one) => one.key === key)?.settings ?? {};
  const custom = { ...change.settings, parameters };
  const merged = mergeParameters({ blueprint, custom, converter: request.converter, mediaTypes: blueprint.mediaTypes ?? [] });
  return { invocation, steps: invocation.kind === 'run' ? explainSteps(invocation, merged.parameters) : [] };
}

const argvOf = (invocation: Invocation) => (invocation.kind === 'run' ? invocation.steps.flatMap(({ argv }) => argv) : []);
const explainedArgvOf = (steps: readonly ExplainedStep[]) => steps.flatMap((step) => step.arguments.flatMap((group) => group.arguments));

/** Arguments of the first step with their reasons, one per line, those of filters indented; only lines that match. */
const linesOf = ([step]: readonly ExplainedStep[], wanted: RegExp): string[] =>
  (step?.arguments ?? [])
    .flatMap(({ arguments: argv, reason, parts }) => [
      ...(parts.length > 0 ? [] : [`${argv.join(' ')} | ${reason}`]),
      ...parts.map((one) => `  ${one.part} | ${one.reason}`),
    ])
    .filter((line) => wanted.test(line));

describe('the explanation of a film', () => {
  it.each<[string, string, Change, RegExp, string[]]>([
    [
      'that is interlaced, with pixels that are not square',
      'h264-360p',
      { source: factsOf(aFilm(DV, {})) },
      /bwdif|setsar|-map/,
      [
        '-map 0:V:0 | the first picture that is no cover',
        '  bwdif=mode=send_frame:parity=bff:deint=all | interlaced source, bottom field first',
        '  setsar=sar=1 | pixels of the source are 1.422 times as wide as high',
        '-map 0:1? | the sound that is played first, if there is one',
        '-map_metadata -1 | metadata may tell where and by whom the file was recorded',
        '-map_chapters -1 | chapters are tracks of the media container; in a file they would be a stream that players do not expect',
      ],
    ],
    [
      'in high dynamic range, with a commentary',
      'h264-360p',
      { source: factsOf(aFilm(HDR, { disposition: { comment: 1 } }, { disposition: { default: 1 }, channels: 6 })) },
      /tonemap|-map 0:\d|-crf|aformat/,
      [
        '  tonemap=tonemap=hable:desat=0 | HDR source (PQ): mapped to the range and colours of BT.709',
        '-map 0:2? | one of 2 sound streams: the file marks it as default',
        '  aformat=sample_fmts=fltp:channel_layouts=stereo | 6 channels are mixed to stereo at their loudness',
        "-crf 23 | parameter crf: the blueprint's default",
      ],
    ],
    [
      'whose sound ends before the picture',
      'h264-360p',
      {
        parameters: { crf: 22 },
        source: factsOf({ ...aFilm({}, {}), times: [60, 50].map((end, index) => ({ index, start: 0, end })) }),
      },
      /apad|-crf/,
      ['  apad=whole_dur=60 | the sound ends 10 s before the picture', '-crf 22 | parameter crf: allowed by the blueprint'],
    ],
    [
      'without sound',
      'h264-360p',
      { source: factsOf(aFilm({})) },
      /-an|-map 0/,
      ['-map 0:V:0 | the first picture that is no cover', '-an | the source has no sound'],
    ],
    ['in a test mode', 'h264-360p', { settings: { testMode: { seconds: 3 } } }, /^-t /, ['-t 3 | settings.testMode']],
    [
      'that ends before the time of its poster',
      'video-poster',
      { source: aSource({ duration: 1.5 }) },
      /-ss|trim/,
      ['-ss 0.75 | the source ends before 3 s (parameter ss): its middle', '  trim=start=0 | the picture that is shown at 0.75 s'],
    ],
  ])('%s', (_, key, change, wanted, expected) => {
    const { steps, invocation } = explain(key, change);
    expect(linesOf(steps, wanted)).toEqual(expected);
    expect(explainedArgvOf(steps)).toEqual(argvOf(invocation));
  });

  it('shows steps that make equal parts once', () => {
    const { steps } = explain('storyboard', { source: factsOf({ ...aFilm({ ...DV, ...HDR }), times: [{ index: 0, start: 0, end: 60 }] }) });
    const reasons = steps[0]?.arguments.flatMap(({ parts }) => parts.map(({ part, reason }) => `${part.split('=')[0]}: ${reason}`));
    expect(reasons).toContain('bwdif: interlaced source, bottom field first');
    expect(reasons).toContain('scale: BT.709: converted to RGB');
    expect(steps.map(({ program, times }) => [program, times])).toEqual([
      ['ffmpeg', 6],
      ['ffmpeg', 1],
    ]);
  });
});

describe('the explanation of a picture', () => {
  it.each<[string, Change, string[]]>([
    ['of sharp alone', {}, ['sharp: sharp has everything that this format needs']],
    [
      'of HEIC',
      { source: { ...AN_IMAGE, fileExtension: 'heic' } },
      [
        'heif-convert: HEIC, for which the libvips of sharp has no decoder, because of patents',
        'sharp: sharp has everything that this format needs',
      ],
    ],
    [
      'with an annotation, of PSD',
      { source: { ...AN_IMAGE, fileExtension: 'psd' }, settings: { annotation: { text: 'Harbour' } } },
      [
        'convert: PSD, which libvips does not read',
        'sharp: sharp makes the image upright and in sRGB for ImageMagick',
        'convert: ImageMagick adds what sharp does not have: settings.annotation',
        'sharp: sharp makes images',
      ],
    ],
  ])('%s names its engines', (_, change, expected) => {
    expect(explain('jpeg', change).steps.map(({ program, reason }) => `${program}: ${reason}`)).toEqual(expected);
  });
});

it('explains the members of a job of sharp by the parameters that decide them', () => {
  const { steps } = explain('jpeg', { parameters: { quality: 70 } });
  const parts = new Map(steps[0]?.arguments[0]?.parts.map(({ part, reason }) => [part.split(' ')[0], reason]));
  expect(parts.get('options')).toContain('parameter quality: allowed by the blueprint');
  expect(parts.get('size')).toMatch(/^parameter (resize|thumbnail): the blueprint's default$/);
  expect(parts.get('background')).toBe("parameter background: the blueprint's default");
  expect(parts.get('output')).toBe('the file that is made');
});

const LONG_PICTURE = [0, 1].map((index) => ({ index, start: index, end: 50 - 9 * index }));
const ODD = aSource({ width: 1921, height: 1081, hasAudio: false, rotation: 90, isIndexed: false });
/** Sources and settings that between them need nearly every argument, with texts that look like arguments. */
const CHANGES: Readonly<Record<string, readonly Change[]>> = {
  video: [
    {},
    { source: factsOf({ ...aFilm({ ...DV, ...HDR }, { channels: 6 }, {}), times: LONG_PICTURE }) },
    { source: { ...ODD, color: { transfer: null, primaries: 'film', matrix: 'gbr' } } },
    {
      parameters: { vf: 'hflip,eq=contrast=1.1', af: 'loudnorm=I=-16', shortest: true, ss: 100 },
      settings: {
        watermark: { mediaContainerId: 1, position: 'tr', widthFactor: 10 },
        audioWatermark: { mediaContainerId: 2, position: 5, interval: 30 },
        burnTimecode: { position: 'North' },
        testMode: {},
      },
      watermark: { fileExtension: 'png' },
    },
  ],
  audio: [
    {},
    { source: { ...A_SOUND, titles: { title: '-an, [x];' } }, settings: { audioWatermark: { mediaContainerId: 2, position: 0 } } },
  ],
  image: [
    {},
    {
      source: { ...AN_IMAGE, fileExtension: 'apng' },
      xmp: '<x:xmpmeta/>',
      parameters: { profile: 'keep', depth: 16, colorspace: 'Gray', crop: '10x10' },
    },
    { source: { ...AN_IMAGE, fileExtension: 'avis' } },
    {
      source: { ...AN_IMAGE, fileExtension: 'heic' },
      settings: { watermark: { mediaContainerId: 1 } },
      watermark: { fileExtension: 'heic' },
    },
    {
      source: { ...AN_IMAGE, fileExtension: 'jp2' },
      settings: {
        annotation: { text: '-flip\n(-trim' },
        imagemagick: { rotate: 7, flip: true, blur: '0x2', 'brightness-contrast': '-10x5', gravity: 'East', trim: true },
      },
    },
    { settings: { imagemagick: { unsharp: '1x2', density: 72, define: 'jpeg:dct-method=float', normalize: true } } },
  ],
  document: [{}, { source: { ...A_DOCUMENT, fileExtension: 'csv', separator: ';' } }, { source: { ...A_DOCUMENT, fileExtension: 'pdf' } }],
};

it.each(
  BLUEPRINTS.flatMap(({ key, settings }) => (CHANGES[settings.mediaTypes?.[0] ?? ''] ?? []).map((change, n) => [key, n, change] as const)),
)('every argument of %s (%i) has a reason, and none is missing', (key, _, change) => {
  const { steps, invocation } = explain(key, change);
  if (steps.every(({ times }) => times === 1)) expect(explainedArgvOf(steps)).toEqual(argvOf(invocation));
  const groups = steps.flatMap((step) => step.arguments);
  const reasons = [...steps, ...groups, ...groups.flatMap(({ parts }) => parts)];
  expect(reasons.filter(({ reason }) => reason === '')).toEqual([]);
  for (const { arguments: argv, parts } of groups) {
    if (argv[0] === '-vf' || argv[0] === '-af') expect(parts.map(({ part }) => part).join(',')).toBe(argv[1]);
  }
});
