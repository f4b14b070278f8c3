import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccessTokenIssuerService } from '../../src/modules/access/index.js';
import { signatureOf } from '../../src/modules/access/signed-requests/signature-message.js';
import {
  AccessKeysService,
  AccountsService,
  PasswordLoginService,
  PrincipalsService,
  SupportAccessService,
  User,
} from '../../src/modules/accounts/index.js';
import { IdentityProvidersService } from '../../src/modules/saml/index.js';
import { SamlPeopleService } from '../../src/modules/saml/saml-people.service.js';
import { Database } from '../../src/shared/database/index.js';
import { aUser, PASSWORD } from '../support/accounts/scenario.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { aDropsite, type DropsiteBody, put, refusals, type SessionBody, senderOf } from '../support/delivery/dropsites.js';
import { uploadMedia } from '../support/media/media.js';
import { call, tokenOf } from '../support/media/uploads.js';

const { app } = useTestAppWithStorage();

const database = () => app.app.get(Database);
const usersOf = async (email: string) =>
  await database()
    .repository(User)
    .find({ where: { email }, order: { id: 'ASC' } });

describe('the sender of a media container', () => {
  it('is shown to tokens with the scope api, found by whole words of names and address, and erased with the person', async () => {
    const { dropsite, owner, token } = await aDropsite(app, { anonymous: true });
    const sender = senderOf(app, dropsite.link);
    const email = `zoe.${dropsite.id}@mail.example`;
    await sender.session({ email });
    const session = await sender.session({ email, firstname: 'Zoë', lastname: 'Quillfeather' });
    const { body } = await sender.create({}, { token: session.access_token });
    const [item] = body.processed;
    await put(item as never);
    await sender.succeed(item as never, { token: session.access_token });
    type Found = { readonly id: number; readonly sender: object | null; readonly createdAt: string };
    const find = async (query: string, as = token) => await call<Found[]>(`${app.url}/v5/mediacontainer?${query}`, { token: as });
    for (const words of ['zoe', 'QUILLFEATHER Zoë', email, `mail ${dropsite.id}`]) {
      const [found, ...others] = (await find(new URLSearchParams({ sender: words }).toString())).body;
      expect([words, found, others]).toEqual([words, expect.objectContaining({ id: item?.id }), []]);
      expect(found?.sender).toEqual({ firstname: 'Zoë', lastname: 'Quillfeather', email, at: found?.createdAt });
    }
    for (const words of ['zo', 'quill', 'zoe unknown', '-', 'x'.repeat(200)]) expect((await find(`sender=${words}`)).body).toEqual([]);
    expect((await find('search=quillfeather')).body).toEqual([]);
    const reader = await tokenOf(app, owner, 'api:read');
    expect((await find('', reader)).body).toMatchObject([{ id: item?.id, sender: null }]);
    expect(await find('sender=zoe', reader)).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    expect((await call(`${app.url}/v5/mediacontainer/facets?sender=zoe`, { token })).status).toBe(400);
    const stranger = await tokenOf(app, await aUser(app));
    expect((await find('sender=zoe', stranger)).body).toEqual([]);
  });

  it('is null for anonymous uploads and uploads of users', async () => {
    const { dropsite, token } = await aDropsite(app);
    await senderOf(app, dropsite.link).create();
    const { id } = await uploadMedia(app, token, {});
    const { body } = await call<{ id: number; sender: unknown }[]>(`${app.url}/v5/mediacontainer?state=all`, { token });
    expect(body.map(({ sender }) => sender)).toEqual(body.map(() => null));
    expect(body.map((one) => one.id)).toContain(id);
  });
});

describe('a sender', () => {
  it('is the same for the same address at the same customer, however it is written', async () => {
    const { dropsite, token } = await aDropsite(app);
    const { body: second } = await call<DropsiteBody>(`${app.url}/v5/dropsite`, { token, body: { name: 'Second' } });
    const foreign = await aDropsite(app);
    const email = `ada-${dropsite.id}@example.org`;
    const first = await senderOf(app, dropsite.link).session({ email });
    const again = await senderOf(app, second.link).session({ email: email.toUpperCase() });
    const elsewhere = await senderOf(app, foreign.dropsite.link).session({ email });
    expect(again.user.id).toBe(first.user.id);
    expect(elsewhere.user.id).not.toBe(first.user.id);
    expect(elsewhere.user.customerId).toBe(foreign.dropsite.customerId);
  });

  it('is one, of twenty sessions that begin at once', async () => {
    const { dropsite } = await aDropsite(app);
    const email = `grace-${dropsite.id}@example.org`;
    const sessions = await Promise.all(Array.from({ length: 20 }, async () => await senderOf(app, dropsite.link).session({ email })));
    expect(new Set(sessions.map(({ user }) => user.id)).size).toBe(1);
  });

  it('gets no earlier data: neither names nor whether the address was known', async () => {
    const { dropsite, owner } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const email = `known-${dropsite.id}@example.org`;
    await sender.session({ email, firstname: 'Ada', lastname: 'Lovelace' });
    const shape = ({ user, ...body }: SessionBody) => ({
      keys: Object.keys(body).sort(),
      user: Object.keys(user).sort(),
      adminLevel: user.adminLevel,
      names: [body.firstname, body.lastname],
    });
    const bodies = [
      await sender.session({ email }),
      await sender.session({ email: owner.email }),
      await sender.session({ email: `unknown-${dropsite.id}@example.org` }),
    ];
    expect(bodies.map(shape)).toEqual(Array(3).fill(shape(bodies[2] as SessionBody)));
    expect(shape(bodies[0] as SessionBody).names).toEqual(['', '']);
    await sender.session({ email, firstname: 'Eve' });
    expect((await usersOf(email)).map(({ firstname, lastname, kind }) => ({ firstname, lastname, kind }))).toEqual([
      { firstname: 'Ada', lastname: 'Lovelace', kind: 'sender' },
    ]);
  });

  it('has an id that does not reveal whether the address was known: unordered and separate from users', async () => {
    const { dropsite, owner } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const emails = Array.from({ length: 12 }, (_, n) => `ordered-${dropsite.id}-${n}@example.org`);
    const ids: number[] = [];
    for (const email of emails) ids.push((await sender.session({ email })).user.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toEqual([...ids].sort((a, b) => a - b));
    for (const id of ids) expect([id >= 1_000_000_000, id <= 2_147_483_647]).toEqual([true, true]);
    const again: number[] = [];
    for (const email of emails) again.push((await sender.session({ email })).user.id);
    expect(again).toEqual(ids);
    expect((await aUser(app)).id).toBe(owner.id + 1); // no id of the sequence was used in between
  });

  it('is never the user of that address', async () => {
    const { dropsite, owner } = await aDropsite(app);
    const administrator = await aUser(app, { adminLevel: 10 });
    for (const { id, email } of [owner, administrator]) {
      const session = await senderOf(app, dropsite.link).session({ email });
      expect(session.user).toMatchObject({ email, adminLevel: 0 });
      expect(session.user.id).not.toBe(id);
    }
    expect(await usersOf(owner.email)).toMatchObject([{ kind: 'person' }, { kind: 'sender', passwordHash: null, adminLevel: 0 }]);
  });
});

describe('the token of a sender', () => {
  let session: SessionBody;
  let mine: { dropsite: DropsiteBody; token: string };
  beforeEach(async () => {
    mine = await aDropsite(app);
    session = await senderOf(app, mine.dropsite.link).session({ email: 'grace@example.org' });
  });

  it.each([
    ['GET', '/v4/apps'],
    ['GET', '/v4/requestCode?client_id=x'],
    ['POST', '/v4/requestCode'],
    ['POST', '/v4/deauthorize'],
    ['DELETE', '/v4/apps/1'],
    ['POST', '/v5/s3/createUpload'],
    ['GET', '/v5/mediacontainer'],
    ['GET', '/v5/mediacontainer/1'],
    ['GET', '/v5/dropsite'],
    ['GET', '/v5/dropsite/1'],
    ['POST', '/v5/dropsite'],
    ['PUT', '/v5/dropsite/1'],
    ['PUT', '/v5/dropsite'],
    ['DELETE', '/v5/dropsite/1'],
    ['DELETE', '/v5/dropsite'],
  ])('does not reach %s %s', async (method, path) => {
    const body = method === 'GET' ? undefined : { id: 1, name: 'Mine', payload: [{}], client_id: 'x' };
    const answer = await call(`${app.url}${path}`, {
      method,
      token: session.access_token,
      ...(path.includes('/1') || !body ? {} : { body }),
    });
    expect(refusals([answer])).toEqual([[403, 'insufficient_scope']]);
  });

  it('does not open the account page, and is not a refresh token', async () => {
    const page = await fetch(`${app.url}/account`, { redirect: 'manual', headers: { authorization: `Bearer ${session.access_token}` } });
    expect(page.status).not.toBe(200);
    const form = { grant_type: 'refresh_token', refresh_token: session.access_token, client_id: mine.dropsite.clientId };
    const exchange = await fetch(`${app.url}/v4/token`, { method: 'POST', body: new URLSearchParams(form) });
    expect(exchange.status).toBe(401);
  });

  it('identifies the sender at introspection, as long as it is valid', async () => {
    const introspect = async () =>
      (await call(`${app.url}/v4/introspect`, { body: { token: session.access_token }, token: session.access_token })).body;
    expect(await introspect()).toMatchObject({
      active: true,
      client_id: mine.dropsite.clientId,
      'ac:session': { user: { id: session.user.id } },
    });
    const sender = senderOf(app, mine.dropsite.link);
    const credentials = { token: session.access_token };
    await sender.complete((await sender.create({}, credentials)).body.uploadId, credentials);
    expect(await introspect()).toEqual({ active: false });
  });

  it('does not reveal names that were given for the address at introspection', async () => {
    const email = `introspected-${mine.dropsite.id}@example.org`;
    const sender = senderOf(app, mine.dropsite.link);
    await sender.session({ email, firstname: 'Ada', lastname: 'Lovelace' });
    const { access_token: token, user } = await sender.session({ email, firstname: 'Eve' });
    const { body } = await call<Record<string, Record<string, unknown>>>(`${app.url}/v4/introspect`, { body: { token }, token });
    expect(body).toMatchObject({ active: true, 'ac:session': { user: { id: user.id, email, firstname: '', lastname: '' } } });
    expect(JSON.stringify(body)).not.toMatch(/Ada|Lovelace/);
  });

  it('sees no job but those of its link', async () => {
    const plain = await call<{ jobId: string }>(`${app.url}/v5/s3/createUpload`, {
      token: mine.token,
      body: { payload: [{ type: 'image', fileName: 'a.jpg', fileSize: 1 }] },
    });
    const answer = await call(`${app.url}/v5/activity/jobResult/${plain.body.jobId}`, { token: session.access_token });
    expect(refusals([answer])).toEqual([[404, 'not_found']]);
  });

  it('is invalid with any other scope', async () => {
    const token = { userId: session.user.id, clientId: mine.dropsite.clientId, authorization: null };
    for (const scope of ['api', 'api:read', 'dropsite api', '']) {
      const { accessToken: forged } = await app.app.get(AccessTokenIssuerService).issue({ ...token, scope });
      const answer = await call(`${app.url}/v5/mediacontainer`, { token: forged });
      expect(refusals([answer])).toEqual([[401, 'token_invalid']]);
    }
  });

  it('ends with the sender', async () => {
    await database().repository(User).update({ id: session.user.id }, { disabledAt: new Date() });
    const answer = await senderOf(app, mine.dropsite.link).create({}, { token: session.access_token });
    expect(refusals([answer])).toEqual([[401, 'token_invalid']]);
    await database().repository(User).update({ id: session.user.id }, { disabledAt: null });
  });
});

describe('a look-up of users', () => {
  const email = 'only-a-sender@example.org';
  let sender: SessionBody;
  let mine: Awaited<ReturnType<typeof aDropsite>>;
  beforeAll(async () => {
    mine = await aDropsite(app);
    sender = await senderOf(app, mine.dropsite.link).session({ email });
    // Worse than anything that can happen: a sender with the password and rights of a person.
    const { passwordHash } = (await app.app.get(AccountsService).findByEmail(mine.owner.email)) as User;
    await database().repository(User).update({ id: sender.user.id }, { passwordHash, adminLevel: 0 });
  });

  it('by e-mail address finds no sender', async () => {
    const accounts = app.app.get(AccountsService);
    expect(await accounts.findByEmail(email)).toBeNull();
    await expect(accounts.getByEmail(email)).rejects.toMatchObject({ code: 'user_unknown' });
    await expect(accounts.disable(email, new Date())).rejects.toMatchObject({ code: 'user_unknown' });
    await expect(accounts.setPassword(email, PASSWORD)).rejects.toMatchObject({ code: 'user_unknown' });
  });

  it('at the login finds no sender', async () => {
    const attempt = { email, password: PASSWORD, clientNetwork: '203.0.113.9', knownBrowser: () => null };
    await expect(app.app.get(PasswordLoginService).signIn(attempt)).rejects.toMatchObject({ code: 'login_failed' });
    expect(await app.app.get(PasswordLoginService).signIn({ ...attempt, email: mine.owner.email })).toMatchObject({ id: mine.owner.id });
  });

  it('for a signed request finds no sender, neither by address nor by id', async () => {
    const principals = app.app.get(PrincipalsService);
    const { customerId } = mine.owner;
    expect(await principals.findByIdentifier(customerId, email)).toBeNull();
    expect(await principals.findByIdentifier(customerId, String(sender.user.id))).toBeNull();
    const [accessKey, accessSecret] = ['key-of-owner', 'secret of owner'];
    await app.app.get(AccessKeysService).declare({ accessKey, accessSecret, userId: mine.owner.id });
    const rts = String(Math.floor(Date.now() / 1_000));
    for (const identifier of [email, String(sender.user.id), mine.owner.email]) {
      const path = '/v5/mediacontainer';
      const hash = signatureOf(accessSecret, { path, identifier, rts, json: '' });
      const signed = { accesskey: accessKey, rts, hash, version: '5', identifier };
      const headers = Object.fromEntries(Object.entries(signed).map(([name, value]) => [`x-service-${name}`, value]));
      expect((await call(`${app.url}${path}`, { headers })).status).toBe(identifier === mine.owner.email ? 200 : 403);
    }
  });

  it('for support access finds no sender', async () => {
    const accounts = app.app.get(AccountsService);
    await accounts.declareCustomer({ name: 'Operator', operator: true });
    const staff = await aUser(app, { customer: 'Operator' });
    await database().query(`UPDATE customers SET support_access_until = now() + interval '1 hour' WHERE id = $1`, [mine.owner.customerId]);
    const support = app.app.get(SupportAccessService);
    expect([await support.isOpen(staff.id, mine.owner.id), await support.isOpen(staff.id, sender.user.id)]).toEqual([true, false]);
  });

  it('at an identity provider links no sender, and makes a person of the address', async () => {
    const named = 'saml-sender@example.org';
    const session = await senderOf(app, mine.dropsite.link).session({ email: named });
    const source = { issuer: 'https://idp.example', ssoUrl: 'https://idp.example/sso', certificates: ['x'] };
    const declaration = { ...source, ssoIdentifier: 'senders', customerId: mine.owner.customerId, linkByEmail: true };
    const person = { nameId: named, nameIdFormat: '', attributes: new Map<string, string>() };
    const [providers, people] = [app.app.get(IdentityProvidersService), app.app.get(SamlPeopleService)];
    await expect(people.resolve(await providers.declare({ ...declaration, createUsers: false }), person)).rejects.toMatchObject({
      code: 'saml_user_unknown',
    });
    const { user } = await people.resolve(await providers.declare({ ...declaration, createUsers: true }), person);
    expect(user).toMatchObject({ email: named, kind: 'person' });
    expect(user.id).not.toBe(session.user.id);
  });

  it('leaves the address free for a separate user', async () => {
    const person = await aUser(app, { email });
    expect(person.id).not.toBe(sender.user.id);
    const again = await senderOf(app, mine.dropsite.link).session({ email });
    expect(again.user.id).toBe(sender.user.id);
    expect((await call(`${app.url}/v5/mediacontainer`, { token: await tokenOf(app, person) })).status).toBe(200);
    await expect(
      database().query(`INSERT INTO users (customer_id, email) VALUES ($1, $2)`, [mine.owner.customerId, email]),
    ).rejects.toThrow(/users_email_key/);
  });
});
