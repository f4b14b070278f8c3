import { beforeAll, describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import type { Client } from '../../src/modules/oauth/index.js';
import { bearer, call, works } from '../support/accounts/oauth.js';
import { aClient, aUser, PASSWORD, REDIRECT_URI, signIn } from '../support/accounts/scenario.js';
import { codeOf, enrolApp, forgetUsedSteps } from '../support/accounts/second-factors.js';
import { useTestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';

const SECRET = 'a secret, with: reserved % characters+';
const insecure = { [oauth.allowInsecureRequests]: true } as const;

describe('clients from npm', () => {
  const app = useTestApp();
  let open: Client;
  let confidential: Client;
  let worker: Client;
  let user: Awaited<ReturnType<typeof aUser>>;
  beforeAll(async () => {
    open = await aClient(app, { requirePkce: true });
    confidential = await aClient(app, { clientSecret: SECRET });
    const service = await aUser(app, { kind: 'service' });
    worker = await aClient(app, { clientSecret: SECRET, serviceUser: service.email, grantTypes: ['client_credentials'], redirectUris: [] });
    user = await aUser(app);
  });

  describe('openid-client', () => {
    const discover = async (client: Client, authentication?: openid.ClientAuth) =>
      await openid.discovery(new URL(app.url), client.clientId, undefined, authentication, { execute: [openid.allowInsecureRequests] });

    const authentications: [string, () => [Client, openid.ClientAuth]][] = [
      ['as a public client', () => [open, openid.None()]],
      ['with client_secret_basic', () => [confidential, openid.ClientSecretBasic(SECRET)]],
      ['with client_secret_post', () => [confidential, openid.ClientSecretPost(SECRET)]],
    ];

    it.each(authentications)('signs in, refreshes, introspects and revokes %s', async (_, parties) => {
      const [client, authentication] = parties();
      const config = await discover(client, authentication);
      expect(config.serverMetadata()).toMatchObject({ issuer: app.url });
      const [codeVerifier, state, nonce] = [openid.randomPKCECodeVerifier(), openid.randomState(), openid.randomNonce()];
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: REDIRECT_URI,
        scope: 'openid profile email api offline_access',
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        max_age: '3600',
        state,
        nonce,
      });
      const target = await signIn(new TestBrowser(app.url), url.href, user);
      const tokens = await openid.authorizationCodeGrant(config, target, {
        pkceCodeVerifier: codeVerifier,
        expectedState: state,
        expectedNonce: nonce,
        maxAge: 3600,
        idTokenExpected: true,
      });
      expect(tokens.claims()).toMatchObject({ iss: app.url, aud: client.clientId, sub: String(user.id), email: user.email, nonce });
      expect(tokens.expiresIn()).toBeGreaterThan(890);
      const introspection = await openid.tokenIntrospection(config, tokens.access_token);
      expect(introspection).toMatchObject({ active: true, client_id: client.clientId, sub: String(user.id) });
      const claims = await openid.fetchUserInfo(config, tokens.access_token, String(user.id));
      expect(claims).toEqual({ sub: String(user.id), name: 'Ada Lovelace', given_name: 'Ada', family_name: 'Lovelace', email: user.email });
      const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
      expect(refreshed.claims()).toMatchObject({ sub: String(user.id) });
      await openid.tokenRevocation(config, refreshed.refresh_token ?? '');
      expect(await openid.tokenIntrospection(config, refreshed.access_token)).toEqual({ active: false });
      await expect(openid.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toMatchObject({
        error: 'invalid_grant',
        status: 400,
      });
    });

    it('asks for a second factor and for a new sign-in, and learns of both', async () => {
      const person = await aUser(app);
      const query = {
        client_id: open.clientId,
        code_challenge: await openid.calculatePKCECodeChallenge('x'.repeat(43)),
        code_challenge_method: 'S256',
      };
      const { secret } = await enrolApp(app, new TestBrowser(app.url), { user: person, query });
      const config = await discover(open, openid.None());
      expect(config.serverMetadata().acr_values_supported).toEqual(['mfa']);
      const codeVerifier = openid.randomPKCECodeVerifier();
      const browser = new TestBrowser(app.url);
      const request = async (parameters: Record<string, string>) => {
        const challenge = { code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier), code_challenge_method: 'S256' };
        const url = openid.buildAuthorizationUrl(config, { redirect_uri: REDIRECT_URI, scope: 'openid', ...challenge, ...parameters });
        return await browser.follow(url.href);
      };
      const claimsAt = async (target: URL, maxAge?: number) =>
        (
          await openid.authorizationCodeGrant(config, target, {
            pkceCodeVerifier: codeVerifier,
            idTokenExpected: true,
            ...(maxAge !== undefined && { maxAge }),
          })
        ).claims();

      const login = await (await request({ acr_values: 'mfa' })).response.text();
      const page = await browser.submit(login, '/login', { email: person.email, password: PASSWORD });
      const signedIn = await browser.submit(await page.response.text(), '/code', { code: codeOf(app, secret) });
      expect(await claimsAt(signedIn.url)).toMatchObject({ acr: 'mfa', amr: ['pwd', 'otp', 'mfa'], sub: String(person.id) });

      await forgetUsedSteps(app);
      const again = await (await request({ max_age: '0' })).response.text();
      const second = await browser.submit(again, '/login', { email: person.email, password: PASSWORD });
      const confirmed = await browser.submit(await second.response.text(), '/code', { code: codeOf(app, secret) });
      expect(await claimsAt(confirmed.url, 60)).toMatchObject({ acr: 'mfa', auth_time: expect.any(Number) });
    });

    it('gets a token by client credentials', async () => {
      const config = await discover(worker, openid.ClientSecretBasic(SECRET));
      const tokens = await openid.clientCredentialsGrant(config, { scope: 'api:read', resource: app.url });
      expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'api:read' });
      const api = await openid.fetchProtectedResource(config, tokens.access_token, new URL(`${app.url}/v4/apps`), 'GET');
      expect(await api.json()).toEqual([]);
    });

    it('gets the reason of a refusal', async () => {
      const config = await discover(confidential, openid.ClientSecretPost('wrong'));
      const grant = openid.refreshTokenGrant(config, 'x');
      await expect(grant).rejects.toMatchObject({ error: 'invalid_client', status: 401, error_description: expect.any(String) });
      const denied = new URL(`${REDIRECT_URI}?error=access_denied&state=s&iss=${encodeURIComponent(app.url)}`);
      await expect(openid.authorizationCodeGrant(config, denied, { expectedState: 's' })).rejects.toMatchObject({ error: 'access_denied' });
      const forged = new URL(`${REDIRECT_URI}?code=x&state=s&iss=https%3A%2F%2Fevil.test`);
      await expect(openid.authorizationCodeGrant(config, forged, { expectedState: 's' })).rejects.toThrow();
    });
  });

  describe('oauth4webapi', () => {
    const discover = async (algorithm: 'oidc' | 'oauth2') => {
      const issuer = new URL(app.url);
      return await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm, ...insecure }));
    };

    it.each(['oidc', 'oauth2'] as const)('signs in and checks every answer, after discovery by %s', async (algorithm) => {
      const server = await discover(algorithm);
      const client: oauth.Client = { client_id: confidential.clientId };
      const authentication = oauth.ClientSecretBasic(SECRET);
      const [verifier, state, nonce] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState(), oauth.generateRandomNonce()];
      const url = new URL(server.authorization_endpoint ?? '');
      url.search = new URLSearchParams({
        client_id: client.client_id,
        response_type: 'code',
        redirect_uri: REDIRECT_URI,
        scope: 'openid api offline_access',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      }).toString();
      const target = await signIn(new TestBrowser(app.url), url.href, user);
      const parameters = oauth.validateAuthResponse(server, client, target, state);
      const exchanged = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        parameters,
        REDIRECT_URI,
        verifier,
        insecure,
      );
      const checks = { expectedNonce: nonce, requireIdToken: true };
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, exchanged, checks);
      await oauth.validateApplicationLevelSignature(server, exchanged, insecure);
      expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub: String(user.id), nonce });

      const request = new Request(`${app.url}/v4/apps`, { headers: bearer(tokens.access_token) });
      const claims = await oauth.validateJwtAccessToken(server, request, app.url, insecure);
      expect(claims).toMatchObject({ sub: String(user.id), client_id: client.client_id, scope: 'openid api offline_access' });

      const refreshed = await oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(server, client, authentication, tokens.refresh_token ?? '', insecure),
      );
      const introspected = await oauth.introspectionRequest(server, client, authentication, refreshed.access_token, insecure);
      expect(await oauth.processIntrospectionResponse(server, client, introspected)).toMatchObject({ active: true });
      const revoked = await oauth.revocationRequest(server, client, authentication, refreshed.access_token, insecure);
      expect(await oauth.processRevocationResponse(revoked)).toBeUndefined();
      expect(await works(app, refreshed.access_token)).toBe(false);
    });

    it('gets a token by client credentials that validates as an RFC 9068 access token', async () => {
      const server = await discover('oauth2');
      const client: oauth.Client = { client_id: worker.clientId };
      const granted = await oauth.clientCredentialsGrantRequest(server, client, oauth.ClientSecretPost(SECRET), {}, insecure);
      const { access_token } = await oauth.processClientCredentialsResponse(server, client, granted);
      const request = new Request(app.url, { headers: bearer(access_token) });
      const claims = await oauth.validateJwtAccessToken(server, request, app.url, insecure);
      expect(claims).toMatchObject({ client_id: worker.clientId, scope: 'api' });
      expect(await call(`${app.url}/v4/apps`, { headers: bearer(access_token) })).toMatchObject({ status: 200 });
    });
  });
});
