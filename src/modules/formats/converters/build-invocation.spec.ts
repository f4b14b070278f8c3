import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { A_SOUND, aRequest, aSource, type Change, print } from '../../../../test/support/converter/format-requests.js';
import { buildInvocation } from './build-invocation.js';
import type { SourceFacts, SourceSound } from './converter.js';

const EVERYTHING: Change = {
  parameters: { crf: 18, r: '30000/1001', vf: 'yadif', af: 'loudnorm=I=-16:TP=-1.5:LRA=11' },
  settings: {
    watermark: { mediaContainerId: 1, position: 'tr', widthFactor: 10 },
    audioWatermark: { mediaContainerId: 2, position: 5, interval: 30 },
    burnTimecode: { fontcolor: '#ffcc00', box: 1, boxcolor: 'black@0.4', boxborderw: 6, position: 'North', offset: 1 },
    testMode: {},
  },
  source: aSource({ frameRate: 29.97 }),
};

const IMAGE_WITH_ALL: Change = {
  settings: {
    watermark: { mediaContainerId: 1, gravity: 'NorthEast', widthFactor: 25 },
    annotation: { text: '100% @home', fill: '#ff000080', font: 'Arial Bold', gravity: 'SouthWest' },
  },
  watermark: { fileExtension: 'png' },
};
const A_PNG = aSource({ mediaType: 'image', width: 4000, height: 3000, fileExtension: 'png' });
const A_PORTRAIT_FILM = aSource({ rotation: 90, duration: 25.5 });
const AN_HDR_PORTRAIT = aSource({
  ...{ width: 3840, height: 2160, rotation: -90, frameRate: 119.88, baseFrameRate: 119.88 },
  color: { transfer: 'smpte2084', primaries: 'bt2020', matrix: 'bt2020nc' },
});
const A_BROADCAST = aSource({
  ...{ width: 720, height: 576, pixelAspect: 64 / 45, fieldOrder: 'top', isIndexed: false },
  color: { transfer: 'bt470bg', primaries: 'bt470bg', matrix: 'bt470bg', range: 'tv' },
});
const aSound = (index: number, facts: Partial<SourceSound> = {}): SourceSound => ({
  ...{ index, language: null, title: null, channels: 2, isDefault: false, content: 'main', times: { start: 0, end: 60 } },
  ...facts,
});
const A_PODCAST = aSource({ pictureTimes: { start: 0, end: 0.04 }, sounds: [aSound(1)] });
const A_COMMENTED_FILM = aSource({
  pictureTimes: { start: 0.5, end: 61 },
  sounds: [aSound(1, { content: 'commentary' }), aSound(2, { isDefault: true, channels: 6, times: { start: 2, end: 50 } })],
});
const A_FILM_OF_THREE_SOUNDS = aSource({
  pictureTimes: { start: 0, end: 60 },
  sounds: [
    aSound(1, { content: 'commentary', isDefault: true, language: 'ger' }),
    aSound(2, { language: 'ger' }),
    aSound(4, { isDefault: true, language: 'eng', times: { start: 0, end: 30 } }),
    aSound(5, { times: null, language: 'fre' }),
    aSound(6, { channels: null }),
  ],
});
const A_PDF = aSource({ mediaType: 'document', fileExtension: 'PDF' });

/** The committed expectations in `expected/`, one file each: changed by hand when a command changes, and read in review. */
const cases: readonly (readonly [file: string, blueprint: string, change: Change])[] = [
  ['h264-1080p', 'h264-1080p', {}],
  ['h264-720p-with-everything', 'h264-720p', EVERYTHING],
  ['video-preview-without-sound', 'video-preview', { source: aSource({ hasAudio: false }) }],
  ['video-poster', 'video-poster', {}],
  ['video-poster-of-a-short-video', 'video-poster', { source: aSource({ duration: 1.5 }) }],
  ['video-poster-of-an-hdr-portrait', 'video-poster', { source: AN_HDR_PORTRAIT }],
  ['video-poster-of-a-broadcast', 'video-poster', { source: A_BROADCAST }],
  ['h264-360p-of-a-broadcast', 'h264-360p', { source: A_BROADCAST }],
  ['h264-360p-of-an-hdr-portrait', 'h264-360p', { source: AN_HDR_PORTRAIT }],
  ['h264-360p-of-a-commented-film', 'h264-360p', { source: A_COMMENTED_FILM }],
  ['streaming-240p-of-a-podcast', 'streaming-240p', { source: A_PODCAST }],
  ['mp3-of-six-channels', 'mp3', { source: { ...A_SOUND, sounds: [aSound(0, { channels: 6 })] } }],
  ['technical-metadata', 'technical-metadata', {}],
  ['streaming-480p', 'streaming-480p', {}],
  ['streaming-1080p-of-an-hdr-portrait', 'streaming-1080p', { source: AN_HDR_PORTRAIT }],
  ['streaming-1080p-of-400-lines', 'streaming-1080p', { source: aSource({ width: 640, height: 400 }) }],
  ['streaming-audio-of-a-film', 'streaming-audio', { source: aSource() }],
  ['streaming-audio-of-three-sounds', 'streaming-audio', { source: A_FILM_OF_THREE_SOUNDS }],
  ['streaming-360p-without-sounds', 'streaming-360p', { source: A_FILM_OF_THREE_SOUNDS, hasStreamedSounds: true }],
  ['mp3', 'mp3', {}],
  ['aac-with-a-mark', 'aac', { settings: { audioWatermark: { mediaContainerId: 2, position: 0 } } }],
  ['jpeg', 'jpeg', {}],
  ['png-cropped', 'png', { parameters: { crop: '800x600', gravity: 'North', colors: 16 } }],
  ['webp-with-watermark-and-annotation', 'webp', IMAGE_WITH_ALL],
  ['avif', 'avif', {}],
  ['avif-with-transparency', 'avif', { parameters: { quality: 80, 'sampling-factor': '4:4:4' }, source: A_PNG }],
  ['image-thumbnail', 'image-thumbnail', {}],
  ['opus', 'opus', {}],
  ['video-sound', 'video-sound', {}],
  ['waveform', 'waveform', { parameters: { color: '#ff8800' } }],
  ['storyboard-of-a-portrait-film', 'storyboard', { source: A_PORTRAIT_FILM }],
  ['storyboard-of-a-short-film', 'storyboard', { source: aSource({ duration: 1.5 }) }],
  ['document-pdf', 'document-pdf', {}],
  ['document-page', 'document-page', {}],
  ['document-page-of-a-pdf', 'document-page', { parameters: { page: 3, width: 800 }, source: A_PDF }],
  ['document-pdf-of-a-pdf', 'document-pdf', { source: A_PDF }],
  ['original-video', 'original-video', {}],
];

describe('the invocation', () => {
  it.each(cases)('is the expected one: %s', (file, blueprint, change) => {
    const expected = readFileSync(path.join(import.meta.dirname, 'expected', `${file}.txt`), 'utf8');
    expect(print(buildInvocation(aRequest(blueprint, change)))).toBe(expected);
  });

  it('of more sounds than are streamed makes the first ones, and names the others', () => {
    const sounds = Array.from({ length: 40 }, (_, index) => aSound(index + 1, { title: `Voice ${index + 1}`, isDefault: index === 35 }));
    const made = buildInvocation(aRequest('streaming-audio', { source: aSource({ sounds }) }));
    if (made.kind !== 'run') throw new Error('Nothing is run.');
    expect(made.sounds?.map(({ sound }) => sound.index)).toEqual([36, ...Array.from({ length: 31 }, (_, index) => index + 1)]);
    expect(new Set(made.sounds?.map(({ output }) => output)).size).toBe(32);
    expect(made.message).toBe(
      'A film is streamed with at most 32 sounds. Not taken: Voice 32, Voice 33, Voice 34, Voice 35, Voice 37, Voice 38, Voice 39, Voice 40.',
    );
  });

  it.each<[string, string, Change]>([
    ['of a film with one sound', 'streaming-360p', { source: aSource({ sounds: [aSound(1)] }), hasStreamedSounds: true }],
    ['of a film without renditions of its sounds', 'streaming-360p', { source: A_FILM_OF_THREE_SOUNDS }],
    ['that is not for streaming', 'h264-360p', { source: A_FILM_OF_THREE_SOUNDS, hasStreamedSounds: true }],
    [
      'with an audio watermark',
      'streaming-360p',
      { source: A_FILM_OF_THREE_SOUNDS, hasStreamedSounds: true, settings: { audioWatermark: { mediaContainerId: 2, position: 0 } } },
    ],
  ])('of a rendition %s contains its sound', (_, blueprint, change) => {
    const made = buildInvocation(aRequest(blueprint, change));
    expect(made.kind === 'run' && made.isSoundApart).toBeFalsy();
    expect(JSON.stringify(made)).not.toContain('"-an"');
  });

  it('of several sounds with a watermark mixes it into each of them', () => {
    const settings = { audioWatermark: { mediaContainerId: 2, position: 0 } };
    const made = buildInvocation(aRequest('streaming-audio', { source: A_FILM_OF_THREE_SOUNDS, settings }));
    const text = JSON.stringify(made);
    for (const label of ['sound4', 'sound1', 'sound2']) expect(text).toContain(`"-map","[${label}]"`);
  });

  it('says why arguments that depend on the source are there', () => {
    const reasonsFor = (blueprint: string, source: SourceFacts) => {
      const invocation = buildInvocation(aRequest(blueprint, { source }));
      return invocation.kind === 'run' ? invocation.reasons : null;
    };
    expect(reasonsFor('h264-360p', A_BROADCAST)).toEqual([
      { argument: 'bwdif=mode=send_frame:parity=tff:deint=all', reason: 'interlaced source, top field first' },
      { argument: expect.stringContaining('scale='), reason: 'source with the matrix bt470bg: converted to bt709' },
      { argument: 'setsar=sar=1', reason: 'pixels of the source are 1.422 times as wide as high' },
    ]);
    expect(reasonsFor('video-sound', A_COMMENTED_FILM)).toEqual([
      { argument: '-map 0:2', reason: 'one of 2 sound streams: the file marks it as default' },
      { argument: 'aformat=sample_fmts=fltp:channel_layouts=stereo', reason: '6 channels are mixed to stereo at their loudness' },
      { argument: 'alimiter=limit=0.98:level=0', reason: '6 channels are mixed to stereo at their loudness' },
      { argument: 'aresample=async=1:first_pts=0', reason: 'the sound begins 2 s after the picture' },
      { argument: 'apad=whole_dur=61', reason: 'the sound ends 11 s before the picture' },
    ]);
    expect(reasonsFor('video-preview', A_COMMENTED_FILM)).toContainEqual({
      argument: 'aformat=sample_fmts=fltp:channel_layouts=mono',
      reason: '6 channels are mixed to mono at their loudness',
    });
  });
});
