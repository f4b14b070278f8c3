import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startCpuTimer } from '../../../../test/support/cpu-timer.js';
import type { FormatSettings } from '../format-settings.dto.js';
import type { ParameterValue } from '../format-settings.js';
import { compileAllowedParameters, InvalidPatternsError, mergeParameters } from './merge-parameters.js';

const blueprint: FormatSettings = {
  parameters: { 'c:v': 'libx264', crf: 23, preset: 'medium' },
  allowedParameters: [
    { command: 'crf', regex: '^[0-9]{1,2}$', mediaTypes: ['video'] },
    { command: 'preset', regex: 'slow|medium|fast', mediaTypes: ['video'] },
    { command: 'b:a', regex: '^[0-9]{2,3}k$', mediaTypes: ['audio'] },
    { command: 'r', regex: '^(25|30)$', mediaTypes: ['video'] },
    { command: 'r', regex: '^10$', mediaTypes: ['video', 'image'] },
    { command: 'filter_script', regex: '.*', mediaTypes: ['video'] },
    { command: 'maxrate', regex: '.*', mediaTypes: ['video'] },
  ],
};
const merge = (custom: FormatSettings, more: Partial<Parameters<typeof mergeParameters>[0]> = {}) =>
  mergeParameters({ blueprint, custom, converter: 'ffmpeg', mediaTypes: ['video'], ...more });
/** What became of a parameter: its values in order, each with the reason. */
const fate = (custom: FormatSettings, command: string, more = {}) =>
  merge(custom, more)
    .parameters.filter((one) => one.command === command)
    .map(({ value, used, reason }) => [value, used, reason]);

describe('the final command', () => {
  it("is the blueprint's when the format sets nothing", () => {
    expect(merge({})).toEqual({
      command: { 'c:v': 'libx264', crf: 23, preset: 'medium' },
      parameters: [
        { command: 'c:v', value: 'libx264', source: 'blueprint', used: true, reason: "the blueprint's default" },
        { command: 'crf', value: 23, source: 'blueprint', used: true, reason: "the blueprint's default" },
        { command: 'preset', value: 'medium', source: 'blueprint', used: true, reason: "the blueprint's default" },
      ],
    });
  });

  it("contains the format's parameters that the blueprint allows", () => {
    expect(merge({ parameters: { crf: 18, r: '25' } }).command).toEqual({ 'c:v': 'libx264', crf: 18, preset: 'medium', r: '25' });
    expect(fate({ parameters: { crf: 18 } }, 'crf')).toEqual([
      [23, false, 'overridden by the custom format'],
      [18, true, 'allowed by the blueprint'],
    ]);
  });

  it.each<[string, ParameterValue, string]>([
    ['c:v', 'copy', 'not allowed by the blueprint'],
    ['crf', '18 -i /etc/passwd', 'does not match ^[0-9]{1,2}$'],
    ['preset', 'slower', 'does not match slow|medium|fast'],
    ['b:a', '128k', 'for audio only'],
    ['r', '60', 'does not match ^(25|30)$ or ^10$'],
    ['filter_script', 'x', 'not a parameter that ffmpeg is given'],
    ['maxrate', '-y', 'not a value that ffmpeg is given for it'],
  ])('ignores %s = %j with the reason: %s', (command, value, reason) => {
    const row = merge({ parameters: { [command]: value } }).parameters.at(-1);
    expect(row).toEqual({ command, value, source: 'custom', used: false, reason });
    expect(merge({ parameters: { [command]: value } }).command).toEqual(merge({}).command);
  });

  it('takes a value that one of several rules for the same parameter allows', () => {
    expect(merge({ parameters: { r: '10' } }).command).toHaveProperty('r', '10');
  });

  it('ignores values of invalid types', () => {
    const odd = { crf: { $gt: 1 } } as unknown as Record<string, ParameterValue>;
    expect(merge({ ffmpeg: odd }).parameters.at(-1)?.reason).toBe('its value must be a string, a number or a boolean');
    const parameters = JSON.parse('{"__proto__":{"crf":1},"constructor":"x"}') as Record<string, ParameterValue>;
    expect(merge({ parameters }).command).toEqual(merge({}).command);
  });
});

describe('raw converter parameters', () => {
  it('need no allowance and win over everything', () => {
    const custom = { parameters: { crf: 18 }, ffmpeg: { crf: 30, 'c:v': 'libx265' } };
    expect(merge(custom).command).toEqual({ 'c:v': 'libx265', crf: 30, preset: 'medium' });
    expect(fate(custom, 'crf')).toEqual([
      [23, false, 'overridden by a raw converter parameter'],
      [18, false, 'overridden by a raw converter parameter'],
      [30, true, 'raw converter parameter: needs no allowance of the blueprint'],
    ]);
  });

  it.each([
    'i',
    'filter_complex',
    'filter_script',
    'passlogfile',
    'dump_attachment',
    'vstats_file',
    'progress',
    'report',
    'f',
    'map',
    'attach',
  ])('cannot be %s', (command) => {
    expect(merge({ ffmpeg: { [command]: 'x' } }).parameters.at(-1)).toMatchObject({
      used: false,
      reason: 'not a parameter that ffmpeg is given',
    });
  });

  it('are used only under the name of the converter', () => {
    expect(merge({ imagemagick: { quality: 80 } }).parameters.at(-1)?.reason).toBe('for imagemagick, but this format is made with ffmpeg');
    expect(merge({ imagemagick: { quality: 80 } }, { converter: 'imagemagick' }).command).toEqual({ quality: 80 });
  });
});

describe('any settings of a format', () => {
  const name = fc.oneof(fc.constantFrom('crf', 'preset', 'b:a', 'r', 'c:v', 'maxrate', 'filter_script', 'i'), fc.string());
  const value = fc.oneof(fc.integer().map(String), fc.constantFrom('slow', '25', '128k', '-i'), fc.string(), fc.integer(), fc.boolean());
  const parameters = fc.dictionary(name, value);

  it('the command contains only parameters that the blueprint sets or allows', () => {
    fc.assert(
      fc.property(parameters, (sent) => {
        const { command } = merge({ parameters: sent });
        return Object.entries(command).every(([key, final]) => {
          if (blueprint.parameters?.[key] === final) return true;
          const rules = blueprint.allowedParameters?.filter((rule) => rule.command === key && rule.mediaTypes.includes('video')) ?? [];
          return rules.some(({ regex }) => new RegExp(`^(?:${regex})$`).test(String(final)));
        });
      }),
    );
  });

  it('each parameter has one row, and those used are the command', () => {
    fc.assert(
      fc.property(parameters, parameters, (sent, raw) => {
        const { command, parameters: rows } = merge({ parameters: sent, ffmpeg: raw });
        expect(rows).toHaveLength(3 + Object.keys(sent).length + Object.keys(raw).length);
        expect(rows.every(({ reason }) => reason !== '')).toBe(true);
        const used = rows.filter((row) => row.used).map((row) => [row.command, row.value] as const);
        expect(new Map(used)).toEqual(new Map(Object.entries(command)));
      }),
    );
  });
});

const matches = (regex: string, value: string) =>
  compileAllowedParameters([{ command: 'crf', regex, mediaTypes: ['video'] }])[0]?.matches(value);

describe('allowed parameters', () => {
  it.each([
    ['^[0-9]{1,2}$', '23', true],
    ['[0-9]{1,2}', '23', true],
    ['[0-9]{1,2}', '23 -i x', false],
    ['[0-9]+', '23\n', false],
    ['^[0-9]+$', '23\n', false],
    ['slow|fast', 'slower', false],
    ['slow|fast', 'fast', true],
    ['slow|', '', true],
    ['.*', 'two\nlines', false],
  ])('%s matches the whole of %j: %s', (regex, value, expected) => {
    expect(matches(regex, value)).toBe(expected);
  });

  it('answers in time linear in the value, where a backtracking engine would never', () => {
    const value = `${'a'.repeat(100_000)}!`;
    matches('^(a+)+$', 'a');
    const elapsed = startCpuTimer();
    expect(matches('^(a+)+$', value)).toBe(false);
    expect(elapsed()).toBeLessThan(1_000);
  });

  it('reports every invalid pattern with its path', () => {
    const allowed = ['[', '^ok$', '(?=a)', 'a'.repeat(1_001), '((a{100}){100}){100}'].map((regex) => ({
      command: 'crf',
      regex,
      mediaTypes: ['video' as const],
    }));
    let error: unknown;
    try {
      compileAllowedParameters(allowed);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(InvalidPatternsError);
    const { problems, message } = error as InvalidPatternsError;
    expect(problems.map(({ path }) => path)).toEqual([0, 2, 3, 4].map((index) => `settings.allowedParameters.${index}.regex`));
    expect(message).toMatch(/^settings\.allowedParameters\.0\.regex: This is not a valid RE2 regular expression: /);
  });
});
