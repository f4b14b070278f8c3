import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { aRequest, aSource, type Change, print } from '../../../../test/support/format-requests.js';
import { buildInvocation } from './build-invocation.js';

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
const A_PDF = aSource({ mediaType: 'document', fileExtension: 'PDF' });

/** The committed expectations in `expected/`, one file each: changed by hand when a command changes, and read in review. */
const cases: readonly (readonly [file: string, blueprint: string, change: Change])[] = [
  ['h264-1080p', 'h264-1080p', {}],
  ['h264-720p-with-everything', 'h264-720p', EVERYTHING],
  ['video-preview-without-sound', 'video-preview', { source: aSource({ hasAudio: false }) }],
  ['video-poster', 'video-poster', {}],
  ['video-poster-of-a-short-video', 'video-poster', { source: aSource({ duration: 1.5 }) }],
  ['technical-metadata', 'technical-metadata', {}],
  ['streaming-480p', 'streaming-480p', {}],
  ['streaming-1080p-of-an-hdr-portrait', 'streaming-1080p', { source: AN_HDR_PORTRAIT }],
  ['streaming-1080p-of-400-lines', 'streaming-1080p', { source: aSource({ width: 640, height: 400 }) }],
  ['streaming-audio-of-a-film', 'streaming-audio', { source: aSource() }],
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
});
