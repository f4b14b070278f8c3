import { describe, expect, it } from '@jest/globals';
import { aClient, aUser, obtainTokens, postToken } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';

describe('a revocation during a refresh', () => {
  const app = useTestApp();

  it('leaves no valid refresh token, in either order', async () => {
    const [user, client] = [await aUser(app), await aClient(app)];
    for (let round = 0; round < 10; round += 1) {
      const { refresh_token } = await obtainTokens(app, { user, client, query: { scope: 'api offline_access' } });
      const refresh = (token: string) =>
        postToken(app.url, { grant_type: 'refresh_token', client_id: client.clientId, refresh_token: token });
      const body = new URLSearchParams({ client_id: client.clientId, token: refresh_token });
      const [refreshed] = await Promise.all([refresh(refresh_token), fetch(`${app.url}/v4/revoke`, { method: 'POST', body })]);
      if (refreshed.status === 200) expect((await refresh(refreshed.body.refresh_token)).body.error).toBe('invalid_grant');
    }
  });
});
