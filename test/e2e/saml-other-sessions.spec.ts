import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import {
  anIdentityProvider,
  beginLogin,
  declareProviders,
  finishLogin,
  type TestIdentityProvider,
} from '../support/accounts/identity-provider.js';
import { authorize, exchange, request, signInTo } from '../support/accounts/oauth.js';
import { aClient, aUser } from '../support/accounts/scenario.js';
import { applyDocument } from '../support/app/admin.js';
import { useTestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';

describe('ssoIdentifier with an existing session', () => {
  const app = useTestApp();
  let client: { clientId: string };
  let idp: TestIdentityProvider;
  let colleague: Awaited<ReturnType<typeof aUser>>;
  let stranger: Awaited<ReturnType<typeof aUser>>;
  let browser: TestBrowser;
  beforeAll(async () => {
    client = await aClient(app);
    await applyDocument(app, { customers: [{ name: 'Acme' }, { name: 'Other' }] });
    idp = await anIdentityProvider('Acme');
    await declareProviders(app, idp.entry);
  });
  beforeEach(async () => {
    colleague = await aUser(app, { customer: 'Acme' });
    stranger = await aUser(app, { customer: 'Other' });
    browser = new TestBrowser(app.url);
  });

  const ask = async (query: Record<string, string> = {}) =>
    await authorize(app, request(client, { ssoIdentifier: idp.ssoIdentifier, ...query }), browser);

  it('sends a user of another customer to the identity provider, and continues as the person who signs in there', async () => {
    const portal = await aClient(app);
    await signInTo(app, { user: stranger, client: portal, browser });
    const visit = await beginLogin(app, browser, { idp, client });
    const person = { nameId: colleague.email, attributes: { mail: colleague.email, givenName: 'Grace', sn: 'Hopper' } };
    const { html } = await finishLogin(browser, visit.acsUrl, await idp.respond(visit, person));
    for (const { email } of [stranger, colleague]) expect(html).toContain(`<bdi>${email}</bdi>`);
    expect(html).not.toContain('submit()'); // nothing happens by itself
    expect(await (await browser.open('/account')).text()).toContain(stranger.email);
    const { url } = await browser.submit(html, '/v4/logout/confirm'); // the session of the other user ends
    const { body } = await exchange(app, client, url.searchParams.get('code') ?? '');
    expect(body.user).toMatchObject({ id: colleague.id });
    expect((await ask()).location?.searchParams.get('code')).toEqual(expect.any(String));
  });

  it('keeps the session of a person who declines to go on as another one', async () => {
    await signInTo(app, { user: stranger, client: await aClient(app), browser });
    const visit = await beginLogin(app, browser, { idp, client });
    const person = { nameId: colleague.email, attributes: { mail: colleague.email, givenName: 'Grace', sn: 'Hopper' } };
    const { html } = await finishLogin(browser, visit.acsUrl, await idp.respond(visit, person));
    const { url } = await browser.submit(html, '/cancel');
    expect(url.searchParams.get('error')).toBe('access_denied');
    expect(await (await browser.open('/account')).text()).toContain(stranger.email);
  });

  it('grants nothing for the user of another customer, not even to a first-party client', async () => {
    await signInTo(app, { user: stranger, client: await aClient(app), browser });
    const own = await aClient(app);
    await authorize(app, request(own, { ssoIdentifier: idp.ssoIdentifier }), browser);
    const { rowCount } = await app.app.get(Database).query('SELECT FROM authorizations WHERE client_id = $1', [own.clientId]);
    expect(rowCount).toBe(0);
  });

  it('does not ask a user of the same customer, regardless of their sign-in', async () => {
    await signInTo(app, { user: colleague, client: await aClient(app), browser });
    expect((await ask()).location?.searchParams.get('code')).toEqual(expect.any(String));
  });

  it('shows no page for prompt=none, and returns login_required', async () => {
    await signInTo(app, { user: stranger, client, browser });
    expect(Object.fromEntries((await ask({ prompt: 'none' })).location?.searchParams ?? [])).toMatchObject({
      error: 'login_required',
      state: 'xyz',
    });
    expect((await ask({ ssoIdentifier: '' })).location?.searchParams.get('code')).toEqual(expect.any(String));
  });
});
