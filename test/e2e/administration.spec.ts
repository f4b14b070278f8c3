import { randomUUID, X509Certificate } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AccessKeysService, AccountLinksService, tokenOfLink, type User } from '../../src/modules/accounts/index.js';
import { SecondFactorsRepository } from '../../src/modules/accounts/second-factors/second-factors.repository.js';
import { Client, ClientsService } from '../../src/modules/oauth/index.js';
import { MetadataReaderService } from '../../src/modules/saml/metadata-reader.service.js';
import { SamlIdentitiesRepository } from '../../src/modules/saml/saml-identities.repository.js';
import { AuditService } from '../../src/shared/audit/audit.service.js';
import { Database } from '../../src/shared/database/index.js';
import { JobsService } from '../../src/shared/jobs/index.js';
import { Mailer } from '../../src/shared/mail/index.js';
import { type LimitedThread, ThreadLimitExceeded } from '../../src/shared/threads/index.js';
import { nextMail } from '../support/accounts/account-mails.js';
import { type AdministrationWorld, aMetadata, anAdministration } from '../support/accounts/administration.js';
import { works } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens, postToken } from '../support/accounts/scenario.js';
import { admin, applyDocument } from '../support/app/admin.js';
import { useTestApp } from '../support/app/test-app.js';
import { call, tokenOf } from '../support/media/uploads.js';

const app = useTestApp({ worker: 'inline' });
let world: AdministrationWorld;
let token: string;
beforeAll(async () => {
  world = await anAdministration(app);
});
beforeEach(async () => {
  token = await tokenOf(app, world.people['level 10']); // of a person who has just signed in
});

const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of a body is what it asserts
  await call<any>(`${app.url}${path}`, { method, token, body, headers });
const aColleague = async (more: object = {}): Promise<User> => await aUser(app, { customer: 'Acme', ...more });

/** The records of a subject, the oldest first, as `action actor`. */
async function recordsOf(subject: string): Promise<string[]> {
  const found = await app.app.get(AuditService).find({ subject, withCommon: true }, { limit: 100 });
  return found.reverse().map(({ action, actor }) => `${action} ${actor}`);
}
const me = () => `user:${world.people['level 10'].id}`;

describe('the administration of users', () => {
  it('finds them by id, kind and address, in any spelling', async () => {
    const user = await aColleague({ email: 'grace@exämple.test' });
    const found = await send('GET', `/v5/user?${new URLSearchParams({ email: 'Grace@EXÄMPLE.test' })}`);
    const expected = {
      id: user.id,
      customerId: user.customerId,
      email: 'grace@xn--exmple-cua.test',
      kind: 'person',
      firstname: 'Ada',
      lastname: 'Lovelace',
      adminLevel: 0,
      hasPassword: true,
      requireSecondFactor: false,
      hasSecondFactor: false,
      emailDisputedAt: null,
      disabledAt: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    };
    expect(found.body).toEqual([expected]);
    expect((await send('GET', `/v5/user?id=${user.id}`)).body).toEqual([expected]);
    expect((await send('GET', '/v5/user?id=999999999')).body).toEqual([]);
    const services = (await send('GET', '/v5/user?kind=service')).body as { kind: string }[];
    expect(new Set(services.map(({ kind }) => kind))).toEqual(new Set(['service']));
  });

  it('has pages in the order of the ids', async () => {
    const { headers, body } = await send('GET', '/v5/user?limit=2');
    const next = headers.get('link')?.match(/<(.*)>; rel="next"/)?.[1] ?? '';
    const following = (await send('GET', next)).body as { id: number }[];
    expect(following[0]?.id).toBeGreaterThan(body[1].id);
  });

  it('creates and changes them, with one record each, and refuses an address in use', async () => {
    const created = await send('POST', '/v5/user', { email: 'Linus@acme.example', firstname: 'Linus', adminLevel: 5 });
    expect(created).toMatchObject({ status: 201, body: { email: 'linus@acme.example', adminLevel: 5, lastname: '', hasPassword: false } });
    const path = `/v5/user/${created.body.id}`;
    expect((await send('PUT', path, { adminLevel: 9, lastname: 'T.', requireSecondFactor: true })).body).toMatchObject({
      requireSecondFactor: true,
      firstname: 'Linus',
      lastname: 'T.',
      adminLevel: 9,
    });
    await send('PUT', path, { adminLevel: 9 }); // changes nothing
    expect(await recordsOf(`user:${created.body.id}`)).toEqual([`user.create ${me()}`, `user.update ${me()}`]);
    const other = world.people['other customer'].email;
    for (const answer of [await send('POST', '/v5/user', { email: other }), await send('PUT', path, { email: other.toUpperCase() })]) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'email_taken' } });
    }
  });

  it('invites a person by mail, again with a new link, and to a new address', async () => {
    const { id } = (await send('POST', '/v5/user', { email: 'margaret@acme.example' })).body;
    const first = await nextMail(app, 'margaret@acme.example');
    expect(first.link).toMatch(/\/account\/link#[\w-]{43}$/);
    expect((await send('POST', `/v5/user/${id}/invite`)).status).toBe(200);
    const second = await nextMail(app, 'margaret@acme.example', 2);
    await send('PUT', `/v5/user/${id}`, { email: 'margaret@apollo.example' });
    const third = await nextMail(app, 'margaret@apollo.example');
    const links = app.app.get(AccountLinksService);
    const isGood = async ({ link }: { link: string }) => (await links.find(tokenOfLink(link) ?? '', 'invitation')) !== null;
    expect([await isGood(first), await isGood(second), await isGood(third)]).toEqual([false, false, true]);
    const colleague = await aColleague();
    expect(await send('POST', `/v5/user/${colleague.id}/invite`)).toMatchObject({ status: 409, body: { code: 'invitation_accepted' } });
    const disabled = (await send('POST', '/v5/user', { email: 'annie@acme.example' })).body;
    await send('POST', `/v5/user/${disabled.id}/disable`);
    expect(await send('POST', `/v5/user/${disabled.id}/invite`)).toMatchObject({ status: 409, body: { code: 'user_disabled' } });
    expect(await recordsOf(`user:${id}`)).toEqual([`user.create ${me()}`, `user.invite ${me()}`, `user.update ${me()}`]);
  });

  it('invites nobody, and resets no second factor, while the service sends no mail', async () => {
    const invited = (await send('POST', '/v5/user', { email: 'katherine@acme.example' })).body;
    const colleague = await aColleague();
    const unavailable = { status: 503, body: { code: 'mails_unavailable', detail: expect.stringContaining('SMTP_URL') } };
    const withoutMails = jest.replaceProperty(app.app.get(Mailer), 'available', false);
    try {
      expect(await send('POST', '/v5/user', { email: 'dorothy@acme.example' })).toMatchObject(unavailable);
      expect(await send('POST', `/v5/user/${invited.id}/invite`)).toMatchObject(unavailable);
      expect(await send('PUT', `/v5/user/${invited.id}`, { email: 'mary@acme.example' })).toMatchObject(unavailable);
      expect(await send('POST', `/v5/user/${colleague.id}/resetSecondFactor`)).toMatchObject(unavailable);
      expect((await send('POST', '/v5/user', { email: 'robot@acme.example', kind: 'service' })).status).toBe(201);
    } finally {
      withoutMails.restore();
    }
    expect((await send('GET', '/v5/user?email=dorothy@acme.example')).body).toEqual([]);
    expect((await send('GET', `/v5/user/${invited.id}`)).body.email).toBe('katherine@acme.example');
    expect(await recordsOf(`user:${colleague.id}`)).toEqual([]);
  });

  it('mails the link with which a person removes lost second factors, and only shows whether there are any', async () => {
    const user = await aColleague();
    const now = new Date();
    await app.app.get(SecondFactorsRepository).insertPasskey({
      ...{
        userId: user.id,
        name: 'Key',
        credentialId: `credential-${user.id}`,
        publicKey: 'AA',
        counter: 0,
        transports: [],
        synced: false,
      },
      boundAt: now,
    });
    expect((await send('GET', `/v5/user?id=${user.id}`)).body).toMatchObject([{ hasSecondFactor: true }]);
    const answer = await send('POST', `/v5/user/${user.id}/resetSecondFactor`);
    expect(answer).toMatchObject({ status: 200, body: { id: user.id, hasSecondFactor: true } });
    const { link } = await nextMail(app, user.email);
    expect(await app.app.get(AccountLinksService).find(tokenOfLink(link) ?? '', 'factor-reset')).toMatchObject({ userId: user.id });
    expect(await recordsOf(`user:${user.id}`)).toEqual([`user.allow_factor_reset ${me()}`]);
    const service = await aColleague({ kind: 'service' });
    const refused = await send('POST', `/v5/user/${service.id}/resetSecondFactor`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'factor_reset_impossible' } });
  });

  it('disables and enables them: their tokens stop and start working', async () => {
    const user = await aColleague();
    const theirs = await tokenOf(app, user);
    const disabled = await send('POST', `/v5/user/${user.id}/disable`);
    expect(disabled.body.disabledAt).toEqual(expect.any(String));
    expect(await works(app, theirs)).toBe(false);
    expect((await send('POST', `/v5/user/${user.id}/disable`)).body.disabledAt).toBe(disabled.body.disabledAt);
    expect((await send('POST', `/v5/user/${user.id}/enable`)).body.disabledAt).toBeNull();
    expect(await works(app, theirs)).toBe(true);
    expect(await recordsOf(`user:${user.id}`)).toEqual([`user.disable ${me()}`, `user.enable ${me()}`]);
  });

  it('erases a person from everything of the customer, and from nothing of another', async () => {
    const user = await aColleague({ email: 'leaving@acme.example', firstname: 'Lea' });
    const mail = { kind: 'email-changed', userId: user.id, thing: user.email, to: user.email };
    const runAt = new Date(Date.now() + 3_600_000); // it has failed, and is tried again later
    await app.app.get(JobsService).add('account-mail', mail, { queue: `account-mail:${user.id}`, runAt });
    const elsewhere = world.people['other customer'];
    const texts = { reason: 'asked by leaving@acme.example', action: 'note.add', actor: 'admin:x' };
    const audit = app.app.get(AuditService);
    await audit.record({ ...texts, subject: 'note:1', customerId: user.customerId });
    const dropsite = async (as: User) =>
      (await call<{ id: number }>(`${app.url}/v5/dropsite`, { token: await tokenOf(app, as), body: { name: 'For leaving@acme.example' } }))
        .body.id;
    const [ours, theirs] = [await dropsite(world.people['level 9']), await dropsite(elsewhere)];
    expect(await send('DELETE', `/v5/user/${user.id}`)).toMatchObject({ status: 200, body: { id: user.id } });
    expect((await send('GET', `/v5/user/${user.id}`)).status).toBe(404);
    expect((await send('GET', '/v5/user?email=leaving@acme.example')).body).toEqual([]);
    const { rows } = await app.app.get(Database).query('SELECT id, name FROM dropsites WHERE id = ANY($1) ORDER BY id', [[ours, theirs]]);
    expect(rows).toEqual([
      { id: ours, name: `For erased-${user.id}@erased.invalid` },
      { id: theirs, name: 'For leaving@acme.example' },
    ]);
    const jobs = 'SELECT FROM graphile_worker._private_jobs WHERE payload::text LIKE $1';
    expect((await app.app.get(Database).query(jobs, ['%leaving@%'])).rowCount).toBe(0);
    expect(await recordsOf(`user:${user.id}`)).toEqual([`user.erase ${me()}`]);
  });

  it('never ends the last administrator of a customer, also not two at once', async () => {
    const one = await aUser(app, { customer: 'Twins', adminLevel: 9 });
    const two = await aUser(app, { customer: 'Twins', adminLevel: 9 });
    const twin = async (user: User, method: string, action = '', body?: object) =>
      await call(`${app.url}/v5/user/${user.id}${action}`, { method, token: await tokenOf(app, user), body });
    const answers = await Promise.all([twin(one, 'POST', '/disable'), twin(two, 'PUT', '', { adminLevel: 8 })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const last = answers[0]?.status === 409 ? one : two;
    for (const answer of [
      await twin(last, 'POST', '/disable'),
      await twin(last, 'PUT', '', { adminLevel: 0 }),
      await twin(last, 'DELETE'),
    ]) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'last_administrator' } });
    }
  });

  it('counts only administrators who can sign in', async () => {
    const chief = await aUser(app, { customer: 'Solo', adminLevel: 9 });
    const theirs = await tokenOf(app, chief);
    const ask = async (method: string, path: string, body?: object) =>
      await call<{ id: number; code?: string }>(`${app.url}${path}`, { method, token: theirs, body });
    const invited = (await ask('POST', '/v5/user', { email: 'next@solo.example', adminLevel: 9 })).body;
    const demote = async () => await ask('PUT', `/v5/user/${chief.id}`, { adminLevel: 8 });
    const lastAdministrator = { status: 409, body: { code: 'last_administrator' } };
    expect(await demote()).toMatchObject(lastAdministrator);
    expect(await ask('DELETE', `/v5/user/${invited.id}`)).toMatchObject({ status: 200 }); // who was none yet
    // One who signs in at an identity provider counts, as long as it accepts the level.
    const metadata = await aMetadata();
    const { id } = (await ask('POST', '/v5/identityProvider', { ssoIdentifier: 'solo', metadata })).body;
    const external = (await ask('POST', '/v5/user', { email: 'external@solo.example', adminLevel: 9 })).body;
    await app.app.get(SamlIdentitiesRepository).link(id, { nameId: 'external', nameIdFormat: '' }, external.id);
    const limit = 'UPDATE identity_providers SET max_admin_level = $1 WHERE id = $2';
    await app.app.get(Database).query(limit, [8, id]);
    expect(await demote()).toMatchObject(lastAdministrator);
    await app.app.get(Database).query(limit, [9, id]);
    await ask('PUT', `/v5/user/${external.id}`, { email: 'moved@solo.example' }); // needs no invitation there
    expect((await nextMail(app, 'moved@solo.example')).subject).toContain('changed');
    expect(await demote()).toMatchObject({ status: 200 });
    // Now that one is the last, so their identity provider stays too.
    const last = await tokenOf(app, external);
    const remove = async () => await call(`${app.url}/v5/identityProvider/${id}`, { method: 'DELETE', token: last });
    expect(await remove()).toMatchObject(lastAdministrator);
    await app.app.get(Database).query('UPDATE users SET admin_level = 9 WHERE id = $1', [chief.id]);
    expect(await remove()).toMatchObject({ status: 200 });
  });

  it('keeps the last administrator, whatever the command line does', async () => {
    const chief = await aUser(app, { customer: 'Alone', adminLevel: 9, email: 'chief@alone.example' });
    const entry = (email: string, adminLevel: number) => ({ email, customer: 'Alone', firstname: 'A', lastname: 'B', adminLevel });
    const refused = `User ${chief.id} is the last administrator`;
    await expect(admin(app, ['users', 'disable', chief.email])).rejects.toThrow(refused);
    await expect(admin(app, ['users', 'remove', chief.email, '--yes'])).rejects.toThrow(refused);
    await expect(admin(app, ['users', 'erase', chief.email, '--yes'])).rejects.toThrow(refused);
    await expect(applyDocument(app, { users: [entry(chief.email, 0)] })).rejects.toThrow(refused);
    expect(await recordsOf(`user:${chief.id}`)).toEqual([]);
    const password = 'correct horse battery staple';
    await applyDocument(app, { users: [entry(chief.email, 0), { ...entry('heir@alone.example', 9), password }] });
    expect((await recordsOf(`user:${chief.id}`)).map((one) => one.split(' ')[0])).toContain('user.set_admin_level');
  });

  it('lists and ends sessions', async () => {
    const user = await aColleague();
    const client = await aClient(app);
    const [first, second] = [await obtainTokens(app, { user, client }), await obtainTokens(app, { user, client })];
    const path = `/v5/user/${user.id}/sessions`;
    const { body } = await send('GET', path);
    const session = {
      id: expect.any(String),
      ip: '127.0.0.1',
      userAgent: expect.any(String),
      signedInAt: expect.any(String),
      expiresAt: expect.any(String),
    };
    expect(body).toEqual([session, session]);
    expect((await send('GET', `${path}?limit=1`)).headers.get('link')).toContain('cursor=1');
    expect((await send('DELETE', `${path}/${body[0].id}`)).body).toEqual({ id: user.id, ended: 1 });
    expect((await send('DELETE', `${path}/${body[0].id}`)).status).toBe(404);
    expect(await works(app, first.access_token)).toBe(true);
    expect((await send('DELETE', path)).body).toEqual({ id: user.id, ended: 1 });
    expect(await works(app, second.access_token)).toBe(false);
    expect((await send('GET', path)).body).toEqual([]);
    expect(await recordsOf(`user:${user.id}`)).toEqual([`user.end_session ${me()}`, `user.end_sessions ${me()}`]);
  });
});

describe('the administration of client applications', () => {
  const body = { name: 'Newsroom', type: 'web', redirectUris: ['https://newsroom.example/cb'] };

  it('shows a secret once, and rotates it', async () => {
    const service = await aColleague({ kind: 'service' });
    const grantTypes = ['client_credentials'];
    const created = await send('POST', '/v5/client', { ...body, redirectUris: [], grantTypes, serviceUserId: service.id });
    expect(created).toMatchObject({
      status: 201,
      body: { confidential: true, requirePkce: false, firstParty: false, serviceUserId: service.id },
    });
    const { id, clientId, clientSecret } = created.body;
    const exchange = async (secret: string) =>
      (await postToken(app.url, { grant_type: 'client_credentials', client_id: clientId, client_secret: secret })).status;
    expect(await exchange(clientSecret)).toBe(200);
    expect(Object.keys((await send('GET', `/v5/client/${id}`)).body)).not.toContain('clientSecret');
    const rotated = (await send('POST', `/v5/client/${id}/rotateSecret`, { keepOldSeconds: 60 })).body;
    expect(rotated).toEqual({ id, clientId, clientSecret: expect.any(String), oldSecretEndsAt: expect.any(String) });
    expect([await exchange(clientSecret), await exchange(rotated.clientSecret)]).toEqual([200, 200]);
    const again = (await send('POST', `/v5/client/${id}/rotateSecret`)).body;
    expect(again.oldSecretEndsAt).toBeNull();
    expect([await exchange(rotated.clientSecret), await exchange(again.clientSecret)]).toEqual([401, 200]);
    await send('DELETE', `/v5/client/${id}`);
    expect(await exchange(again.clientSecret)).toBe(401);
    const actions = ['client.create', 'client.rotate_secret', 'client.rotate_secret', 'client.remove'];
    expect(await recordsOf(`client:${clientId}`)).toEqual(actions.map((action) => `${action} ${me()}`));
  });

  it('reports all problems of its settings', async () => {
    const { status, body: problem } = await send('POST', '/v5/client', {
      ...body,
      redirectUris: ['https://newsroom.example/*', 'no URI'],
      grantTypes: ['authorization_code', 'client_credentials'],
      confidential: false,
    });
    const paths = problem.errors.map(({ path }: { path: string }) => path);
    expect([status, paths]).toEqual([400, ['redirectUris.0', 'redirectUris.1', 'serviceUserId', 'confidential']]);
    const foreign = await send('POST', '/v5/client', { ...body, serviceUserId: world.people['other customer'].id });
    expect(foreign).toMatchObject({ status: 400, body: { errors: [{ path: 'serviceUserId', code: 'not_found' }] } });
    const ours = await aClient(app);
    const taken = await send('POST', '/v5/client', { ...body, clientId: ours.clientId });
    expect(taken).toMatchObject({ status: 409, body: { code: 'client_id_taken' } });
  });

  it.each(['account', 'console', 'Console', 'CLI', 'demo', 'swagger', `dropsite-${randomUUID()}`])(
    'has no id that the service relies on: %s',
    async (clientId) => {
      for (const by of ['level 10', 'operator'] as const) {
        const refused = await world.as(by, 'POST', '/v5/client', { ...body, clientId });
        expect(refused).toMatchObject({ status: 409, body: { code: 'client_id_reserved' } });
      }
    },
  );

  it('that acts as a user of another customer is changed by operators only', async () => {
    const { id, clientId } = (await send('POST', '/v5/client', { ...body, confidential: true })).body;
    const { people } = world;
    await app.app.get(Database).repository(Client).update({ id }, { serviceUserId: people['other customer'].id });
    const changes = [
      ['PUT', `/v5/client/${id}`, { redirectUris: ['https://elsewhere.example/cb'] }],
      ['PUT', `/v5/client/${id}`, { serviceUserId: null }],
      ['POST', `/v5/client/${id}/rotateSecret`, {}],
      ['DELETE', `/v5/client/${id}`, {}],
    ] as const;
    for (const [method, path, change] of changes) {
      expect(await send(method, path, change)).toMatchObject({ status: 403, body: { code: 'operator_only' } });
    }
    expect((await world.as('operator', 'DELETE', `/v5/client/${id}`)).status).toBe(200);
    expect(await app.app.get(ClientsService).findStored(clientId)).toBeNull();
  });

  it('becomes confidential and public, and can be used at once', async () => {
    const { id, clientId } = (await send('POST', '/v5/client', { ...body, clientId: 'acme-desk' })).body;
    expect((await send('GET', '/v5/client?clientId=acme-desk')).body).toMatchObject([{ id, confidential: false, requirePkce: true }]);
    const confidential = (await send('PUT', `/v5/client/${id}`, { confidential: true })).body;
    expect(confidential).toMatchObject({ clientId, confidential: true, clientSecret: expect.any(String) });
    const { body: open } = await send('PUT', `/v5/client/${id}`, { confidential: false, name: 'Desk' });
    expect(open).toMatchObject({ confidential: false, name: 'Desk' });
    expect(open).not.toHaveProperty('clientSecret');
    expect(await send('POST', `/v5/client/${id}/rotateSecret`)).toMatchObject({ status: 400, body: { code: 'client_is_public' } });
  });

  it('leaves those of the operator to operators', async () => {
    const ours = await aClient(app);
    expect((await send('GET', `/v5/client/${ours.id}`)).status).toBe(404);
    const { body: found } = await world.as('operator', 'GET', `/v5/client?clientId=${ours.clientId}`);
    expect(found).toMatchObject([{ id: ours.id, customerId: null, firstParty: true }]);
    const trusted = await world.as('operator', 'POST', '/v5/client', {
      ...body,
      firstParty: true,
      customerId: world.people['level 10'].customerId,
    });
    expect(trusted.status).toBe(201);
    const answer = await send('PUT', `/v5/client/${trusted.body.id}`, { redirectUris: ['https://elsewhere.example/cb'] });
    expect(answer).toMatchObject({ status: 403, body: { code: 'operator_only' } });
  });
});

describe('the administration of access keys', () => {
  it('shows the secret once, and ends the key', async () => {
    const user = await aColleague();
    const created = await send('POST', '/v5/accessKey', { userId: user.id });
    const { id, accessKey, accessSecret } = created.body;
    expect(created).toMatchObject({ status: 201, body: { userId: user.id, customerId: user.customerId } });
    expect(await app.app.get(AccessKeysService).find(accessKey)).toMatchObject({ accessSecret, userId: user.id });
    expect((await send('GET', `/v5/accessKey?userId=${user.id}`)).body).toEqual([
      { id, accessKey, userId: user.id, customerId: user.customerId, createdAt: expect.any(String) },
    ]);
    expect((await send('DELETE', `/v5/accessKey/${id}`)).body).toEqual({ id });
    expect(await app.app.get(AccessKeysService).find(accessKey)).toBeNull();
    expect((await send('DELETE', `/v5/accessKey/${id}`)).status).toBe(404);
    expect(await recordsOf(`access_key:${accessKey}`)).toEqual([`access_key.create ${me()}`, `access_key.remove ${me()}`]);
  });
});

describe('the administration of identity providers', () => {
  it('reads the metadata, replaces certificates, and says what is wrong', async () => {
    const [one, two] = [await aMetadata(), await aMetadata('https://new.acme.example')];
    const created = await send('POST', '/v5/identityProvider', {
      ssoIdentifier: 'acme-sso',
      metadata: one,
      attributeMapping: { email: 'mail' },
    });
    expect(created).toMatchObject({
      status: 201,
      body: {
        issuer: 'https://idp.acme.example/metadata',
        ssoUrl: 'https://idp.acme.example/sso',
        createUsers: false,
        linkByEmail: true,
        maxAdminLevel: 10,
      },
    });
    const { id, certificates } = created.body;
    const changed = (await send('PUT', `/v5/identityProvider/${id}`, { metadata: two, createUsers: true })).body;
    expect(changed).toMatchObject({ issuer: 'https://new.acme.example', createUsers: true, attributeMapping: { email: 'mail' } });
    expect(changed.certificates).not.toEqual(certificates);
    expect(new X509Certificate(changed.certificates[0]).subject).toContain('idp.acme.example');
    const broken = await send('PUT', `/v5/identityProvider/${id}`, { metadata: '<html/>' });
    expect(broken).toMatchObject({ status: 400, body: { errors: [{ path: 'metadata' }] } });
    const taken = await world.as('other customer', 'POST', '/v5/identityProvider', { ssoIdentifier: 'acme-sso', metadata: one });
    expect(taken).toMatchObject({ status: 409, body: { code: 'sso_identifier_taken' } });
    await send('DELETE', `/v5/identityProvider/${id}`);
    const actions = ['identity_provider.create', 'identity_provider.update', 'identity_provider.remove'];
    expect(await recordsOf('identity_provider:acme-sso')).toEqual(actions.map((action) => `${action} ${me()}`));
  });

  it('limits the sign-ins to the level of the administrator who configured it', async () => {
    const metadata = await aMetadata();
    const { id } = (await world.as('level 100', 'POST', '/v5/identityProvider', { ssoIdentifier: 'acme-limits', metadata })).body;
    const path = `/v5/identityProvider/${id}`;
    const limit = async () => (await send('GET', path)).body.maxAdminLevel;
    expect(await limit()).toBe(100);
    await world.as('level 9', 'PUT', path, {});
    expect(await limit()).toBe(100);
    await world.as('level 9', 'PUT', path, { linkByEmail: false });
    expect(await limit()).toBe(9);
    await world.as('level 100', 'PUT', path, { linkByEmail: true });
    expect(await limit()).toBe(9);
    await world.as('level 10', 'PUT', path, { metadata });
    expect(await limit()).toBe(10);
  });
});

describe('the metadata of an identity provider', () => {
  const read = async (metadata: string) => await send('POST', '/v5/identityProvider', { ssoIdentifier: 'hostile', metadata });
  const within = (content: string) => `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata">${content}</EntityDescriptor>`;

  it.each([
    ['is nested deeply', within('<a>'.repeat(20_000) + '</a>'.repeat(10_000))],
    ['has many elements', within('<a/>'.repeat(30_000))],
    ['has many attributes', within(`<a ${Array.from({ length: 8_000 }, (_, index) => `b${index}=""`).join(' ')}/>`)],
    ['has many namespaces', within(`<a ${Array.from({ length: 5_000 }, (_, index) => `xmlns:n${index}="u:${index}"`).join(' ')}/>`)],
    ['has entities', `<!DOCTYPE a [<!ENTITY b "${'c'.repeat(10_000)}">]><a>${'&b;'.repeat(10_000)}</a>`],
    ['is not closed', within(`<a b="${'<'.repeat(100_000)}`)],
    ['has many comments', within('<!---->'.repeat(15_000))],
  ])('that %s is refused, with the reason', async (_, metadata) => {
    const { status, body } = await read(metadata);
    expect([status, body.errors]).toEqual([400, [{ path: 'metadata', code: 'metadata', message: expect.stringMatching(/.{20}/) }]]);
  });

  it('is refused when it takes too long or too much memory, and read beside other requests', async () => {
    const { thread } = app.app.get(MetadataReaderService) as unknown as { thread: LimitedThread<unknown, unknown> };
    const slow = jest.spyOn(thread, 'run').mockRejectedValueOnce(new ThreadLimitExceeded('The computation takes too long.'));
    expect((await read('<a/>')).body.errors[0].message).toContain('takes too long');
    slow.mockRestore();
    expect((await read('<a/>')).body.errors[0].message).toContain('is not the metadata');
  });
});

describe('the customers', () => {
  it('are created, found and changed by operators, who invite their first administrator', async () => {
    const as = async (method: string, path: string, body?: object) => await world.as('operator', method, path, body);
    const created = await as('POST', '/v5/customers', { name: 'Radio' });
    expect(created).toMatchObject({
      status: 201,
      body: { name: 'Radio', operator: false, supportAccessUntil: null, requireSecondFactor: false },
    });
    const { id } = created.body;
    expect(await as('POST', '/v5/customers', { name: 'Radio' })).toMatchObject({ status: 409, body: { code: 'customer_name_taken' } });
    expect(await as('PUT', `/v5/customers/${id}`, { name: 'Acme' })).toMatchObject({ status: 409, body: { code: 'customer_name_taken' } });
    const changed = await as('PUT', `/v5/customers/${id}`, { requireSecondFactor: true, supportAccessUntil: '2099-01-01T00:00:00Z' });
    expect(changed.body).toMatchObject({ name: 'Radio', requireSecondFactor: true, supportAccessUntil: null });
    await as('PUT', `/v5/customers/${id}`, { name: 'Radio' }); // changes nothing
    expect((await as('GET', '/v5/customers?search=rAdI')).body).toMatchObject([{ id }]);
    expect((await as('GET', '/v5/customers?search=%25')).body).toEqual([]);
    expect((await as('GET', `/v5/customers/${id}`)).body).toEqual(changed.body);
    expect((await as('GET', '/v5/customers/999999999')).status).toBe(404);
    const operator = `user:${world.people.operator.id}`;
    expect(await recordsOf(`customer:${id}`)).toEqual([`customer.create ${operator}`, `customer.update ${operator}`]);
    const chief = await as('POST', '/v5/user', { email: 'chief@radio.example', adminLevel: 9, customerId: id });
    expect(chief).toMatchObject({ status: 201, body: { customerId: id } });
    expect((await as('GET', `/v5/customer/usage?customerId=${id}`)).body).toMatchObject({ storage: { bytes: 0, items: 0 } });
    expect((await as('GET', '/v5/customer/usage?customerId=999999999')).status).toBe(404);
    expect(await send('GET', `/v5/customer/usage?customerId=${id}`)).toMatchObject({ status: 403, body: { code: 'operator_only' } });
  });
});

describe('the audit trail', () => {
  it('is found by every filter, the newest first, a page at a time', async () => {
    const user = await aColleague();
    const since = new Date(Date.now() - 1_000).toISOString();
    await send('POST', `/v5/user/${user.id}/disable`);
    await send('POST', `/v5/user/${user.id}/enable`);
    const subject = `user:${user.id}`;
    const record = (action: string) => ({
      at: expect.any(String),
      action,
      actor: me(),
      onBehalfOf: null,
      subject,
      count: null,
      ids: null,
      reason: null,
    });
    const find = async (query: Record<string, string>) => await send('GET', `/v5/audit?${new URLSearchParams(query)}`);
    expect((await find({ subject, createdAfter: since })).body).toEqual([record('user.enable'), record('user.disable')]);
    expect((await find({ subject, action: 'user.disable', actor: me() })).body).toEqual([record('user.disable')]);
    expect((await find({ subject, createdBefore: since })).body).toEqual([]);
    const page = await find({ subject, limit: '1' });
    const next = page.headers.get('link')?.match(/<(.*)>/)?.[1] ?? '';
    expect((await send('GET', next)).body).toEqual([record('user.disable')]);
    expect((await find({ who: 'me' })).status).toBe(400);
  });

  it('is sent as JSON lines', async () => {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/x-ndjson' };
    const response = await fetch(`${app.url}/v5/audit?action=user.disable`, { headers });
    const lines = (await response.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(response.headers.get('content-type')).toMatch('application/x-ndjson');
    expect(lines).toEqual((await send('GET', '/v5/audit?action=user.disable')).body);
  });

  it('has the records of the command line, and keeps those of the service and of other customers from administrators', async () => {
    const user = await aColleague();
    await admin(app, ['users', 'disable', user.email, '--reason', 'left']);
    await admin(app, ['keys', 'rotate']);
    const { body: ours } = await send('GET', `/v5/audit?subject=user:${user.id}`);
    expect(ours).toMatchObject([{ action: 'user.disable', actor: expect.stringMatching(/^admin:/), reason: 'left' }]);
    const rotations = '/v5/audit?action=keys.rotate';
    expect((await send('GET', rotations)).body).toEqual([]);
    expect((await world.as('operator', 'GET', rotations)).body).toMatchObject([{ action: 'keys.rotate' }]);
    expect((await world.as('other customer', 'GET', `/v5/audit?subject=user:${user.id}`)).body).toEqual([]);
  });
});
