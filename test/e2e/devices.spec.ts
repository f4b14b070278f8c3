import { describe, expect, it } from '@jest/globals';
import { aClient, aUser, authorizeUrl, obtainTokens, postToken, REDIRECT_URI, signIn } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';

describe('a login that is bound to a device', () => {
  const app = useTestApp();

  const apps = async (token: string, device?: string) => {
    const headers = { authorization: `Bearer ${token}`, ...(device === undefined ? {} : { 'x-service-device': device }) };
    const response = await fetch(`${app.url}/v4/apps`, { headers });
    return { status: response.status, body: (await response.json()) as { code?: string; device?: string | null }[] & { code?: string } };
  };

  /** A code of a login that named no device, and the form that exchanges it. */
  async function aCode(query: Record<string, string> = {}) {
    const [user, client] = [await aUser(app), await aClient(app, { clientSecret: 'secret' })];
    const url = authorizeUrl(app.url, { client_id: client.clientId, redirect_uri: REDIRECT_URI, scope: 'api offline_access', ...query });
    const target = await signIn(new TestBrowser(app.url), url, user);
    const code = target.searchParams.get('code') ?? '';
    const credentials = { client_id: client.clientId, client_secret: 'secret' };
    return { user, client, credentials, form: { ...credentials, grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI } };
  }

  it('works with the device that was named at authorize only', async () => {
    const [user, client] = [await aUser(app), await aClient(app)];
    const { access_token } = await obtainTokens(app, { user, client, query: { device: 'phone-1' } });
    expect((await apps(access_token, 'phone-1')).status).toBe(200);
    for (const device of [undefined, 'phone-2']) {
      const { status, body } = await apps(access_token, device);
      expect([status, body.code]).toEqual([401, 'device_mismatch']);
    }
  });

  it('may name its device at the exchange (deviceFromCode), and is listed under it', async () => {
    const { form } = await aCode();
    const { status, body } = await postToken(app.url, { ...form, deviceFromCode: 'tv-1' });
    expect(status).toBe(200);
    expect((await apps(body.access_token)).body.code).toBe('device_mismatch');
    expect((await apps(body.access_token, 'tv-1')).body).toContainEqual(
      expect.objectContaining({ device: 'tv-1', lastLogin: expect.any(Number) }),
    );
  });

  it('named at the exchange, stays bound when it is refreshed', async () => {
    const { form, credentials } = await aCode();
    const { body } = await postToken(app.url, { ...form, deviceFromCode: 'tv-2' });
    const refresh = { ...credentials, grant_type: 'refresh_token', refresh_token: body.refresh_token };
    expect((await postToken(app.url, refresh)).body.error).toBe('invalid_grant');
    expect((await postToken(app.url, refresh, { 'x-service-device': 'other' })).body.error).toBe('invalid_grant');
    const refreshed = await postToken(app.url, refresh, { 'x-service-device': 'tv-2' });
    expect(refreshed.status).toBe(200);
    expect((await apps(refreshed.body.access_token, 'tv-2')).status).toBe(200);
  });

  it('ends with the authorization of its device', async () => {
    const { form } = await aCode();
    const { body } = await postToken(app.url, { ...form, deviceFromCode: 'tv-3' });
    const headers = { authorization: `Bearer ${body.access_token}`, 'x-service-device': 'tv-3', 'content-type': 'application/json' };
    await fetch(`${app.url}/v4/deauthorize`, { method: 'POST', headers, body: JSON.stringify({ device: 'tv-3' }) });
    expect((await apps(body.access_token, 'tv-3')).body.code).toBe('token_invalid');
  });

  it('is not changed at the exchange, and a wrong device does not burn the code', async () => {
    const { form } = await aCode({ device: 'phone-3' });
    for (const parameter of ['deviceFromCode', 'device']) {
      expect((await postToken(app.url, { ...form, [parameter]: 'other' })).body.error).toBe('invalid_grant');
    }
    expect((await postToken(app.url, { ...form, deviceFromCode: 'phone-3', device: 'phone-3' })).status).toBe(200);
  });

  it('cannot be slipped past its checks by a list in JSON', async () => {
    const { form } = await aCode({ device: 'phone-4' });
    const post = async (body: object) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      return (await (await fetch(`${app.url}/v4/token`, init)).json()) as { error?: string };
    };
    for (const name of ['code', 'device', 'client_id', 'state']) {
      expect((await post({ ...form, device: 'other', [name]: [{ ...form, device: 'other', state: 'xyz' }[name]] })).error).toBe(
        'invalid_request',
      );
    }
    expect((await postToken(app.url, form)).status).toBe(200);
  });

  it('has a name of at most 512 characters, and a longer one does not burn the code', async () => {
    const { form } = await aCode();
    expect((await postToken(app.url, { ...form, deviceFromCode: 'x'.repeat(513) })).body.error).toBe('invalid_request');
    expect((await postToken(app.url, form)).status).toBe(200);
  });

  it('requires deviceFromCode: device in the exchange alone has no effect', async () => {
    const { form } = await aCode();
    const { body } = await postToken(app.url, { ...form, device: 'tv-4' });
    expect((await apps(body.access_token)).status).toBe(200);
  });
});
