import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aClient, aUser, obtainTokens } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';

describe('the authorization code flow', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(async () => await app.close());

  it('signs a user in and answers every field of the token response', async () => {
    const user = await aUser(app, { adminLevel: 3 });
    const client = await aClient(app);
    const tokens = await obtainTokens(app, { user, client, query: { scope: 'openid offline_access api' } });
    expect(tokens).toEqual({
      access_token: expect.any(String),
      accessToken: tokens.access_token,
      expires_in: 900,
      accessTokenExpires: expect.any(Number),
      accessTokenExpiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      token_type: 'bearer',
      tokenType: 'bearer',
      state: 'xyz',
      scope: 'openid api offline_access',
      refresh_token: expect.any(String),
      id_token: expect.any(String),
      client: { id: client.clientId },
      user: { id: user.id, customerId: user.customerId, adminLevel: 3, email: user.email },
    });
  });
});

describe('the bare address', () => {
  it('leads to the API documentation, and an unknown address to it, in a browser', async () => {
    const app = await startTestApp();
    try {
      expect(await (await fetch(`${app.url}/`)).json()).toMatchObject({ documentation: `${app.url}/docs` });
      const show = async (path: string) => await fetch(`${app.url}${path}`, { headers: { accept: 'text/html' } });
      expect(await (await show('/')).text()).toContain('href="/docs"');
      const unknown = await show('/nothing');
      expect([unknown.status, unknown.headers.get('vary'), (await unknown.text()).includes('href="/"')]).toEqual([
        404,
        expect.stringMatching(/accept/i),
        true,
      ]);
      const wrongMethod = await show('/v5/extAuth');
      expect([wrongMethod.status, wrongMethod.headers.get('content-type')]).toEqual([405, expect.stringContaining('json')]);
      expect((await fetch(`${app.url}/nothing`)).headers.get('content-type')).toContain('application/problem+json');
    } finally {
      await app.close();
    }
  });
});
