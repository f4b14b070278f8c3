import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aClient, aUser, PASSWORD, REDIRECT_URI } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';

/** Debian's python3-authlib lives in the system's Python, whatever other Python stands first in PATH. */
const PYTHON = '/usr/bin/python3';

describe('a client application in Python (Authlib)', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(async () => await app.close());

  it('signs a user in by code and PKCE, verifies both tokens, refreshes, introspects, lists and revokes', async () => {
    const user = await aUser(app);
    const client = await aClient(app, { clientSecret: 'a-secret-of-the-python-client', firstParty: false });
    const args = [app.url, client.clientId, 'a-secret-of-the-python-client', REDIRECT_URI, user.email, PASSWORD];
    const env = { ...process.env, AUTHLIB_INSECURE_TRANSPORT: '1' };
    const { stdout } = await promisify(execFile)(PYTHON, ['test/external/clients/authlib_client.py', ...args], { env });
    expect(JSON.parse(stdout)).toEqual({
      sub: String(user.id),
      email: user.email,
      rotated: true,
      before: expect.objectContaining({
        active: true,
        client_id: client.clientId,
        sub: String(user.id),
        scope: 'openid email api offline_access',
      }),
      apps: [client.clientId],
      revoked: 200,
      after: { active: false },
    });
  });
});
