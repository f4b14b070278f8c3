import { describe, expect, it } from '@jest/globals';
import type { PlayerSettings, SecuritySettings } from '../../player-configurations/index.js';
import { parseAddress } from './addresses.js';
import { compilePolicy, decideDelivery } from './decide-delivery.js';
import type { Viewer } from './rules/delivery-rule.js';

const nobody: Viewer = {
  address: null,
  referer: null,
  host: 'media.example.org',
  userOfCustomer: false,
  tokenClientId: null,
  sessionClientId: null,
  extAuthAccessKey: null,
};
const INSIDE = { address: parseAddress('10.1.2.3') };
const LIST = [{ cidr: '10.0.0.0/8', type: 'ipv4' as const }];
const FORMATS = [
  { formatId: 1, downloadable: true },
  { formatId: 2, downloadable: false },
];

/** `allowed`, or the rule and the code of the denial. */
function decide(securitySettings: SecuritySettings | null, viewer: Partial<Viewer> = {}, settings: PlayerSettings | null = null): string {
  const decision = decideDelivery(compilePolicy({ securitySettings, settings, formats: FORMATS }), { ...nobody, ...viewer });
  return decision.allowed ? 'allowed' : `${decision.rule} ${decision.code}`;
}

describe('a delivery', () => {
  it('is allowed without rules', () => {
    expect(decide(null)).toBe('allowed');
    expect(decide({ authOnly: true, bandwidthControl: [{ cidr: '0.0.0.0/0', type: 'parallel', limit: 1 }] })).toBe('allowed');
  });

  it.each<[string, SecuritySettings, Partial<Viewer>, denied: string]>([
    ['auth', { auth: { enabled: true } }, { userOfCustomer: true }, 'auth auth_required'],
    ['extAuth', { extAuth: { enabled: true, allowedAccessKeys: ['key'] } }, { extAuthAccessKey: 'key' }, 'extAuth ext_auth_required'],
    ['oauth', { oauth: { enabled: true, clientId: 'tv' } }, { tokenClientId: 'tv' }, 'oauth oauth_required'],
    [
      'oauth with the cookie',
      { oauth: { enabled: true, clientId: 'tv', grants: ['cookie'] } },
      { sessionClientId: 'tv' },
      'oauth oauth_required',
    ],
    ['ipWhiteList', { ipWhiteList: LIST }, INSIDE, 'ipWhiteList ip_not_allowed'],
    ['matchReferer', { matchReferer: ['example.com'] }, { referer: 'https://example.com/' }, 'matchReferer referer_not_allowed'],
    ['url.cname', { url: { cname: 'TV.example.com.' } }, { host: 'tv.example.com:443' }, 'url.cname wrong_host'],
  ])('satisfies the rule %s only with its credentials', (_, security, viewer, denied) => {
    expect(decide(security, viewer)).toBe('allowed');
    expect(decide(security)).toBe(denied);
  });

  it('is refused with credentials of another customer or client', () => {
    expect(decide({ extAuth: { enabled: true, allowedAccessKeys: ['key'] } }, { extAuthAccessKey: 'other' })).toMatch('ext_auth_required');
    const oauth = { enabled: true, clientId: 'tv' };
    expect(decide({ oauth }, { tokenClientId: 'other' })).toMatch('oauth_required');
    expect(decide({ oauth }, { sessionClientId: 'tv' })).toMatch('oauth_required');
    expect(decide({ oauth: { ...oauth, grants: ['cookie'] } }, { sessionClientId: 'other' })).toMatch('oauth_required');
  });

  it('ignores disabled rules', () => {
    const off = { enabled: false };
    expect(decide({ auth: off, extAuth: { ...off, allowedAccessKeys: [] }, oauth: { ...off, clientId: 'tv' } })).toBe('allowed');
    expect(decide({ ipWhiteList: { enabled: false, list: LIST } })).toBe('allowed');
  });

  it('needs one of several authentications, and names the first', () => {
    const both: SecuritySettings = { extAuth: { enabled: true, allowedAccessKeys: ['key'] }, oauth: { enabled: true, clientId: 'tv' } };
    expect(decide(both, { tokenClientId: 'tv' })).toBe('allowed');
    expect(decide(both, { extAuthAccessKey: 'key' })).toBe('allowed');
    expect(decide(both)).toBe('extAuth ext_auth_required');
    expect(decide({ ...both, auth: { enabled: true } })).toBe('auth auth_required');
  });

  it('needs every other rule as well', () => {
    const all: SecuritySettings = { auth: { enabled: true }, matchReferer: ['example.com'], url: { cname: 'tv.example.com' } };
    const viewer = { userOfCustomer: true, referer: 'https://example.com/', host: 'tv.example.com' };
    expect(decide(all, viewer)).toBe('allowed');
    expect(decide(all, { ...viewer, referer: null })).toBe('matchReferer referer_not_allowed');
    expect(decide(all, { ...viewer, host: 'media.example.org' })).toBe('url.cname wrong_host');
  });

  it('takes the allow-list instead of an authentication unless authOnly', () => {
    const either: SecuritySettings = { auth: { enabled: true }, ipWhiteList: LIST, authOnly: false };
    const both: SecuritySettings = { ...either, authOnly: true };
    expect(decide(either, INSIDE)).toBe('allowed');
    expect(decide(either, { userOfCustomer: true })).toBe('allowed');
    expect(decide(either)).toBe('auth auth_required');
    expect(decide(both, INSIDE)).toBe('auth auth_required');
    expect(decide(both, { userOfCustomer: true })).toBe('ipWhiteList ip_not_allowed');
    expect(decide(both, { ...INSIDE, userOfCustomer: true })).toBe('allowed');
    expect(decide({ ipWhiteList: LIST, authOnly: true }, INSIDE)).toBe('allowed');
  });

  it.each<[string, SecuritySettings | null, PlayerSettings | null, inside: string]>([
    ['a list', { ipWhiteList: LIST }, null, 'allowed'],
    ['enabled with a list', { ipWhiteList: { enabled: true, list: LIST } }, null, 'allowed'],
    ['a list without enabled', { ipWhiteList: { list: LIST } }, null, 'allowed'],
    ['enabled, and the list in settings', { ipWhiteList: { enabled: true } }, { ipWhiteList: LIST }, 'allowed'],
    [
      'enabled, and a list that is off in settings',
      { ipWhiteList: { enabled: true } },
      { ipWhiteList: { enabled: false, list: LIST } },
      'allowed',
    ],
    ['settings alone', {}, { ipWhiteList: LIST }, 'allowed'],
    ['enabled without a list anywhere', { ipWhiteList: { enabled: true } }, null, 'ipWhiteList ip_not_allowed'],
    ['enabled in settings without a list', null, { ipWhiteList: { enabled: true } }, 'ipWhiteList ip_not_allowed'],
    ['an empty list', { ipWhiteList: [] }, { ipWhiteList: LIST }, 'ipWhiteList ip_not_allowed'],
    ['a list that cannot be read', { ipWhiteList: [{ cidr: 'office', type: 'ipv4' }] }, null, 'ipWhiteList ip_not_allowed'],
  ])('reads the allow-list as %s', (_, security, settings, inside) => {
    expect(decide(security, INSIDE, settings)).toBe(inside);
    expect(decide(security, { address: parseAddress('192.0.2.1') }, settings)).toBe('ipWhiteList ip_not_allowed');
  });

  it('is refused if host names are invalid', () => {
    expect(decide({ url: { cname: 'not a name' } }, { host: '' })).toBe('url.cname wrong_host');
    expect(decide({ matchReferer: [] }, { referer: 'https://example.com/' })).toBe('matchReferer referer_not_allowed');
  });

  it('reads the deprecated settings where securitySettings lacks the key', () => {
    const settings: PlayerSettings = {
      auth: { enabled: true },
      extAuth: { enabled: true, allowedAccessKeys: ['key'] },
      oauth: { enabled: true, clientId: 'tv' },
      matchReferer: ['example.com'],
      cname: 'tv.example.com',
      authOnly: true,
      ipWhiteList: LIST,
    };
    const off: SecuritySettings = {
      auth: { enabled: false },
      extAuth: { enabled: false, allowedAccessKeys: [] },
      oauth: { enabled: false, clientId: 'tv' },
    };
    const viewer = { ...INSIDE, referer: 'https://example.com/', host: 'tv.example.com' };
    expect(decide(null, viewer, settings)).toBe('auth auth_required');
    expect(decide({ auth: { enabled: false } }, viewer, settings)).toBe('extAuth ext_auth_required');
    expect(decide(off, viewer, settings)).toBe('allowed');
    expect(decide({ auth: { enabled: true }, authOnly: false }, viewer, settings)).toBe('allowed');
    expect(decide(off, { ...viewer, ...nobody, address: viewer.address }, settings)).toBe('matchReferer referer_not_allowed');
    expect(decide({ ...off, matchReferer: ['other.example'] }, viewer, settings)).toBe('matchReferer referer_not_allowed');
    expect(decide(off, { ...viewer, host: 'media.example.org' }, settings)).toBe('url.cname wrong_host');
    expect(decide({ ...off, url: { cname: 'media.example.org' } }, { ...viewer, host: 'media.example.org' }, settings)).toBe('allowed');
  });

  it('offers the formats of the configuration, and downloads only of downloadable ones', () => {
    expect(decide(null, { formatId: 2 })).toBe('allowed');
    expect(decide(null, { formatId: 3 })).toBe('formats format_not_in_configuration');
    expect(decide(null, { formatId: 3, download: true })).toBe('formats format_not_in_configuration');
    expect(decide(null, { formatId: 1, download: true })).toBe('allowed');
    expect(decide(null, { formatId: 2, download: true })).toBe('formats not_downloadable');
    expect(decide(null, { download: true })).toBe('allowed');
    expect(decideDelivery(compilePolicy({ securitySettings: null, settings: null, formats: [] }), { ...nobody, download: true })).toEqual({
      allowed: false,
      rule: 'formats',
      code: 'not_downloadable',
    });
  });
});
