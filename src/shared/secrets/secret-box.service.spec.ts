import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { loadConfig } from '../config/index.js';
import { StartupError } from '../errors.js';
import { equalInConstantTime, SecretBoxService, sha256 } from './secret-box.service.js';

const box = (appSecret = 'the secret of this installation, long enough', ...previous: string[]) =>
  new SecretBoxService(
    loadConfig({ APP_SECRET: appSecret, APP_SECRET_PREVIOUS: previous.map((one) => one.replaceAll(',', '%2C')).join(',') }),
  );

describe('a sealed secret', () => {
  it('decrypts to the original for the same purpose and APP_SECRET, in any process', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, purpose) => {
        expect(box().open(purpose, box().seal(purpose, plain))).toBe(plain);
      }),
    );
  });

  it('reveals nothing of its content, not even whether two are equal', () => {
    const sealed = [box().seal('a', 'a secret text'), box().seal('a', 'a secret text')];
    expect(sealed[0]).not.toBe(sealed[1]);
    expect(Buffer.from(sealed.join(''), 'base64').toString('latin1')).not.toContain('secret text');
  });

  it('does not decrypt under another APP_SECRET or for another purpose, with instructions in the error', () => {
    const sealed = box().seal('keys', 'plain');
    expect(() => box('another secret of another installation').open('keys', sealed)).toThrow(StartupError);
    expect(() => box('another secret of another installation').open('keys', sealed)).toThrow(/another APP_SECRET/);
    expect(() => box().open('other', sealed)).toThrow(StartupError);
  });

  it('does not open when anything in it was changed or cut off', () => {
    const bytes = Buffer.from(box().seal('keys', 'plain'), 'base64');
    const open = (changed: Buffer) => () => box().open('keys', changed.toString('base64'));
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ change;
        expect(open(changed)).toThrow(StartupError);
      }),
    );
    for (let length = 0; length < bytes.length; length += 1) expect(open(bytes.subarray(0, length))).toThrow(StartupError);
  });
});

describe('a value under a previous secret', () => {
  const [first, second, third] = [
    'the first secret of them, long enough',
    'the second secret, which is long enough',
    'the third secret of them, long enough',
  ];

  it('is decrypted and verified under any of several secrets, which are never used for new values', () => {
    const present = box(third, first, second);
    for (const [index, secret] of [third, first, second].entries()) {
      expect(present.tryOpen('keys', box(secret).seal('keys', 'plain'))).toEqual({ plain: 'plain', secret: index });
      const mac = box(secret).mac('csrf', 'value').toString('base64url');
      expect(present.isMac(mac, { purpose: 'csrf', value: 'value', encoding: 'base64url' })).toBe(true);
      expect(present.isMac(mac, { purpose: 'csrf', value: 'other', encoding: 'base64url' })).toBe(false);
      expect(present.isMac(mac, { purpose: 'other', value: 'value', encoding: 'base64url' })).toBe(false);
    }
    expect(box(third).open('keys', present.seal('keys', 'plain'))).toBe('plain');
    expect(present.mac('csrf', 'value')).toEqual(box(third).mac('csrf', 'value'));
  });

  it('does neither any more when that secret is taken away', () => {
    expect(box(third, second).tryOpen('keys', box(first).seal('keys', 'plain'))).toBeNull();
    const mac = box(first).mac('csrf', 'value').toString('base64url');
    expect(box(third, second).isMac(mac, { purpose: 'csrf', value: 'value', encoding: 'base64url' })).toBe(false);
  });
});

describe('a MAC', () => {
  it('is equal only for the same purpose, value and APP_SECRET', () => {
    const macs = [
      box().mac('csrf', 'a'),
      box().mac('csrf', 'b'),
      box().mac('known browser', 'a'),
      box('another secret of another installation').mac('csrf', 'a'),
    ].map((mac) => mac.toString('hex'));
    expect(new Set(macs).size).toBe(4);
    expect(box().mac('csrf', 'a').toString('hex')).toBe(macs[0]);
    expect(macs[0]).toHaveLength(64);
  });
});

describe('the hash of a secret', () => {
  it('is SHA-256 in base64url', () => {
    expect(sha256('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
    expect(sha256('')).toBe('47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU');
  });
});

describe('the comparison of secrets', () => {
  it('agrees with === for texts of any length', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (left, right) => {
        expect(equalInConstantTime(left, right)).toBe(left === right);
        expect(equalInConstantTime(left, left)).toBe(true);
      }),
    );
  });
});
