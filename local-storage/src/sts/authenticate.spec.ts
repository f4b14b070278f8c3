import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { issueCredentials, openToken, secretOf } from './authenticate.js';

const SECRET = 'a secret of the data directory';
const session = { name: 'somebody', expiresAt: 1_800_000_000_000, policy: '{"Version":"2012-10-17"}' };

describe('A session token', () => {
  it('carries its session and belongs to one key', () => {
    const { accessKeyId, secretAccessKey, sessionToken } = issueCredentials(SECRET, session);
    expect(openToken(SECRET, sessionToken)).toEqual({ ...session, accessKeyId });
    expect(secretOf(SECRET, sessionToken)).toBe(secretAccessKey);
    expect(secretAccessKey).toHaveLength(40);
    expect(accessKeyId).toMatch(/^ASIA[A-Z2-7]{16}$/);
  });

  it('is invalid if a character was changed', () => {
    const { sessionToken } = issueCredentials(SECRET, session);
    fc.assert(
      fc.property(fc.nat(sessionToken.length - 1), fc.constantFrom(...'AZaz09+/= .'), (at, character) => {
        const changed = `${sessionToken.slice(0, at)}${character}${sessionToken.slice(at + 1)}`;
        return changed === sessionToken || openToken(SECRET, changed) === null;
      }),
    );
  });

  it('is invalid in another data directory, as is any other text', () => {
    expect(openToken('another secret', issueCredentials(SECRET, session).sessionToken)).toBeNull();
    fc.assert(fc.property(fc.string(), (text) => openToken(SECRET, text) === null));
  });
});
