import { describe, expect, it } from '@jest/globals';
import { frameCookie, hasFramedCookie, readFramedCookies } from './framed-cookies.js';

describe('the cookies of a sign-in inside a frame', () => {
  it('are partitioned, secure and of any site, whatever they were', () => {
    expect(frameCookie('session=abc; path=/; expires=Thu, 01 Jan 2026 00:00:00 GMT; samesite=lax; httponly')).toBe(
      'framed_session=abc; path=/; expires=Thu, 01 Jan 2026 00:00:00 GMT; httponly; SameSite=None; Secure; Partitioned',
    );
    expect(frameCookie('__Secure-interaction=1; path=/v4/interaction/x')).toMatch(
      /^__Secure-framed_interaction=1; path=.v4.interaction.x; /,
    );
    expect(frameCookie('a=1; SameSite=Lax; Secure; HttpOnly')).toBe('framed_a=1; HttpOnly; SameSite=None; Secure; Partitioned');
  });

  it('end with the attributes they were set with', () => {
    expect(frameCookie('session=; path=/; expires=Thu, 01 Jan 1970 00:00:00 GMT; samesite=lax; httponly')).toBe(
      'framed_session=; path=/; expires=Thu, 01 Jan 1970 00:00:00 GMT; httponly; SameSite=None; Secure; Partitioned',
    );
  });

  it('are read under the usual names, and no others', () => {
    expect(readFramedCookies('session=tab; framed_session=abc;framed_session.sig=xyz; other=1')).toBe('session=abc; session.sig=xyz');
    expect(readFramedCookies('__Host-framed_session=a; __Secure-framed_interaction=b; __Secure-interaction=c')).toBe(
      '__Host-session=a; __Secure-interaction=b',
    );
    expect(readFramedCookies('session=tab')).toBe('');
    expect(readFramedCookies(undefined)).toBe('');
  });

  it('are distinguished from those of tabs', () => {
    expect(hasFramedCookie('a=1; framed_session=abc', 'session')).toBe(true);
    expect(hasFramedCookie('session=abc; framed_session.sig=x', 'session')).toBe(false);
    expect(hasFramedCookie('__Secure-framed_interaction=abc', 'interaction')).toBe(true);
    expect(hasFramedCookie('__Secure-interaction=abc', 'interaction')).toBe(false);
    expect(hasFramedCookie(undefined, 'session')).toBe(false);
  });
});
