import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aRequest } from '../../../../test/support/exchange.js';
import { basicCredentials, clientIdOf } from './requesting-client.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const read = (authorization: string) => basicCredentials(aRequest({ headers: { authorization } }));

/** As RFC 6749 section 2.3.1 and appendix B want it. */
const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);

describe('the credentials of a client in HTTP Basic', () => {
  it('are what was encoded, whatever the letters', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(text, fc.oneof(text, fc.constant('')), fc.constantFrom('Basic', 'basic', 'BASIC'), (clientId, secret, scheme) => {
        expect(read(`${scheme} ${base64(`${encode(clientId)}:${encode(secret)}`)}`)).toEqual({ clientId, secret });
      }),
    );
  });

  it('may contain colons in the secret', () => {
    expect(read(`Basic ${base64('newsroom:a:b')}`)).toEqual({ clientId: 'newsroom', secret: 'a:b' });
  });

  it.each([
    '',
    'Basic',
    'Basic ',
    `Basic ${base64('newsroom')}`,
    `Basic ${base64(':secret')}`,
    `Basic ${base64('news%zz:x')}`,
    `Bearer ${base64('a:b')}`,
    'Basic !!!',
  ])('are none in "%s"', (authorization) => {
    expect(read(authorization)).toBeNull();
  });

  it('name the client before what the body says', () => {
    const request = aRequest({ headers: { authorization: `Basic ${base64('one:x')}` } });
    expect(clientIdOf(request, { client_id: 'two', clientId: 'three' })).toBe('one');
    expect(clientIdOf(aRequest(), { client_id: 'two', clientId: 'three' })).toBe('two');
    expect(clientIdOf(aRequest(), { clientId: 'three' })).toBe('three');
    expect(clientIdOf(aRequest(), { client_id: '' })).toBeUndefined();
  });
});
