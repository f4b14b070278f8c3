import { describe, expect, it } from '@jest/globals';
import { decodeFlags } from './subscription-inputs.dto.js';

describe('flags of a find', () => {
  it('are read from base64 and base64url, also where a query made a blank of a plus', () => {
    expect(decodeFlags(Buffer.from('[0,2]').toString('base64'))).toEqual([0, 2]);
    expect(decodeFlags(Buffer.from('[ 0 ]').toString('base64url'))).toEqual([0]);
    const withPlus = Buffer.from('[7,"~~>"]').toString('base64');
    expect(withPlus).toContain('+');
    expect(decodeFlags(withPlus.replaceAll('+', ' '))).toBe(withPlus.replaceAll('+', ' ')); // read, and no list of numbers
  });

  it.each([['[0]'], ['!'], ['MA=='], ['bm9wZQ=='], [''], [[0]], [0], [null]])('are refused if they are %j', (value) => {
    const flags = decodeFlags(value);
    expect(Array.isArray(flags) && flags.every(Number.isInteger)).toBe(false);
  });
});
