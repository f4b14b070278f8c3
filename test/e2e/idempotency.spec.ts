import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { AccessTokenIssuerService } from '../../src/modules/access/index.js';
import { Database } from '../../src/shared/database/index.js';
import { fingerprintOf } from '../../src/shared/idempotency/idempotency.interceptor.js';
import { HousekeepingService } from '../../src/shared/jobs/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { addressOf, startTestApp, useTestAppWithStorage } from '../support/app/test-app.js';
import { blueprintOf } from '../support/converter/formats.js';
import { aDropsite, senderOf } from '../support/delivery/dropsites.js';
import { aContainer, aPublisher, originalOf } from '../support/delivery/player-configurations.js';
import { eventually } from '../support/eventually.js';
import { type Answer, aFile, call, tokenOf } from '../support/media/uploads.js';

const { app, storage } = useTestAppWithStorage();

const count = async (table: string, condition = 'true', values: unknown[] = []): Promise<number> => {
  const sql = `SELECT count(*)::int AS count FROM ${table} WHERE ${condition}`;
  return (await app.app.get(Database).query<{ count: number }>(sql, values)).rows[0]?.count ?? -1;
};

/** Sends a request with a key. */
const send = async (
  path: string,
  { token, key = randomUUID(), body = {}, url = app.url }: { token: string | null; key?: string; body?: object; url?: string },
): Promise<Answer> => await call(`${url}/v5/${path}`, { method: 'POST', token, body, headers: { 'idempotency-key': key } });

const replayed = ({ headers }: Answer): boolean => headers.get('idempotency-replayed') === 'true';

/** What a customer has, and how each thing is made. */
async function aMaker() {
  const publisher = await aPublisher(app);
  const { token, user } = publisher;
  const { id: mediaContainerId } = await aContainer(app, user);
  const { id: playerConfigurationId } = await publisher.made();
  const { id: blueprintId, converter } = await blueprintOf(app, token, 'H.264 720p');
  const { body: dropsite } = await call<{ link: string }>(`${app.url}/v5/dropsite`, { token, body: { name: 'Photos' } });
  const ownRows = async (table: string) => await count(table, 'customer_id = $1', [user.customerId]);
  return {
    token,
    user,
    operations: {
      'v5/format': { body: { blueprintId, converter, name: 'Web' }, made: async () => await ownRows('formats') },
      'v5/playerconfiguration': {
        body: { name: 'Website', type: 'video', templateId: 1, formats: [] },
        made: async () => await ownRows('player_configurations'),
      },
      [`v5/embedlink/${mediaContainerId}`]: { body: { playerConfigurationId }, made: async () => await ownRows('embed_links') },
      'v5/downloadlink': {
        body: { mediaContainerIds: [mediaContainerId], formatIds: [await originalOf(app, user, 'video')] },
        made: async () => await ownRows('download_links'),
      },
      'v5/dropsite': { body: { name: 'More photos', password: 'hidden words' }, made: async () => await ownRows('dropsites') },
      'v5/s3/createUpload': { body: { payload: [aFile(), aFile()] }, made: async () => await ownRows('media_containers') },
      'v5/dropsite/createUpload': {
        body: { link: dropsite.link, payload: [aFile()] },
        made: async () => await ownRows('media_containers'),
      },
      'v5/subscriptions': {
        body: { name: 'event:s3success', flag: 0, instructions: [{ type: 'api', method: 'GET', path: 'v5/customer' }] },
        made: async () => await ownRows('subscriptions'),
      },
      'v5/subscriptions/createDownloadLink': { body: { payload: { mediaContainerId } }, made: async () => await ownRows('subscriptions') },
      'v5/subscriptions/dropsiteUploadStarted': { body: {}, made: async () => await ownRows('subscriptions') },
      [`v5/mediacontainer/${mediaContainerId}/releaseRequest`]: { body: { message: 'Please' }, made: async () => await ownRows('events') },
    } as Record<string, { body: object; made: () => Promise<number> }>,
  };
}

describe('an Idempotency-Key', () => {
  it('makes each thing once, and answers the same again', async () => {
    const { token, operations } = await aMaker();
    for (const [path, { body, made }] of Object.entries(operations)) {
      const [before, key, short] = [await made(), randomUUID(), path.replace('v5/', '')];
      const first = await send(short, { token, key, body });
      expect([path, first.status < 300, replayed(first)]).toEqual([path, true, false]);
      const after = await made();
      expect([path, after > before]).toEqual([path, true]);
      const second = await send(short, { token, key, body });
      expect([path, second.status, second.body, replayed(second)]).toEqual([path, first.status, first.body, true]);
      expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
      expect([path, await made()]).toEqual([path, after]);
    }
  });

  it('makes each thing once when it is sent many times at once, on two processes', async () => {
    const two = await startTestApp({ ...storage.settings, database: app.database, publicUrl: app.url });
    const { token, operations } = await aMaker();
    for (const [path, { body, made }] of Object.entries(operations)) {
      const [before, key] = [await made(), randomUUID()];
      const urls = [app.url, addressOf(two.app), app.url, addressOf(two.app), app.url, addressOf(two.app)];
      const answers = await Promise.all(urls.map(async (url) => await send(path.replace('v5/', ''), { token, key, body, url })));
      expect(new Set(answers.map(({ status, body: answer }) => JSON.stringify([path, status, answer]))).size).toBe(1);
      expect(answers.filter((answer) => !replayed(answer))).toHaveLength(1);
      expect([path, await made()]).toEqual([path, before + (path.endsWith('s3/createUpload') ? 2 : 1)]);
    }
    await two.close();
  });

  it('creates a resource that can be read immediately in the same process', async () => {
    const { token, operations } = await aMaker();
    const names = ['One', 'Two', 'Three'];
    for (const name of names) {
      await call(`${app.url}/v5/format`, { token });
      const { body } = await send('format', { token, body: { ...operations['v5/format']?.body, name } });
      expect((await call(`${app.url}/v5/format/${body.id}`, { token })).body).toMatchObject({ id: body.id, name });
    }
  });

  it('makes another thing with another key, and with the key of another user or client', async () => {
    const { token, user, operations } = await aMaker();
    const { body = {}, made } = operations['v5/downloadlink'] ?? {};
    const key = randomUUID();
    const colleague = await aUser(app, { customer: await customerOf(user) });
    const { accessToken: ofClient } = await app.app
      .get(AccessTokenIssuerService)
      .issue({ userId: user.id, clientId: 'other-client', scope: 'api', authorization: null });
    const answers = [
      await send('downloadlink', { token, key, body }),
      await send('downloadlink', { token, body }),
      await send('downloadlink', { token: await tokenOf(app, colleague), key, body }),
      await send('downloadlink', { token: ofClient, key, body }),
    ];
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(4);
    expect(answers.some(replayed)).toBe(false);
    expect(await made?.()).toBe(4);
  });

  it('is refused with another request, regardless of client and address, and keeps the first one', async () => {
    const { token, operations } = await aMaker();
    const { body = {} } = operations['v5/downloadlink'] ?? {};
    const key = randomUUID();
    const first = await send('downloadlink', { token, key, body });
    const others = [
      await send('downloadlink', { token, key, body: { ...body, title: 'Other' } }),
      await send('downloadlink?title=x', { token, key, body }),
      await send('dropsite', { token, key, body }),
    ];
    for (const answer of others) expect(answer.body).toMatchObject({ status: 409, code: 'idempotency_key_reused' });
    const reordered = Object.fromEntries(Object.entries(body).reverse());
    expect((await send('downloadlink', { token, key, body: reordered })).body).toEqual(first.body);
  });

  it('does not store failed requests', async () => {
    const { token, user, operations } = await aMaker();
    const { body = {} } = operations['v5/format'] ?? {};
    const key = randomUUID();
    expect((await send('format', { token, key, body: { name: 'No blueprint' } })).status).toBe(400);
    expect((await send('format', { token, key, body: { ...body, settings: { ffmpeg: { x: 1 } } } })).status).toBe(403);
    expect(await count('idempotency_keys', 'user_id = $1', [user.id])).toBe(0);
    expect((await send('format', { token, key, body })).status).toBe(201);
  });

  it.each(['', 'a b', 'ü', 'x'.repeat(256)])('is refused if it is invalid: %j', async (key) => {
    const { token, operations } = await aMaker();
    const { body = {}, made } = operations['v5/dropsite'] ?? {};
    const before = await made?.();
    const answer = await send('dropsite', { token, key: Buffer.from(key).toString('latin1'), body });
    expect(answer.body).toMatchObject({ status: 400, code: 'invalid_idempotency_key' });
    expect(await made?.()).toBe(before);
    expect((await send('dropsite', { token, key: 'x'.repeat(255), body })).status).toBe(201);
  });

  it('stores responses encrypted, as long as the log of subscriptions', async () => {
    const { token, user, operations } = await aMaker();
    const { body = {} } = operations['v5/s3/createUpload'] ?? {};
    const key = randomUUID();
    const { body: document } = await send('s3/createUpload', { token, key, body });
    const db = app.app.get(Database);
    const { rows } = await db.query('SELECT * FROM idempotency_keys WHERE user_id = $1', [user.id]);
    const secret = (document as { processed: { credentials: { SecretAccessKey: string } }[] }).processed[0]?.credentials.SecretAccessKey;
    expect(secret).toBeTruthy();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(secret);
    const guess = fingerprintOf({ method: 'POST', originalUrl: '/v5/s3/createUpload', body });
    expect(JSON.stringify(rows)).not.toContain(guess); // else a short password could be found by trying
    const age = async (days: number) =>
      await db.query(`UPDATE idempotency_keys SET created_at = now() - make_interval(days => $2) WHERE user_id = $1`, [user.id, days]);
    await age(app.config.logRetentionDays - 1);
    await app.app.get(HousekeepingService).run();
    expect(replayed(await send('s3/createUpload', { token, key, body }))).toBe(true);
    await age(app.config.logRetentionDays + 1);
    await app.app.get(HousekeepingService).run();
    expect(replayed(await send('s3/createUpload', { token, key, body }))).toBe(false);
  });

  it('has no effect for operations that create nothing, and for anonymous callers', async () => {
    const { owner, dropsite } = await aDropsite(app);
    const key = randomUUID();
    const explained = await send('mediacontainer', { token: await tokenOf(app, owner), key });
    expect(explained.status).toBe(405);
    const sender = senderOf(app, dropsite.link);
    const { access_token: session } = await sender.session({ email: 'sender@example.org' });
    for (const credentials of [{ token: null, headers: { clientid: dropsite.clientId } }, { token: session }]) {
      const headers = { ...credentials.headers, 'idempotency-key': key };
      const [one, two] = [await sender.create({}, { ...credentials, headers }), await sender.create({}, { ...credentials, headers })];
      expect([one.status, two.status, one.body.uploadId === two.body.uploadId]).toEqual([200, 200, false]);
    }
    expect(await count('idempotency_keys', 'key LIKE $1', [`%${key}`])).toBe(0);
  });

  it('bears another key for the same upload at the same time', async () => {
    const { token, user, operations } = await aMaker();
    for (const waitForCompletion of [true, false]) {
      const body = { ...operations['v5/s3/createUpload']?.body, uploadId: randomUUID(), waitForCompletion };
      const answers = await Promise.all([1, 2, 3, 4].map(async () => await send('s3/createUpload', { token, body })));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(new Set(answers.map((answer) => answer.body.jobId)).size).toBe(1);
      expect(await count('upload_batches', 'customer_id = $1 AND upload_id = $2', [user.customerId, body.uploadId])).toBe(1);
    }
  });

  it('leaves nothing when the transaction fails, and a repeated request creates the resource once', async () => {
    const { token, user, operations } = await aMaker();
    const { body = {}, made } = operations['v5/downloadlink'] ?? {};
    const key = randomUUID();
    const client = new pg.Client({ connectionString: app.database.url });
    await client.connect();
    await client.query('BEGIN; LOCK TABLE download_links IN SHARE MODE');
    const dying = send('downloadlink', { token, key, body });
    const stuck = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INTO "download_links"%' AND datname = current_database()`;
    const db = app.app.get(Database);
    const pid = await eventually(async () => (await db.queryOne<{ pid: number }>(stuck))?.pid);
    await db.query('SELECT pg_terminate_backend($1)', [pid]);
    expect((await dying).status).toBe(503);
    await client.query('COMMIT');
    await client.end();
    expect([await made?.(), await count('idempotency_keys', 'user_id = $1', [user.id])]).toEqual([0, 0]);
    const again = await send('downloadlink', { token, key, body });
    expect([again.status, replayed(again), await made?.()]).toEqual([201, false, 1]);
  });

  it('does not use up the connections of a process, however many come at once', async () => {
    const makers: Awaited<ReturnType<typeof aMaker>>[] = [];
    for (let n = 0; n < 20; n += 1) makers.push(await aMaker());
    const one = await startTestApp({ ...storage.settings, database: app.database, publicUrl: app.url }); // it remembers no formats yet
    const answers = await Promise.all(
      makers.map(async ({ token, operations }) => {
        const { body = {} } = operations['v5/format'] ?? {};
        return await send('format', { token, body, url: addressOf(one.app) });
      }),
    );
    await one.close();
    expect(answers.map(({ status }) => status)).toEqual(makers.map(() => 201));
  });
});

const customerOf = async ({ customerId }: { customerId: number }): Promise<string> =>
  (await app.app.get(Database).query<{ name: string }>('SELECT name FROM customers WHERE id = $1', [customerId])).rows[0]?.name ?? '';
