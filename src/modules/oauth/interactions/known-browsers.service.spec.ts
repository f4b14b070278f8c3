import { describe, expect, it } from '@jest/globals';
import { aRequest, aResponse } from '../../../../test/support/accounts/exchange.js';
import { loadConfig } from '../../../shared/config/index.js';
import { SecretBoxService } from '../../../shared/secrets/index.js';
import { KnownBrowsersService } from './known-browsers.service.js';

function browsers({ appSecret = 'the secret of this installation, long enough', publicUrl = 'https://media.example.org' } = {}) {
  const config = loadConfig({ APP_SECRET: appSecret, PUBLIC_URL: publicUrl });
  return new KnownBrowsersService(config, new SecretBoxService(config));
}

const ada = { id: 1, passwordHash: '$argon2id$ada' };
const eve = { id: 2, passwordHash: '$argon2id$eve' };
type Account = typeof ada;

/** The cookie that a browser gets when the account signs in: as it is set, and as it is sent. */
function remembered(account: Account, options: Parameters<typeof browsers>[0] & { nonce?: string } = {}) {
  const response = aResponse();
  browsers(options).remember(response, account, options.nonce ?? 'nonce-1');
  const set = String(response.getHeader('set-cookie'));
  return { set, cookie: set.split(';')[0] ?? '' };
}

const recognise = (cookie: string | undefined, account: Account | null, options: Parameters<typeof browsers>[0] = {}) =>
  browsers(options).recognise(aRequest(cookie === undefined ? {} : { headers: { cookie } }), account);

describe('a browser from which an account signed in', () => {
  it('is recognised for that account, in any process', () => {
    const { cookie } = remembered(ada);
    expect(recognise(cookie, ada)).toEqual(expect.any(String));
    expect(recognise(`a=b; ${cookie}; c=d`, ada)).toBe(recognise(cookie, ada));
  });

  it('has an identifier, which differs from its cookie', () => {
    const names = ['nonce-1', 'nonce-2'].map((nonce) => recognise(remembered(ada, { nonce }).cookie, ada));
    expect(new Set(names).size).toBe(2);
    expect(names.join()).not.toContain('nonce');
  });

  it('is unknown to every other account', () => {
    const { cookie } = remembered(ada);
    expect(recognise(cookie, eve)).toBeNull();
    expect(recognise(cookie, null)).toBeNull();
  });

  it('is unknown once the account has another password', () => {
    const { cookie } = remembered(ada);
    expect(recognise(cookie, { ...ada, passwordHash: '$argon2id$new' })).toBeNull();
  });

  it('cannot derive a cookie for another account from its own', () => {
    const { cookie } = remembered({ id: 1, passwordHash: '$argon2id$ada' }, { nonce: 'y' });
    const [name, value = ''] = cookie.split('=');
    const forged = `${name}=x y.${value.split('.')[1]}`;
    expect(recognise(forged, eve)).toBeNull();
  });

  it.each([undefined, '', 'known_browser', 'known_browser=', 'known_browser=.', 'known_browser=nonce-1', 'known_browser=nonce-1.', '=;=;'])(
    'is a stranger with the cookie %j',
    (cookie) => {
      expect(recognise(cookie, ada)).toBeNull();
    },
  );

  it('is unknown with a cookie of another installation', () => {
    expect(recognise(remembered(ada, { appSecret: 'another secret of another installation' }).cookie, ada)).toBeNull();
  });

  it('keeps its cookie from scripts, from other sites and from lines without encryption', () => {
    expect(remembered(ada).set).toMatch(/; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    expect(remembered(ada, { publicUrl: 'http://localhost:3000' }).set).not.toContain('Secure');
  });

  it('leaves the other cookies of the answer alone', () => {
    const response = aResponse();
    response.setHeader('set-cookie', 'session=1');
    browsers().remember(response, ada, 'nonce-1');
    expect(response.getHeader('set-cookie')).toEqual(['session=1', expect.stringMatching(/^__Host-known_browser/)]);
  });
});
