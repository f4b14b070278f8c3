import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PlayerSettings, SecuritySettings } from '../../src/modules/player-configurations/index.js';
import { DROPSITE_SCOPE } from '../../src/shared/auth/index.js';
import { Notifications } from '../../src/shared/database/index.js';
import { signInTo } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens } from '../support/accounts/scenario.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import {
  aProtectedLink,
  type EmbeddedMedia,
  embeddedMedia,
  outcome,
  silentStorage,
  type ViewerRequest,
} from '../support/browser/embedded-media.js';
import { aPublisher } from '../support/delivery/player-configurations.js';
import { tokenOf } from '../support/media/uploads.js';

// One file: the rules of one decision, beside each other, on two processes that are started once.

const OFFICE = [{ cidr: '203.0.113.0/24', type: 'ipv4' as const }];
const INSIDE = { 'x-forwarded-for': '203.0.113.7' };
const OUTSIDE = { 'x-forwarded-for': '198.51.100.7' };

/** Behind a proxy on this machine. */
let app: TestApp;
/** Not behind any proxy, and another process. */
let direct: string;
let other: TestApp;
let media: EmbeddedMedia;
beforeAll(async () => {
  app = await startTestApp({ ...silentStorage, trustProxy: 'loopback' });
  other = await startTestApp({ ...silentStorage, database: app.database, publicUrl: app.url });
  direct = addressOf(other.app);
  media = await embeddedMedia(app);
});
afterAll(async () => {
  await other.close();
  await app.close();
});

const linkWith = async (security?: Partial<SecuritySettings>, settings?: PlayerSettings) =>
  (await aProtectedLink(media, { ...(security && { security }), ...(settings && { settings }) })).link;
const seen = async (link: string, headers: Record<string, string> = {}, query: ViewerRequest['query'] = {}) =>
  await outcome(app.url, link, { headers, query });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** A browser in which the user is signed in, and has authorized a client by that. */
async function signedIn(user: { email: string }, query: Record<string, string> = {}) {
  const client = await aClient(app);
  const browser = new TestBrowser(app.url);
  await signInTo(app, { user, client, browser, query });
  return { client, cookie: { cookie: browser.cookieHeader('/v5/deliverFile') } };
}

describe('a link without rules', () => {
  it('is delivered to any viewer', async () => {
    expect(await seen(await linkWith())).toBe('delivered');
    expect(await outcome(direct, await linkWith({}))).toBe('delivered');
  });

  it('is delivered to viewers with invalid credentials too', async () => {
    const link = await linkWith();
    expect(await seen(link, bearer('nonsense'))).toBe('delivered');
    expect(await seen(link, { 'x-service-accesskey': 'unknown', 'x-service-rts': '1', 'x-service-hash': 'x' })).toBe('delivered');
  });
});

describe('auth', () => {
  it('wants a user of the customer, by bearer token or by the session of a browser', async () => {
    const link = await linkWith({ auth: { enabled: true } });
    const { user, token } = media.publisher;
    expect(await seen(link)).toBe('403 auth auth_required');
    expect(await seen(link, bearer(token))).toBe('delivered');
    expect(await seen(link, (await signedIn(user)).cookie)).toBe('delivered');
    expect(await seen(link, (await signedIn(user, { iframe: '1' })).cookie)).toBe('delivered');
  });

  it('does not take users of other customers, senders of dropsites, or credentials that are not good', async () => {
    const link = await linkWith({ auth: { enabled: true } });
    const stranger = await aPublisher(app);
    expect(await seen(link, bearer(stranger.token))).toBe('403 auth auth_required');
    expect(await seen(link, (await signedIn(stranger.user)).cookie)).toBe('403 auth auth_required');
    expect(await seen(link, bearer(await tokenOf(app, media.publisher.user, DROPSITE_SCOPE)))).toBe('403 auth auth_required');
    expect(await seen(link, bearer(await tokenOf(app, media.publisher.user, 'openid')))).toBe('403 auth auth_required');
    expect(await seen(link, bearer('nonsense'))).toBe('403 auth auth_required');
    expect(await seen(link, { cookie: 'session=x; session.sig=y' })).toBe('403 auth auth_required');
  });

  it('takes the session of a browser that sends a token which is not good', async () => {
    const link = await linkWith({ auth: { enabled: true } });
    const { cookie } = await signedIn(media.publisher.user);
    expect(await seen(link, { ...cookie, ...bearer('nonsense') })).toBe('delivered');
  });
});

describe('oauth', () => {
  it('wants a token of its client', async () => {
    const [client, second] = [await aClient(app), await aClient(app)];
    const user = await aUser(app);
    const link = await linkWith({ oauth: { enabled: true, clientId: client.clientId } });
    const { access_token: own } = await obtainTokens(app, { user, client });
    const { access_token: foreign } = await obtainTokens(app, { user, client: second });
    expect(await seen(link)).toBe('403 oauth oauth_required');
    expect(await seen(link, bearer(own))).toBe('delivered');
    expect(await seen(link, bearer(foreign))).toBe('403 oauth oauth_required');
    expect(await seen(link, bearer(`${own}x`))).toBe('403 oauth oauth_required');
  });

  it('accepts with the grant cookie the session of a user as long as the user has authorized the client', async () => {
    const user = await aUser(app);
    const { client, cookie } = await signedIn(user);
    const oauth = { enabled: true, clientId: client.clientId };
    const [withCookie, without] = [await linkWith({ oauth: { ...oauth, grants: ['cookie'] } }), await linkWith({ oauth })];
    expect(await seen(withCookie, cookie)).toBe('delivered');
    expect(await seen(without, cookie)).toBe('403 oauth oauth_required');
    expect(await seen(withCookie, (await signedIn(await aUser(app))).cookie)).toBe('403 oauth oauth_required');
    const body = JSON.stringify({ client_id: client.clientId });
    const headers = { ...bearer(await tokenOf(app, user)), 'content-type': 'application/json' };
    await fetch(`${app.url}/v4/deauthorize`, { method: 'POST', headers, body });
    expect(await seen(withCookie, cookie)).toBe('403 oauth oauth_required');
  });
});

describe('ipWhiteList', () => {
  it('goes by the address of the viewer', async () => {
    const link = await linkWith({ ipWhiteList: [...OFFICE, { cidr: '2001:db8::/32', type: 'ipv6' }] });
    const from = async (address: string) => await seen(link, { 'x-forwarded-for': address });
    for (const address of ['203.0.113.7', '::ffff:203.0.113.7', '203.0.113.7:4711', '[2001:db8::1]:443', '64:ff9b::203.0.113.7']) {
      expect([address, await from(address)]).toEqual([address, 'delivered']);
    }
    for (const address of ['198.51.100.7', '2001:db9::1', '0203.0.113.7', 'unknown', '']) {
      expect([address, await from(address)]).toEqual([address, '403 ipWhiteList ip_not_allowed']);
    }
  });

  it('trusts X-Forwarded-For of trusted proxies only, and uses its last untrusted address', async () => {
    const link = await linkWith({ ipWhiteList: OFFICE });
    expect(await outcome(direct, link, { headers: INSIDE })).toBe('403 ipWhiteList ip_not_allowed');
    expect(await seen(link, { 'x-forwarded-for': '203.0.113.7, 198.51.100.7' })).toBe('403 ipWhiteList ip_not_allowed');
    expect(await seen(link, { 'x-forwarded-for': '198.51.100.7, 203.0.113.7' })).toBe('delivered');
    expect(await seen(link, { 'x-forwarded-for': '203.0.113.7, 127.0.0.1' })).toBe('delivered');
    for (const name of ['x-real-ip', 'forwarded', 'x-client-ip', 'true-client-ip', 'cf-connecting-ip']) {
      const value = name === 'forwarded' ? 'for=203.0.113.7' : '203.0.113.7';
      expect(await outcome(direct, link, { headers: { [name]: value } })).toBe('403 ipWhiteList ip_not_allowed');
    }
    const loopback = await linkWith({ ipWhiteList: [{ cidr: '127.0.0.0/8', type: 'ipv4' }] });
    expect(await outcome(direct, loopback, { headers: OUTSIDE })).toBe('delivered');
    expect(await seen(loopback, OUTSIDE)).toBe('403 ipWhiteList ip_not_allowed');
  });

  it('takes the place of an authentication unless authOnly', async () => {
    const rules = { auth: { enabled: true }, ipWhiteList: OFFICE };
    const [either, both] = [await linkWith(rules), await linkWith({ ...rules, authOnly: true })];
    const token = bearer(media.publisher.token);
    expect(await seen(either, INSIDE)).toBe('delivered');
    expect(await seen(either, { ...OUTSIDE, ...token })).toBe('delivered');
    expect(await seen(either, OUTSIDE)).toBe('403 auth auth_required');
    expect(await seen(both, INSIDE)).toBe('403 auth auth_required');
    expect(await seen(both, { ...OUTSIDE, ...token })).toBe('403 ipWhiteList ip_not_allowed');
    expect(await seen(both, { ...INSIDE, ...token })).toBe('delivered');
  });

  it('that is enabled without a list admits no viewer, or uses the list of settings', async () => {
    expect(await seen(await linkWith({ ipWhiteList: { enabled: true } }), INSIDE)).toBe('403 ipWhiteList ip_not_allowed');
    const link = await linkWith({ ipWhiteList: { enabled: true } }, { ipWhiteList: OFFICE });
    expect(await seen(link, INSIDE)).toBe('delivered');
    expect(await seen(link, OUTSIDE)).toBe('403 ipWhiteList ip_not_allowed');
    expect(await seen(await linkWith({ ipWhiteList: { enabled: false, list: OFFICE } }), OUTSIDE)).toBe('delivered');
  });
});

describe('matchReferer', () => {
  it('wants a page of a domain in the list, by Referer, else by Origin', async () => {
    const link = await linkWith({ matchReferer: ['example.com', '*.example.org'] });
    const denied = '403 matchReferer referer_not_allowed';
    expect(await seen(link)).toBe(denied);
    expect(await seen(link, { referer: 'https://example.com/page' })).toBe('delivered');
    expect(await seen(link, { origin: 'https://www.example.org' })).toBe('delivered');
    expect(await seen(link, { origin: 'null' })).toBe(denied);
    expect(await seen(link, { referer: 'https://evil.test/', origin: 'https://example.com' })).toBe(denied);
    expect(await seen(link, { referer: 'https://example.org/' })).toBe(denied);
    expect(await seen(link, { referer: 'https://example.com@evil.test/' })).toBe(denied);
    expect(await seen(link, { referer: 'https://example.com.evil.test/' })).toBe(denied);
  });
});

describe('matchReferer with addresses', () => {
  it('admits pages of an intranet, on any port or on the given one', async () => {
    const link = await linkWith({ matchReferer: ['10.0.0.5', '[2001:db8::5]:8080'] });
    const denied = '403 matchReferer referer_not_allowed';
    expect(await seen(link, { referer: 'http://10.0.0.5/wiki/' })).toBe('delivered');
    expect(await seen(link, { referer: 'http://10.0.0.5:8080/wiki/' })).toBe('delivered');
    expect(await seen(link, { referer: 'http://10.0.0.6/' })).toBe(denied);
    expect(await seen(link, { referer: 'http://[2001:db8::5]:8080/' })).toBe('delivered');
    expect(await seen(link, { referer: 'http://[2001:db8::5]/' })).toBe(denied);
  });
});

describe('url.cname', () => {
  it('is the host on which it is delivered, as it was sent and not as a header claims', async () => {
    const link = await linkWith({ url: { cname: 'video.example.com' } });
    const denied = '403 url.cname wrong_host';
    expect(await seen(link)).toBe(denied);
    expect(await seen(link, { host: 'video.example.com' })).toBe('delivered');
    expect(await seen(link, { host: 'Video.Example.com.:8443' })).toBe('delivered');
    expect(await seen(link, { host: 'evil.example.com' })).toBe(denied);
    expect(await seen(link, { 'x-forwarded-host': 'video.example.com' })).toBe(denied);
  });
});

describe('several rules', () => {
  it('need one of the authentications and everything else', async () => {
    const client = await aClient(app);
    const link = await linkWith({
      auth: { enabled: true },
      oauth: { enabled: true, clientId: client.clientId },
      matchReferer: ['example.com'],
    });
    const referer = { referer: 'https://example.com/' };
    const { access_token: token } = await obtainTokens(app, { user: await aUser(app), client });
    expect(await seen(link, referer)).toBe('403 auth auth_required');
    expect(await seen(link, bearer(token))).toBe('403 matchReferer referer_not_allowed');
    expect(await seen(link, { ...referer, ...bearer(token) })).toBe('delivered');
    expect(await seen(link, { ...referer, ...bearer(media.publisher.token) })).toBe('delivered');
  });

  it('are read from the deprecated settings where securitySettings lacks them', async () => {
    const settings = { auth: { enabled: true }, matchReferer: ['example.com'], cname: 'video.example.com' };
    const viewer = { referer: 'https://example.com/', host: 'video.example.com' };
    expect(await seen(await linkWith(undefined, settings), viewer)).toBe('403 auth auth_required');
    const link = await linkWith({ auth: { enabled: false } }, settings);
    expect(await seen(link, viewer)).toBe('delivered');
    expect(await seen(link, { host: viewer.host })).toBe('403 matchReferer referer_not_allowed');
    expect(await seen(link, { referer: viewer.referer })).toBe('403 url.cname wrong_host');
  });
});

describe('a change of the rules', () => {
  /** The other process hears of nothing that changes, as in the moment before the notification is there. */
  async function unheard(work: () => Promise<void>): Promise<void> {
    const notifications = other.app.get(Notifications) as unknown as { deliver: () => void };
    const { deliver } = notifications;
    notifications.deliver = () => {};
    try {
      await work();
    } finally {
      notifications.deliver = deliver;
    }
  }

  it('applies from its response on, also in processes without the notification', async () => {
    const { link, configuration } = await aProtectedLink(media);
    const change = async (rules: object) => {
      const securitySettings = { authOnly: false, ...rules };
      expect((await media.publisher.update(configuration.id, { formats: configuration.formats, securitySettings })).status).toBe(200);
    };
    await unheard(async () => {
      for (const enabled of [true, false, true]) {
        await change({ auth: { enabled } });
        expect(await outcome(direct, link)).toBe(enabled ? '403 auth auth_required' : 'delivered');
      }
    });
  });

  it('applies to the deletion of a link too', async () => {
    const { id, link } = await aProtectedLink(media);
    expect(await outcome(direct, link)).toBe('delivered');
    await unheard(async () => {
      expect((await media.publisher.unlink(id)).status).toBe(200);
      expect(await outcome(direct, link)).toBe('410 link_ended');
    });
  });

  it('applies to links that are moved to another configuration', async () => {
    const [from, to] = [
      await aProtectedLink(media),
      await media.publisher.made({ securitySettings: { authOnly: false, auth: { enabled: true } } }),
    ];
    expect(await outcome(direct, from.link)).toBe('delivered');
    await unheard(async () => {
      expect((await media.publisher.destroy(from.configuration.id, { move: to.id })).status).toBe(200);
      expect(await outcome(direct, from.link)).toBe('403 auth auth_required');
    });
  });
});
