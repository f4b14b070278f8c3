import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { Client } from '../../src/modules/oauth/index.js';
import { Database } from '../../src/shared/database/index.js';
import { authorize, bearer, call, exchange, obtainCode, request, signInTo, works } from '../support/accounts/oauth.js';
import { aClient, aUser, pkce } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';

const OTHER = 'https://other.example/api';
const URN = 'urn:example:archive';

describe('the parameters of an authorization request', () => {
  let app: TestApp;
  let client: Client;
  beforeAll(async () => {
    app = await startTestApp({ resources: [OTHER, URN] });
    client = await aClient(app);
  });
  afterAll(async () => await app.close());

  const errorOf = async (query: Record<string, string>, own = client) =>
    (await authorize(app, request(own, query))).location?.searchParams.get('error') ?? null;

  describe('PKCE', () => {
    const { verifier, challenge } = pkce();

    it('accepts only S256', async () => {
      expect(await errorOf({ code_challenge: challenge })).toBe('invalid_request');
      expect(await errorOf({ code_challenge: challenge, code_challenge_method: 'plain' })).toBe('invalid_request');
      expect(await errorOf({ code_challenge: challenge, code_challenge_method: 's256' })).toBe('invalid_request');
      expect(await errorOf({ code_challenge: 'too-short', code_challenge_method: 'S256' })).toBe('invalid_request');
      expect(await errorOf({ code_challenge: challenge, code_challenge_method: 'S256' })).toBeNull();
    });

    it('ignores a method without a challenge', async () => {
      expect(await errorOf({ code_challenge_method: 'S256' })).toBeNull();
      expect(await errorOf({ code_challenge_method: 'plain' })).toBeNull();
      const code = await obtainCode(app, { user: await aUser(app), client, query: { code_challenge_method: 'S256' } });
      expect(await exchange(app, client, code)).toMatchObject({ status: 200 });
    });

    it('is demanded of a client that requires it', async () => {
      const strict = await aClient(app, { requirePkce: true });
      expect(await errorOf({}, strict)).toBe('invalid_request');
      expect(await errorOf({ code_challenge_method: 'S256' }, strict)).toBe('invalid_request');
      expect(await errorOf({ code_challenge: challenge, code_challenge_method: 'S256' }, strict)).toBeNull();
    });

    it('is demanded of every client by REQUIRE_PKCE', async () => {
      const strict = await startTestApp({ requirePkce: true });
      const own = await aClient(strict);
      const { location } = await authorize(strict, request(own));
      await strict.close();
      expect(location?.searchParams.get('error')).toBe('invalid_request');
    });

    it('refuses a verifier that is wrong, missing, or sent for a code without a challenge', async () => {
      const user = await aUser(app);
      const code = await obtainCode(app, { user, client, query: { code_challenge: challenge, code_challenge_method: 'S256' } });
      expect(await exchange(app, client, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
      const wrong = await exchange(app, client, code, { code_verifier: pkce().verifier });
      expect(wrong).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
      expect(await exchange(app, client, code, { code_verifier: challenge })).toMatchObject({ body: { error: 'invalid_grant' } });
      const plain = await obtainCode(app, { user, client });
      const needless = await exchange(app, client, plain, { code_verifier: verifier });
      expect(needless).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    });
  });

  describe('the resource', () => {
    const audienceFor = async (query: Record<string, string>): Promise<unknown> => {
      const code = await obtainCode(app, { user: await aUser(app), client, query });
      const { body } = await exchange(app, client, code);
      return decodeJwt(body.access_token).aud;
    };

    it('is this service unless a configured one is asked for', async () => {
      expect(await audienceFor({})).toBe(app.url);
      expect(await audienceFor({ resource: app.url })).toBe(app.url);
      expect(await audienceFor({ resource: OTHER })).toBe(OTHER);
      expect(await audienceFor({ resource: URN })).toBe(URN);
    });

    it('is read from r, then u, when it is absent', async () => {
      expect(await audienceFor({ r: OTHER })).toBe(OTHER);
      expect(await audienceFor({ u: OTHER })).toBe(OTHER);
      expect(await audienceFor({ u: app.url, r: OTHER })).toBe(OTHER);
      expect(await audienceFor({ r: app.url, resource: OTHER })).toBe(OTHER);
      expect(await errorOf({ r: 'https://unknown.example' })).toBe('invalid_target');
      expect(await errorOf({ u: 'https://unknown.example' })).toBe('invalid_target');
    });

    it('may be several, of which a token request names one, or gets this service, else the first', async () => {
      const codeFor = async (resources: string[]) => {
        const browser = new TestBrowser(app.url);
        await signInTo(app, { user: await aUser(app), client, browser });
        const query: [string, string][] = [
          ...Object.entries(request(client)),
          ...resources.map((one): [string, string] => ['resource', one]),
        ];
        return (await authorize(app, query, browser)).location?.searchParams.get('code') ?? '';
      };
      const audienceOf = async (resources: string[], form: Record<string, string> = {}) =>
        decodeJwt((await exchange(app, client, await codeFor(resources), form)).body.access_token).aud;
      expect(await audienceOf([OTHER, app.url])).toBe(app.url);
      expect(await audienceOf([OTHER, URN])).toBe(OTHER);
      expect(await audienceOf([OTHER, URN], { resource: URN })).toBe(URN);
      const code = await codeFor([OTHER, app.url]);
      expect((await exchange(app, client, code, { resource: URN })).body.error).toBe('invalid_target');
      expect((await exchange(app, client, code)).status).toBe(200);
    });

    it.each([
      [{ resource: 'media:42', r: 'media:1', u: 'media:2' }, 'media:42'],
      [{ r: 'folder:7', u: 'folder:8' }, 'folder:7'],
      [{ u: 'folder:8' }, 'folder:8'],
      [{ resource: 'anything' }, 'anything'],
    ])('of the legacy form %j is stored and has no effect', async (query, kept) => {
      const user = await aUser(app);
      const code = await obtainCode(app, { user, client, query });
      const { body } = await exchange(app, client, code, { resource: 'media:42' });
      expect(decodeJwt(body.access_token).aud).toBe(app.url);
      const row = await app.app.get(Database).queryOne('SELECT legacy_resource AS kept FROM authorizations WHERE user_id = $1', [user.id]);
      expect(row).toEqual({ kept });
    });
  });

  describe('the scope', () => {
    const scopeFor = async (query: Record<string, string>, own = client): Promise<unknown> => {
      const code = await obtainCode(app, { user: await aUser(app), client: own, query });
      return (await exchange(app, own, code)).body.scope;
    };

    it('is api unless another one is asked for', async () => {
      expect(await scopeFor({})).toBe('api');
      expect(await scopeFor({ scope: 'api:read' })).toBe('api:read');
      expect(await scopeFor({ scope: 'openid profile' })).toBe('openid profile');
    });

    it('ignores unknown scopes', async () => {
      expect(await scopeFor({ scope: 'api something:else' })).toBe('api');
    });

    it('brings a refresh token for offline_access without prompt=consent, if the client may have one', async () => {
      const code = await obtainCode(app, { user: await aUser(app), client, query: { scope: 'api offline_access' } });
      const { body } = await exchange(app, client, code);
      expect(body).toMatchObject({ refresh_token: expect.any(String), scope: 'api offline_access' });
      const without = await aClient(app, { grantTypes: ['authorization_code'] });
      expect(await scopeFor({ scope: 'api offline_access' }, without)).toBe('api');
    });

    it('brings no refresh token without offline_access', async () => {
      const code = await obtainCode(app, { user: await aUser(app), client });
      expect((await exchange(app, client, code)).body).not.toHaveProperty('refresh_token');
    });
  });

  it('is kept with the authorization', async () => {
    const query = { env: 'staging', platform: 'ios', version: 'v4', device: 'phone-1' };
    const code = await obtainCode(app, { user: await aUser(app), client, query });
    const { body } = await exchange(app, client, code, {}, { 'x-service-device': 'phone-1' });
    const apps = await call(`${app.url}/v4/apps`, { headers: { ...bearer(body.access_token), 'x-service-device': 'phone-1' } });
    expect(apps.body).toEqual([expect.objectContaining(query)]);
  });

  it('takes the device from the header too, the parameter first', async () => {
    const user = await aUser(app);
    const browser = new TestBrowser(app.url, { 'x-service-device': 'from-header' });
    await signInTo(app, { user, client, browser });
    const target = await signInTo(app, { user, client, browser, query: { device: 'from-query' } });
    const code = target.searchParams.get('code') ?? '';
    const { body } = await exchange(app, client, code);
    const apps = await call(`${app.url}/v4/apps`, { headers: { ...bearer(body.access_token), 'x-service-device': 'from-query' } });
    expect(apps.body.map(({ device }: { device: string }) => device)).toEqual(['from-header', 'from-query']);
  });

  it('takes the device from the header under every configured prefix', async () => {
    const vendor = await startTestApp({ headerPrefixes: ['x-service', 'x-vendor'] });
    const own = { user: await aUser(vendor), client: await aClient(vendor) };
    const code = await obtainCode(vendor, { ...own, browser: new TestBrowser(vendor.url, { 'x-vendor-device': 'tv' }) });
    const { body } = await exchange(vendor, own.client, code, {}, { 'x-vendor-device': 'tv' });
    const seen = [{ 'x-vendor-device': 'tv' }, { 'x-service-device': 'tv' }, { 'x-other-device': 'tv' }] as Record<string, string>[];
    const answers = await Promise.all(seen.map(async (headers) => await works(vendor, body.access_token, headers)));
    await vendor.close();
    expect(answers).toEqual([true, true, false]);
  });

  it('may be posted back as a form or in the fragment', async () => {
    const browser = new TestBrowser(app.url);
    const user = await aUser(app);
    await signInTo(app, { user, client, browser });
    const fragment = await authorize(app, request(client, { response_mode: 'fragment' }), browser);
    expect(new URLSearchParams(fragment.location?.hash.slice(1)).get('code')).toBeTruthy();
    const form = await authorize(app, request(client, { response_mode: 'form_post' }), browser);
    expect(form).toMatchObject({ status: 200, location: null });
    expect(form.text).toMatch(/name="code" value="[^"]+"/);
    expect(form.headers.get('content-security-policy')).not.toContain('form-action'); // a browser would not send the form to the client
    expect(form.headers.get('content-security-policy')).toContain("script-src 'self' 'sha256-");
  });
});
