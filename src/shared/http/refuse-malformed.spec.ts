import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aRequest, aResponse } from '../../../test/support/exchange.js';
import { DomainError } from '../errors/index.js';
import { refuseMalformed } from './refuse-malformed.js';

/** The code with which a URL is refused; undefined when it goes on. */
function refusalOf(url: string, headers: Record<string, string> = {}): string | undefined {
  const request = aRequest({ url, headers });
  let error: unknown = 'nothing happened';
  refuseMalformed(request, aResponse(request), (given) => {
    error = given;
  });
  return error instanceof DomainError ? error.code : (error as undefined);
}

describe('a malformed URL', () => {
  it.each(['/a%00b', '/a?b=%00', '/a\0b', '/%', '/%zz', '/%E0%A4', '/%ff', `/${'a'.repeat(16_384)}`])('is refused: %.20s', (url) => {
    expect(refusalOf(url)).toBe('malformed_request');
  });

  it.each(['/', '/a?b=%', '/v5/media%20files?condition[path]=a.b', '/%E4%BD%A0', `/${'a'.repeat(16_383)}`, '//', '*'])(
    'is not %.30s',
    (url) => {
      expect(refusalOf(url)).toBeUndefined();
    },
  );

  it('is never a URL whose path segments are all percent-encoded', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }), (parts) => {
        const url = `/${parts.map((part) => encodeURIComponent(part.replaceAll('\0', ''))).join('/')}`;
        expect(refusalOf(url)).toBeUndefined();
      }),
    );
  });
});

describe('a list of preferences', () => {
  it.each(['accept', 'accept-charset', 'accept-encoding', 'accept-language'])('in %s is read up to 8 KiB', (name) => {
    expect(refusalOf('/', { [name]: 'a/b,'.repeat(2_048) })).toBeUndefined();
    expect(refusalOf('/', { [name]: 'a/b,'.repeat(2_049) })).toBe('malformed_request');
  });
});
