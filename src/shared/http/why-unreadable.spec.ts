import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { whyUnreadable } from './why-unreadable.js';

const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

describe('input that came as JSON or a form', () => {
  it('is readable when PostgreSQL can store it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 5 }), (value) => {
        fc.pre(!/\\u0000|__proto__/.test(JSON.stringify(value)));
        expect(whyUnreadable(value)).toBeNull();
      }),
    );
    expect(whyUnreadable({ text: 'a backslash and \\u0000 in letters', emoji: '🎬' })).toBeNull();
    expect(whyUnreadable(undefined)).toBeNull();
    expect(whyUnreadable(nested(100))).toBeNull();
  });

  it.each([
    ['a\0b'],
    [{ name: 'a\0b' }],
    [{ 'a\0b': 1 }],
    [JSON.parse('{"a":[{"__proto__":{"b":1}}]}')],
    [{ list: [1, { deep: ['\0'] }] }],
    [{ name: '\ud800' }],
    [{ name: 'a\udc00b' }],
    [{ '\ud83c': 1 }],
  ])('is not with a NUL character, half of a surrogate pair or a member __proto__: %j', (value) => {
    expect(whyUnreadable(value)).toMatch(/NUL|surrogate|__proto__/);
  });

  it('is not when it is nested so deep that a recursive reader would fail', () => {
    expect(whyUnreadable(nested(101))).toMatch(/nested/);
    expect(whyUnreadable(nested(1_000_000))).toMatch(/nested/);
  });
});
