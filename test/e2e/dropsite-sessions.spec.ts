import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { Database } from '../../src/shared/database/index.js';
import { aUser, postToken } from '../support/accounts/scenario.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { aDropsite, eventsOf, put, refusals, type SessionBody, senderOf } from '../support/delivery/dropsites.js';
import { permitDifferences } from '../support/documents/documented-answers.js';
import { aFile, call, type ProcessedItem, tokenOf } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

let storage: TestStorage;
let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  storage = await startTestStorage();
  app = await startTestApp({ ...storage.settings });
  other = await startTestApp({ ...storage.settings, database: app.database, publicUrl: app.url });
});
afterAll(async () => {
  await other.close();
  await app.close();
  await storage.close();
});

const bearer = (session: { access_token: string }) => ({ token: session.access_token });
const grace = { email: 'Grace@Example.org', firstname: 'Grace', lastname: 'Hopper' };

describe('a dropsite session', () => {
  it('is answered as a token response, with the sender', async () => {
    const { dropsite } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const { code } = (await sender.deliver()).body;
    const { status, body, headers } = await sender.begin({ code, ...grace, state: 'xyz' });
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    const claims = decodeJwt(body.access_token);
    expect(claims).toMatchObject({ sub: String(body.user.id), client_id: dropsite.clientId, scope: 'dropsite' });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(43_200);
    expect(body).toEqual({
      access_token: body.access_token,
      accessToken: body.access_token,
      expires_in: 43_200,
      accessTokenExpires: claims.exp,
      accessTokenExpiresAt: new Date(Number(claims.exp) * 1_000).toISOString(),
      token_type: 'bearer',
      tokenType: 'bearer',
      scope: 'dropsite',
      state: 'xyz',
      client: { id: dropsite.clientId },
      user: { id: expect.any(Number), customerId: dropsite.customerId, adminLevel: 0, email: 'grace@example.org' },
      email: 'grace@example.org',
      firstname: 'Grace',
      lastname: 'Hopper',
    });
  });

  it('creates a sender if the address is missing or empty', async () => {
    const { dropsite } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const one = await sender.session({ firstname: 'Grace', email: null });
    expect([one.email, one.firstname, one.lastname]).toEqual([expect.stringMatching(/@senders\.invalid$/), 'Grace', '']);
    const others = [await sender.session(), await sender.session({ email: '' }), await sender.session({ email: '' })];
    expect(new Set([one, ...others].map(({ user }) => user.id)).size).toBe(4);
    expect(new Set([one, ...others].map(({ email }) => email)).size).toBe(4);
  });

  it.each([
    [{}, 'code'],
    [{ code: 7 }, 'code'],
    [{ code: 'x', email: 'nobody' }, 'email'],
    [{ code: 'x', email: ' ' }, 'email'],
    [{ code: 'x', email: '"u1"@acme.example' }, 'email'],
    [{ code: 'x', email: 'u1@acme.example.' }, 'email'],
    [{ code: 'x', email: 0 }, 'email'],
    [{ code: 'x', email: false }, 'email'],
    [{ code: 'x', email: 'a\u0007@b' }, 'email'],
    [{ code: 'x', firstname: ['Grace'] }, 'firstname'],
    [{ code: 'x', lastname: 'a\nb' }, 'lastname'],
  ])('does not begin with %j', async (body, path) => {
    const { dropsite } = await aDropsite(app);
    const answer = await senderOf(app, dropsite.link).begin(body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed', errors: [{ path }] } });
  });

  it('uploads, and ends with its completion at once on every process', async () => {
    const { dropsite } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const session = await sender.session(grace);
    const { body: upload } = await sender.create({}, bearer(session));
    const [item] = upload.processed as [ProcessedItem];
    await put(item);
    expect((await sender.succeed(item, bearer(session))).status).toBe(200);
    const elsewhere = senderOf({ url: addressOf(other.app) }, dropsite.link);
    expect((await elsewhere.create({ uploadId: upload.uploadId }, bearer(session))).status).toBe(200);
    expect((await sender.complete(upload.uploadId, bearer(session))).status).toBe(200);
    const credentials = `/v5/s3/getUploadCredentials/${item.mediaId}`;
    const answers = [
      await elsewhere.create({}, bearer(session)),
      await sender.create({}, bearer(session)),
      await elsewhere.succeed(item, bearer(session)),
      await elsewhere.complete(upload.uploadId, bearer(session)),
      await elsewhere.started({ uploadId: upload.uploadId, totalSize: 1, items: 1 }, bearer(session)),
      await call(`${addressOf(other.app)}${credentials}`, bearer(session)),
      await call(`${app.url}/v5/activity/jobResult/${upload.jobId}`, bearer(session)),
    ];
    expect(refusals(answers)).toEqual(answers.map(() => [401, 'token_invalid']));
    const told = (await eventsOf(app, dropsite)).find(({ name }) => name === 'event:dropsiteUploadComplete');
    expect(told?.payload).toMatchObject({ email: 'grace@example.org', mediaContainerIds: [item.id] });
    expect((await sender.create({}, bearer(await sender.session(grace)))).status).toBe(200);
  });

  it('with the same address gets no credentials for guessed files of another session', async () => {
    const { dropsite } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const [own, another] = [await sender.session(grace), await sender.session(grace)];
    expect(another.user.id).toBe(own.user.id);
    const request = { uploadId: randomUUID() };
    const { processed } = (await sender.create(request, bearer(own))).body;
    const credentials = `${app.url}/v5/s3/getUploadCredentials/${processed[0]?.mediaId}`;
    expect((await call(credentials, bearer(own))).status).toBe(200);
    expect((await call(credentials, bearer(another))).status).toBe(404);
    // A sender who knows the upload's id can continue it in a new session.
    expect((await sender.create(request, bearer(another))).status).toBe(200);
    expect((await call(credentials, bearer(another))).status).toBe(200);
  });

  it('gets no information on existing files', async () => {
    const { dropsite, token } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const file = aFile({ fileName: 'secret plans', checksum: 'sha256:abc' });
    const { body } = await call<{ processed: ProcessedItem[] }>(`${app.url}/v5/s3/createUpload`, { token, body: { payload: [file] } });
    const first = (await sender.create({ payload: [file] }, bearer(await sender.session(grace)))).body;
    for (const item of [body.processed[0], first.processed[0]] as ProcessedItem[]) {
      await put(item);
      await call(`${app.url}/v5/s3/success`, { token, body: { bucket: item.bucket, key: item.s3Key } });
    }
    const again = (await sender.create({ payload: [file, file] }, bearer(await sender.session(grace)))).body;
    expect(again.error).toMatchObject([{ index: 1, code: 'duplicate', duplicateOfIndex: 0 }]);
    expect(JSON.stringify(again.error)).not.toContain('mediaContainerId');
  });

  it('stays when the completion fails', async () => {
    permitDifferences(/uploadComplete: no status 500/);
    const { dropsite } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const session = await sender.session();
    const { uploadId } = (await sender.create({}, bearer(session))).body;
    const database = app.app.get(Database);
    await database.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$`);
    await database.query(`CREATE TRIGGER refuse BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.name = 'event:uploadComplete')
      EXECUTE FUNCTION refuse()`);
    try {
      expect((await sender.complete(uploadId, bearer(session))).status).toBe(500);
    } finally {
      await database.query('DROP FUNCTION refuse CASCADE');
    }
    expect((await sender.complete(uploadId, bearer(session))).status).toBe(200);
  });

  it('needs no clientid, and refuses a wrong one', async () => {
    const { dropsite } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const session = await sender.session();
    const answer = await sender.create({}, { ...bearer(session), headers: { clientid: 'dropsite-other' } });
    const { body } = await sender.create({}, bearer(session));
    const completed = await sender.complete(body.uploadId, { ...bearer(session), headers: { clientid: 'dropsite-other' } });
    expect(refusals([answer, completed])).toEqual(Array(2).fill([401, 'client_mismatch']));
    expect((await sender.complete(body.uploadId, { ...bearer(session), headers: { clientid: dropsite.clientId } })).status).toBe(200);
  });

  it('uploads to its own link only', async () => {
    const [one, two] = [await aDropsite(app), await aDropsite(app)];
    const session = await senderOf(app, one.dropsite.link).session(grace);
    expect(refusals([await senderOf(app, two.dropsite.link).create({}, bearer(session))])).toEqual([[403, 'insufficient_scope']]);
  });

  it('has to do with the batches of its sender at its link only', async () => {
    const { dropsite, token } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const [own, foreign, again] = [await sender.session(grace), await sender.session(), await sender.session(grace)];
    const { body: batch } = await sender.create({}, bearer(own));
    const { body: anonymous } = await sender.create();
    const [item] = batch.processed as [ProcessedItem];
    await put(item);
    const notice = { uploadId: batch.uploadId, totalSize: 1, items: 1 };
    const headers = { clientid: dropsite.clientId };
    expect(
      refusals([
        await sender.complete(batch.uploadId, bearer(foreign)),
        await sender.succeed(item, bearer(foreign)),
        await sender.started(notice, bearer(foreign)),
        await sender.complete(anonymous.uploadId, bearer(foreign)),
        await sender.complete(batch.uploadId, { headers }),
        await sender.succeed(item, { headers }),
        await sender.started(notice, { headers }),
      ]),
    ).toEqual([...Array(4).fill([404, 'not_found']), ...Array(3).fill([401, 'unauthenticated'])]);
    expect((await sender.succeed(item, bearer(again))).status).toBe(200);
    expect((await sender.complete(batch.uploadId, bearer(again))).status).toBe(200);
    expect((await sender.complete(anonymous.uploadId, { token })).status).toBe(200);
  });

  it('is required by a link without anonymous senders', async () => {
    const { dropsite, token } = await aDropsite(app, { allowAnonymous: false });
    const sender = senderOf(app, dropsite.link);
    const stranger = await tokenOf(app, await aUser(app));
    expect(refusals([await sender.create(), await sender.create({}, { token: stranger })])).toEqual(
      Array(2).fill([401, 'session_required']),
    );
    expect((await sender.create({}, { token })).status).toBe(200);
    expect((await sender.create({}, bearer(await sender.session()))).status).toBe(200);
  });

  it('prepares in a job, whose result requires the clientid', async () => {
    const inline = await startTestApp({ ...storage.settings, database: app.database, publicUrl: app.url, worker: 'inline' });
    const { dropsite } = await aDropsite(app, { allowedTypes: ['image'] });
    const sender = senderOf(app, dropsite.link);
    const payload = [aFile({ type: 'video', uuid: 'a' }), aFile({ uuid: 'b' })];
    const { status, body } = await sender.create({ payload, waitForCompletion: false });
    expect([status, body.processed]).toEqual([200, []]);
    const ask = async (clientid: string) => await call(`${app.url}/v5/activity/jobResult/${body.jobId}`, { headers: { clientid } });
    let result = await ask(dropsite.clientId);
    for (const end = Date.now() + 20_000; result.body.ok && Date.now() < end; ) result = await ask(dropsite.clientId);
    expect(result.body).toMatchObject({
      uploadId: body.uploadId,
      processed: [{ index: 1, uuid: 'b', credentials: { SessionToken: expect.any(String) } }],
      error: [{ index: 0, uuid: 'a', code: 'type_not_allowed' }],
    });
    expect((await ask('dropsite-other')).status).toBe(404);
    const replayed = await sender.create({ payload, uploadId: body.uploadId });
    expect(replayed.body).toMatchObject({ processed: [{ index: 1, uuid: 'b' }], error: [{ index: 0, code: 'type_not_allowed' }] });
    await inline.close();
  });
});

describe('a dropsite code', () => {
  const codeOf = async (link: string) => (await senderOf(app, link).deliver()).body.code;

  it('begins one session, also of twenty that try at once on two processes', async () => {
    const { dropsite } = await aDropsite(app);
    const code = await codeOf(dropsite.link);
    const urls = [app.url, addressOf(other.app)];
    const tries = Array.from({ length: 20 }, async (_, n) => await senderOf({ url: urls[n % 2] ?? '' }, dropsite.link).begin({ code }));
    const answers = await Promise.all(tries);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refusals(refused)).toEqual(Array(19).fill([400, 'invalid_code']));
  });

  it('is refused when it is unknown, of another link, or expired, and is not used up by a wrong clientid', async () => {
    const short = await startTestApp({ ...storage.settings, database: app.database, publicUrl: app.url, dropsiteCodeTtlSeconds: 0 });
    const [one, two] = [await aDropsite(app), await aDropsite(app)];
    const sender = senderOf(app, one.dropsite.link);
    const expired = (await senderOf({ url: addressOf(short.app) }, one.dropsite.link).deliver()).body.code;
    const codes = ['unknown', await codeOf(two.dropsite.link), expired];
    const answers = await Promise.all(codes.map(async (code) => await sender.begin({ code })));
    expect(refusals(answers)).toEqual(Array(3).fill([400, 'invalid_code']));
    await short.close();
  });

  it('is not an authorization code', async () => {
    const { dropsite } = await aDropsite(app);
    const code = await codeOf(dropsite.link);
    const form = { grant_type: 'authorization_code', code, client_id: dropsite.clientId, redirect_uri: 'http://client.example/callback' };
    expect(await postToken(app.url, form)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect((await senderOf(app, dropsite.link).begin({ code })).status).toBe(200);
  });
});

describe('the creator of uploads', () => {
  const creatorOf = async (mediaContainerId: number, token: string) =>
    (await call(`${app.url}/v5/mediacontainer/${mediaContainerId}`, { token })).body.creatorId;
  const naming = ({ user, email }: Pick<SessionBody, 'user' | 'email'>) => ({ creatorId: user.id, email });

  it('is the owner of the dropsite, unless the sender of the session is named whole', async () => {
    const { dropsite, owner, token } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const session = await sender.session(grace);
    const bodies = [
      {},
      { creatorId: session.user.id },
      { email: session.email },
      naming(session),
      { ...naming(session), email: 'GRACE@example.org' },
    ];
    const creators = [];
    for (const body of bodies) {
      const [item] = (await sender.create(body, bearer(session))).body.processed as [ProcessedItem];
      creators.push(await creatorOf(item.id, token));
    }
    expect(creators).toEqual([owner.id, owner.id, owner.id, session.user.id, session.user.id]);
  });

  it('is a user of the customer for a caller with a token, and never another user', async () => {
    const { dropsite, owner, token } = await aDropsite(app);
    const { name: customer } = (await app.app
      .get(Database)
      .queryOne<{ name: string }>('SELECT name FROM customers WHERE id = $1', [owner.customerId])) ?? { name: '' };
    const [colleague, stranger] = [await aUser(app, { customer }), await aUser(app)];
    const sender = senderOf(app, dropsite.link);
    const [session, another] = [await sender.session(grace), await sender.session()];
    const of = ({ id, email }: { id: number; email: string }) => ({ creatorId: id, email });
    const { body } = await sender.create(of(colleague), { token });
    expect(await creatorOf((body.processed as [ProcessedItem])[0].id, token)).toBe(colleague.id);
    const strangerToken = await tokenOf(app, stranger);
    expect(
      refusals([
        await sender.create(of(colleague)),
        await sender.create(naming(session)),
        await sender.create(naming(another), bearer(session)),
        await sender.create({ ...naming(session), email: another.email }, bearer(session)),
        await sender.create(of(owner), bearer(session)),
        await sender.create(of(stranger), { token }),
        await sender.create(naming(session), { token }),
        await sender.create(of(colleague), { token: strangerToken }),
        await sender.create(of(stranger), { token: strangerToken }),
        await sender.create({ creatorId: 2_147_483_648, email: 'a@b' }, { token }),
      ]),
    ).toEqual([...Array(9).fill([403, 'creator_not_allowed']), [400, 'validation_failed']]);
  });
});

describe('the notice of an upload that begins', () => {
  it('is for a batch of that link only', async () => {
    const [one, two] = [await aDropsite(app), await aDropsite(app)];
    const { uploadId } = (await senderOf(app, one.dropsite.link).create()).body;
    const notice = { uploadId, totalSize: 1, items: 1 };
    const foreign = senderOf(app, two.dropsite.link);
    expect(
      refusals([
        await foreign.started(notice),
        await foreign.started(notice, { token: one.token }),
        await foreign.started({ ...notice, uploadId: randomUUID() }),
        await senderOf(app, one.dropsite.link).started(notice, { headers: { clientid: two.dropsite.clientId } }),
        await foreign.started({ uploadId }),
      ]),
    ).toEqual([...Array(3).fill([404, 'not_found']), [401, 'client_mismatch'], [400, 'validation_failed']]);
    expect([await eventsOf(app, one.dropsite), await eventsOf(app, two.dropsite)]).toEqual([[], []]);
  });

  it('is not sent for a batch that has ended', async () => {
    const { dropsite } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const { uploadId } = (await sender.create()).body;
    await sender.complete(uploadId, { headers: { clientid: dropsite.clientId } });
    expect((await sender.started({ uploadId, totalSize: 1, items: 1 })).status).toBe(202);
    expect((await eventsOf(app, dropsite)).map(({ name }) => name)).not.toContain('event:dropsiteUploadStarted');
  });
});
