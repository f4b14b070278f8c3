import { describe, expect, it } from '@jest/globals';
import { canonicalEmail } from './email-address.js';

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
});
