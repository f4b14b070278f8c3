import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { exchange, introspect } from '../support/accounts/oauth.js';
import { aClient, aUser, authorizeUrl, REDIRECT_URI } from '../support/accounts/scenario.js';
import { type SimpleSamlPhp, startSimpleSamlPhp } from '../support/accounts/simplesamlphp.js';
import { applyDocument } from '../support/app/admin.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { launchChromium } from '../support/browser/chromium.js';

describe('Debian’s simplesamlphp as identity provider, in Chromium', () => {
  let app: TestApp;
  let idp: SimpleSamlPhp;
  let browser: Browser;

  beforeAll(async () => {
    // The service is localhost, the identity provider 127.0.0.1: another site, so that cookies behave as they do in the world.
    app = await startTestApp();
    idp = await startSimpleSamlPhp({ mail: 'ada@acme.example', givenName: 'Ada' });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await idp?.close();
    await app.close();
  });

  it('signs a person in: each side reads the metadata of the other, and the cookies of a cross-site POST are not missed', async () => {
    await applyDocument(app, { customers: [{ name: 'Acme' }] });
    const user = await aUser(app, { customer: 'Acme', email: 'ada@acme.example' });
    const client = await aClient(app);
    const entry = { ssoIdentifier: 'ssp', customer: 'Acme', metadata: await idp.metadata(), attributeMapping: { email: 'mail' } };
    await applyDocument(app, { identityProviders: [entry] });
    await idp.trust(await (await fetch(`${app.url}/v4/saml/ssp/metadata`)).text());

    const page = await browser.newPage();
    await page.goto(authorizeUrl(app.url, { client_id: client.clientId, redirect_uri: REDIRECT_URI, ssoIdentifier: 'ssp' }));
    expect(new URL(page.url()).origin).toBe(idp.origin);
    await page.fill('input[name=username]', 'ada');
    await page.fill('input[name=password]', 'secret');
    const atClient = page.waitForRequest((one) => one.url().startsWith(REDIRECT_URI)); // no server answers there
    await page.press('input[name=password]', 'Enter');
    const code = new URL((await atClient).url()).searchParams.get('code') ?? '';
    const { body } = await exchange(app, client, code);
    const { body: state } = await introspect(app, { token: body.access_token, client_id: client.clientId });
    expect(state).toMatchObject({ active: true, sub: String(user.id) });
  });
});
