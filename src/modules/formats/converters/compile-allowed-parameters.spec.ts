import { describe, expect, it } from '@jest/globals';
import { compileAllowedParameters, InvalidPatternsError } from './compile-allowed-parameters.js';

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
    const before = performance.now();
    expect(matches('^(a+)+$', value)).toBe(false);
    expect(performance.now() - before).toBeLessThan(1_000);
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
