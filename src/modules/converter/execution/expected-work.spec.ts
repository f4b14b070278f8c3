import { describe, expect, it } from '@jest/globals';
import { aRequest, aSource } from '../../../../test/support/converter/format-requests.js';
import { expectedWork, isLong } from './expected-work.js';
import type { Recipe } from './recipe-reader.service.js';

/** A recipe for a format as a blueprint makes it, of media of a type. */
function recipeOf(blueprint: string, type: string, change: Parameters<typeof aRequest>[1] = {}): Recipe {
  const { converter, command, settings } = aRequest(blueprint, change);
  return { format: { converter, settings }, command, source: { type, fileSize: 1_000 } } as unknown as Recipe;
}

describe('a rendition', () => {
  it.each([
    ['h264-1080p', 'video'],
    ['video-preview', 'video'],
    ['streaming-240p', 'video'],
    ['streaming-audio', 'video'],
    ['video-sound', 'video'],
    ['storyboard', 'video'],
    ['tool', 'document'],
  ])('is long work: %s of %s', (blueprint, type) => {
    expect(isLong(recipeOf(blueprint, type))).toBe(true);
  });

  it.each([
    ['video-poster', 'video'],
    ['technical-metadata', 'video'],
    ['waveform', 'video'],
    ['mp3', 'audio'],
    ['streaming-audio', 'audio'],
    ['audio-preview', 'audio'],
    ['jpeg', 'image'],
    ['avif', 'image'],
    ['document-page', 'document'],
    ['copy', 'video'],
  ])('is short work: %s of %s', (blueprint, type) => {
    expect(isLong(recipeOf(blueprint, type))).toBe(false);
  });

  it('is expected to be as long as the part of the film that it shows', () => {
    const film = aSource({ duration: 7_200 });
    expect(expectedWork(recipeOf('h264-1080p', 'video'), film, 0)).toMatchObject({ seconds: 7_200, pixels: 1920 * 1080 });
    const test = recipeOf('h264-1080p', 'video', { settings: { testMode: { seconds: 2 } } });
    expect(expectedWork(test, film, 0)).toMatchObject({ seconds: 2 });
  });

  it('of unknown length is expected to be as long as the caller says', () => {
    const unknown = aSource({ duration: null, width: null });
    expect(expectedWork(recipeOf('h264-1080p', 'video'), unknown, Number.POSITIVE_INFINITY)).toEqual({
      ...{ isLong: true, fileSize: 1_000, seconds: Number.POSITIVE_INFINITY, pixels: null },
    });
    expect(expectedWork(recipeOf('tool', 'document'), unknown, 0).seconds).toBe(0);
  });
});
