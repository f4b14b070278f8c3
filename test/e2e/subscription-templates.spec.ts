import { beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { FormatReaderService } from '../../src/modules/formats/index.js';
import { Database } from '../../src/shared/database/index.js';
import { type JobHandler, JobsService } from '../../src/shared/jobs/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { aDropsite, put, senderOf } from '../support/delivery/dropsites.js';
import { eventually } from '../support/eventually.js';
import { uploadMedia } from '../support/media/media.js';
import { aFile, call, tokenOf, type UploadDocument } from '../support/media/uploads.js';
import { problemsOf, type SubscriptionBody, subscriptionsOf } from '../support/subscriptions/subscriptions.js';

interface LinkBody extends Record<string, unknown> {
  readonly id: number;
  readonly link: string;
}

const { app } = useTestAppWithStorage({ worker: 'inline' });
let owner: { id: number; customerId: number };
let token: string;
let mine: ReturnType<typeof subscriptionsOf>;
let original: number;

beforeAll(async () => {
  owner = await aUser(app, { email: 'ada@example.org', customer: 'Ada Media' });
  token = await tokenOf(app, owner);
  mine = subscriptionsOf(app, token);
  original = (await app.app.get(FormatReaderService).originalIds()).image;
});

/** A container whose file was announced; `arrive` uploads and reports it. */
async function anAnnouncedContainer() {
  const { body } = await call<UploadDocument>(`${app.url}/v5/s3/createUpload`, { token, body: { payload: [aFile()] } });
  const [item] = body.processed;
  if (!item) throw new Error(`Nothing was prepared: ${JSON.stringify(body)}`);
  const { bucket, s3Key: key } = item;
  const arrive = async () => {
    await put(item);
    await call(`${app.url}/v5/s3/success`, { token, body: { bucket, key } });
  };
  return { id: item.id, arrive };
}

const linksOf = async (mediaContainerId: number): Promise<LinkBody[]> => {
  const { body } = await call<(LinkBody & { mediaContainerIds: number[] })[]>(`${app.url}/v5/downloadlink?limit=1000`, { token });
  return body.filter(({ mediaContainerIds }) => mediaContainerIds.includes(mediaContainerId));
};
const processed = async ({ id }: SubscriptionBody) =>
  await eventually(async () => {
    const { body } = await mine.get(id);
    return body.processedAt === null ? null : body;
  });
const database = () => app.app.get(Database);
const isWaitingForLock = async () => {
  const sql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR SHARE%'`;
  return (await database().query(sql)).rowCount === 1;
};
/** What the job does that stands in the transaction of the template. */
const lookForFile = async (payload: { subscriptionId: number; mediaContainerId: number; depth: number }) => {
  const handler = app.app.get(JobsService).handlers.get('run_for_arrived_file') as JobHandler<object> | undefined;
  if (!handler) throw new Error('Nobody handles it.');
  await handler(payload);
};
const mailsTo = async (recipient: string) =>
  (
    await app.app
      .get(Database)
      .query<{ subject: string; text: string }>('SELECT subject, text FROM mailbox WHERE recipient = $1', [recipient])
  ).rows;

describe('the template createDownloadLink', () => {
  it('makes a link when the file of the container arrives, once', async () => {
    const { id: mediaContainerId, arrive } = await anAnnouncedContainer();
    const { status, body } = await mine.template('createDownloadLink', { mediaContainerId, templateId: 3, formatIds: [original] });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'event:s3success',
      flag: 2,
      conditions: { methods: ['create'], payload: { mediaContainerId } },
      instructions: [{ type: 'api', method: 'POST', path: 'v5/downloadlink', as: 'downloadLink' }],
      signingSecret: expect.stringMatching(/^whsec_/),
      creatorId: owner.id,
    });
    expect(await linksOf(mediaContainerId)).toEqual([]);
    await arrive();
    await processed(body);
    expect(await linksOf(mediaContainerId)).toMatchObject([{ templateId: 3, formatIds: [original], creatorId: owner.id }]);
  });

  it('acts immediately if the file exists, and mails the page to the receivers', async () => {
    const { id: mediaContainerId } = await uploadMedia(app, token, { content: 'there already' });
    const receiver = [{ recipient: 'press@example.org', language: 'de' }, { recipient: 'shop@example.org' }];
    const { body } = await mine.template('createDownloadLink', { mediaContainerId, receiver });
    await processed(body);
    const [link, ...others] = await linksOf(mediaContainerId);
    expect(others).toEqual([]);
    expect(link?.formatIds).toEqual([original]);
    const page = `${app.url}/l/${link?.link}`;
    expect((await fetch(page, { headers: { accept: 'text/html' } })).status).toBe(200);
    expect(await mailsTo('press@example.org')).toMatchObject([{ text: expect.stringContaining(page) }]);
    expect(await mailsTo('shop@example.org')).toMatchObject([
      { subject: 'Ada Lovelace has sent you files', text: expect.stringContaining(page) },
    ]);
  });

  it('makes one link when files arrive while it is being made', async () => {
    const containers = await Promise.all(Array.from({ length: 6 }, anAnnouncedContainer));
    const made = await Promise.all(
      containers.map(
        async ({ id, arrive }) => (await Promise.all([mine.template('createDownloadLink', { mediaContainerId: id }), arrive()]))[0],
      ),
    );
    for (const { body } of made) await processed(body);
    for (const { id } of containers) expect(await linksOf(id)).toHaveLength(1);
  });

  it('misses no file that is being reported while it is made', async () => {
    const { id: mediaContainerId } = await anAnnouncedContainer();
    const report = new Client({ connectionString: app.database.url });
    await report.connect();
    try {
      await report.query('BEGIN');
      // Its event was published before the subscription was there to hear it.
      await report.query(`UPDATE media_items SET status = 'successful' WHERE media_container_id = $1`, [mediaContainerId]);
      const { body } = await mine.template('createDownloadLink', { mediaContainerId });
      await eventually(async () => await isWaitingForLock());
      expect((await mine.get(body.id)).body.logs).toEqual([]);
      await report.query('COMMIT');
      await processed(body);
      expect(await linksOf(mediaContainerId)).toHaveLength(1);
    } finally {
      await report.end();
    }
  });

  it('acts for a file that is there once only, and not when it was replaced', async () => {
    const events = async () => (await database().query(`SELECT FROM events WHERE name = 'event:s3success'`)).rowCount;
    const { id: mediaContainerId } = await uploadMedia(app, token, { content: 'once only' });
    const once = (await mine.template('createDownloadLink', { mediaContainerId })).body;
    await processed(once);
    const replaced = await mine.made({ flag: 2, conditions: { payload: { mediaContainerId: 0 } } });
    const before = await events();
    for (const subscriptionId of [once.id, replaced.id, 2_147_483_647]) await lookForFile({ subscriptionId, mediaContainerId, depth: 0 });
    expect(await events()).toBe(before);
    expect(await linksOf(mediaContainerId)).toHaveLength(1);
  });

  it('reports problems of its payload, and creates nothing', async () => {
    const before = (await mine.list()).body.length;
    const { id } = await uploadMedia(app, token, { content: 'valid' });
    const wrong = async (payload: unknown) => problemsOf(await mine.template('createDownloadLink', payload));
    const invalid = (...problems: string[]) => [400, 'validation_failed', problems];
    expect(await wrong(undefined)).toEqual(invalid('payload required'));
    expect(await wrong({})).toEqual(invalid('payload.mediaContainerId required'));
    expect(await wrong({ mediaContainerId: '7', templateId: -1, formatIds: [1.5], receiver: [{ recipient: 'nobody' }] })).toEqual(
      invalid(
        'payload.mediaContainerId type',
        'payload.templateId is_int',
        'payload.formatIds.0 type',
        'payload.receiver.0.recipient is_email',
      ),
    );
    expect(await wrong({ mediaContainerId: 2_147_483_647, formatIds: [2_147_483_647] })).toEqual(
      invalid('payload.mediaContainerId not_found', 'payload.formatIds.0 not_found'),
    );
    const film = (await app.app.get(FormatReaderService).originalIds()).video;
    expect(await wrong({ mediaContainerId: id, formatIds: [original, film] })).toEqual(invalid('payload.formatIds.1 not_of_containers'));
    const { id: trashed } = await uploadMedia(app, token, { content: 'thrown away' });
    await call(`${app.url}/v5/mediacontainer/${trashed}`, { token, method: 'DELETE' });
    expect(await wrong({ mediaContainerId: trashed })).toEqual([400, 'in_trash', ['payload.mediaContainerId in_trash']]);
    expect(await wrong({ mediaContainerId: id, formatIds: [] })).toEqual(invalid('payload.formatIds array_min_size'));
    const stranger = subscriptionsOf(app, await tokenOf(app, await aUser(app)));
    expect(problemsOf(await stranger.template('createDownloadLink', { mediaContainerId: id }))).toEqual(
      invalid('payload.mediaContainerId not_found'),
    );
    expect((await mine.list()).body).toHaveLength(before);
  });
});

describe('the template dropsiteUploadStarted', () => {
  const announce = async (link: string) => {
    const sender = senderOf(app, link);
    const { access_token } = await sender.session({ email: 'sender@example.org' });
    const { body } = await sender.create({}, { token: access_token });
    const notice = { uploadId: body.uploadId, duration: 60, totalSize: 11, items: 1 };
    expect((await sender.started(notice, { token: access_token })).status).toBe(202);
  };
  const withLogs = async ({ id }: SubscriptionBody, count: number) =>
    await eventually(async () => {
      const { logs } = (await mine.get(id)).body;
      return logs.length === count ? logs : null;
    });

  it('mails the caller when an upload to one of their dropsites starts', async () => {
    const dropsites = await Promise.all(
      ['Garden', 'House'].map(async (name) => (await call<{ link: string }>(`${app.url}/v5/dropsite`, { token, body: { name } })).body),
    );
    const [garden, house] = dropsites.map(({ link }) => link) as [string, string];
    const { status, body } = await mine.template('dropsiteUploadStarted', { link: garden });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'event:dropsiteUploadStarted',
      flag: 0,
      conditions: { payload: { link: garden, ownerId: owner.id } },
      instructions: [{ type: 'email', template: 'dropsiteUploadStarted', to: [{ recipient: ':owner.email' }] }],
    });
    const all = (await mine.template('dropsiteUploadStarted')).body;
    expect(all.conditions).toEqual({ payload: { ownerId: owner.id } });
    await announce(garden);
    await withLogs(body, 1);
    await withLogs(all, 1);
    expect((await mailsTo('ada@example.org')).map(({ subject }) => subject)).toContain('Upload started: Garden');
    await announce(house);
    await withLogs(all, 2);
    expect((await mine.get(body.id)).body.logs).toHaveLength(1);
  });

  it('mails the owner at the address of today, also when a colleague has changed the subscription', async () => {
    const { link } = (await call<{ link: string }>(`${app.url}/v5/dropsite`, { token, body: { name: 'Shed' } })).body;
    const { body } = await mine.template('dropsiteUploadStarted', { link });
    const colleague = await aUser(app, { customer: 'Ada Media', email: 'colleague@example.org' });
    const theirs = subscriptionsOf(app, await tokenOf(app, colleague));
    expect((await theirs.replace(body.id, { ...body, notes: 'theirs' })).body.lastEditorId).toBe(colleague.id);
    await database().query('UPDATE users SET email = $2 WHERE id = $1', [owner.id, 'ada.new@example.org']);
    await announce(link);
    await withLogs(body, 1);
    expect((await mailsTo('ada.new@example.org')).map(({ subject }) => subject)).toContain('Upload started: Shed');
    expect(await mailsTo('colleague@example.org')).toEqual([]);
  });

  it('knows only dropsites of the caller', async () => {
    const { dropsite } = await aDropsite(app);
    const refusal = [400, 'validation_failed', ['payload.link not_found']];
    expect(problemsOf(await mine.template('dropsiteUploadStarted', { link: dropsite.link }))).toEqual(refusal);
    expect(problemsOf(await mine.template('dropsiteUploadStarted', { link: 'no-uuid' }))).toEqual(refusal);
    expect(problemsOf(await mine.template('dropsiteUploadStarted', { link: 7 }))).toEqual([
      400,
      'validation_failed',
      ['payload.link type'],
    ]);
  });
});

describe('another template', () => {
  it('is not found, and the two that exist are named', async () => {
    for (const name of ['other', '7', 'constructor']) {
      const { status, body } = await mine.template(name, {});
      expect([status, body.code]).toEqual([404, 'not_found']);
      expect(body.detail).toMatch(/createDownloadLink and dropsiteUploadStarted/);
    }
  });
});
