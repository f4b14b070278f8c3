import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aRequest, aSource } from '../../../../../test/support/converter/format-requests.js';
import { BLUEPRINTS } from '../../blueprints/blueprints.js';
import { buildInvocation } from '../build-invocation.js';
import { displaySize } from '../converter.js';
import { findStreamingConflicts, streamedRate, streamedSize } from './streaming.js';

const LADDER = BLUEPRINTS.filter(({ key }) => /^streaming-\d+p$/.test(key));
const sides = fc.record({ width: fc.integer({ min: 16, max: 8_000 }), height: fc.integer({ min: 16, max: 8_000 }) });
const kindOf = (key: string, source: object) => buildInvocation(aRequest(key, { source: aSource(source) })).kind;

describe('the rungs of a film', () => {
  it.each([
    [
      400,
      {
        'streaming-1080p': 'skipped',
        'streaming-720p': 'skipped',
        'streaming-480p': 'run',
        'streaming-360p': 'run',
        'streaming-240p': 'run',
      },
    ],
    [720, { 'streaming-1080p': 'skipped', 'streaming-720p': 'run' }],
    [721, { 'streaming-1080p': 'run', 'streaming-720p': 'run' }],
    [100, { 'streaming-360p': 'skipped', 'streaming-240p': 'run' }],
  ])('of %d lines are those that are not taller, and the smallest that holds it', (height, expected) => {
    for (const source of [
      { width: 1_920, height },
      { width: height, height: 1_920 },
      { width: 1_920, height, rotation: 90 },
    ]) {
      expect(Object.fromEntries(Object.keys(expected).map((key) => [key, kindOf(key, source)]))).toEqual(expected);
    }
  });

  it('always contain one that holds it, and never one that is larger than it', () => {
    fc.assert(
      fc.property(sides, fc.constantFrom(0, 90, 180, -90), (size, rotation) => {
        const source = aSource({ ...size, rotation });
        const shown = displaySize(source) ?? size;
        const made = LADDER.filter(({ key }) => kindOf(key, source) === 'run');
        const sizes = made.map(({ settings }) => streamedSize(settings.parameters ?? {}, source) ?? shown);
        const lines = Math.min(shown.width, shown.height);
        expect(made.length).toBeGreaterThan(0);
        expect(Math.max(...sizes.map(({ width, height }) => Math.min(width, height)))).toBe(Math.min(1_080, lines - (lines % 2)));
        for (const { width, height } of sizes) {
          expect([width % 2, height % 2]).toEqual([0, 0]);
          expect(width <= shown.width && height <= shown.height).toBe(true);
          // No side differs by more than a pixel from that of the same shape.
          expect(Math.abs(width - (shown.width * height) / shown.height)).toBeLessThanOrEqual(1 + (2 * shown.width) / shown.height);
        }
      }),
    );
  });

  it.each([
    [
      { width: 720, height: 576, pixelAspect: 64 / 45 },
      { width: 1024, height: 576 },
    ],
    [
      { width: 720, height: 480, pixelAspect: 8 / 9 },
      { width: 640, height: 480 },
    ],
    [
      { width: 720, height: 576, pixelAspect: 64 / 45, rotation: 90 },
      { width: 576, height: 1024 },
    ],
    [
      { width: 405, height: 301 },
      { width: 404, height: 300 },
    ],
    [
      { width: 3840, height: 1600 },
      { width: 1728, height: 720 },
    ],
  ])('of %o have square pixels and the size %o', (source, size) => {
    expect(streamedSize({ height: 720 }, aSource(source))).toEqual(size);
  });

  it('are skipped only where the size is known', () => {
    expect(kindOf('streaming-1080p', { width: null })).toBe('refused');
  });
});

describe('the sound of a film', () => {
  it('is made if there is any', () => {
    expect([kindOf('streaming-audio', { hasAudio: false }), kindOf('streaming-audio', {})]).toEqual(['skipped', 'run']);
  });
});

describe('the frame rate of all rungs', () => {
  it.each([
    [25, 25, '25'],
    [23.976, 24_000 / 1_001, '24000/1001'],
    [29.97, 29.97, '30000/1001'],
    [59.94, 60_000 / 1_001, '60000/1001'],
    [119.88, 119.88, '60000/1001'],
    [120, 120, '60'],
    [100, 100, '50'],
    [240, 240, '60'],
    [12.5, 12.5, '12.5'],
    [0.1, 0.1, '1'],
    // A camera that drops frames, and a recording of a screen in a file whose clock counts milliseconds.
    [28.4, 30, '30'],
    [17.3, 1_000, '24000/1001'],
    [47.1, 90_000, '48'],
    // Fields of an interlaced film.
    [25, 50, '25'],
    [null, 50, '50'],
    [null, null, '25'],
  ])('on average %d, at least %d: %s', (frameRate, baseFrameRate, expected) => {
    expect(streamedRate({ frameRate, baseFrameRate }).exact).toBe(expected);
  });

  it('is never above 60, and the same number in both forms', () => {
    const rate = fc.option(fc.double({ min: 0.001, max: 200_000, noNaN: true }), { nil: null });
    fc.assert(
      fc.property(rate, rate, (frameRate, baseFrameRate) => {
        const { value, exact } = streamedRate({ frameRate, baseFrameRate });
        const [frames = 0, seconds = 1] = exact.split('/').map(Number);
        expect(value).toBeCloseTo(frames / seconds, 3);
        expect(value).toBeGreaterThanOrEqual(1);
        expect(value).toBeLessThanOrEqual(60.6);
      }),
    );
  });
});

describe('a format that is based on a streaming blueprint', () => {
  const STREAMING = { streaming: true, 'c:v': 'libx264', 'c:a': 'aac' };
  it.each([
    [{}, 'mp4', []],
    [{ vf: 'yadif', crf: 30, height: 540, above: 480 }, 'mp4', []],
    [{}, 'webm', [null]],
    [{ 'c:v': 'libx265' }, 'mp4', ['c:v']],
    [{ vcodec: 'copy' }, 'mp4', ['c:v']],
    [{ 'c:a': 'copy' }, 'm4a', ['c:a']],
    [{ g: 50, 'r:v': 25, ss: 3 }, 'mp4', ['g', 'r:v', 'ss']],
    [{ vf: 'yadif,fps=10' }, 'mp4', ['vf']],
    [{ vf: 'crop=100:100' }, 'mp4', ['vf']],
  ])('with %j as %s conflicts in %j', (parameters, filetype, expected) => {
    expect(findStreamingConflicts({ ...STREAMING, ...parameters }, filetype).map(({ parameter }) => parameter)).toEqual(expected);
    const request = { ...aRequest('streaming-720p', { settings: { filetype } }), command: { ...STREAMING, ...parameters } };
    expect(buildInvocation(request).kind).toBe(expected.length > 0 ? 'refused' : 'run');
  });

  it('is of no concern to other formats', () => {
    expect(findStreamingConflicts({ 'c:v': 'libvpx-vp9', g: 3 }, 'webm')).toEqual([]);
  });
});
