import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MEDIA_TYPES } from '../../media/index.js';
import { CONVERTERS, findParameterProblem } from '../converters/converters.js';
import { compileAllowedParameters, mergeParameters } from '../converters/merge-parameters.js';
import { BLUEPRINTS } from './blueprints.js';

const names = BLUEPRINTS.map(({ key }) => key);
const cases = BLUEPRINTS.map((blueprint) => [blueprint.key, blueprint] as const);
const rules = BLUEPRINTS.flatMap(({ key, converter, settings }) =>
  (settings.allowedParameters ?? []).map((rule) => [key, rule.command, { converter, rule }] as const),
);

describe('the blueprints', () => {
  it('are those that the contract promises', () => {
    expect(names).toEqual([
      ...['original-video', 'original-audio', 'original-image', 'original-document'],
      ...['h264-1080p', 'h264-720p', 'h264-360p', 'video-preview', 'video-poster', 'technical-metadata'],
      ...['streaming-1080p', 'streaming-720p', 'streaming-480p', 'streaming-360p', 'streaming-240p', 'streaming-audio'],
      ...['mp3', 'aac', 'opus', 'video-sound', 'audio-preview'],
      ...['jpeg', 'png', 'webp', 'avif', 'image-thumbnail'],
      ...['waveform', 'storyboard'],
      ...['document-pdf', 'document-page'],
      ...['copy', 'tool'],
    ]);
  });

  it('have unique keys and names', () => {
    expect(new Set(names).size).toBe(BLUEPRINTS.length);
    expect(new Set(BLUEPRINTS.map(({ name }) => name)).size).toBe(BLUEPRINTS.length);
    expect(names.every((key) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(key))).toBe(true);
  });

  it('have one original for each media type', () => {
    const originals = BLUEPRINTS.filter(({ converter }) => converter === 'original');
    expect(originals.map(({ settings }) => settings.mediaTypes)).toEqual(MEDIA_TYPES.map((type) => [type]));
    expect(originals.every(({ key, settings }) => key === `original-${settings.mediaTypes?.[0]}` && settings.useInPlayer)).toBe(true);
  });

  it('have one preview for video and one for audio', () => {
    const previews = BLUEPRINTS.filter(({ settings }) => settings.previewFormat);
    expect(previews.map(({ key, usage, settings }) => [key, usage, settings.mediaTypes])).toEqual([
      ['video-preview', 'preview', ['video']],
      ['audio-preview', 'preview', ['audio']],
    ]);
  });

  it('are never generated automatically', () => {
    expect(BLUEPRINTS.filter(({ settings }) => (settings.autoGenerate ?? []).length > 0)).toEqual([]);
  });

  it.each(cases)('%s uses all its defaults', (_, { converter, settings }) => {
    expect(CONVERTERS).toContain(converter);
    const { command, parameters } = mergeParameters({ blueprint: settings, custom: {}, converter, mediaTypes: settings.mediaTypes ?? [] });
    expect(command).toEqual(settings.parameters ?? {});
    expect(parameters.filter(({ used }) => !used)).toEqual([]);
  });

  it.each(cases)('%s could be set to its own defaults, as far as it lets them be set', (_, { settings }) => {
    for (const { command, matches } of compileAllowedParameters(settings.allowedParameters ?? [])) {
      const value = settings.parameters?.[command];
      if (value !== undefined) expect([command, value, matches(String(value))]).toEqual([command, value, true]);
    }
  });
});

describe('the allowed parameters of blueprints', () => {
  it.each(rules)('%s: %s has a pattern that is anchored at both ends', (_key, _command, { rule }) => {
    expect(compileAllowedParameters([rule])).toHaveLength(1);
    expect(rule.regex).toMatch(/^\^[^^$]+\$$/);
  });

  it.each(rules)('%s: %s allows nothing that the converter is never given', (_key, command, { converter, rule }) => {
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(rule.regex)), (value) => {
        // The pattern of colours takes any word; those that are no colour are stopped later.
        if (command === 'background' && !value.startsWith('#')) return;
        expect([value, findParameterProblem(converter, command, value)]).toEqual([value, null]);
      }),
    );
  });
});
