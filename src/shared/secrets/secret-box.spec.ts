import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { loadConfig } from '../config/index.js';
import { StartupError } from '../errors/index.js';
import { SecretBox } from './secret-box.js';

const box = (appSecret = 'the secret of this installation, long enough') => new SecretBox(loadConfig({ APP_SECRET: appSecret }));

describe('a sealed secret', () => {
  it('opens to what was sealed, for the same purpose and under the same APP_SECRET, in any process', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, purpose) => {
        expect(box().open(purpose, box().seal(purpose, plain))).toBe(plain);
      }),
    );
  });

  it('tells nothing of what is in it, not even that two are the same', () => {
    const sealed = [box().seal('a', 'a secret text'), box().seal('a', 'a secret text')];
    expect(sealed[0]).not.toBe(sealed[1]);
    expect(Buffer.from(sealed.join(''), 'base64').toString('latin1')).not.toContain('secret text');
  });

  it('does not open under another APP_SECRET or for another purpose, and says what to do', () => {
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

describe('a MAC', () => {
  it('is the same for the same purpose, value and APP_SECRET, and for nothing else', () => {
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
