import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { base64url, type CryptoKey, decodeJwt, exportJWK, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose';
import { ServerKeysService } from '../../src/modules/access/index.js';
import { AccountsService } from '../../src/modules/accounts/index.js';
import type { Client } from '../../src/modules/oauth/index.js';
import { basic, bearer, call, exchange, introspect, obtainCode } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens, postToken } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { createTestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';
import { refusedByPostgres, Way } from '../support/outside.js';

const SECRET = 'the secret';
const OTHER = 'https://other.example/api';
const INACTIVE = { status: 200, body: { active: false } };

describe('introspection', () => {
  let app: TestApp;
  let client: Client;
  let gateway: Client;
  let user: Awaited<ReturnType<typeof aUser>>;
  let token: string;
  let proof: Record<string, string>;
  beforeAll(async () => {
    app = await startTestApp({ resources: [OTHER] });
    client = await aClient(app);
    gateway = await aClient(app, { clientSecret: SECRET });
    proof = basic(gateway.clientId, SECRET);
    user = await aUser(app);
    token = (await obtainTokens(app, { user, client })).access_token;
  });
  afterAll(async () => await app.close());

  const ask = async (form: Record<string, string>, headers = proof) => {
    const { status, body } = await introspect(app, form, headers);
    return { status, body };
  };

  it('answers every field', async () => {
    const { status, headers, body } = await introspect(app, { token }, proof);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('cache-control')).toContain('no-store');
    const { exp, iat, jti } = decodeJwt(token);
    expect(body).toEqual({
      active: true,
      client_id: client.clientId,
      exp,
      token_type: 'bearer',
      iat,
      iss: app.url,
      sub: String(user.id),
      aud: app.url,
      jti,
      scope: 'api',
      'ac:session': {
        user: { id: user.id, firstname: 'Ada', lastname: 'Lovelace', email: user.email, customerId: user.customerId },
        customer: { id: user.customerId },
        amr: ['pwd'],
      },
    });
  });

  it('takes JSON as well as a form', async () => {
    const json = { token, client_id: gateway.clientId, client_secret: SECRET };
    expect(await call(`${app.url}/v4/introspect`, { method: 'POST', json })).toMatchObject({ status: 200, body: { active: true } });
  });

  it('permits a client with a secret any token', async () => {
    expect(await ask({ token }, basic(gateway.clientId, SECRET))).toMatchObject({ body: { active: true } });
    expect(await ask({ token, client_id: gateway.clientId, client_secret: SECRET }, {})).toMatchObject({ body: { active: true } });
  });

  it('permits a public client only its own tokens', async () => {
    const stranger = await aClient(app);
    expect(await ask({ token, client_id: client.clientId }, {})).toMatchObject({ body: { active: true } });
    expect(await ask({ token, client_id: stranger.clientId }, {})).toEqual(INACTIVE);
  });

  it('permits no other caller', async () => {
    expect(await ask({ token }, {})).toEqual(INACTIVE);
    expect(await ask({ token }, basic(gateway.clientId, 'wrong'))).toEqual(INACTIVE);
    expect(await ask({ token }, basic('nobody', SECRET))).toEqual(INACTIVE);
    expect(await ask({ token }, { authorization: 'Basic !!!' })).toEqual(INACTIVE);
    expect(await ask({ token, client_id: gateway.clientId }, {})).toEqual(INACTIVE);
    expect(await ask({ token, client_id: gateway.clientId, client_secret: 'wrong' }, {})).toEqual(INACTIVE);
    expect(await ask({ token, client_id: client.clientId, client_secret: 'x' }, {})).toEqual(INACTIVE);
    expect(await ask({ token, client_id: 'nobody' }, {})).toEqual(INACTIVE);
  });

  describe('by the token itself', () => {
    it('answers for that token, and for others of the same client', async () => {
      expect(await ask({}, bearer(token))).toMatchObject({ status: 200, body: { active: true, sub: String(user.id) } });
      const sibling = (await obtainTokens(app, { user: await aUser(app), client })).access_token;
      expect(await ask({ token: sibling }, bearer(token))).toMatchObject({ body: { active: true } });
      const foreign = (await obtainTokens(app, { user, client: await aClient(app) })).access_token;
      expect(await ask({ token: foreign }, bearer(token))).toEqual(INACTIVE);
      expect(await ask({ token }, bearer('garbage'))).toEqual(INACTIVE);
    });

    it('needs the device that the token is bound to; another party does not', async () => {
      const bound = (await obtainTokens(app, { user, client, query: { device: 'phone' } })).access_token;
      expect(await ask({}, bearer(bound))).toEqual(INACTIVE);
      expect(await ask({}, { ...bearer(bound), 'x-service-device': 'tablet' })).toEqual(INACTIVE);
      expect(await ask({}, { ...bearer(bound), 'x-service-device': 'phone' })).toMatchObject({ body: { active: true } });
      expect(await ask({ token: bound })).toMatchObject({ body: { active: true } });
    });
  });

  describe('of a token of another issuer', () => {
    const sign = async (claims: JWTPayload, header: { typ?: string; kid?: string } = {}, key?: CryptoKey) => {
      const [ours] = (await app.app.get(ServerKeysService).current()).signing;
      return await new SignJWT({ ...decodeJwt(token), ...claims })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: ours?.kid ?? '', ...header })
        .sign(key ?? (await importJWK(ours ?? {}, 'ES256')));
    };

    it.each(['', ' ', 'garbage', 'a.b.c', '..', 'é', 'null', `${'x'.repeat(60_000)}`])('returns inactive: %.20s', async (text) => {
      expect(await ask({ token: text })).toEqual(INACTIVE);
    });

    it('returns inactive for a modified token', async () => {
      const [header = '', payload = '', signature = ''] = token.split('.');
      const admin = base64url.encode(JSON.stringify({ ...decodeJwt(token), sub: String(user.id + 1) }));
      expect(await ask({ token: `${header}.${admin}.${signature}` })).toEqual(INACTIVE);
      expect(await ask({ token: `${header}.${payload}.` })).toEqual(INACTIVE);
      expect(await ask({ token: `${header}.${payload}.${signature.slice(0, -4)}AAAA` })).toEqual(INACTIVE);
      expect(await ask({ token: `${header}.${payload}` })).toEqual(INACTIVE);
      expect(await ask({ token })).toMatchObject({ body: { active: true } });
    });

    it('returns inactive for alg none and for a key of another type', async () => {
      const payload = token.split('.')[1];
      for (const header of [{ alg: 'none', typ: 'at+jwt' }, { alg: 'None', typ: 'at+jwt' }, { typ: 'at+jwt' }]) {
        expect(await ask({ token: `${base64url.encode(JSON.stringify(header))}.${payload}.` })).toEqual(INACTIVE);
      }
      const { keys } = (await call(`${app.url}/v4/jwks`)).body;
      const hmac = new TextEncoder().encode(JSON.stringify(keys[0]));
      const header = { alg: 'HS256', typ: 'at+jwt', kid: keys[0].kid };
      expect(await ask({ token: await new SignJWT(decodeJwt(token)).setProtectedHeader(header).sign(hmac) })).toEqual(INACTIVE);
    });

    it('returns inactive for a key of another issuer, with an unknown kid and with ours', async () => {
      const { privateKey } = await generateKeyPair('ES256', { extractable: true });
      expect(await ask({ token: await sign({}, { kid: 'theirs' }, privateKey) })).toEqual(INACTIVE);
      expect(await ask({ token: await sign({}, {}, privateKey) })).toEqual(INACTIVE);
      const { x, y, kty, crv } = await exportJWK(privateKey);
      const embedded = { alg: 'ES256', typ: 'at+jwt', jwk: { x: x ?? '', y: y ?? '', kty: kty ?? '', crv: crv ?? '' } };
      expect(await ask({ token: await new SignJWT(decodeJwt(token)).setProtectedHeader(embedded).sign(privateKey) })).toEqual(INACTIVE);
    });

    it('returns inactive for a foreign issuer, audience or type, and for a missing claim', async () => {
      expect(await ask({ token: await sign({}) })).toMatchObject({ body: { active: true } });
      expect(await ask({ token: await sign({ iss: 'https://evil.test' }) })).toEqual(INACTIVE);
      expect(await ask({ token: await sign({ aud: 'https://evil.test' }) })).toEqual(INACTIVE);
      expect(await ask({ token: await sign({}, { typ: 'JWT' }) })).toEqual(INACTIVE);
      for (const claim of ['aud', 'iss', 'sub', 'jti', 'exp', 'iat', 'client_id']) {
        expect({ claim, ...(await ask({ token: await sign({ [claim]: undefined }) })) }).toEqual({ claim, ...INACTIVE });
      }
      expect(await ask({ token: await sign({ sub: '999999999999' }) })).toEqual(INACTIVE);
      expect(await ask({ token: await sign({ sub: 'x' }) })).toEqual(INACTIVE);
      expect(await ask({ token: await sign({ exp: decodeJwt(token).iat ?? 0 }) })).toEqual(INACTIVE);
    });

    it('returns inactive for an ID token and a refresh token', async () => {
      const tokens = await obtainTokens(app, { user, client, query: { scope: 'openid offline_access' } });
      expect(await ask({ token: String(tokens.id_token) })).toEqual(INACTIVE);
      expect(await ask({ token: tokens.refresh_token })).toEqual(INACTIVE);
    });
  });

  it('returns inactive when the token has expired', async () => {
    const short = await startTestApp({ accessTokenTtlSeconds: 1 });
    const own = await aClient(short);
    const tokens = await obtainTokens(short, { user: await aUser(short), client: own });
    expect(tokens.expires_in).toBe(1);
    const read = async () => await introspect(short, { token: tokens.access_token, client_id: own.clientId });
    await eventually(async () => (await read()).body.active === false);
    const [answer, api] = [await read(), await call(`${short.url}/v4/apps`, { headers: bearer(tokens.access_token) })];
    await short.close();
    expect(answer).toMatchObject(INACTIVE);
    expect(api).toMatchObject({ status: 401, body: { code: 'token_expired' } });
  });

  it('returns 503 as JSON while the database refuses the login, with the time to try again', async () => {
    const database = await createTestDatabase();
    const way = await Way.to(Number(new URL(database.url).port), refusedByPostgres());
    const address = new URL(database.url);
    address.port = String(way.port);
    const own = await startTestApp({ database: { ...database, url: address.href } });
    const confidential = await aClient(own, { clientSecret: SECRET });
    const { access_token: accessToken } = await obtainTokens(own, { user: await aUser(own), client: await aClient(own) });
    const answers = async () =>
      await Promise.all([
        introspect(own, { token: accessToken }, basic(confidential.clientId, SECRET)),
        introspect(own, { token: accessToken, client_id: String(decodeJwt(accessToken).client_id) }),
        introspect(own, {}, bearer(accessToken)),
      ]);
    try {
      for (const answer of await answers()) expect(answer).toMatchObject({ status: 200, body: { active: true } });
      await way.fail('refusing the login');
      for (const { status, headers, body } of await answers()) {
        expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '5']);
        expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
        expect(JSON.stringify(body)).not.toMatch(/28P01|password|postgres/i);
      }
      await way.mend();
      await eventually(async () => (await answers()).every(({ body }) => body.active === true));
    } finally {
      await own.close();
      await way.close();
      await database.drop();
    }
  });

  it('returns inactive when the token was revoked, deauthorized or its user disabled', async () => {
    const fresh = async () => (await obtainTokens(app, { user, client: await aClient(app) })).access_token;
    const [revoked, deauthorized] = [await fresh(), await fresh()];
    const form = new URLSearchParams({ token: revoked, client_id: String(decodeJwt(revoked).client_id) });
    await call(`${app.url}/v4/revoke`, { method: 'POST', body: form });
    expect(await ask({ token: revoked })).toEqual(INACTIVE);
    const json = { id: decodeJwt(deauthorized).authorization_id };
    await call(`${app.url}/v4/deauthorize`, { method: 'POST', headers: bearer(deauthorized), json });
    expect(await ask({ token: deauthorized })).toEqual(INACTIVE);
    await app.app.get(AccountsService).disable(user.email, new Date());
    expect(await ask({ token })).toEqual(INACTIVE);
    await app.app.get(AccountsService).enable(user.email);
    expect(await ask({ token })).toMatchObject({ body: { active: true } });
  });

  it('returns inactive for an audience other than the requested one', async () => {
    const code = await obtainCode(app, { user, client, query: { resource: OTHER } });
    const other = (await exchange(app, client, code)).body.access_token;
    expect(await ask({ token: other })).toMatchObject({ body: { active: true, aud: OTHER } });
    expect(await ask({ token: other, resource: OTHER })).toMatchObject({ body: { active: true } });
    expect(await ask({ token: other, resource: app.url })).toEqual(INACTIVE);
    expect(await ask({ token, resource: app.url })).toMatchObject({ body: { active: true } });
    expect(await ask({ token, resource: OTHER })).toEqual(INACTIVE);
    for (const resource of ['', null, 'MEDIA:5']) {
      const json = { token, resource, client_id: gateway.clientId, client_secret: SECRET };
      expect(await call(`${app.url}/v4/introspect`, { method: 'POST', json })).toMatchObject({ body: { active: true } });
    }
    expect(await call(`${app.url}/v4/apps`, { headers: bearer(other) })).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
  });

  it('returns the service user for client credentials', async () => {
    const service = await aUser(app, { kind: 'service' });
    const worker = { clientSecret: SECRET, serviceUser: service.email, grantTypes: ['client_credentials'], redirectUris: [] };
    const { clientId } = await aClient(app, worker);
    const { body } = await postToken(app.url, { grant_type: 'client_credentials', client_id: clientId, client_secret: SECRET });
    expect(await ask({ token: body.access_token })).toMatchObject({ body: { active: true, sub: String(service.id), client_id: clientId } });
  });

  it.each<[string, string, RequestInit['body']]>([
    ['broken JSON', 'application/json', '{"token":'],
    ['a JSON list', 'application/json', '["token"]'],
    ['a JSON null', 'application/json', 'null'],
    ['nested JSON', 'application/json', `${'['.repeat(20_000)}`],
    ['half a surrogate pair', 'application/json', '{"token":"\\ud800"}'],
    ['an object as token', 'application/json', '{"token":{"a":1}}'],
    ['another content type', 'text/plain', 'token=x'],
    ['a NUL byte', 'application/x-www-form-urlencoded', 'token=a%00b'],
    ['a repeated token', 'application/x-www-form-urlencoded', 'token=a&token=b'],
    ['a broken escape', 'application/x-www-form-urlencoded', 'token=%zz'],
    ['5 MB', 'application/x-www-form-urlencoded', `token=${'x'.repeat(5_000_000)}`],
    ['nothing', 'application/x-www-form-urlencoded', ''],
  ])('returns inactive, with 200, for %s', async (_, type, body) => {
    const headers = { 'content-type': type, ...proof };
    expect(await call(`${app.url}/v4/introspect`, { method: 'POST', body: body ?? null, headers })).toMatchObject(INACTIVE);
  });
});
