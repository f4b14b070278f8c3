import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MediaContainer } from '../../src/modules/media/index.js';
import { CurrentRulesService, EmbedLinksService } from '../../src/modules/player-configurations/index.js';
import { AuditService } from '../../src/shared/audit/audit.service.js';
import { CountingService } from '../../src/shared/counting/index.js';
import { Database } from '../../src/shared/database/index.js';
import { EventOutboxService } from '../../src/shared/events/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { recordStatements } from '../support/database/recorded-statements.js';
import { refusals } from '../support/delivery/dropsites.js';
import { aContainer, aPublisher, type EmbedLinkBody, problemsOf, storedLinks } from '../support/delivery/player-configurations.js';
import { eventually } from '../support/eventually.js';
import { call, tokenOf } from '../support/media/uploads.js';

const FAR = '999999999999999';

let app: TestApp;
let second: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: 'inline' });
  second = await startTestApp({ database: app.database, publicUrl: app.url });
});
afterAll(async () => {
  await second.close();
  await app.close();
});

/** A publisher with a container and a configuration of one type. */
async function aScene(type: 'video' | 'audio' | 'image' | 'document' = 'video') {
  const publisher = await aPublisher(app);
  const container = await aContainer(app, publisher.user, { type });
  return { publisher, container, configuration: await publisher.made({ type }) };
}

describe('an embed link', () => {
  it('is created with the given fields', async () => {
    const { publisher, container, configuration } = await aScene('audio');
    const fields = { description: 'For the press', origin: 'newsletter', start: 1_735_689_600, end: 1_767_225_600, flag: 10 };
    const made = await publisher.embed(container.id, configuration.id, { ...fields, link: 'mine', customerId: 9, unknown: [] });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      ...fields,
      id: expect.any(Number),
      link: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
      customerId: publisher.user.customerId,
      url: `${app.url}/v5/deliverEmbed/${made.body.link}`,
      snippet: expect.stringMatching(/^<iframe src="[^"]+" title="Interview" /),
      mediaContainerId: container.id,
      playerConfigurationId: configuration.id,
      type: 'audio',
      creatorId: publisher.user.id,
      uses: 0,
      lastUsedAt: null,
      endedAt: null,
      endedBy: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      created: true,
    });
    const { created: _created, ...link } = made.body;
    expect((await publisher.linksOf(container.id)).body).toEqual([link]);
    expect(Math.abs(Date.parse(String(made.body.createdAt)) - Date.now())).toBeLessThan(60_000);
  });

  it('begins and ends with days in UTC, or at times', async () => {
    const { publisher, container, configuration } = await aScene();
    const days = await publisher.embed(container.id, configuration.id, { start: '2026-11-27', end: '2026-11-27' });
    expect(days.body).toMatchObject({ start: 1_795_737_600, end: 1_795_823_999 });
    const times = await publisher.embed(container.id, (await publisher.made()).id, {
      start: '2026-11-27T01:00:00+01:00',
      end: 1_795_823_999,
    });
    expect(times.body).toMatchObject({ start: 1_795_737_600, end: 1_795_823_999 });
  });

  it('needs no more than a configuration', async () => {
    const { publisher, container, configuration } = await aScene();
    const nothing = { description: '', origin: null, start: null, end: null, flag: 0 };
    expect((await publisher.embed(container.id, configuration.id)).body).toMatchObject(nothing);
    const other = await publisher.made();
    const nulls = { description: null, origin: null, start: null, end: null, flag: null };
    expect((await publisher.embed(container.id, other.id, nulls)).body).toMatchObject(nothing);
  });

  it('is the one that there is for a container and a configuration, until it is deleted', async () => {
    const { publisher, container, configuration } = await aScene();
    const first = await publisher.embed(container.id, configuration.id, { description: 'First', flag: 10 });
    const again = await publisher.embed(container.id, configuration.id, { description: 'Again' });
    expect(again.status).toBe(200);
    expect(again.body).toEqual({ ...first.body, created: false });
    await publisher.unlink(first.body.id);
    const next = await publisher.embed(container.id, configuration.id);
    expect([next.status, next.body.created, next.body.id === first.body.id]).toEqual([201, true, false]);
  });

  it('is created once by 20 concurrent requests in two processes', async () => {
    const { publisher, container, configuration } = await aScene();
    const urls = [app.url, addressOf(second.app)];
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, n) =>
        call<EmbedLinkBody>(`${urls[n % 2]}/v5/embedlink/${container.id}`, {
          token: publisher.token,
          body: { playerConfigurationId: configuration.id },
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19);
    expect(new Set(answers.map(({ body }) => body.link)).size).toBe(1);
    expect(await storedLinks(app, publisher.user)).toHaveLength(1);
  });

  it.each<[object, string]>([
    [{ playerConfigurationId: '3' }, 'playerConfigurationId type'],
    [{ playerConfigurationId: 0 }, 'playerConfigurationId min'],
    [{ playerConfigurationId: 2_147_483_648 }, 'playerConfigurationId max'],
    [{ playerConfigurationId: 2_147_483_647 }, 'playerConfigurationId not_found'],
    [{ description: 5 }, 'description type'],
    [{ description: 'x'.repeat(10_001) }, 'description max_length'],
    [{ origin: ['x'] }, 'origin type'],
    [{ start: '2030-02-30' }, 'start is_link_time'],
    [{ start: -1 }, 'start is_link_time'],
    [{ end: 253_402_300_800 }, 'end is_link_time'],
    [{ start: '2030-01-01', end: '2029-12-31' }, 'end is_after_start'],
    [{ start: 100, end: 100 }, 'end is_after_start'],
    [{ start: 100, end: 99 }, 'end is_after_start'],
    [{ start: 100, end: { toString: 1 } }, 'end type'],
    [{ start: 100, end: [{ toString: 1 }] }, 'end type'],
    [{ flag: 1 }, 'flag is_in'],
    [{ flag: '0' }, 'flag type'],
  ])('is not made with %j', async (fields, problem) => {
    const { publisher, container, configuration } = await aScene();
    const answer = await publisher.embed(container.id, configuration.id, fields);
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(problemsOf(answer)).toEqual([problem]);
    expect(await storedLinks(app, publisher.user)).toEqual([]);
  });

  it('joins a container and a configuration of the same type and customer', async () => {
    const { publisher, container } = await aScene('video');
    const audio = await publisher.made({ type: 'audio' });
    const foreign = (await aScene()).configuration;
    expect(problemsOf(await publisher.embed(container.id, audio.id))).toEqual(['playerConfigurationId type_mismatch']);
    expect(problemsOf(await publisher.embed(container.id, foreign.id))).toEqual(['playerConfigurationId not_found']);
  });

  it.each<[string, Partial<MediaContainer>]>([
    ['is_watermark', { type: 'watermark', flag: 33 }],
    ['in_trash', { flag: 1 }],
  ])('is refused (%s) for such a container', async (code, fields) => {
    const { publisher, configuration } = await aScene();
    const { id } = await aContainer(app, publisher.user, fields);
    const answer = await publisher.embed(id, configuration.id);
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(problemsOf(answer)).toEqual([`mediaContainerId ${code}`]);
    expect(await publisher.linksOf(id)).toMatchObject({ status: 200, body: [] });
  });

  it('is refused when its container goes away at the same moment', async () => {
    const { publisher, container, configuration } = await aScene();
    const database = app.app.get(Database);
    const waits = `SELECT count(*)::int AS waiting FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE NOT granted AND datname = current_database()`;
    let embedding: ReturnType<typeof publisher.embed> | undefined;
    await database.transaction(async () => {
      await database.query('DELETE FROM media_containers WHERE id = $1', [container.id]);
      embedding = database.outsideTransaction(async () => await publisher.embed(container.id, configuration.id));
      await eventually(async () => Number((await database.queryOne<{ waiting: number }>(waits))?.waiting) > 0);
    });
    expect(await embedding).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await storedLinks(app, publisher.user)).toEqual([]);
  });

  it('is deleted, once and again, and not listed any more', async () => {
    const { publisher, container, configuration } = await aScene();
    const { created: _created, ...link } = (await publisher.embed(container.id, configuration.id)).body;
    for (const answer of [
      await publisher.unlink(link.id),
      await publisher.unlink(link.id),
      await publisher.send('embedlink', 'DELETE', { id: link.id }),
    ]) {
      expect(answer).toMatchObject({ status: 200 });
      expect(answer.body).toEqual({ ...link, flag: 1, endedAt: expect.any(String), endedBy: publisher.user.id });
    }
    expect((await publisher.linksOf(container.id)).body).toEqual([]);
    expect(await storedLinks(app, publisher.user)).toMatchObject([{ id: link.id, flag: 1, playerConfigurationId: configuration.id }]);
  });

  it('does not exist for other customers, and neither does the container', async () => {
    const { publisher, container, configuration } = await aScene();
    const { id } = (await publisher.embed(container.id, configuration.id)).body;
    const stranger = await aPublisher(app);
    const own = await stranger.made();
    for (const [containerId, linkId] of [
      [container.id, id],
      [2_147_483_647, 2_147_483_647],
    ]) {
      const answers = [
        await stranger.linksOf(Number(containerId)),
        await stranger.embed(Number(containerId), own.id),
        await stranger.unlink(Number(linkId)),
      ];
      expect(refusals(answers)).toEqual(Array(3).fill([404, 'not_found']));
      expect(answers.map(({ body }) => (body as { detail?: string }).detail)).toEqual([
        ...Array(2).fill(`There is no media container ${containerId}.`),
        `There is no embed link ${linkId}.`,
      ]);
    }
    expect((await publisher.linksOf(container.id)).body).toMatchObject([{ id, flag: 0 }]);
  });

  it('requires a caller with write access, and a numeric path', async () => {
    const { publisher, container, configuration } = await aScene();
    const { id } = (await publisher.embed(container.id, configuration.id)).body;
    const at = `${app.url}/v5/embedlink`;
    const reader = await tokenOf(app, publisher.user, 'api:read');
    const answers = [
      await call(`${at}/${container.id}`),
      await call(`${at}/${container.id}`, { token: reader, body: { playerConfigurationId: configuration.id } }),
      await call(`${at}/${id}`, { token: reader, method: 'DELETE' }),
      await publisher.send(`embedlink/${id}`, 'DELETE', { id: id + 1 }),
      await publisher.send('embedlink/one', 'GET'),
      await publisher.send('embedlink', 'DELETE', {}),
      await publisher.send(`embedlink/${FAR}`, 'GET'),
    ];
    expect(refusals(answers)).toEqual([
      [401, 'unauthenticated'],
      ...Array(2).fill([403, 'insufficient_scope']),
      [400, 'id_mismatch'],
      ...Array(3).fill([400, 'validation_failed']),
    ]);
    expect(answers.slice(4).flatMap(problemsOf)).toEqual(['id type', 'id required', 'id max']);
    expect((await call(`${at}/${container.id}`, { token: reader })).status).toBe(200);
  });

  it('is found by the page', async () => {
    const { publisher, container } = await aScene();
    const ids: number[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await publisher.embed(container.id, (await publisher.made()).id)).body.id);
    const seen: number[][] = [];
    for (let next: string | null = `/v5/embedlink/${container.id}?limit=2`; next; ) {
      const page: { body: EmbedLinkBody[]; headers: Headers } = await call(`${app.url}${next}`, { token: publisher.token });
      seen.push(page.body.map(({ id }) => id));
      next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? null;
    }
    expect(seen).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect((await publisher.linksOf(container.id, `?cursor=${FAR}`)).body).toEqual([]);
    expect(problemsOf(await publisher.linksOf(container.id, '?limit=1001&cursor=-1'))).toEqual(['cursor min', 'limit max']);
  });
});

describe('the embed links of a customer', () => {
  const listed = async ({ send }: Awaited<ReturnType<typeof aPublisher>>, query = '') =>
    (await send<EmbedLinkBody[]>(`embedlink${query}`, 'GET')).body.map(({ id }) => id);

  it('are listed by pages, the newest first, without deleted ones and those of others', async () => {
    const { publisher, container, configuration } = await aScene();
    const other = await publisher.made();
    const second = await aContainer(app, publisher.user);
    const first = (await publisher.embed(container.id, configuration.id)).body.id;
    const next = (await publisher.embed(second.id, configuration.id)).body.id;
    const newest = (await publisher.embed(container.id, other.id)).body.id;
    await publisher.unlink((await publisher.embed(second.id, other.id)).body.id);
    await aScene();
    expect(await listed(publisher)).toEqual([newest, next, first]);
    expect(await listed(publisher, `?mediaContainerId=${container.id}`)).toEqual([newest, first]);
    expect(await listed(publisher, `?playerConfigurationId=${configuration.id}`)).toEqual([next, first]);
    expect(await listed(publisher, `?mediaContainerId=${container.id}&playerConfigurationId=${other.id}`)).toEqual([newest]);
    const page = await call<EmbedLinkBody[]>(`${app.url}/v5/embedlink?limit=2`, { token: publisher.token });
    const rest = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    expect(page.body.map(({ id }) => id)).toEqual([newest, next]);
    expect((await call<EmbedLinkBody[]>(`${app.url}${rest}`, { token: publisher.token })).body).toMatchObject([{ id: first }]);
    expect(problemsOf(await publisher.send('embedlink?state=gone&mediaContainerId=x', 'GET'))).toEqual([
      'mediaContainerId type',
      'state is_in',
    ]);
  });

  it('are active, or have ended with their own end, with that of their container, or in the trash', async () => {
    const { publisher, container, configuration } = await aScene();
    const link = async (to: Partial<MediaContainer>, fields: object = {}) =>
      (await publisher.embed((await aContainer(app, publisher.user, to)).id, configuration.id, fields)).body.id;
    const [past, future] = [new Date(Date.now() - 1_000), new Date(Date.now() + 3_600_000)];
    const seconds = Math.floor(past.getTime() / 1_000);
    const active = [
      (await publisher.embed(container.id, configuration.id)).body.id,
      await link({ end: future }, { start: seconds + 1_000, end: seconds + 2_000 }),
    ];
    const ended = [await link({}, { end: seconds }), await link({ end: past })];
    const trashed = await aContainer(app, publisher.user);
    ended.push((await publisher.embed(trashed.id, configuration.id)).body.id);
    await app.app.get(Database).repository(MediaContainer).update({ id: trashed.id }, { flag: 1 });
    expect(await listed(publisher)).toEqual(active.toReversed());
    expect(await listed(publisher, '?state=active')).toEqual(active.toReversed());
    const deleted = await link({});
    await publisher.unlink(deleted);
    ended.push(deleted);
    expect(await listed(publisher)).toEqual(active.toReversed());
    expect(await listed(publisher, '?state=ended')).toEqual(ended.toReversed());
    expect(await listed(publisher, '?state=all')).toEqual([...active, ...ended].toReversed());
    await app.app.get(Database).query(`UPDATE embed_links SET ended_at = now() - interval '91 days' WHERE id = $1`, [deleted]);
    expect(await listed(publisher, '?state=ended')).toEqual(ended.slice(0, -1).toReversed());
  });

  it('cost a few statements together, instead of some for each', async () => {
    const { publisher, configuration } = await aScene();
    for (let n = 0; n < 5; n += 1) await publisher.embed((await aContainer(app, publisher.user)).id, configuration.id);
    await listed(publisher); // caches configuration and formats
    const statements = await recordStatements(async () => void (await listed(publisher, '?limit=5')));
    expect(statements.length).toBeLessThanOrEqual(12); // those that arrive while others are running share the next ones
  });

  it('have the address of their page, and the snippet that oEmbed returns', async () => {
    const { publisher, container } = await aScene();
    const configuration = await publisher.made({ width: 480 });
    const { body } = await publisher.embed(container.id, configuration.id);
    const oembed = await call<{ html: string }>(`${app.url}/v5/oembed?url=${encodeURIComponent(String(body.url))}`);
    expect(body.snippet).toBe(oembed.body.html);
    const own = await publisher.made({ securitySettings: { authOnly: false, url: { cname: 'films.example.org' } } });
    const hosted = (await publisher.embed(container.id, own.id)).body;
    expect(hosted.url).toBe(`http://films.example.org/v5/deliverEmbed/${hosted.link}`);
    await publisher.destroy(configuration.id, { move: -1 });
    expect((await publisher.unlink(body.id)).body).toMatchObject({ url: body.url, snippet: expect.stringContaining(`src="${body.url}"`) });
  });

  it('know how often and in which hour they were used, and keep their entity tag', async () => {
    const { publisher, container, configuration } = await aScene();
    const { body, headers } = await publisher.embed(container.id, configuration.id);
    for (const accept of ['text/html', 'application/json'])
      expect((await fetch(String(body.url), { headers: { accept } })).status).toBe(200);
    expect((await fetch(`${body.url}/progress?play=page`)).status).toBe(200);
    expect((await fetch(`${app.url}/v5/deliverFile/${body.link}?play=page`)).status).toBe(404);
    await fetch(`${app.url}/v5/deliverFile/${body.link}`); // admitted, although there is no file yet
    await app.app.get(CountingService).writeAll();
    const [used] = (await publisher.linksOf(container.id)).body;
    const hour = new Date(String(used?.lastUsedAt));
    expect(used).toMatchObject({ id: body.id, uses: 3 });
    expect([hour.getTime() % 3_600_000, Date.now() - hour.getTime() < 3_660_000]).toEqual([0, true]);
    const unlinked = await publisher.send(`embedlink/${body.id}`, 'DELETE', undefined, { 'if-match': String(headers.get('etag')) });
    expect(unlinked.status).toBe(200);
  });
});

describe('the reader of embed links', () => {
  it('finds a link however it is spelt, and sees a change in any process with the next request', async () => {
    const { publisher, container, configuration } = await aScene();
    const { id, link } = (await publisher.embed(container.id, configuration.id)).body;
    const readers = [app, second].map((process) => process.app.get(CurrentRulesService));
    const spelt = link.toUpperCase();
    const found = async () => await Promise.all(readers.map(async (reader) => (await reader.find([spelt])).get(spelt)?.link));
    for (const one of await found()) expect(one).toMatchObject({ id, link, flag: 0 });
    await publisher.unlink(id);
    for (const one of await found()) expect(one).toMatchObject({ id, link, flag: 1 });
  });

  it('does not query the database for invalid links', async () => {
    const reader = app.app.get(CurrentRulesService);
    const invalid = ['', 'x', "' OR 1", '0'.repeat(36), '{00000000-0000-4000-8000-000000000000}'];
    expect(await recordStatements(async () => expect(await reader.find(invalid)).toEqual(new Map()))).toEqual([]);
    expect(await reader.find(['00000000-0000-4000-8000-000000000000'])).toEqual(new Map());
  });

  it('counts the links of configurations that are not deleted', async () => {
    const { publisher, configuration } = await aScene();
    const other = await publisher.made();
    for (const flag of [0, 10]) await publisher.embed((await aContainer(app, publisher.user)).id, configuration.id, { flag });
    const { body } = await publisher.embed((await aContainer(app, publisher.user)).id, configuration.id);
    await publisher.unlink(body.id);
    const counts = await app.app.get(EmbedLinksService).countByPlayerConfiguration([configuration.id, other.id]);
    expect([...counts]).toEqual([[configuration.id, 2]]);
  });
});

describe('an upload that arrived', () => {
  const arrive = async ({ id: mediaContainerId, customerId }: MediaContainer) =>
    await app.app.get(EventOutboxService).publish({
      name: 'event:s3success',
      customerId,
      method: 'create',
      payload: { mediaContainerId, mediaId: 1, customerId, role: null, language: null },
    });
  /** Events whose delivery is still to come. */
  const settled = async () =>
    await eventually(async () => {
      const sql = 'SELECT count(*)::int AS open FROM graphile_worker._private_jobs';
      return (await app.app.get(Database).queryOne<{ open: number }>(sql))?.open === 0;
    });

  it('gets an embed link for each configuration of its type that wants one, by its creator', async () => {
    const publisher = await aPublisher(app);
    const [a, b] = [await publisher.made({ autoGenerate: true }), await publisher.made({ autoGenerate: true })];
    await publisher.made();
    await publisher.made({ type: 'audio', autoGenerate: true });
    await (await aPublisher(app)).made({ autoGenerate: true });
    const creator = await aUser(app);
    const container = await aContainer(app, { id: creator.id, customerId: publisher.user.customerId });
    await arrive(container);
    await settled();
    const links = (await publisher.linksOf(container.id)).body;
    expect(links.map(({ playerConfigurationId }) => playerConfigurationId)).toEqual([a.id, b.id]);
    for (const link of links) expect(link).toMatchObject({ origin: 'autoGenerate', creatorId: creator.id, flag: 0, type: 'video' });
    const noted = await app.app.get(AuditService).findLatest({ action: 'embed_link.create', subject: `embed_link:${links[0]?.id}` }, 2);
    expect(noted).toMatchObject([{ actor: 'service', customerId: publisher.user.customerId }]);
  });

  it('gets them once, however often the event is delivered, and not again after their deletion', async () => {
    const publisher = await aPublisher(app);
    await publisher.made({ autoGenerate: true });
    const container = await aContainer(app, publisher.user);
    await Promise.all(Array.from({ length: 5 }, async () => await arrive(container)));
    await settled();
    const [link] = (await publisher.linksOf(container.id)).body;
    expect(await storedLinks(app, publisher.user)).toHaveLength(1);
    await publisher.unlink(Number(link?.id));
    await arrive(container);
    await settled();
    expect(await storedLinks(app, publisher.user)).toMatchObject([{ id: link?.id, flag: 1 }]);
  });

  it.each<[string, Partial<MediaContainer>]>([
    ['a watermark', { type: 'watermark', flag: 33 }],
    ['in the trash', { flag: 1 }],
  ])('gets none if it is %s', async (_name, fields) => {
    const publisher = await aPublisher(app);
    await publisher.made({ autoGenerate: true });
    await arrive(await aContainer(app, publisher.user, fields));
    await settled();
    expect(await storedLinks(app, publisher.user)).toEqual([]);
  });

  it('gets none if the container was deleted, without a failure', async () => {
    const publisher = await aPublisher(app);
    await publisher.made({ autoGenerate: true });
    const container = await aContainer(app, publisher.user);
    await arrive({ ...container, id: 2_147_483_647 });
    await settled();
    expect(await storedLinks(app, publisher.user)).toEqual([]);
  });
});
