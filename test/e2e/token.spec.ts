import { beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import type { Client } from '../../src/modules/oauth/index.js';
import { Database } from '../../src/shared/database/index.js';
import { sha256 } from '../../src/shared/secrets/index.js';
import { basic, bearer, call, exchange, obtainCode, works } from '../support/accounts/oauth.js';
import { aClient, aUser, pkce, postToken, REDIRECT_URI } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';

const SECRET = 'p%ss:w rd+&=/?#';
const OTHER = 'https://other.example/api';

describe('the token endpoint', () => {
  const app = useTestApp({ resources: [OTHER] });
  let client: Client;
  let confidential: Client;
  let user: Awaited<ReturnType<typeof aUser>>;
  beforeAll(async () => {
    client = await aClient(app);
    confidential = await aClient(app, { clientId: 'desk~7.co', clientSecret: SECRET });
    user = await aUser(app, { adminLevel: 7 });
  });

  const aCode = async (query: Record<string, string> = {}, own = client) => await obtainCode(app, { user, client: own, query });

  describe('for a code', () => {
    it('returns every field with the correct type, not cacheable', async () => {
      const { verifier, challenge } = pkce();
      const scope = 'openid profile email api offline_access';
      const code = await aCode({ scope, nonce: 'n-1', code_challenge: challenge, code_challenge_method: 'S256' });
      const form = {
        grant_type: 'authorization_code',
        client_id: client.clientId,
        code,
        code_verifier: verifier,
        redirect_uri: REDIRECT_URI,
      };
      const { status, headers, body } = await call(`${app.url}/v4/token`, { method: 'POST', body: new URLSearchParams(form) });
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      const { exp = 0, iat = 0, ...claims } = decodeJwt(body.access_token);
      expect(body).toEqual({
        access_token: expect.any(String),
        accessToken: body.access_token,
        expires_in: 900,
        accessTokenExpires: exp,
        accessTokenExpiresAt: new Date(exp * 1000).toISOString(),
        token_type: 'bearer',
        tokenType: 'bearer',
        state: 'xyz',
        scope,
        refresh_token: expect.any(String),
        id_token: expect.any(String),
        client: { id: client.clientId },
        user: { id: user.id, customerId: user.customerId, adminLevel: 7, email: user.email },
      });
      expect(exp - iat).toBe(900);
      expect(decodeProtectedHeader(body.access_token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
      expect(claims).toEqual({
        iss: app.url,
        aud: app.url,
        sub: String(user.id),
        client_id: client.clientId,
        scope,
        jti: expect.any(String),
        authorization_id: expect.any(Number),
        authorization_generation: 0,
        amr: ['pwd'],
        auth_time: expect.any(Number),
      });
    });

    it('answers an ID token with the claims of the granted scopes', async () => {
      const { body } = await exchange(app, client, await aCode({ scope: 'openid profile email', nonce: 'n-2', max_age: '3600' }));
      const keys = createRemoteJWKSet(new URL(`${app.url}/v4/jwks`));
      const { payload } = await jwtVerify(String(body.id_token), keys, { issuer: app.url, audience: client.clientId });
      expect(payload).toMatchObject({
        sub: String(user.id),
        nonce: 'n-2',
        name: 'Ada Lovelace',
        given_name: 'Ada',
        family_name: 'Lovelace',
        email: user.email,
        auth_time: expect.any(Number),
      });
      const bare = await exchange(app, client, await aCode({ scope: 'openid' }));
      expect(decodeJwt(String(bare.body.id_token))).not.toHaveProperty('email');
      expect(decodeJwt(String(bare.body.id_token))).not.toHaveProperty('name');
      expect((await exchange(app, client, await aCode())).body).not.toHaveProperty('id_token');
    });

    it('lets exactly one of 20 parallel exchanges succeed, whose tokens are then revoked', async () => {
      const code = await aCode({ scope: 'api offline_access' });
      const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(app, client, code)));
      const [winner, ...others] = answers.filter(({ status }) => status === 200);
      expect(others).toEqual([]);
      for (const { status, body } of answers)
        if (status !== 200) expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_grant' });
      expect(await works(app, winner?.body.access_token ?? '')).toBe(false);
      const again = { grant_type: 'refresh_token', client_id: client.clientId, refresh_token: winner?.body.refresh_token ?? '' };
      expect(await postToken(app.url, again)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    });

    it('revokes the tokens when the code is used again', async () => {
      const code = await aCode();
      const { body } = await exchange(app, client, code);
      expect(await works(app, body.access_token)).toBe(true);
      expect(await exchange(app, client, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
      expect(await works(app, body.access_token)).toBe(false);
    });

    it('revokes the tokens when the code is used again, although the exchange named a device', async () => {
      const device = { 'x-service-device': 'tv' };
      const code = await aCode();
      const { status, body } = await exchange(app, client, code, { deviceFromCode: 'tv' });
      expect([status, await works(app, body.access_token, device)]).toEqual([200, true]);
      expect((await exchange(app, client, code)).body.error).toBe('invalid_grant');
      expect(await works(app, body.access_token, device)).toBe(false);
      const second = await aCode();
      const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(app, client, second, { deviceFromCode: 'tv' })));
      const won = answers.filter((answer) => answer.status === 200);
      expect(won.length).toBeLessThanOrEqual(1);
      for (const { body: got } of won) expect(await works(app, got.access_token, device)).toBe(false);
    });

    it('takes JSON as well as a form', async () => {
      const json = { grant_type: 'authorization_code', client_id: client.clientId, code: await aCode(), redirect_uri: REDIRECT_URI };
      expect(await call(`${app.url}/v4/token`, { method: 'POST', json })).toMatchObject({ status: 200, body: { token_type: 'bearer' } });
    });

    it('does not burn the code over a wrong state, device, scope, resource, redirect URI, client or secret', async () => {
      const code = await aCode({ device: 'phone', scope: 'api offline_access' }, confidential);
      const secret = basic(confidential.clientId, SECRET);
      const attempt = async (form: Record<string, string>, headers: Record<string, string> = secret) => {
        const { status, body } = await exchange(app, confidential, code, form, headers);
        return `${status} ${body.error}`;
      };
      expect(await attempt({ state: 'another' })).toBe('400 invalid_grant');
      expect(await attempt({ device: 'tablet' })).toBe('400 invalid_grant');
      expect(await attempt({}, { ...secret, 'x-service-device': 'tablet' })).toBe('400 invalid_grant');
      expect(await attempt({ scope: 'api email' })).toBe('400 invalid_scope');
      expect(await attempt({ resource: OTHER })).toBe('400 invalid_target');
      expect(await attempt({ resource: 'https://unknown.example' })).toBe('400 invalid_target');
      expect(await attempt({ redirect_uri: `${REDIRECT_URI}/` })).toBe('400 invalid_grant');
      expect(await attempt({ code_verifier: pkce().verifier })).toBe('400 invalid_grant');
      expect(await attempt({}, basic(confidential.clientId, 'wrong'))).toBe('401 invalid_client');
      expect(await exchange(app, client, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
      expect((await exchange(app, confidential, code, { state: 'xyz', device: 'phone', resource: app.url }, secret)).status).toBe(200);
    });

    it('narrows the scope on request', async () => {
      const code = await aCode({ scope: 'openid api email offline_access' });
      const { body } = await exchange(app, client, code, { scope: 'api' });
      expect(body.scope).toBe('api');
      expect(decodeJwt(body.access_token).scope).toBe('api');
      expect(body).not.toHaveProperty('id_token');
    });

    it.each([
      ['openid api email', 'api:read', 'api:read'],
      ['api offline_access', 'api:read offline_access', 'offline_access api:read'],
      ['api', 'api api:read', 'api api:read'],
    ])('narrows a code for %j to %j', async (granted, scope, expected) => {
      const { status, body } = await exchange(app, client, await aCode({ scope: granted }), { scope });
      expect({ status, scope: body.scope }).toEqual({ status: 200, scope: expected });
      expect(decodeJwt(body.access_token).scope).toBe(expected);
    });

    it('does not widen a code for reading', async () => {
      const code = await aCode({ scope: 'api:read' });
      expect((await exchange(app, client, code, { scope: 'api' })).body.error).toBe('invalid_scope');
    });

    it('ties the tokens to the device of the authorization, not to one that only the exchange names', async () => {
      const bound = await exchange(app, client, await aCode({ device: 'phone' }), {}, { 'x-service-device': 'phone' });
      expect(await works(app, bound.body.access_token)).toBe(false);
      expect(await works(app, bound.body.access_token, { 'x-service-device': 'phone' })).toBe(true);
      const { body } = await exchange(app, client, await aCode(), { device: 'phone' });
      expect(await works(app, body.access_token)).toBe(true);
    });

    it('may go without the redirect URI when the client has one, or a secret or PKCE protects the code', async () => {
      const two = { redirectUris: [REDIRECT_URI, 'http://client.example/second'] };
      const several = await aClient(app, two);
      const withSecret = await aClient(app, { ...two, clientSecret: SECRET });
      const { verifier, challenge } = pkce();
      const without = { redirect_uri: '' };
      expect((await exchange(app, client, await aCode(), without)).status).toBe(200);
      expect((await exchange(app, client, await aCode({ redirect_uri: '' }), without)).status).toBe(200);
      const unprotected = await aCode({}, several);
      expect(await exchange(app, several, unprotected, without)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
      expect((await exchange(app, several, unprotected)).status).toBe(200);
      const withPkce = await aCode({ code_challenge: challenge, code_challenge_method: 'S256' }, several);
      expect((await exchange(app, several, withPkce, { ...without, code_verifier: verifier })).status).toBe(200);
      const secured = await aCode({}, withSecret);
      expect((await exchange(app, withSecret, secured, { ...without, client_secret: SECRET })).status).toBe(200);
    });

    it('is refused when the code has expired', async () => {
      const code = await aCode();
      const expire = `UPDATE oidc_records SET payload = payload || jsonb_build_object('exp', extract(epoch FROM now())::int - 1)
        WHERE model = 'AuthorizationCode' AND id = $1`;
      expect((await app.app.get(Database).query(expire, [sha256(code)])).rowCount).toBe(1);
      expect(await exchange(app, client, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    });

    it('is refused for a code that never was', async () => {
      expect(await exchange(app, client, 'no-such-code')).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
      expect(await exchange(app, client, '')).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    });
  });

  describe('for client credentials', () => {
    let worker: Client;
    let service: Awaited<ReturnType<typeof aUser>>;
    const ask = async (form: Record<string, string> = {}, own = worker) =>
      await postToken(app.url, { grant_type: 'client_credentials', client_id: own.clientId, client_secret: SECRET, ...form });
    beforeAll(async () => {
      service = await aUser(app, { kind: 'service', adminLevel: 2 });
      const more = { clientSecret: SECRET, serviceUser: service.email, redirectUris: [] };
      worker = await aClient(app, { ...more, grantTypes: ['client_credentials'] });
    });

    it('answers a token that acts as the service user of the client', async () => {
      const { status, body } = await ask();
      expect(status).toBe(200);
      expect(body).toEqual({
        access_token: expect.any(String),
        accessToken: body.access_token,
        expires_in: 900,
        accessTokenExpires: expect.any(Number),
        accessTokenExpiresAt: expect.any(String),
        token_type: 'bearer',
        tokenType: 'bearer',
        scope: 'api',
        client: { id: worker.clientId },
        user: { id: service.id, customerId: service.customerId, adminLevel: 2, email: service.email },
      });
      expect(decodeJwt(body.access_token)).toMatchObject({
        sub: String(service.id),
        aud: app.url,
        client_id: worker.clientId,
        scope: 'api',
      });
      expect(await call(`${app.url}/v4/apps`, { headers: bearer(body.access_token) })).toMatchObject({ status: 200, body: [] });
      expect((await ask({ state: 'back' })).body.state).toBe('back');
      expect((await ask({ scope: 'api:read', resource: OTHER })).body.scope).toBe('api:read');
    });

    it.each([
      ['openid offline_access api', 'api'],
      ['offline_access api:read profile', 'api:read'],
      ['email openid api:read api no-such-scope', 'api:read api'],
    ])('leaves out what concerns a person: %s is granted as %s', async (scope, granted) => {
      const { status, body } = await ask({ scope });
      expect([status, body.scope, decodeJwt(body.access_token).scope]).toEqual([200, granted, granted]);
      expect([body.id_token, body.refresh_token]).toEqual([undefined, undefined]);
    });

    it.each(['openid', 'offline_access profile email'])('grants nothing for %s alone', async (scope) => {
      expect(await ask({ scope })).toMatchObject({
        status: 400,
        body: { error: 'invalid_scope', error_description: 'none of the requested scopes can be granted to client credentials' },
      });
    });

    it('is for confidential clients that have the grant and a living service user', async () => {
      expect(await ask({ client_secret: 'wrong' })).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
      expect(await ask({ scope: 'no-such-scope' })).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
      expect(await ask({ resource: 'https://unknown.example' })).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
      expect(await ask({}, confidential)).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } });
      const own = { grantTypes: ['client_credentials', 'authorization_code'], serviceUser: service.email };
      const open = await aClient(app, own);
      expect((await postToken(app.url, { grant_type: 'client_credentials', client_id: open.clientId })).status).toBeGreaterThanOrEqual(400);
      const lonely = await aClient(app, { clientSecret: SECRET, grantTypes: ['client_credentials'], redirectUris: [] });
      expect(await ask({}, lonely)).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } });
    });
  });

  describe('userinfo', () => {
    const userinfo = async (token: string, method = 'GET') => await call(`${app.url}/v4/userinfo`, { method, headers: bearer(token) });
    const tokenWith = async (scope: string) => (await exchange(app, client, await aCode({ scope }))).body.access_token;

    it.each([
      ['openid', {}],
      ['openid api:read email', { email: true }],
      ['openid profile', { name: 'Ada Lovelace', given_name: 'Ada', family_name: 'Lovelace' }],
    ])('returns what the scope %s allows, by GET and POST, not cacheable', async (scope, claims) => {
      const token = await tokenWith(scope);
      const expected = { sub: String(user.id), ...claims, ...('email' in claims && { email: user.email }) };
      for (const method of ['GET', 'POST']) {
        const { status, headers, body } = await userinfo(token, method);
        expect([status, headers.get('cache-control'), body]).toEqual([200, 'no-store', expected]);
      }
    });

    it('requires openid, and is in both metadata documents', async () => {
      expect(await userinfo(await tokenWith('api'))).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
      expect(await userinfo('broken')).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
      for (const document of ['oauth-authorization-server', 'openid-configuration']) {
        expect((await call(`${app.url}/.well-known/${document}`)).body).toMatchObject({ userinfo_endpoint: `${app.url}/v4/userinfo` });
      }
    });

    it('leaves out names that are not known', async () => {
      const unnamed = await aUser(app, { firstname: '', lastname: '' });
      const code = await obtainCode(app, { user: unnamed, client, query: { scope: 'openid profile' } });
      const { body } = await exchange(app, client, code);
      expect((await userinfo(body.access_token)).body).toEqual({ sub: String(unnamed.id) });
    });
  });
});
