import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countBrackets, countJson } from './body-limit.js';

const count = (text: string) => countJson(Buffer.from(text));

describe('the parts of a JSON text', () => {
  it('are counted without parsing it', () => {
    const text = '{"a": [1, {"b": ":,[{", "a": "\\"\\\\"}], "c": {}}';
    expect(count(text)).toEqual({ keys: 4, values: 8, names: 3, depth: 3, hasEscapes: false });
  });

  it('have as many names and levels as the parsed text, whatever it is', () => {
    const names = (value: unknown): string[] =>
      typeof value === 'object' && value !== null
        ? [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(names)]
        : [];
    const depth = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0;
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const parts = count(JSON.stringify(value));
        expect(parts.keys).toBe(names(value).length);
        expect(parts.depth).toBe(depth(value));
        expect(parts.names).toBeLessThanOrEqual(new Set(names(value)).size);
      }),
    );
  });

  it('tell many different names from the same ones many times', () => {
    const list = (nameOf: (index: number) => string) => `[${Array.from({ length: 60_000 }, (_, at) => `{"${nameOf(at)}":1}`).join()}]`;
    expect(count(list((at) => `title${at % 20}`)).names).toBe(20);
    expect(count(list((at) => `k${at}`)).names).toBeGreaterThan(55_000);
  });

  it('tell the names of a short text from each other', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    expect(count(`{${letters.map((letter) => `"${letter}":1`).join()}}`).names).toBe(26);
    expect(count(`[${letters.map(() => '{"a":1}').join()}]`).names).toBe(1);
  });

  it('say whether a character is written by its number', () => {
    expect(count('["\\u0000"]').hasEscapes).toBe(true);
    expect(count('["\\\\u0000", "\\n", "ü"]').hasEscapes).toBe(false);
  });
});

describe('the brackets of a form', () => {
  it('are counted in either spelling', () => {
    expect(countBrackets(Buffer.from('a[b]=1&c%5Bd%5D=2&e%5b%5d=%5%5'))).toBe(3);
  });
});
