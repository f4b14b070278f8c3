import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import acSignature from 'ac-signature';
import { AccessKeysService, AccountsService } from '../../src/modules/accounts/index.js';
import type { Client } from '../../src/modules/oauth/index.js';
import { Database } from '../../src/shared/database/index.js';
import { bearer, call, exchange, introspect, refresh, signInTo, works } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens, postToken } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';

const ALL = 'api offline_access';

describe('a code that was requested with a token or a signature', () => {
  const app = useTestApp();
  let portal: Client; // of the operator
  let other: Client; // likewise
  let stranger: Client; // a third party
  let user: Awaited<ReturnType<typeof aUser>>;
  beforeAll(async () => {
    [portal, other, stranger] = [await aClient(app), await aClient(app), await aClient(app, { firstParty: false })];
  });
  beforeEach(async () => {
    user = await aUser(app);
  });

  const ask = async (token: string, client: Client, scope = 'api', more: Record<string, string> = {}) =>
    await call(`${app.url}/v4/requestCode`, {
      method: 'POST',
      headers: bearer(token),
      json: { client_id: client.clientId, state: 's', scope, ...more },
    });
  const derive = async (token: string, client: Client, scope?: string) => {
    const { status, body } = await ask(token, client, scope);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return (await exchange(app, client, body.code, { redirect_uri: '' })).body;
  };
  const active = async (client: Client, token: string) =>
    (await introspect(app, { client_id: client.clientId, token })).body.active as boolean;
  const deauthorize = async (token: string, selector: object) =>
    await call(`${app.url}/v4/deauthorize`, { method: 'POST', headers: bearer(token), json: selector });
  const apps = async (token: string) =>
    (await call(`${app.url}/v4/apps`, { headers: bearer(token) })).body as { id: number; client_id: string }[];

  it('never gives a third party the refresh token of a first party', async () => {
    const tokens = await obtainTokens(app, { user, client: stranger, query: { scope: ALL } });
    const derived = await derive(tokens.access_token, portal, ALL);
    expect(derived).toMatchObject({ scope: 'api', access_token: expect.any(String) });
    expect(derived).not.toHaveProperty('refresh_token');
  });

  it('ends with the authorization that it came from, at any depth: at use, introspection and refresh', async () => {
    const own = await obtainTokens(app, { user, client: other });
    const tokens = await obtainTokens(app, { user, client: stranger });
    const first = await derive(tokens.access_token, portal);
    const second = await derive(first.access_token, other);
    const third = await derive(second.access_token, portal);
    for (const { access_token } of [first, second, third]) expect(await works(app, access_token)).toBe(true);
    await deauthorize(own.access_token, { client_id: stranger.clientId });
    for (const { access_token } of [first, second, third]) expect(await works(app, access_token)).toBe(false);
    expect(await active(portal, first.access_token)).toBe(false);
    expect(await active(other, second.access_token)).toBe(false);
    expect(await works(app, own.access_token)).toBe(true);
  });

  it('gives a first party a refresh token, which ends with the first party that asked', async () => {
    const tokens = await obtainTokens(app, { user, client: portal, query: { scope: ALL } });
    const derived = await derive(tokens.access_token, other, ALL);
    const refreshed = await refresh(app, other, derived.refresh_token);
    expect(refreshed).toMatchObject({ status: 200, body: { scope: ALL } });
    const own = await obtainTokens(app, { user, client: stranger });
    await deauthorize(own.access_token, { client_id: portal.clientId });
    expect((await refresh(app, other, refreshed.body.refresh_token)).body.error).toBe('invalid_grant');
    expect(await works(app, refreshed.body.access_token)).toBe(false);
  });

  it.each(['refresh_token', 'access_token'] as const)('ends when the %s of the one that asked is revoked', async (kind) => {
    const tokens = await obtainTokens(app, { user, client: portal, query: { scope: ALL } });
    const between = await derive(tokens.access_token, other, ALL);
    const derived = await derive(between.access_token, portal, ALL);
    expect(await works(app, derived.access_token)).toBe(true);
    const form = new URLSearchParams({ client_id: portal.clientId, token: tokens[kind] });
    expect((await call(`${app.url}/v4/revoke`, { method: 'POST', body: form })).status).toBe(200);
    expect(await works(app, derived.access_token)).toBe(false);
    expect((await refresh(app, portal, derived.refresh_token)).body.error).toBe('invalid_grant');
    expect((await refresh(app, portal, tokens.refresh_token)).status).toBe(kind === 'access_token' ? 200 : 400);
  });

  it('never lives long without a refresh token, however many codes follow each other', async () => {
    const tokens = await obtainTokens(app, { user, client: stranger });
    const ends: number[] = [];
    for (let token = tokens.access_token, hop = 0; hop < 3; hop += 1) {
      const derived = await derive(token, hop % 2 === 0 ? portal : other);
      token = derived.access_token;
      const newest = 'SELECT ends_at AS at FROM authorizations ORDER BY id DESC LIMIT 1';
      const row = await app.app.get(Database).queryOne<{ at: Date }>(newest, []);
      ends.push((row?.at.getTime() ?? 0) / 1_000);
    }
    expect(new Set(ends).size).toBe(1);
    const { accessTokenTtlSeconds, codeTtlSeconds } = app.config;
    expect(ends[0]).toBeLessThanOrEqual(Date.now() / 1000 + 2 * accessTokenTtlSeconds + codeTtlSeconds);
  });

  it('belongs to the application that the user granted, is one entry in the list and ends with it', async () => {
    const own = await obtainTokens(app, { user, client: other });
    const asking = await obtainTokens(app, { user, client: stranger });
    const derived = await derive(asking.access_token, other);
    const portalToken = await derive(asking.access_token, portal);
    await derive(asking.access_token, portal);
    const ids = (await apps(own.access_token)).map(({ client_id }) => client_id).sort();
    expect(ids).toEqual([other.clientId, portal.clientId, stranger.clientId].sort());
    await deauthorize(own.access_token, { client_id: portal.clientId });
    expect(await works(app, portalToken.access_token)).toBe(false);
    expect((await apps(own.access_token)).length).toBe(2);
    const { body } = await deauthorize(derived.access_token, { client_id: other.clientId });
    expect(body.deauthorized).toHaveLength(1);
    for (const { access_token } of [own, derived]) expect(await works(app, access_token)).toBe(false);
    expect(await works(app, asking.access_token)).toBe(true);
  });

  it('is bound to a device that only the exchange names, and still ends with its origin', async () => {
    const tokens = await obtainTokens(app, { user, client: stranger });
    const { body } = await ask(tokens.access_token, portal);
    const derived = (await exchange(app, portal, body.code, { redirect_uri: '', deviceFromCode: 'tv' })).body;
    expect(await works(app, derived.access_token)).toBe(false);
    expect(await works(app, derived.access_token, { 'x-service-device': 'tv' })).toBe(true);
    await deauthorize(tokens.access_token, { client_id: stranger.clientId });
    expect(await works(app, derived.access_token, { 'x-service-device': 'tv' })).toBe(false);
  });

  it('never leads from client credentials to a refresh token, and ends with the token', async () => {
    const robot = await aClient(app, {
      clientSecret: 'x'.repeat(32),
      grantTypes: ['client_credentials'],
      serviceUser: user.email,
      redirectUris: [],
    });
    const form = { grant_type: 'client_credentials', client_id: robot.clientId, client_secret: 'x'.repeat(32), scope: ALL };
    const { access_token } = (await postToken(app.url, form)).body;
    const derived = await derive(access_token, portal, ALL);
    expect(derived).not.toHaveProperty('refresh_token');
    expect(await works(app, derived.access_token)).toBe(true);
    const revocation = new URLSearchParams({ client_id: robot.clientId, client_secret: 'x'.repeat(32), token: access_token });
    await call(`${app.url}/v4/revoke`, { method: 'POST', body: revocation });
    expect(await works(app, derived.access_token)).toBe(false);
  });

  it('ends with the access key that signed, and when its user may not act any more', async () => {
    const owner = await aUser(app, { customer: 'Keys', adminLevel: 9 });
    const person = await aUser(app, { customer: 'Keys' });
    const key = { accessKey: 'lineage', accessSecret: 'the secret of the access key' };
    await app.app.get(AccessKeysService).declare({ ...key, userId: owner.id });
    const [path, payload] = ['/v4/requestCode', { client_id: portal.clientId, state: 's', scope: ALL }];
    const ts = Math.floor(Date.now() / 1_000);
    const { hash } = acSignature.sign5({ path, payload, ts, ...key, identifier: person.email });
    const headers = { accesskey: key.accessKey, rts: String(ts), hash, version: '5', identifier: person.email };
    const prefixed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [`x-service-${name}`, value]));
    const { body } = await call(app.url + path, { method: 'POST', headers: prefixed, json: payload });
    const tokens = (await exchange(app, portal, body.code, { redirect_uri: '' })).body;
    expect(tokens).not.toHaveProperty('refresh_token');
    expect(await works(app, tokens.access_token)).toBe(true);
    const accounts = app.app.get(AccountsService);
    await accounts.disable(owner.email, new Date());
    expect(await works(app, tokens.access_token)).toBe(false);
    await accounts.enable(owner.email);
    expect(await works(app, tokens.access_token)).toBe(true);
    await app.app.get(Database).query('DELETE FROM access_keys WHERE access_key = $1', [key.accessKey]);
    expect(await works(app, tokens.access_token)).toBe(false);
  });

  it('asks for the consent of the person as before', async () => {
    const tokens = await obtainTokens(app, { user, client: portal });
    expect((await ask(tokens.access_token, stranger)).body.code).toBe('consent_required');
    await signInTo(app, { user, client: stranger });
    expect((await ask(tokens.access_token, stranger)).status).toBe(200);
  });
});
