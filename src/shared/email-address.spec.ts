import { describe, expect, it } from '@jest/globals';
import { canonicalEmail, readEmailAddress } from './email-address.js';

describe('an e-mail address', () => {
  it.each([
    ['Ada@Example.ORG', 'ada@example.org'],
    [' jörg@exämple.test ', 'jörg@xn--exmple-cua.test'],
    ['JO\u0308RG@EXA\u0308MPLE.test', 'jörg@xn--exmple-cua.test'],
    ['jörg@XN--EXMPLE-CUA.test', 'jörg@xn--exmple-cua.test'],
    ['"a@b"@example.org', '"a@b"@example.org'],
    ['用户@例え.jp', '用户@xn--r8jz45g.jp'],
    ['ada', 'ada'],
    ['a@', 'a@'],
    ['a@exa mple', 'a@exa mple'],
  ])('%j is compared as %j', (address, canonical) => {
    expect(canonicalEmail(address)).toBe(canonical);
    expect(canonicalEmail(canonical)).toBe(canonical);
  });

  it.each([
    '"u1"@acme.example',
    '"u 1"@acme.example',
    'u1@acme.example.',
    'u1@acme.example\u3002',
    'u1@',
    '@acme.example',
    'u1',
    'u1@a@b',
    `${'u'.repeat(65)}@acme.example`,
  ])('is not that of a user: %j', (address) => {
    expect(readEmailAddress(address)).toBeNull();
  });

  it.each([
    [' U1@Acme.example ', 'u1@acme.example'],
    ['jörg@exämple.test', 'jörg@xn--exmple-cua.test'],
    ['root@localhost', 'root@localhost'],
  ])('may be that of a user: %j', (address, canonical) => {
    expect(readEmailAddress(address)).toBe(canonical);
  });
});
