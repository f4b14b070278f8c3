import { beforeAll, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { Client } from '../../src/modules/oauth/index.js';
import { exchange } from '../support/accounts/oauth.js';
import { aClient, aUser } from '../support/accounts/scenario.js';
import { enterPassword, forgetUsedSteps } from '../support/accounts/second-factors.js';
import { useTestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { runDebianProgram } from '../support/debian-program.js';

const app = useTestApp();
let client: Client;
beforeAll(async () => {
  client = await aClient(app);
});

/** The current code that Debian's oathtool computes from a key in base32. */
const oathtool = async (key: string) => (await runDebianProgram('oathtool', ['--totp', '--base32', key], { cwd: '/' })).output.trim();

it('codes of oathtool enrol an authenticator app and sign in', async () => {
  const user = await aUser(app, { requireSecondFactor: true });
  const query = { client_id: client.clientId, scope: 'openid api' };
  const first = new TestBrowser(app.url);
  const page = await enterPassword(app, first, { user, query });
  const [, key = ''] = /<code class="secret">([A-Z2-7 ]+)<\/code>/.exec(page.html) ?? [];
  const codes = await first.submit(page.html, '/enrol-app', { code: await oathtool(key) });
  expect(await codes.response.text()).toContain('Your recovery codes');

  await forgetUsedSteps(app);
  const second = new TestBrowser(app.url);
  const asked = await enterPassword(app, second, { user, query });
  const { url } = await second.submit(asked.html, '/code', { code: await oathtool(key) });
  const { body } = await exchange(app, client, url.searchParams.get('code') ?? '');
  expect(decodeJwt(String(body.id_token))).toMatchObject({ acr: 'mfa', amr: ['pwd', 'otp', 'mfa'] });
});
