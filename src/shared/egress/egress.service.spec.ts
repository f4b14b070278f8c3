import { describe, expect, it } from '@jest/globals';
import { findHeaderProblem } from './egress.service.js';

describe('a header', () => {
  it.each([
    ['Authorization', 'Bearer x'],
    ['x-title', ''],
    ['X_Title', 'a\tb'],
    ['x-title', 'Grüße 🎬'],
    ['accept', '*/*'],
  ])('%s: %j may be sent', (name, value) => {
    expect(findHeaderProblem(name, value)).toBeNull();
  });

  it.each(['', 'x title', 'x:title', 'x-title\n', 'x-tïtle', 'x-title '])('with the invalid name %j is refused', (name) => {
    expect(findHeaderProblem(name, 'v')).toBe('the name of a header is not valid');
  });

  it.each([
    'Connection',
    'Content-Length',
    'Expect',
    'HOST',
    'HTTP2-Settings',
    'Keep-Alive',
    'Proxy-Authorization',
    'TE',
    'Trailer',
    'transfer-encoding',
    'Upgrade',
  ])('that is reserved is refused: %s', (name) => {
    expect(findHeaderProblem(name, 'v')).toBe(`the header ${name.toLowerCase()} cannot be set`);
  });

  it.each(['\r', '\n', '\0', '\x1f', '\x7f'])('with %j in its value is refused without disclosing the value', (control) => {
    const why = 'the header x-title has a line break or another control character in its value';
    expect(findHeaderProblem('X-Title', `secret${control}`)).toBe(why);
  });
});
