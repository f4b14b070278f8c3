import { beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD } from '../support/accounts/scenario.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { anEmbed } from '../support/delivery/embeds.js';
import { aPublisher, type Publisher } from '../support/delivery/player-configurations.js';
import { rawRequest } from '../support/raw-request.js';

const { app } = useTestAppWithStorage();
let publisher: Publisher;

beforeAll(async () => {
  publisher = await aPublisher(app);
});

const aFilm = async (security: object = { authOnly: true, auth: { enabled: true } }) =>
  (
    await anEmbed(app, publisher, {
      type: 'video',
      original: { fileName: 'film.mp4', content: 'film' },
      configuration: { securitySettings: security },
    })
  ).link;
const CNAME = 'media.example.net';
const onOwnHost = { authOnly: true, auth: { enabled: true }, url: { cname: CNAME } };
const player = (link: string) => `/v5/deliverEmbed/${link}`;
const signIn = async (browser: TestBrowser, url: string, { email }: { email: string } = publisher.user) => {
  const { response } = await browser.follow(url);
  return await browser.submit(await response.text(), '/login', { email, password: PASSWORD });
};
const passIn = (html: string) => /data-pass="([^"]+)"/.exec(html)?.[1] ?? null;

describe('a viewer who must sign in', () => {
  it('is led through the sign-in and back to the film', async () => {
    const [browser, link] = [new TestBrowser(app.url), await aFilm()];
    const refused = await browser.open(player(link));
    const html = await refused.text();
    expect([refused.status, html.includes('Sign in to see this.')]).toEqual([403, true]);
    const href = /<a [^>]*id="sign-in"[^>]* href="([^"]*)"/.exec(html)?.[1] ?? '';
    expect(href).toBe(`${app.url}${player(link)}/sign-in`);
    const { response, url } = await signIn(browser, href);
    expect([response.status, url.pathname]).toEqual([200, player(link)]);
    expect((await browser.follow(href)).url.pathname).toBe(player(link)); // signed in already
  });

  it('learns that the account is another customer’s', async () => {
    const [browser, link, stranger] = [new TestBrowser(app.url), await aFilm(), await aPublisher(app)];
    const { response, url } = await signIn(browser, `${player(link)}/sign-in`, stranger.user);
    const html = await response.text();
    expect([response.status, url.pathname]).toEqual([403, `${player(link)}/sign-in`]);
    expect(html).toContain('This account cannot see this');
    expect(passIn(html)).toBeNull();
    expect(html).toContain('href="/v4/logout"');
  });

  it('gets the page of whatever else refuses', async () => {
    const browser = new TestBrowser(app.url);
    expect((await browser.open(`${player('b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11')}/sign-in`)).status).toBe(404);
  });
});

describe('a link on a host of its own', () => {
  const asked = async (path: string, host: string) => await rawRequest(app.url, { path, headers: { host, accept: 'text/html' } });
  const signInLink = async (link: string, host: string) =>
    /<a [^>]*id="sign-in"[^>]* href="([^"]*)"/.exec((await asked(player(link), host)).text)?.[1] ?? '';

  it.each([
    ['the service', () => new URL(app.url).host, () => app.url],
    ['the link', () => `${CNAME}:8443`, () => `http://${CNAME}:8443`],
    ['somebody else', () => 'evil.example', () => app.url],
    ['somebody else, with the name of the link', () => `${CNAME}.evil.example`, () => app.url],
    ['nobody', () => '', () => app.url],
  ])(
    'sends a viewer who need not sign in back to the host of the request, if it is that of the service or of the link: %s',
    async (...given) => {
      const [, host, origin] = given;
      const link = await aFilm({ authOnly: false, url: { cname: CNAME } });
      const { status, headers } = await asked(`${player(link)}/sign-in`, host());
      expect([status, headers.location]).toEqual([303, `${origin()}${player(link)}`]);
    },
  );

  it('leads a viewer from there through the sign-in and back', async () => {
    const link = await aFilm(onOwnHost);
    const href = await signInLink(link, CNAME);
    expect(href.startsWith(`${app.url}${player(link)}/sign-in?from=`)).toBe(true);
    const browser = new TestBrowser(app.url);
    const { response } = await signIn(browser, href);
    expect(await response.text()).toContain(`href="http://${CNAME}${player(link)}?auth=`);
    const framed = await (await browser.follow(`${href}&window=1`)).response.text();
    expect(framed).toContain(`data-origin="http://${CNAME}"`);
  });

  it('sends no pass to a host that the viewer did not come from', async () => {
    const [link, other] = [await aFilm(onOwnHost), await aFilm(onOwnHost)];
    const foreign = new URL(await signInLink(other, CNAME)).searchParams.get('from') ?? '';
    const own = new URL(await signInLink(link, CNAME)).searchParams.get('from') ?? '';
    const [expiry, , mac] = own.split('.');
    const forged = `${expiry}.${Buffer.from(`${CNAME}:1`).toString('base64url')}.${mac}`;
    const elsewhere = new URL(await signInLink(await aFilm(), 'evil.example')).searchParams.get('from') ?? '';
    const browser = new TestBrowser(app.url);
    await signIn(browser, '/account');
    for (const from of ['', foreign, forged, elsewhere, CNAME]) {
      const { response } = await browser.follow(`${player(link)}/sign-in?${new URLSearchParams({ window: '1', from })}`);
      expect(await response.text()).toContain(`data-origin="${app.url}"`);
    }
  });
});

describe('the window of a sign-in', () => {
  const aPass = async (link: string) => {
    const { response } = await signIn(new TestBrowser(app.url), `${player(link)}/sign-in?window=1`);
    const html = await response.text();
    expect(html).toContain(`data-origin="${app.url}"`);
    return passIn(html) ?? '';
  };
  const seen = async (link: string, pass: string) => (await fetch(`${app.url}${player(link)}?auth=${pass}`)).status;

  it('has a pass for the frame, for this link and as long as the user may act', async () => {
    const [link, other] = [await aFilm(), await aFilm()];
    const pass = await aPass(link);
    expect(await seen(link, pass)).toBe(200);
    expect(await seen(other, pass)).toBe(403);
    const [, expiry, user, mac] = /viewer\.(\d+)\.(\d+)\.(.*)$/.exec(Buffer.from(pass, 'base64url').toString()) ?? [];
    const forged = [`${Number(expiry) + 1}.${user}.${mac}`, `${expiry}.${Number(user) + 1}.${mac}`, `1.${user}.${mac}`];
    for (const token of forged) expect(await seen(link, Buffer.from(`:viewer.${token}`).toString('base64url'))).toBe(403);
    const page = await (await fetch(`${app.url}${player(link)}?auth=${pass}`, { headers: { accept: 'text/html' } })).text();
    const file = /<source src="([^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect((await fetch(`${app.url}${file}`, { redirect: 'manual' })).status).toBe(302);
  });
});

describe('the way back from the account page', () => {
  it.each([
    '//evil.test/',
    'https://evil.test/',
    '/\\evil.test/',
    '/.//evil.test/',
    '/\t/evil.test/',
    'javascript:alert(1)',
    'evil.test',
    '',
  ])('never leads to another site: %j', async (target) => {
    for (const name of ['return_to', 'state']) {
      const browser = new TestBrowser(app.url);
      const { response } = await signIn(browser, `/account?${new URLSearchParams({ return_to: '/account', [name]: target })}`);
      expect(response.status).toBeLessThan(500);
      const answer = await browser.open(`/account?${new URLSearchParams({ [name]: target })}`);
      const location = answer.headers.get('location');
      if (location) expect(new URL(location, app.url).origin).toBe(app.url);
    }
  });
});
