import { describe, expect, it } from '@jest/globals';
import { base32, matchingStep, otpauthUrl, timeStep, totpCode } from './totp.js';

const secret = Buffer.from('12345678901234567890'); // of the appendices of RFC 4226 and RFC 6238

describe('base32', () => {
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('encodes %j as RFC 4648 section 10, without padding', (plain, encoded) => expect(base32(Buffer.from(plain))).toBe(encoded));
});

describe('the code of a time step', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at %i seconds has the last digits of RFC 6238 appendix B', (seconds, code) => {
    expect(totpCode(secret, timeStep(new Date(seconds * 1_000)))).toBe(code);
  });

  it('is accepted in its step and the next, and neither before nor after', () => {
    const step = 41_152_263;
    const accepted = (seconds: number) => matchingStep(secret, totpCode(secret, step), new Date((step * 30 + seconds) * 1_000));
    expect([-1, 0, 29, 30, 59, 60].map(accepted)).toEqual([null, step, step, step, step, null]);
  });

  it('is compared as text of six digits', () => {
    const now = new Date(1_111_111_109_000);
    expect([' 81804', '81804', '0081804', '081804', '081805', ''].map((code) => matchingStep(secret, code, now))).toEqual([
      null,
      null,
      null,
      timeStep(now),
      null,
      null,
    ]);
  });
});

describe('the address in the QR code', () => {
  it('names the service and the account, escaped', () => {
    expect(otpauthUrl(secret, { issuer: 'Müller & Co: Archive', account: 'ada@example.org' })).toBe(
      'otpauth://totp/M%C3%BCller%20%26%20Co%3A%20Archive:ada%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=M%C3%BCller%20%26%20Co%3A%20Archive',
    );
  });
});
