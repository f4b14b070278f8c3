import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AccountsService } from '../../src/modules/accounts/index.js';
import { AuditService } from '../../src/shared/audit/audit.service.js';
import { bearer, call, works } from '../support/accounts/oauth.js';
import { aClient, aUser, authorizeUrl, obtainTokens, postToken, REDIRECT_URI, signIn } from '../support/accounts/scenario.js';
import { auditTrail } from '../support/app/admin.js';
import { useTestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { tokenOf } from '../support/media/uploads.js';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const inAnHour = () => new Date(Date.now() + 3_600_000);

/** What openapi.json says of the refusals (403) of an operation. */
function documentedRefusals(path: string, method: string): string | undefined {
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8'));
  return paths[path]?.[method.toLowerCase()]?.responses['403']?.description;
}

describe('customer-approved support access (casa)', () => {
  const app = useTestApp();
  let accounts: AccountsService;
  let staff: Awaited<ReturnType<typeof aUser>>;
  let user: Awaited<ReturnType<typeof aUser>>;
  let clientId: string;
  const credentials = () => ({ client_id: clientId, client_secret: 'secret' });

  beforeAll(async () => {
    accounts = app.app.get(AccountsService);
    staff = await aUser(app, { customer: 'Operator', adminLevel: 2 });
    await accounts.declareCustomer({ name: 'Operator', operator: true });
    user = await aUser(app, { customer: 'Acme', adminLevel: 7 });
    ({ clientId } = await aClient(app, { clientSecret: 'secret' }));
  });

  const open = async (supportAccessUntil: Date | null) => await accounts.declareCustomer({ name: 'Acme', supportAccessUntil });
  const casa = (changes: object = {}) => encode({ customerId: user.customerId, userId: user.id, reason: 'ticket 4711', ...changes });

  async function aCodeOf(person: { email: string }) {
    const query = { client_id: clientId, redirect_uri: REDIRECT_URI, scope: 'api offline_access openid' };
    const target = await signIn(new TestBrowser(app.url), authorizeUrl(app.url, query), person);
    return { ...credentials(), grant_type: 'authorization_code', code: target.searchParams.get('code') ?? '', redirect_uri: REDIRECT_URI };
  }

  const introspect = async (token: string) => {
    const body = new URLSearchParams({ ...credentials(), token });
    return (await (await fetch(`${app.url}/v4/introspect`, { method: 'POST', body })).json()) as Record<string, unknown>;
  };

  it.each([null, ''])('counts a casa of %p as absent', async (absent) => {
    const body = JSON.stringify({ ...(await aCodeOf(staff)), casa: absent });
    const response = await fetch(`${app.url}/v4/token`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect([response.status, await response.json()]).toMatchObject([200, { user: { id: staff.id } }]);
  });

  it('lets staff act as a user of the customer, with the rights of that user only', async () => {
    await open(inAnHour());
    const { status, body } = await postToken(app.url, { ...(await aCodeOf(staff)), casa: casa() });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      casa: { id: staff.id },
      user: { id: user.id, customerId: user.customerId, adminLevel: 7, email: user.email },
    });
    expect(await introspect(body.access_token)).toMatchObject({
      active: true,
      sub: String(user.id),
      'ac:session': { user: { id: user.id }, customer: { id: user.customerId } },
    });
    expect(await auditTrail(app)).toContain(`support_access.begin user:${user.id}`);
  });

  it('ends the moment the window closes, refreshed or not', async () => {
    await open(inAnHour());
    const { body } = await postToken(app.url, { ...(await aCodeOf(staff)), casa: casa() });
    const refresh = { ...credentials(), grant_type: 'refresh_token', refresh_token: body.refresh_token };
    const refreshed = await postToken(app.url, refresh);
    expect(refreshed.body).toMatchObject({ casa: { id: staff.id }, user: { id: user.id } });
    await open(new Date(Date.now() - 1));
    expect(await introspect(body.access_token)).toEqual({ active: false });
    expect(await introspect(refreshed.body.access_token)).toEqual({ active: false });
    const again = { ...refresh, refresh_token: refreshed.body.refresh_token };
    expect((await postToken(app.url, again)).body.error).toBe('invalid_grant');
  });

  it('ends when the member of staff is disabled', async () => {
    await open(inAnHour());
    const helper = await aUser(app, { customer: 'Operator' });
    const { body } = await postToken(app.url, { ...(await aCodeOf(helper)), casa: casa() });
    expect(await introspect(body.access_token)).toMatchObject({ active: true });
    await accounts.disable(helper.email, new Date());
    expect(await introspect(body.access_token)).toEqual({ active: false });
  });

  it('is refused without burning the code unless everything is right', async () => {
    await open(inAnHour());
    const other = await aUser(app);
    const form = await aCodeOf(staff);
    for (const wrong of [
      'not base64!',
      encode('text'),
      encode({}),
      casa({ reason: '' }),
      casa({ reason: '   ' }),
      casa({ reason: undefined }),
      casa({ userId: other.id }),
      casa({ customerId: other.customerId, userId: other.id }),
      casa({ userId: 2 ** 40 }),
      casa({ customerId: String(user.customerId) }),
    ]) {
      expect([wrong, (await postToken(app.url, { ...form, casa: wrong })).body.error]).toEqual([wrong, 'invalid_grant']);
    }
    await open(null);
    expect((await postToken(app.url, { ...form, casa: casa() })).body.error).toBe('invalid_grant');
    await open(inAnHour());
    expect((await postToken(app.url, { ...form, casa: casa() })).status).toBe(200);
  });

  it('is written down when the token is handed out, never before', async () => {
    await open(inAnHour());
    const visits = async () => (await auditTrail(app)).filter((line) => line.startsWith('support_access.begin')).length;
    const before = await visits();
    const form = { ...(await aCodeOf(staff)), casa: casa() };
    expect((await postToken(app.url, { ...form, client_secret: 'wrong' })).status).toBe(401);
    expect(await visits()).toBe(before);
    expect((await postToken(app.url, form)).status).toBe(200);
    expect(await visits()).toBe(before + 1);
    expect((await postToken(app.url, form)).status).toBe(400);
    expect(await visits()).toBe(before + 1);
  });

  it('is not for users of other customers, and not for client credentials', async () => {
    await open(inAnHour());
    const stranger = await aUser(app, { adminLevel: 10 });
    expect((await postToken(app.url, { ...(await aCodeOf(stranger)), casa: casa() })).body.error).toBe('invalid_grant');
    const robot = await aClient(app, { clientSecret: 's', grantTypes: ['client_credentials'], serviceUser: staff.email });
    const form = { client_id: robot.clientId, client_secret: 's', grant_type: 'client_credentials', casa: casa() };
    expect((await postToken(app.url, form)).body.error).toBe('invalid_grant');
  });

  it('cannot request a code with its token', async () => {
    await open(inAnHour());
    const { body } = await postToken(app.url, { ...(await aCodeOf(staff)), casa: casa() });
    const headers = { authorization: `Bearer ${body.access_token}`, 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify({ client_id: clientId, state: 's' }) };
    const response = await fetch(`${app.url}/v4/requestCode`, request);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([403, 'support_access_not_passed_on']);
  });

  it('ends no authorization of the user, whichever operation it tries', async () => {
    await open(inAnHour());
    const { body } = await postToken(app.url, { ...(await aCodeOf(staff)), casa: casa() });
    const own = await obtainTokens(app, { user, client: await aClient(app) });
    const headers = bearer(body.access_token);
    const [application] = (await call(`${app.url}/v4/apps`, { headers })).body;
    const { id, client_id } = application;
    const attempts = [
      ['DELETE', `/v4/apps/${id}`],
      ['DELETE', '/v4/apps/2147483647'],
      ...[{ id }, { client_id }, { device: 'tv' }, {}].map((json) => ['POST', '/v4/deauthorize', json] as const),
    ] as const;
    for (const [method, path, json] of attempts) {
      const { status, body: refusal } = await call(app.url + path, { method, headers, json });
      expect([method, path, status, refusal.code]).toEqual([method, path, 403, 'support_access_denied']);
    }
    const session = new TestBrowser(app.url);
    await signIn(session, authorizeUrl(app.url, { client_id: clientId, redirect_uri: REDIRECT_URI }), user);
    for (const form of ['deauthorize', 'end-session']) {
      await fetch(`${app.url}/account/${form}`, {
        method: 'POST',
        headers: { ...headers, origin: app.url },
        body: new URLSearchParams({ id: String(id) }),
        redirect: 'manual',
      });
    }
    expect((await session.open('/account')).status).toBe(200);
    expect(await works(app, own.access_token)).toBe(true);
    const byUser = await call(`${app.url}/v4/apps/${id}`, { method: 'DELETE', headers: bearer(own.access_token) });
    expect(byUser.status).toBe(200);
  });

  it('may use no other operation of the authorization server that changes something for the user', () => {
    const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
      paths: Record<string, Record<string, { security?: object[] }>>;
    };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security = [] }]) => ({
        name: `${method} ${path}`,
        takesToken: security.some((one) => 'oauth2' in one),
      })),
    );
    const changing = operations.filter(({ name, takesToken }) => takesToken && / \/v4\//.test(name) && !name.startsWith('get '));
    const refused = ['delete /v4/apps/{id}', 'post /v4/deauthorize', 'post /v4/requestCode'];
    const reading = ['post /v4/introspect', 'post /v4/userinfo'];
    expect(changing.map(({ name }) => name).sort()).toEqual([...refused, ...reading].sort());
  });

  it('is shown to the user on the account page with its end, the staff and the reason', async () => {
    await open(inAnHour());
    await postToken(app.url, { ...(await aCodeOf(staff)), casa: casa({ reason: 'a <b>broken</b> upload' }) });
    const browser = new TestBrowser(app.url);
    await signIn(browser, authorizeUrl(app.url, { client_id: clientId, redirect_uri: REDIRECT_URI }), user);
    const html = await (await browser.open('/account')).text();
    expect(html).toContain('Support access');
    expect(html).toContain(staff.email);
    expect(html).toContain('a &lt;b&gt;broken&lt;/b&gt; upload');
  });

  describe('during a visit', () => {
    let support: Record<string, string>;
    let users: Record<string, string>;
    beforeAll(async () => {
      await open(inAnHour());
      support = bearer((await postToken(app.url, { ...(await aCodeOf(staff)), casa: casa() })).body.access_token);
      users = bearer(await tokenOf(app, user));
    });
    const send = async (headers: Record<string, string>, method: string, path: string, json?: object) =>
      await call(`${app.url}/v5/${path}`, { method, headers, ...(json ? { json } : {}) });

    it('cannot create or change anything that outlasts it or admits others, which the user can', async () => {
      const instructions = [{ type: 'https', url: 'https://example.org/hook' }];
      const subscription = { name: 'event:s3success', flag: 0, instructions };
      const made = await send(users, 'POST', 'subscriptions', subscription);
      const dropsite = await send(users, 'POST', 'dropsite', { name: 'The users own' });
      expect([made.status, dropsite.status]).toEqual([201, 201]);
      const player = {
        name: 'A',
        type: 'video',
        templateId: 1,
        formats: [],
        securitySettings: { authOnly: true, auth: { enabled: true } },
      };
      const played = await send(users, 'POST', 'playerconfiguration', player);
      const attempts: [string, string, object][] = [
        ['POST', 'subscriptions', subscription],
        ['POST', 'subscriptions/createDownloadLink', { payload: { mediaContainerId: 1 } }],
        ['POST', 'subscriptions/dropsiteUploadStarted', {}],
        ['PUT', `subscriptions/${made.body.id}`, subscription],
        ['PUT', 'subscriptions', { ...subscription, id: made.body.id }],
        ['POST', 'downloadlink', { mediaContainerIds: [1] }],
        ['POST', 'embedlink/1', { playerConfigurationId: 1 }],
        ['POST', 'dropsite', { name: 'Left behind' }],
        ['PUT', `dropsite/${dropsite.body.id}`, { name: 'Other' }],
        ['PUT', 'dropsite', { id: dropsite.body.id, name: 'Other' }],
        ['POST', 'playerconfiguration', { ...player, autoGenerate: true }],
        ['PUT', `playerconfiguration/${played.body.id}`, { ...player, autoGenerate: true }],
        ['PUT', 'playerconfiguration', { ...player, id: played.body.id, autoGenerate: true }],
        ['PUT', `playerconfiguration/${played.body.id}`, { formats: [], securitySettings: null }],
      ];
      for (const [method, path, json] of attempts) {
        const { status, body } = await send(support, method, path, json);
        expect([method, path, status, body.code]).toEqual([method, path, 403, 'support_access_denied']);
        const operation = `/v5/${path.replace(/\/\d+/, '/{id}').replace(/^(subscriptions)\/[^/]+$/, '$1/{idOrTemplate}')}`;
        expect([operation, documentedRefusals(operation, method)]).toEqual([operation, expect.stringContaining('`support_access_denied`')]);
      }
      for (const path of ['subscriptions', 'dropsite', 'downloadlink', 'playerconfiguration', 'format', 'customer']) {
        expect([path, (await send(support, 'GET', path)).status]).toEqual([path, 200]);
      }
      expect((await send(support, 'GET', 'dropsite')).body).toHaveLength(1);
      const { securitySettings } = played.body;
      const renamed = await send(support, 'PUT', `playerconfiguration/${played.body.id}`, { name: 'C', formats: [], securitySettings });
      expect([renamed.status, renamed.body]).toMatchObject([200, { name: 'C', securitySettings }]);
    });

    it('names the support user beside the user in audit records and as the last editor', async () => {
      const own = await send(users, 'POST', 'playerconfiguration', { name: 'A', type: 'video', templateId: 1, formats: [] });
      expect(own.body).toMatchObject({ lastEditorId: user.id });
      expect(own.body).not.toHaveProperty('lastEditorSupportUserId');
      const mended = await send(support, 'PUT', `playerconfiguration/${own.body.id}`, { name: 'B', formats: [] });
      expect(mended.body).toMatchObject({ name: 'B', lastEditorId: user.id, lastEditorSupportUserId: staff.id });
      const all: { id: number; converter: string }[] = (await send(users, 'GET', 'format')).body;
      const blueprint = all.find(({ converter }) => converter === 'imagemagick') ?? all[0];
      const wanted = { name: 'Ours', blueprintId: blueprint?.id, converter: blueprint?.converter, settings: {} };
      const format = await send(support, 'POST', 'format', wanted);
      expect(format).toMatchObject({ status: 201, body: { lastEditorId: user.id, lastEditorSupportUserId: staff.id } });
      const again = await send(users, 'PUT', `format/${format.body.id}`, { name: 'Mine' });
      expect(again.body).toMatchObject({ lastEditorId: user.id });
      expect(again.body).not.toHaveProperty('lastEditorSupportUserId');

      const chief = await aUser(app, { customer: 'Acme', adminLevel: 9 });
      const visit = await postToken(app.url, { ...(await aCodeOf(staff)), casa: casa({ userId: chief.id }) });
      expect((await send(bearer(visit.body.access_token), 'PUT', 'customer', { burnTimecode: { font: 24 } })).status).toBe(200);
      expect((await send(bearer(await tokenOf(app, chief)), 'PUT', 'customer', { burnTimecode: null })).status).toBe(200);
      const records = [];
      for await (const { action, actor, onBehalfOf } of app.app.get(AuditService).all()) records.push({ action, actor, onBehalfOf });
      expect(records.filter(({ action }) => action === 'customer.update')).toEqual([
        { action: 'customer.update', actor: `user:${staff.id}`, onBehalfOf: `user:${chief.id}` },
        { action: 'customer.update', actor: `user:${chief.id}`, onBehalfOf: null },
      ]);
    });
  });
});
