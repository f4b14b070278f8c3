import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../../src/modules/oauth/index.js';
import { basic, bearer, call, exchange, introspect, obtainCode, refresh, works } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens, postToken } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';

const SECRET = 'the secret';

describe('revocation', () => {
  const app = useTestApp();
  let client: Client;
  let confidential: Client;
  let user: Awaited<ReturnType<typeof aUser>>;
  beforeAll(async () => {
    client = await aClient(app);
    confidential = await aClient(app, { clientSecret: SECRET });
    user = await aUser(app);
  });

  const tokensOf = async (own = client, query: Record<string, string> = {}) =>
    await obtainTokens(app, { user, client: own, query: { scope: 'openid api offline_access', ...query } });

  const revoke = async (form: Record<string, string>, headers: Record<string, string> = {}) =>
    await call(`${app.url}/v4/revoke`, { method: 'POST', body: new URLSearchParams(form), headers });

  it('of an access token ends it alone', async () => {
    const { access_token, refresh_token } = await tokensOf();
    const answer = await revoke({ token: access_token, client_id: client.clientId });
    expect(answer).toMatchObject({ status: 200, body: null });
    expect(answer.headers.get('cache-control')).toContain('no-store');
    expect(await works(app, access_token)).toBe(false);
    expect((await introspect(app, { token: access_token, client_id: client.clientId })).body).toEqual({ active: false });
    const next = await refresh(app, client, refresh_token);
    expect(next.status).toBe(200);
    expect(await works(app, next.body.access_token)).toBe(true);
    expect((await revoke({ token: access_token, client_id: client.clientId })).status).toBe(200);
  });

  it('of a refresh token ends every token of the authorization, and the consent stays', async () => {
    const own = await aClient(app);
    const first = await tokensOf(own);
    const second = await tokensOf(own);
    const code = await obtainCode(app, { user, client: own });
    expect((await revoke({ token: first.refresh_token, client_id: own.clientId })).status).toBe(200);
    expect(await works(app, first.access_token)).toBe(false);
    expect(await works(app, second.access_token)).toBe(false);
    expect((await refresh(app, own, first.refresh_token)).body.error).toBe('invalid_grant');
    expect((await refresh(app, own, second.refresh_token)).body.error).toBe('invalid_grant');
    expect((await exchange(app, own, code)).body.error).toBe('invalid_grant');
    const again = await tokensOf(own);
    expect(await works(app, again.access_token)).toBe(true);
    const apps = await call(`${app.url}/v4/apps`, { headers: bearer(again.access_token) });
    expect(apps.body.filter(({ client_id }: { client_id: string }) => client_id === own.clientId)).toHaveLength(1);
  });

  it('of a used refresh token ends its successors too', async () => {
    const own = await aClient(app);
    const first = await tokensOf(own);
    const next = await refresh(app, own, first.refresh_token);
    expect((await revoke({ token: first.refresh_token, client_id: own.clientId })).status).toBe(200);
    expect(await works(app, next.body.access_token)).toBe(false);
    expect((await refresh(app, own, next.body.refresh_token)).status).toBe(400);
  });

  it('takes a hint of the kind, right or wrong', async () => {
    for (const token_type_hint of ['access_token', 'refresh_token', 'nonsense']) {
      const { access_token } = await tokensOf();
      expect((await revoke({ token: access_token, token_type_hint, client_id: client.clientId })).status).toBe(200);
      expect(await works(app, access_token)).toBe(false);
    }
    const { access_token, refresh_token } = await tokensOf();
    await revoke({ token: refresh_token, token_type_hint: 'access_token', client_id: client.clientId });
    expect(await works(app, access_token)).toBe(false);
  });

  it('takes JSON as well as a form', async () => {
    const { access_token } = await tokensOf();
    const json = { token: access_token, client_id: client.clientId };
    expect((await call(`${app.url}/v4/revoke`, { method: 'POST', json })).status).toBe(200);
    expect(await works(app, access_token)).toBe(false);
  });

  it('of a token that is unknown, garbage or expired succeeds: it is not valid any more', async () => {
    for (const token of ['garbage', 'a.b.c', 'x'.repeat(5_000)]) {
      expect((await revoke({ token, client_id: client.clientId })).status).toBe(200);
    }
  });

  it('of a client-credentials token ends it', async () => {
    const service = await aUser(app, { kind: 'service' });
    const worker = { clientSecret: SECRET, serviceUser: service.email, grantTypes: ['client_credentials'], redirectUris: [] };
    const { clientId } = await aClient(app, worker);
    const { body } = await postToken(app.url, { grant_type: 'client_credentials', client_id: clientId, client_secret: SECRET });
    expect(await works(app, body.access_token)).toBe(true);
    expect((await revoke({ token: body.access_token }, basic(clientId, SECRET))).status).toBe(200);
    expect(await works(app, body.access_token)).toBe(false);
  });

  it('is for the client that the token was issued to', async () => {
    const { access_token, refresh_token } = await tokensOf();
    const stranger = await aClient(app);
    for (const token of [access_token, refresh_token]) {
      expect(await revoke({ token, client_id: stranger.clientId })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
      expect((await revoke({ token }, basic(confidential.clientId, SECRET))).status).toBe(400);
    }
    expect(await works(app, access_token)).toBe(true);
    expect((await refresh(app, client, refresh_token)).status).toBe(200);
  });

  it('needs the secret of a confidential client', async () => {
    const tokens = await tokensOf(confidential).catch(() => null);
    expect(tokens).toBeNull(); // the exchange itself asks for the secret
    const code = await obtainCode(app, { user, client: confidential });
    const { body } = await exchange(app, confidential, code, { client_secret: SECRET });
    const refused = { status: 401, body: { error: 'invalid_client', error_description: expect.any(String) } };
    const token = body.access_token;
    expect(await revoke({ token, client_id: confidential.clientId })).toMatchObject(refused);
    expect(await revoke({ token, client_id: confidential.clientId, client_secret: 'wrong' })).toMatchObject(refused);
    expect(await revoke({ token, client_id: client.clientId, client_secret: 'x' })).toMatchObject(refused);
    expect(await revoke({ token })).toMatchObject(refused);
    const wrong = await revoke({ token }, basic(confidential.clientId, 'wrong'));
    expect(wrong).toMatchObject(refused);
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Basic /);
    expect(await works(app, token)).toBe(true);
    expect((await revoke({ token }, basic(confidential.clientId, SECRET))).status).toBe(200);
    expect(await works(app, token)).toBe(false);
  });

  it('answers a bad request in the shape of RFC 6749', async () => {
    const send = async (body: RequestInit['body'], type: string) =>
      await call(`${app.url}/v4/revoke`, { method: 'POST', body: body ?? null, headers: { 'content-type': type } });
    const form = 'application/x-www-form-urlencoded';
    const bad = { status: 400, body: { error: 'invalid_request', error_description: expect.any(String) } };
    expect(await send(`client_id=${client.clientId}`, form)).toMatchObject(bad);
    expect(await send('{"token":', 'application/json')).toMatchObject(bad);
    expect(await send('token=x', 'text/plain')).toMatchObject(bad);
    expect(await send(`client_id=${client.clientId}&token=a%00b`, form)).toMatchObject(bad);
    expect(await send(`client_id=${client.clientId}&token=a&token=b`, form)).toMatchObject(bad);
    expect(await send(`client_id=${client.clientId}&token=${'x'.repeat(100_000)}`, form)).toMatchObject(bad);
    expect(await send('x'.repeat(5_000_000), form)).toMatchObject(bad);
    const wrongMethod = await call(`${app.url}/v4/revoke`);
    expect(wrongMethod).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(wrongMethod.headers.get('allow')).toBe('POST');
  });

  it('answers a bad request in the same shape with a slash at the end, a query, or a body of unknown length', async () => {
    const bad = { status: 400, body: { error: 'invalid_request', error_description: 'The request body is not valid JSON.' } };
    const headers = { 'content-type': 'application/json' };
    for (const path of ['/v4/revoke/', '/v4/revoke?a=b']) {
      expect(await call(`${app.url}${path}`, { method: 'POST', body: '{"token":', headers })).toMatchObject(bad);
    }
    const body = new Blob(['{"token":']).stream();
    const chunked = { method: 'POST', body, headers, duplex: 'half' } as const; // fetch requires `duplex` for a stream
    expect(await call(`${app.url}/v4/revoke`, chunked)).toMatchObject(bad);
  });

  it('ignores credentials of users, because the client authenticates', async () => {
    const { access_token } = await tokensOf();
    const token = { token: access_token, client_id: client.clientId };
    expect((await revoke(token, bearer('expired or forged'))).status).toBe(200);
    expect(await works(app, access_token)).toBe(false);
  });
});
