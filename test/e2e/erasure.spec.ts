import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AccountsService, type User } from '../../src/modules/accounts/index.js';
import { makeCertificate } from '../../src/modules/saml/service-provider.service.js';
import { AuditService } from '../../src/shared/audit/audit.service.js';
import { Database } from '../../src/shared/database/index.js';
import { TextErasureRepository } from '../../src/shared/removal/index.js';
import { authorize, request, tryPassword, works } from '../support/accounts/oauth.js';
import { aClient, aUser, authorizeUrl, obtainTokens, postToken, REDIRECT_URI, signIn } from '../support/accounts/scenario.js';
import { admin, applyDocument } from '../support/app/admin.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { dumpDatabase, mentionsIn, placesOf } from '../support/database/database-dump.js';
import { type DropsiteBody, put, senderOf } from '../support/delivery/dropsites.js';
import { eventually } from '../support/eventually.js';
import { uploadMedia } from '../support/media/media.js';
import { aFile, call, tokenOf } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';
import { subscriptionsOf } from '../support/subscriptions/subscriptions.js';
import { WebhookReceiver } from '../support/subscriptions/webhook-receiver.js';

/** Names that occur nowhere by chance, with a letter and a sign that are escaped in JSON, URLs and HTML. */
const ZOE = { email: 'zoe.quillfeather@mail.example', firstname: 'Zoë', lastname: "O'Quillfeather" };
const TRACES = [ZOE.email];
/** Fields that hold a name of the person; the same words in texts stay. */
const NAME_FIELDS = ['users.firstname', 'users.lastname'];

/** Where the person is found before. */
const EXPECTED_PLACES = [
  'audit_records.reason',
  'events.payload',
  'idempotency_keys.response',
  'mailbox.text',
  'media_containers.metadata',
  'oidc_records.payload',
  'subscription_logs.payload',
  'subscriptions.instructions',
  'upload_batches.payload',
];

interface Printed {
  readonly dryRun: boolean;
  readonly refused?: string;
  readonly removes: Readonly<Record<string, number>>;
  readonly erases: Readonly<Record<string, number>>;
  readonly transfers?: Readonly<Record<string, unknown>>;
  readonly kept: readonly { readonly what: string; readonly why: string; readonly count?: number }[];
}

let storage: TestStorage;
let receiver: WebhookReceiver;
let app: TestApp;
/** Another process on the same database. */
let second: TestApp;
let colleague: User;
let colleagueToken: string;
let site: DropsiteBody;

beforeAll(async () => {
  storage = await startTestStorage();
  receiver = await WebhookReceiver.start();
  const settings = { ...storage.settings, egressAllowlist: ['127.0.0.1'], retryScheduleSeconds: [3_600] };
  app = await startTestApp({ ...settings, worker: 'inline' });
  second = await startTestApp({ ...settings, database: app.database, publicUrl: app.url });
  second = { ...second, url: addressOf(second.app) };
  colleague = await aUser(app, { customer: 'Newsroom', adminLevel: 9, firstname: 'Grace', lastname: 'Hopper' });
  colleagueToken = await tokenOf(app, colleague);
  site = (await call<DropsiteBody>(`${app.url}/v5/dropsite`, { token: colleagueToken, body: { name: 'Photos' } })).body;
});
afterAll(async () => {
  await second.close();
  await app.close();
  await receiver.close();
  await storage.close();
});

const fullName = `${ZOE.firstname} ${ZOE.lastname}`;
const someMetadata = [
  { title: 'author', content: fullName },
  { title: 'contact', content: `<${ZOE.email.toUpperCase()}>`, language: 'en' },
  { title: 'credit', content: ZOE.lastname },
];

/** Colleagues and machines that write down who sent something. */
async function aBusyNewsroom() {
  const hook = {
    type: 'https',
    url: `${receiver.origin()}/hook?who=${encodeURIComponent(ZOE.email)}`,
    payload: { by: ':email', of: fullName, person: { email: ZOE.email, firstname: ZOE.firstname, lastname: ZOE.lastname } },
  };
  const mail = {
    type: 'email',
    subject: `From ${fullName} (:email)`,
    text: `Hello ${ZOE.firstname} (:email)`,
    to: [{ recipient: ':email' }, { recipient: ZOE.email }],
  };
  const subscriptions = subscriptionsOf(app, colleagueToken);
  const body = { name: 'event:dropsiteUploadComplete', flag: 0, instructions: [mail, hook], notes: `for ${fullName}` };
  const headers = { 'idempotency-key': randomUUID() };
  const made = await call<{ id: number }>(`${app.url}/v5/subscriptions`, { token: colleagueToken, body, headers });
  expect(made.status).toBe(201);
  const failing = await subscriptions.made({
    name: 'event:dropsiteUploadComplete',
    instructions: [{ ...hook, url: `${receiver.origin()}/down` }],
  });
  receiver.answer = ({ path }, response) => void response.writeHead(path.startsWith('/down') ? 503 : 204).end();
  return { subscriptions, ids: [made.body.id, failing.id] as const };
}

/** What a person leaves who has an account. */
async function aBusyUser() {
  const { id: containerId } = await uploadMedia(app, await tokenOf(app, zoe), {
    fileName: `${ZOE.lastname} 1.jpg`,
    metadata: someMetadata,
  });
  const changes = {
    name: `By ${fullName}`,
    description: `Ask ${ZOE.firstname}`,
    tags: [ZOE.lastname, 'sea'],
    license: { name: `© ${fullName}` },
  };
  const token = await tokenOf(app, zoe);
  expect((await call(`${app.url}/v5/mediacontainer/${containerId}`, { method: 'PUT', token, body: changes })).status).toBe(200);
  await call(`${app.url}/v5/mediacontainer/${containerId}/releaseRequest`, { token, body: { message: `${fullName} asks` } });
  await call(`${app.url}/v5/dropsite`, { token, body: { name: `${ZOE.firstname}'s box`, description: ZOE.email } });
  await subscriptionsOf(app, token).made({
    notes: `of ${ZOE.firstname}`,
    instructions: [{ type: 'api', method: 'GET', path: 'v5/format', payload: {} }],
  });
  return { containerId };
}

/** How a person signs in, and fails to. */
async function aBusyVisitor() {
  const client = await aClient(app);
  const browser = new TestBrowser(app.url);
  const tokens = await obtainTokens(app, { user: zoe, client, browser, query: { scope: 'api openid offline_access' } });
  const other = new TestBrowser(app.url);
  const first = await authorize(app, { ...request(await aClient(app)), login_hint: ZOE.email }, other);
  const page = await other.open(first.location?.href ?? '');
  expect((await tryPassword(other, await page.text(), ZOE.email.toUpperCase(), 'wrong')).status).toBe(401);
  return { client, browser, tokens };
}

/** A sender who gives the same address at another customer, and one at the own. */
async function aBusySender(link: string) {
  const sender = senderOf(app, link);
  const session = await sender.session({ email: ZOE.email.toUpperCase(), firstname: ZOE.firstname, lastname: ZOE.lastname });
  const credentials = { token: session.access_token };
  const { body } = await sender.create({ payload: [aFile({ fileName: 'sent', metadata: someMetadata })] }, credentials);
  for (const item of body.processed) {
    await put(item);
    await sender.succeed(item, credentials);
  }
  expect((await sender.complete(body.uploadId, credentials)).status).toBe(200);
  return session;
}

/** Visits of support staff, and records of the command line. */
async function aBusyOperator() {
  const staff = await aUser(app, { customer: 'Operator', firstname: 'Kay', lastname: 'McNulty' });
  await app.app.get(AccountsService).declareCustomer({ name: 'Operator', operator: true });
  await app.app.get(AccountsService).declareCustomer({ name: 'Newsroom', supportAccessUntil: new Date(Date.now() + 3_600_000) });
  const { clientId } = await aClient(app, { clientSecret: 'secret' });
  const query = { client_id: clientId, redirect_uri: REDIRECT_URI };
  const target = await signIn(new TestBrowser(app.url), authorizeUrl(app.url, query), staff);
  const casa = Buffer.from(JSON.stringify({ customerId: zoe.customerId, userId: zoe.id, reason: `${ZOE.firstname} called` })).toString(
    'base64',
  );
  const form = { client_id: clientId, client_secret: 'secret', grant_type: 'authorization_code', redirect_uri: REDIRECT_URI, casa };
  expect((await postToken(app.url, { ...form, code: target.searchParams.get('code') ?? '' })).status).toBe(200);
  await admin(app, ['users', 'disable', ZOE.email, '--reason', `${ZOE.lastname} left`]);
  await admin(app, ['users', 'enable', ZOE.email, '--reason', `${fullName} <${ZOE.email}> is back`]);
  await app.app
    .get(AuditService)
    .record({ action: 'user.create', actor: `user:${ZOE.email}`, subject: `user:${ZOE.email}`, customerId: null }); // of an earlier version
}

let zoe: User;

// One file, because all of it needs this person and a dump of every table.
describe('a person who used the service in every way', () => {
  let tokens: Awaited<ReturnType<typeof obtainTokens>>;
  let newsroom: Awaited<ReturnType<typeof aBusyNewsroom>>;
  let containerId: number;

  beforeAll(async () => {
    zoe = await aUser(app, { customer: 'Newsroom', ...ZOE });
    newsroom = await aBusyNewsroom();
    ({ containerId } = await aBusyUser());
    await aBusyOperator();
    ({ tokens } = await aBusyVisitor()); // after the operator disabled and enabled the user, which ended all sign-ins
    await aBusySender(site.link);
    await applyDocument(app, {
      accessKeys: [{ accessKey: 'zoe-nightly', user: ZOE.email }],
      identityProviders: [
        {
          ssoIdentifier: 'idp',
          customer: 'Newsroom',
          issuer: 'https://idp.example',
          ssoUrl: 'https://idp.example/sso',
          certificates: [(await makeCertificate('idp.example', new Date())).certificate],
        },
      ],
    });
    const link = `INSERT INTO saml_identities (identity_provider_id, name_id, name_id_format, user_id) SELECT id, $1, '', $2 FROM identity_providers`;
    await app.app.get(Database).query(link, [ZOE.email, zoe.id]);
    await eventually(async () => {
      const logs = await Promise.all(newsroom.ids.map(async (id) => (await newsroom.subscriptions.get(id)).body.logs));
      return logs.map(({ length }) => length).join() === '2,1';
    });
  });

  it('is found in many places, and a dry run changes nothing', async () => {
    const before = await dumpDatabase(app.app);
    const printed = await admin<Printed>(app, ['users', 'erase', ZOE.email.toUpperCase(), '--reason', 'asked by letter']);
    expect(mentionsIn(await dumpDatabase(app.app), TRACES)).toEqual(mentionsIn(before, TRACES));
    expect(printed).toMatchObject({ dryRun: true, removes: { sessions: 1, 'access_keys.user_id': 1, 'saml_identities.user_id': 1 } });
    expect(Object.keys(printed.erases)).toEqual(expect.arrayContaining(EXPECTED_PLACES));
    const why = new Map(printed.kept.map((one) => [one.what, one.why]));
    expect(why.get('dropsites.owner_id')).toContain('--transfer-to');
    expect(why.get('subscriptions.last_editor_id')).toContain('api instructions fail');
    expect([...why.keys()]).toEqual(expect.arrayContaining(['files', 'audit records', 'logs of processes and backups']));
    expect(placesOf(before, TRACES)).toEqual(expect.arrayContaining(EXPECTED_PLACES));
  });

  it('is erased from every row of every table, while the service runs', async () => {
    expect(await works(second, tokens.access_token)).toBe(true);
    const argv = ['users', 'erase', ZOE.email, '--yes', '--reason', `${fullName} <${ZOE.email}> asked by letter`];
    const printed = await admin<Printed>(app, argv);
    const dump = await dumpDatabase(app.app);
    expect(placesOf(dump, TRACES)).toEqual(['subscriptions.instructions']); // in the URL of a webhook, which still works
    expect(printed.kept).toContainEqual(expect.objectContaining({ what: 'subscriptions.instructions', count: 1 }));
    expect(placesOf(dump, [ZOE.firstname, ZOE.lastname]).filter((place) => NAME_FIELDS.includes(place))).toEqual([]);
    const named = dump.filter(({ text }) => /"(firstname|lastname)": ?"(Zo|O'Q)/.test(text)).map(({ place }) => place);
    expect(named).toEqual([]);
    expect(placesOf([{ place: 'what is printed', text: JSON.stringify(printed) }], [...TRACES, ZOE.firstname, ZOE.lastname])).toEqual([]);
    const records = await admin<{ action: string; subject: string; reason: string }[]>(app, ['audit']);
    expect(records.at(-1)?.action).toBe('sender.erase');
    expect(records.find(({ action }) => action === 'user.erase')).toMatchObject({
      subject: `user:${zoe.id}`,
      reason: `[erased] <erased-${zoe.id}@erased.invalid> asked by letter`,
    });
  });

  it('is signed out in every process', async () => {
    expect([await works(app, tokens.access_token), await works(second, tokens.access_token)]).toEqual([false, false]);
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: 'client' };
    expect((await postToken(second.url, refresh)).status).not.toBe(200);
  });

  it('leaves files, URLs, and single names, which may be words', async () => {
    const { body } = await call<Record<string, unknown>[]>(`${second.url}/v5/mediacontainer?id=${containerId}`, { token: colleagueToken });
    expect(body).toMatchObject([
      {
        creatorId: zoe.id,
        name: 'By [erased]',
        description: `Ask ${ZOE.firstname}`,
        license: expect.objectContaining({ name: '© [erased]' }),
        tags: [ZOE.lastname, 'sea'],
        metadata: [
          { title: 'author', content: '[erased]' },
          { title: 'contact', content: `<erased-${zoe.id}@erased.invalid>`, language: 'en' },
          { title: 'credit', content: ZOE.lastname },
        ],
      },
    ]);
    const { body: subscription } = await newsroom.subscriptions.get(newsroom.ids[0]);
    expect(subscription.logs).toHaveLength(2);
    expect(subscription.instructions[0]).toMatchObject({
      to: [{ recipient: ':email' }, { recipient: `erased-${zoe.id}@erased.invalid` }],
      text: `Hello ${ZOE.firstname} (:email)`,
    });
    expect(subscription.instructions[1]).toMatchObject({ url: `${receiver.origin()}/hook?who=${encodeURIComponent(ZOE.email)}` });
  });

  it('gets no mail and no attempt any more: runs that wait know the erased address only', async () => {
    const mails = async () => (await app.app.get(Database).query('SELECT FROM mailbox')).rowCount;
    const before = await mails();
    const failing = (await newsroom.subscriptions.get(newsroom.ids[1])).body;
    const [log] = failing.logs;
    receiver.requests.length = 0;
    expect((await newsroom.subscriptions.replay(failing.id, log?.id)).status).toBe(200);
    await eventually(() => receiver.requests.length === 1);
    expect(JSON.parse(receiver.requests[0]?.body ?? '')).toEqual({
      by: expect.stringMatching(/^erased-\d+@erased\.invalid$/),
      of: '[erased]',
      person: { email: `erased-${zoe.id}@erased.invalid`, firstname: '[erased]', lastname: '[erased]' },
    });
    const [mailed] = (await newsroom.subscriptions.get(newsroom.ids[0])).body.logs.slice(-1);
    expect((await newsroom.subscriptions.replay(newsroom.ids[0], mailed?.id)).status).toBe(200);
    await eventually(async () => (await newsroom.subscriptions.get(newsroom.ids[0])).body.logs.length === 3);
    expect(await mails()).toBe(before);
  });

  it('stays disabled under the id, and may come back as a new person', async () => {
    const shown = await admin<Record<string, unknown>>(app, ['users', 'show', String(zoe.id)]);
    expect(shown).toMatchObject({
      email: `erased-${zoe.id}@erased.invalid`,
      firstname: '',
      lastname: '',
      hasPassword: false,
      accessKeys: [],
    });
    await expect(admin(app, ['users', 'enable', `erased-${zoe.id}@erased.invalid`])).rejects.toThrow('was erased and stays disabled');
    await expect(admin(app, ['users', 'erase', ZOE.email])).rejects.toThrow(`There is no user ${ZOE.email}.`);
    expect((await aUser(app, { customer: 'Newsroom', ...ZOE })).id).not.toBe(zoe.id);
  });
});

describe('a sender of dropsites without an account', () => {
  const email = 'pia.wanderlust@mail.example';

  it('is erased by address, at every customer', async () => {
    const sender = senderOf(app, site.link);
    const session = await sender.session({ email, firstname: 'Philippina', lastname: 'Wanderlust' });
    const credentials = { token: session.access_token };
    const { body } = await sender.create(
      { payload: [aFile({ metadata: [{ title: 'author', content: 'Philippina Wanderlust' }] })] },
      credentials,
    );
    await put(body.processed[0] as never);
    await sender.succeed(body.processed[0] as never, credentials);
    const dry = await admin<Printed>(app, ['senders', 'erase', email.toUpperCase()]);
    expect(dry).toMatchObject({ dryRun: true, users: [{ email, kind: 'sender' }], erases: { users: 1, 'upload_batches.payload': 1 } });
    expect((await call<object[]>(`${app.url}/v5/mediacontainer?sender=wanderlust`, { token: colleagueToken })).body).toHaveLength(1);
    await admin(app, ['senders', 'erase', email, '--yes', '--reason', `asked by ${email}`]);
    const dump = await dumpDatabase(app.app);
    expect(placesOf(dump, [email])).toEqual([]);
    expect(placesOf(dump, ['Philippina', 'Wanderlust'])).toEqual([]);
    const [sent] = (await call<object[]>(`${app.url}/v5/mediacontainer?dropsite=${site.link}`, { token: colleagueToken })).body;
    expect(sent).toMatchObject({ sender: null, metadata: [{ title: 'author', content: '[erased]' }] });
    expect((await sender.create({}, credentials)).status).toBe(401);
    const again = await admin<Printed>(app, ['senders', 'erase', email, '--yes']);
    expect(again).toMatchObject({ dryRun: false, userIds: [], erases: { users: 0 } });
  });

  it.each([
    ['hooks', 'acme'],
    ['acme', ''],
    ['The', 'Sea'],
  ])('called %j %j takes no words from hosts, rules, tags and texts of others', async (firstname, lastname) => {
    const address = `${firstname.toLowerCase()}@acme.example`;
    const url = `https://hooks.acme.example/x?for=${address}`;
    const conditions = { payload: { firstname, reply: address } };
    const instructions = [{ type: 'https', url, payload: { of: `${firstname} ${lastname}`, to: address } }];
    const subscription = await subscriptionsOf(app, colleagueToken).made({
      conditions,
      instructions,
      notes: `The hooks of acme; ${address}`,
    });
    const { id } = await uploadMedia(app, colleagueToken, { fileName: 'The hooks acme.jpg' });
    const words = { description: `The sea, hooks and acme, by ${firstname} ${lastname}`, tags: ['hooks', 'acme', 'the', address] };
    const changed = await call(`${app.url}/v5/mediacontainer/${id}`, { method: 'PUT', token: colleagueToken, body: words });
    expect(changed.status).toBe(200);
    const { user } = await senderOf(app, site.link).session({ email: address, firstname, lastname });
    const printed = await admin<Printed>(app, ['senders', 'erase', address, '--yes']);
    const kept = new Map(printed.kept.map(({ what, why }) => [what, why]));
    for (const place of ['subscriptions.payload', 'subscriptions.instructions', 'media_containers.tags'])
      expect(kept.get(place)).toContain('an operator has to change');
    const { body } = await subscriptionsOf(app, colleagueToken).get(subscription.id);
    const erased = `erased-${user.id}@erased.invalid`;
    expect(body).toMatchObject({ conditions, notes: `The hooks of acme; ${erased}` });
    const of = lastname === '' ? `${firstname} ` : '[erased]';
    expect(body.instructions).toMatchObject([{ url, payload: { of, to: erased } }]);
    const media = await call<object[]>(`${app.url}/v5/mediacontainer?id=${id}`, { token: colleagueToken });
    expect(media.body).toMatchObject([words]);
    expect(await admin(app, ['users', 'show', String(user.id)])).toMatchObject({ email: erased, firstname: '', lastname: '' });
  });

  it('is not written down again by what is under way', async () => {
    const address = 'tove.underway@mail.example';
    const held: (() => void)[] = [];
    receiver.answer = (_, response) => void held.push(() => response.writeHead(503).end());
    const hook = { type: 'https', url: `${receiver.origin()}/held`, payload: { by: ':email' } };
    const { id } = await subscriptionsOf(app, colleagueToken).made({ name: 'event:dropsiteUploadComplete', instructions: [hook] });
    const sender = senderOf(app, site.link);
    const credentials = { token: (await sender.session({ email: address })).access_token };
    const { body } = await sender.create({}, credentials);
    await put(body.processed[0] as never);
    await sender.succeed(body.processed[0] as never, credentials);
    await sender.complete(body.uploadId, credentials);
    await eventually(() => receiver.requests.some(({ path }) => path === '/held'));

    let ended = false;
    const erasure = admin(app, ['senders', 'erase', address, '--yes']).finally(() => {
      ended = true;
    });
    const isDisabled = async () => (await app.app.get(AccountsService).findSenders(address))[0]?.disabledAt;
    await eventually(async () => (await isDisabled()) && placesOf(await dumpDatabase(app.app), [address]).join() === 'users.email');
    expect(ended).toBe(false);
    for (const answer of held) answer();
    await erasure;
    await eventually(async () => (await subscriptionsOf(app, colleagueToken).get(id)).body.logs.length === 1);
    expect(placesOf(await dumpDatabase(app.app), [address])).toEqual([]);
  });

  it('is erased by the same command after an interruption', async () => {
    const address = 'ines.interrupted@mail.example';
    const { user } = await senderOf(app, site.link).session({ email: address, firstname: 'Ines', lastname: 'Interrupted' });
    const search = jest.spyOn(app.app.get(TextErasureRepository), 'search');
    search.mockImplementationOnce(async () => await Promise.reject(new Error('the machine was switched off')));
    await expect(admin(app, ['senders', 'erase', address, '--yes'])).rejects.toThrow('switched off');
    search.mockRestore();
    await admin(app, ['senders', 'erase', address, '--yes']);
    expect(placesOf(await dumpDatabase(app.app), [address, 'Interrupted'])).toEqual([]);
    expect(await admin(app, ['users', 'show', String(user.id)])).toMatchObject({ email: `erased-${user.id}@erased.invalid` });
    await expect(admin(app, ['users', 'enable', String(user.id)])).rejects.toThrow('was erased');
  });

  it('with the address of an account is erased together with it', async () => {
    await expect(admin(app, ['senders', 'erase', colleague.email])).rejects.toThrow(
      'users erase erases the account and the sender together',
    );
    await expect(admin(app, ['senders', 'erase', 'Pia'])).rejects.toThrow('EMAIL must be an e-mail address');
  });
});
