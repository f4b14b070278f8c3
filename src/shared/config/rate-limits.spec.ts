import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseRateLimits } from './rate-limits.js';

const limit = fc.record({ points: fc.integer({ min: 1, max: 999_999_999 }), seconds: fc.integer({ min: 1, max: 999_999 }) });

describe('RATE_LIMIT', () => {
  it('is on with limits of ours, or off', () => {
    expect(parseRateLimits('off')).toBeNull();
    expect(parseRateLimits('on')).toEqual({
      address: { points: 12_000, seconds: 60 },
      saml: { points: 120, seconds: 60 },
      login: { points: 120, seconds: 60 },
      token: { points: 600, seconds: 60 },
      dropsite: { points: 120, seconds: 60 },
      items: { points: 20_000, seconds: 3_600 },
      refused: { points: 2_000, seconds: 3_600 },
      delivery: { points: 6_000, seconds: 60 },
      segments: { points: 30_000, seconds: 60 },
      polling: { points: 6_000, seconds: 60 },
      api: { points: 1_200, seconds: 60 },
    });
  });

  it('replaces the given limits and keeps the others', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('login', 'token', 'refused', 'polling', 'api'), limit, { minKeys: 1 }),
        fc.constantFrom(',', ', '),
        (given, comma) => {
          const text = Object.entries(given).map(([name, { points, seconds }]) => `${name}=${points}/${seconds}`);
          expect(parseRateLimits(text.join(comma))).toEqual({ ...parseRateLimits('on'), ...given });
        },
      ),
    );
  });

  it.each([
    '',
    'ON',
    'true',
    '30/60',
    'login',
    'login=30',
    'login=0/60',
    'login=30/0',
    'login=-1/60',
    'login=1.5/60',
    'logins=1/60',
    'toString=1/60',
    'constructor=1/60',
    'login=1/60,',
  ])('refuses "%s" with an example', (value) => {
    expect(() => parseRateLimits(value)).toThrow(/^must be on, off or a list such as address=12000\/60,login=120\/60/);
  });
});
