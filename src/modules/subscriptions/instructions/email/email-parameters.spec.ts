import { describe, expect, it } from '@jest/globals';
import { EmailParameters, UnusableEmail } from './email-parameters.js';

const given = (value: unknown) => new EmailParameters({ value }, 'https://media.example.org');

describe('parameters of a mail', () => {
  it.each([
    ['  Summer\r\n party ', 'Summer party'],
    [12, '12'],
    ['x'.repeat(300), `${'x'.repeat(199)}…`],
    ['   ', null],
    [null, null],
    [{ a: 1 }, null],
    [['a'], null],
    [true, null],
  ])('%j as a line is %j', (value, line) => {
    expect(given(value).line('value')).toBe(line);
  });

  it('take the first line that is there', () => {
    const parameters = new EmailParameters({ one: '', two: 'b', three: 'c' }, '');
    expect(parameters.line('none', 'one', 'two', 'three')).toBe('b');
  });

  it.each([
    [3, 3],
    ['12', 12],
    [0, 0],
    [-1, null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    ['1e3', null],
    [null, null],
    [[1, 2], null],
  ])('%j as a number is %j', (value, number) => {
    expect(given(value).number('value')).toBe(number);
  });

  it.each([
    [[1, 2, 3], 3],
    [[], 0],
    [4, 4],
    [1.5, null],
    ['x', null],
  ])('%j as a count is %j', (value, count) => {
    expect(given(value).count('value')).toBe(count);
  });

  it.each([
    [1_770_127_500, '2026-02-03T14:05:00.000Z'],
    ['1770127500', '2026-02-03T14:05:00.000Z'],
    ['2026-02-03T14:05:00Z', '2026-02-03T14:05:00.000Z'],
    ['soon', undefined],
    [9e15, undefined],
    [null, undefined],
  ])('%j as a moment is %j', (value, moment) => {
    expect(given(value).moment('value')?.toISOString()).toBe(moment);
  });

  it.each([
    ['https://example.org/l/1?a=1&b="2"', 'https://example.org/l/1?a=1&b=%222%22'],
    ['http://example.org', 'http://example.org/'],
    ['/l/abc', 'https://media.example.org/l/abc'],
    ['javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['ftp://example.org', null],
    ['l/abc', null],
    ['', null],
    [5, null],
  ])('%j as an address is %j', (value, url) => {
    expect(given(value).url('value')).toBe(url);
  });

  it('throw if a required address is missing', () => {
    expect(() => given('javascript:alert(1)').requiredUrl('value')).toThrow(UnusableEmail);
    expect(() => given(null).requiredUrl('value')).toThrow('template: the parameter value must be an http or https address');
  });

  it('have no properties of Object.prototype', () => {
    expect(given('x').line('constructor', '__proto__')).toBeNull();
  });
});
