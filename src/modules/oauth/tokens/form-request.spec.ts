import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aRequest, aStreamedRequest } from '../../../../test/support/accounts/exchange.js';
import { basicCredentials, clientIdOf, readForm, single, UnreadableBody } from './form-request.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_BODY = { 'content-type': 'application/json' };

const read = (headers: Record<string, string>, ...pieces: (string | Buffer | Error)[]) =>
  readForm(
    aStreamedRequest(
      headers,
      pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
    ),
  );

/** Names and texts that a request can carry. */
const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', ''));
const name = text.filter((value) => value !== '' && value !== '__proto__');
const fields = fc.uniqueArray(fc.tuple(name, text), { selector: ([own]) => own, maxLength: 8 });

describe('a body of the token, introspection and revocation endpoints', () => {
  it('has the same meaning as form and as JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fields, async (entries) => {
        const json = JSON.stringify(Object.fromEntries(entries));
        const form = new URLSearchParams(entries).toString();
        const expected = Object.entries(JSON.parse(json)).sort();
        expect(Object.entries(await read(JSON_BODY, json)).sort()).toEqual(expected);
        expect(Object.entries(await read(FORM, form)).sort()).toEqual(expected);
      }),
    );
  });

  it('is refused as form and as JSON with a name that cannot be stored', async () => {
    for (const body of [read(FORM, '__proto__=x'), read(JSON_BODY, '{"__proto__":"x"}')]) {
      await expect(body).rejects.toThrow('The request body has a member named __proto__, which cannot be stored; give it another name.');
    }
  });

  it('may come in pieces that cut a character', async () => {
    const bytes = Buffer.from(JSON.stringify({ state: 'Grüße 🎬' }));
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length), async (at) => {
        expect(await read(JSON_BODY, bytes.subarray(0, at), bytes.subarray(at))).toEqual({ state: 'Grüße 🎬' });
      }),
    );
  });

  it('may be empty', async () => {
    expect(await read({})).toEqual({});
    expect(await read(FORM)).toEqual({});
  });

  it('knows its content type in any case and with parameters', async () => {
    expect(await read({ 'content-type': 'Application/JSON; charset=utf-8' }, '{"token":"t"}')).toEqual({ token: 't' });
    expect(await read({ 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }, 'token=t')).toEqual({ token: 't' });
  });

  it('has each parameter once; only the resource may be a list', async () => {
    await expect(read(FORM, 'code=a&code=b')).rejects.toBeInstanceOf(UnreadableBody);
    await expect(read(JSON_BODY, '{"code":["a"]}')).rejects.toBeInstanceOf(UnreadableBody);
    expect(await read(FORM, 'resource=a&resource=b')).toEqual({ resource: ['a', 'b'] });
  });

  it.each([
    ['another content type', { 'content-type': 'text/plain' }, 'token=t'],
    ['no content type', {}, 'token=t'],
    ['broken JSON', JSON_BODY, '{"token":'],
    ['JSON that is no object', JSON_BODY, '"token"'],
    ['null', JSON_BODY, 'null'],
    ['a list', JSON_BODY, '[{"token":"t"}]'],
    ['an empty JSON body', JSON_BODY, ''],
    ['a NUL byte in a form', FORM, 'token=a%00b'],
    ['a NUL byte in JSON', JSON_BODY, '{"token":"a\\u0000b"}'],
    ['a NUL byte in a name', JSON_BODY, '{"to\\u0000ken":"a"}'],
    ['half of a surrogate pair', JSON_BODY, '{"token":"\\ud800"}'],
    ['nesting without end', JSON_BODY, `{"token":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
    ['more than 64 KiB', FORM, `token=${'t'.repeat(65_536)}`],
  ])('is not readable with %s', async (_name, headers, body) => {
    await expect(read(headers as Record<string, string>, body)).rejects.toBeInstanceOf(UnreadableBody);
  });

  it('is not readable when its sender goes away', async () => {
    await expect(read(FORM, 'token=', new Error('aborted'))).rejects.toBeInstanceOf(UnreadableBody);
  });

  it('is read up to 64 KiB, within a time limit', async () => {
    expect(await read(FORM, `token=${'t'.repeat(65_530)}`)).toEqual({ token: 't'.repeat(65_530) });
    let sent = 0;
    const endless = (function* () {
      for (;;) {
        sent += 1;
        yield Buffer.alloc(1024 * 1024);
      }
    })();
    await expect(readForm(aStreamedRequest(FORM, endless))).rejects.toBeInstanceOf(UnreadableBody);
    expect(sent).toBeLessThan(10);
  });

  it('treats a backslash and the letters u0000 literally', async () => {
    expect(await read(JSON_BODY, JSON.stringify({ state: '\\u0000' }))).toEqual({ state: '\\u0000' });
  });
});

describe('a single parameter', () => {
  it('is a text that was sent once; numbers and booleans of JSON are converted to text', () => {
    const body = { text: 'a', empty: '', number: 7, no: false, list: ['a'], object: {}, nothing: null };
    const found = Object.keys(body).map((name) => single(body, name));
    expect(found).toEqual(['a', undefined, '7', 'false', undefined, undefined, undefined]);
    expect(single(body, 'missing')).toBeUndefined();
  });
});

const base64 = (text: string) => Buffer.from(text).toString('base64');
const readBasic = (authorization: string) => basicCredentials(aRequest({ headers: { authorization } }));

/** As RFC 6749 section 2.3.1 and appendix B want it. */
const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);

describe('the credentials of a client in HTTP Basic', () => {
  it('are the encoded values, with any characters', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(text, fc.oneof(text, fc.constant('')), fc.constantFrom('Basic', 'basic', 'BASIC'), (clientId, secret, scheme) => {
        expect(readBasic(`${scheme} ${base64(`${encode(clientId)}:${encode(secret)}`)}`)).toEqual({ clientId, secret });
      }),
    );
  });

  it('may contain colons in the secret', () => {
    expect(readBasic(`Basic ${base64('newsroom:a:b')}`)).toEqual({ clientId: 'newsroom', secret: 'a:b' });
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
  ])('are missing in "%s"', (authorization) => {
    expect(readBasic(authorization)).toBeNull();
  });

  it('take precedence over the client of the body', () => {
    const request = aRequest({ headers: { authorization: `Basic ${base64('one:x')}` } });
    expect(clientIdOf(request, { client_id: 'two', clientId: 'three' })).toBe('one');
    expect(clientIdOf(aRequest(), { client_id: 'two', clientId: 'three' })).toBe('two');
    expect(clientIdOf(aRequest(), { clientId: 'three' })).toBe('three');
    expect(clientIdOf(aRequest(), { client_id: '' })).toBeUndefined();
  });
});
