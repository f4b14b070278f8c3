import { describe, expect, it } from '@jest/globals';
import { controlOf, matches } from './parameter-control.js';

describe('the control of a parameter', () => {
  it.each([
    ['^(main|high)$', { kind: 'choice', values: ['main', 'high'] }],
    ['^(3[.][01]|4[.]2)$', { kind: 'choice', values: ['3.0', '3.1', '4.2'] }],
    ['^[12]$', { kind: 'choice', values: ['1', '2'] }],
    ['^(24|25|30000/1001)$', { kind: 'choice', values: ['24', '25', '30000/1001'] }],
    ['^true$', { kind: 'switch' }],
    ['^([0-9]|[1-4][0-9]|5[01])$', { kind: 'number', min: 0, max: 51 }],
    ['^([1-9][0-9]?|100)$', { kind: 'number', min: 1, max: 100 }],
    ['^[1-9][0-9]{1,3}$', { kind: 'number', min: 10, max: 9_999 }],
    ['^[1-9][0-9]{1,4}k$', { kind: 'text' }],
    ['^([1-9][0-9]{0,3}x([1-9][0-9]{0,3})?|x[1-9][0-9]{0,3})>?$', { kind: 'text' }],
    ['^#[0-9a-f]{6}$', { kind: 'text' }],
    ['(', { kind: 'text' }],
  ])('follows from the pattern %s', (regex, control) => {
    expect(controlOf({ regex })).toEqual(control);
  });

  it('accepts a value that the whole pattern matches', () => {
    expect(['10k', '10', 'x10k'].map((value) => matches({ regex: '[1-9][0-9]k' }, value))).toEqual([true, false, false]);
    expect(matches({ regex: '(?P<unreadable>' }, 'anything')).toBe(true);
  });
});
