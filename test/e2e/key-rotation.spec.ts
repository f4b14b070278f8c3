import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeProtectedHeader } from 'jose';
import { ServerKeysService } from '../../src/modules/access/index.js';
import type { Client } from '../../src/modules/oauth/index.js';
import { Database, Notifications } from '../../src/shared/database/index.js';
import { authorize, call, exchange, obtainCode, refresh, request, signInTo, tryPassword, works } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens } from '../support/accounts/scenario.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { eventually } from '../support/eventually.js';

describe('a rotation of the keys', () => {
  let one: TestApp;
  let two: TestApp;
  let second: TestApp;
  let client: Client;
  let user: Awaited<ReturnType<typeof aUser>>;
  beforeAll(async () => {
    one = await startTestApp();
    two = await startTestApp({ database: one.database, publicUrl: one.url });
    second = { ...two, url: addressOf(two.app) };
    client = await aClient(one);
    user = await aUser(one);
  });
  afterAll(async () => {
    await two.close();
    await one.close();
  });

  const tokens = async () => await obtainTokens(one, { user, client, query: { scope: 'openid api offline_access' } });
  const kidOf = (token: string) => decodeProtectedHeader(token).kid;
  const kidsOf = async (app: { url: string }) => (await call(`${app.url}/v4/jwks`)).body.keys.map(({ kid }: { kid: string }) => kid);

  async function rotate(): Promise<string> {
    const { signing } = await one.app.get(ServerKeysService).rotate();
    await eventually(async () => (await kidsOf(one))[0] === signing && (await kidsOf(second))[0] === signing);
    return signing;
  }

  it('keeps old tokens, codes, refresh tokens, sessions and current sign-ins valid in every process', async () => {
    const old = await tokens();
    const code = await obtainCode(one, { user, client });
    const signedIn = new TestBrowser(one.url);
    await signInTo(one, { user, client, browser: signedIn });
    const underWay = new TestBrowser(one.url);
    const page = await underWay.follow(`/v4/authorize?${new URLSearchParams(request(client))}`);
    const html = await page.response.text();

    const kid = await rotate();

    expect(kidOf(old.access_token)).not.toBe(kid);
    expect([await works(one, old.access_token), await works(second, old.access_token)]).toEqual([true, true]);
    const exchanged = await exchange(second, client, code);
    expect({ status: exchanged.status, kid: kidOf(exchanged.body.access_token) }).toEqual({ status: 200, kid });
    const refreshed = await refresh(one, client, old.refresh_token);
    expect([kidOf(refreshed.body.access_token), kidOf(String(refreshed.body.id_token))]).toEqual([kid, kid]);
    expect((await authorize(one, request(client), signedIn)).location?.searchParams.get('code')).toBeTruthy();
    expect((await tryPassword(underWay, html, user.email)).url.searchParams.get('code')).toBeTruthy();
  });

  it('signs with the new key, and shows the public part of every key that verifies', async () => {
    const before = await kidsOf(one);
    const kid = await rotate();
    expect(await kidsOf(one)).toEqual([kid, ...before]);
    expect(await kidsOf(second)).toEqual([kid, ...before]);
    const fresh = await tokens();
    expect(kidOf(fresh.access_token)).toBe(kid);
    expect([await works(one, fresh.access_token), await works(second, fresh.access_token)]).toEqual([true, true]);
    const { keys } = (await call(`${one.url}/v4/jwks`)).body;
    for (const key of keys) {
      expect(key).toEqual({
        kty: 'EC',
        crv: 'P-256',
        use: 'sig',
        alg: 'ES256',
        kid: expect.any(String),
        x: expect.any(String),
        y: expect.any(String),
      });
    }
  });

  it('is noticed by a process without the notification when it meets the new key', async () => {
    const notifications = two.app.get(Notifications);
    const reload = two.app.get(ServerKeysService).reload;
    let isNotified = false;
    two.app.get(ServerKeysService).reload = async () => {
      isNotified = true;
      return await new Promise(() => {}); // the notification says: reload; it gets nowhere
    };
    await one.app.get(ServerKeysService).rotate();
    await eventually(() => isNotified);
    expect((await kidsOf(one)).length).toBeGreaterThan((await kidsOf(second)).length);
    two.app.get(ServerKeysService).reload = reload;
    expect(notifications.connected).toBe(true);
    const fresh = await tokens();
    expect(await kidsOf(second)).not.toContain(kidOf(fresh.access_token));
    expect(await works(second, fresh.access_token)).toBe(true);
    expect(await kidsOf(second)).toContain(kidOf(fresh.access_token));
  });

  it('deletes a retired key when nothing that it signed can be valid any more', async () => {
    const old = await tokens();
    await rotate();
    const keys = one.app.get(ServerKeysService);
    await keys.deleteExpired();
    expect(await kidsOf(one)).toContain(kidOf(old.access_token));
    await one.app.get(Database).query(`UPDATE server_keys SET retired_at = retired_at - interval '30 days' WHERE retired_at IS NOT NULL`);
    expect(await keys.deleteExpired()).toBeGreaterThan(0);
    await eventually(async () => (await kidsOf(one)).length === 1 && (await kidsOf(second)).length === 1);
    expect([await works(one, old.access_token), await works(second, old.access_token)]).toEqual([false, false]);
    expect(await works(second, (await tokens()).access_token)).toBe(true);
  });

  it('may happen in both processes at the same moment', async () => {
    await Promise.all([one.app.get(ServerKeysService).rotate(), two.app.get(ServerKeysService).rotate()]);
    await eventually(async () => JSON.stringify(await kidsOf(one)) === JSON.stringify(await kidsOf(second)));
    const { rows } = await one.app.get(Database).query(`SELECT id FROM server_keys WHERE purpose = 'signing' AND retired_at IS NULL`);
    expect(rows).toHaveLength(1);
    const fresh = await tokens();
    expect(await works(second, fresh.access_token)).toBe(true);
  });
});
