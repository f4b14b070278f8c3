import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fingerprintOf } from './idempotency.interceptor.js';

const request = { method: 'POST', originalUrl: '/v5/format?a=1', body: { name: 'a', settings: { x: [1, 2], y: null } } };

describe('the fingerprint of a request', () => {
  it('is independent of the order of members', () => {
    expect(fingerprintOf({ ...request, body: { settings: { y: null, x: [1, 2] }, name: 'a' } })).toBe(fingerprintOf(request));
    expect(fingerprintOf({ ...request, body: undefined })).toBe(fingerprintOf({ ...request, body: {} }));
  });

  it.each([
    { method: 'PUT' },
    { originalUrl: '/v5/format?a=2' },
    { originalUrl: '/v5/dropsite' },
    { body: { name: 'b', settings: { x: [1, 2], y: null } } },
    { body: { name: 'a', settings: { x: [2, 1], y: null } } },
    { body: { name: 'a', settings: { x: [1, 2] } } },
    { body: { name: 'a', settings: { x: { 0: 1, 1: 2 }, y: null } } },
    { body: [] },
    { body: null, originalUrl: '' },
  ])('is another one with %j', (change) => {
    expect(fingerprintOf({ ...request, ...change })).not.toBe(fingerprintOf(request));
  });

  it('differs whenever the body does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const same = isDeepStrictEqual(asSent(left ?? {}), asSent(right ?? {}));
        expect(fingerprintOf({ ...request, body: left }) === fingerprintOf({ ...request, body: right })).toBe(same);
      }),
    );
  });
});

const asSent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
