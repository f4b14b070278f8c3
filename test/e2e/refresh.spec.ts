import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { AccountsService } from '../../src/modules/accounts/index.js';
import type { Client } from '../../src/modules/oauth/index.js';
import { Database } from '../../src/shared/database/index.js';
import { sha256 } from '../../src/shared/secrets/index.js';
import { bearer, call, refresh, works } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';

const OTHER = 'https://other.example/api';
const DAY = 86_400;

describe('refreshing', () => {
  let app: TestApp;
  let client: Client;
  beforeAll(async () => {
    app = await startTestApp({ resources: [OTHER] });
    client = await aClient(app);
  });
  afterAll(async () => await app.close());

  const sql = async (text: string, values: unknown[]) => await app.app.get(Database).query<Record<string, unknown>>(text, values);

  const aSession = async (query: Record<string, string> = {}) => {
    const user = await aUser(app);
    const tokens = await obtainTokens(app, { user, client, query: { scope: 'openid api email offline_access', ...query } });
    return { user, tokens };
  };

  /** As if the grace period had passed since the token was used. */
  const endTheGrace = async (token: string) => {
    const { rowCount } = await sql(
      `UPDATE oidc_records SET consumed_at = consumed_at - interval '6 seconds' WHERE model = 'RefreshToken' AND id = $1`,
      [sha256(token)],
    );
    expect(rowCount).toBe(1);
  };

  const refused = { status: 400, body: { error: 'invalid_grant' } };

  it('answers a new access token and a new refresh token', async () => {
    const { user, tokens } = await aSession();
    const { status, body } = await refresh(app, client, tokens.refresh_token, { state: 'later' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      token_type: 'bearer',
      expires_in: 900,
      scope: 'openid api email offline_access',
      state: 'later',
      client: { id: client.clientId },
      user: { id: user.id, customerId: user.customerId, adminLevel: 0, email: user.email },
      id_token: expect.any(String),
    });
    expect(body.refresh_token).not.toBe(tokens.refresh_token);
    expect(body.access_token).not.toBe(tokens.access_token);
    expect(await works(app, body.access_token)).toBe(true);
    expect((await refresh(app, client, body.refresh_token)).status).toBe(200);
  });

  it('answers 20 requests at once with the same successor', async () => {
    const { tokens } = await aSession();
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(app, client, tokens.refresh_token)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
    for (const { body } of answers) expect(await works(app, body.access_token)).toBe(true);
    expect((await refresh(app, client, answers[0]?.body.refresh_token ?? '')).status).toBe(200);
  });

  it('ends the whole authorization when a used token comes after the grace period', async () => {
    const { tokens } = await aSession();
    const { body } = await refresh(app, client, tokens.refresh_token);
    await endTheGrace(tokens.refresh_token);
    expect(await refresh(app, client, tokens.refresh_token)).toMatchObject(refused);
    expect(await works(app, body.access_token)).toBe(false);
    expect(await works(app, tokens.access_token)).toBe(false);
    expect(await refresh(app, client, body.refresh_token)).toMatchObject(refused);
    const { rows } = await sql('SELECT id FROM authorizations WHERE id = $1', [decodeJwt(body.access_token).authorization_id]);
    expect(rows).toEqual([]);
  });

  it('has no grace period if it is 0', async () => {
    const strict = await startTestApp({ refreshGraceSeconds: 0 });
    const own = await aClient(strict);
    const tokens = await obtainTokens(strict, { user: await aUser(strict), client: own, query: { scope: 'api offline_access' } });
    const first = await refresh(strict, own, tokens.refresh_token);
    const second = await refresh(strict, own, tokens.refresh_token);
    await strict.close();
    expect([first.status, second.status]).toEqual([200, 400]);
  });

  it('narrows the scope of the access token only', async () => {
    const { tokens } = await aSession();
    const narrow = await refresh(app, client, tokens.refresh_token, { scope: 'api' });
    expect(narrow.body.scope).toBe('api');
    expect(decodeJwt(narrow.body.access_token).scope).toBe('api');
    const wide = await refresh(app, client, narrow.body.refresh_token);
    expect(wide.body.scope).toBe('openid api email offline_access');
  });

  it('narrows api to api:read, and keeps the granted scope afterwards', async () => {
    const { tokens } = await aSession();
    const narrow = await refresh(app, client, tokens.refresh_token, { scope: 'openid api:read' });
    expect(narrow).toMatchObject({ status: 200, body: { scope: 'openid api:read' } });
    expect(decodeJwt(narrow.body.access_token).scope).toBe('openid api:read');
    const again = await refresh(app, client, tokens.refresh_token); // within the grace period
    expect(again.body.scope).toBe('openid api email offline_access');
    const wide = await refresh(app, client, narrow.body.refresh_token);
    expect(wide.body.scope).toBe('openid api email offline_access');
  });

  it('is not used up by a request that asks for too much', async () => {
    const { tokens } = await aSession();
    const ask = async (form: Record<string, string>) => (await refresh(app, client, tokens.refresh_token, form)).body.error;
    expect(await ask({ scope: 'api profile' })).toBe('invalid_scope');
    expect(await ask({ resource: OTHER })).toBe('invalid_target');
    expect(await ask({ resource: 'https://unknown.example' })).toBe('invalid_target');
    const { rows } = await sql(`SELECT consumed_at FROM oidc_records WHERE id = $1`, [sha256(tokens.refresh_token)]);
    expect(rows).toEqual([{ consumed_at: null }]);
    expect((await refresh(app, client, tokens.refresh_token, { resource: app.url })).status).toBe(200);
  });

  it('keeps the audience', async () => {
    const { tokens } = await aSession({ resource: OTHER });
    const { body } = await refresh(app, client, tokens.refresh_token);
    expect(decodeJwt(body.access_token).aud).toBe(OTHER);
  });

  it('needs the device of the authorization', async () => {
    const { tokens } = await aSession({ device: 'phone' });
    expect(await refresh(app, client, tokens.refresh_token)).toMatchObject(refused);
    expect(await refresh(app, client, tokens.refresh_token, {}, { 'x-service-device': 'tablet' })).toMatchObject(refused);
    expect((await refresh(app, client, tokens.refresh_token, { device: 'phone' })).status).toBe(200);
    expect((await refresh(app, client, tokens.refresh_token, {}, { 'x-service-device': 'phone' })).status).toBe(200);
  });

  it('is for the client that the token was issued to', async () => {
    const { tokens } = await aSession();
    const another = await aClient(app);
    expect(await refresh(app, another, tokens.refresh_token)).toMatchObject(refused);
    expect((await refresh(app, client, tokens.refresh_token)).status).toBe(200);
  });

  it('is refused while the user is disabled, and works again afterwards', async () => {
    const { user, tokens } = await aSession();
    await app.app.get(AccountsService).disable(user.email, new Date());
    expect(await refresh(app, client, tokens.refresh_token)).toMatchObject(refused);
    await app.app.get(AccountsService).enable(user.email);
    expect((await refresh(app, client, tokens.refresh_token)).status).toBe(200);
  });

  it('reads the rights of the user afresh', async () => {
    const { user, tokens } = await aSession();
    await sql('UPDATE users SET admin_level = 9 WHERE id = $1', [user.id]);
    expect((await refresh(app, client, tokens.refresh_token)).body.user).toMatchObject({ adminLevel: 9 });
  });

  it('is refused after a deauthorization and for a token that never was', async () => {
    const { tokens } = await aSession();
    const id = decodeJwt(tokens.access_token).authorization_id;
    await call(`${app.url}/v4/deauthorize`, { method: 'POST', headers: bearer(tokens.access_token), json: { id } });
    expect(await refresh(app, client, tokens.refresh_token)).toMatchObject(refused);
    expect(await refresh(app, client, 'no-such-token')).toMatchObject(refused);
    expect(await refresh(app, client, '')).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('slides by 30 days, up to a year after the login', async () => {
    const { tokens } = await aSession();
    const daysLeft = async (token: string) => {
      const { rows } = await sql(
        `SELECT extract(epoch FROM expires_at - now()) / ${DAY} AS days, payload FROM oidc_records WHERE model = 'RefreshToken' AND id = $1`,
        [sha256(token)],
      );
      return Number(rows[0]?.days);
    };
    expect(await daysLeft(tokens.refresh_token)).toBeCloseTo(30, 1);
    const age = async (token: string, days: number) =>
      await sql(
        `UPDATE oidc_records SET payload = payload || jsonb_build_object('iiat', (payload->>'iiat')::int - $2::int) WHERE model = 'RefreshToken' AND id = $1`,
        [sha256(token), days * DAY],
      );
    await age(tokens.refresh_token, 100);
    const second = (await refresh(app, client, tokens.refresh_token)).body.refresh_token;
    expect(await daysLeft(second)).toBeCloseTo(30, 1);
    await age(second, 260);
    const third = (await refresh(app, client, second)).body.refresh_token;
    expect(await daysLeft(third)).toBeCloseTo(5, 1);
  });

  it('does not count as a login', async () => {
    const { tokens } = await aSession();
    const id = decodeJwt(tokens.access_token).authorization_id;
    const read = async () => (await sql('SELECT last_login, updated_at, ip FROM authorizations WHERE id = $1', [id])).rows;
    const before = await read();
    await refresh(app, client, tokens.refresh_token);
    expect(await read()).toEqual(before);
  });
});
