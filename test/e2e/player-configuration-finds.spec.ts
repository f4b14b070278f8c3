import { describe, expect, it } from '@jest/globals';
import { Clock, FakeClock } from '../../src/shared/clock.js';
import { useTestApp } from '../support/app/test-app.js';
import { aContainer, aFormat, aPublisher, type ConfigurationBody, problemsOf } from '../support/delivery/player-configurations.js';
import { call } from '../support/media/uploads.js';
import { rawRequest } from '../support/raw-request.js';

const app = useTestApp();

const FAR = '999999999999999';

describe('finding player configurations', () => {
  it('returns all of the customer, with formats and counts only on request', async () => {
    const publisher = await aPublisher(app);
    const formatId = (await aFormat(app, publisher.user)).id;
    const [first, second] = [await publisher.made({ formats: [{ formatId }] }), await publisher.made({ autoGenerate: true })];
    await publisher.embed((await aContainer(app, publisher.user)).id, first.id);
    await publisher.embed((await aContainer(app, publisher.user)).id, first.id, { flag: 10 });
    const deleted = await publisher.embed((await aContainer(app, publisher.user)).id, first.id);
    await publisher.unlink(deleted.body.id);
    const plain = (await publisher.find()).body;
    expect(plain.map(({ id, autoGenerate }) => [id, autoGenerate])).toEqual([
      [first.id, false],
      [second.id, true],
    ]);
    for (const one of plain) expect(Object.keys(one)).not.toEqual(expect.arrayContaining(['formats']));
    for (const one of plain) expect(one).not.toHaveProperty('countEmbeds');
    const shown = (await publisher.find('?showCountEmbeds=true&showFormats=true')).body;
    expect(shown.map(({ countEmbeds, formats }) => [countEmbeds, formats])).toEqual([
      [2, [{ formatId, downloadable: false, playerConfigurationId: first.id }]],
      [0, []],
    ]);
    expect((await publisher.get(first.id, '?showCountEmbeds=true')).body.countEmbeds).toBe(2);
    expect((await publisher.get(first.id, '?showCountEmbeds=false')).body).not.toHaveProperty('countEmbeds');
    expect((await publisher.find(`?id=${first.id}&showCountEmbeds=true`)).body).toMatchObject([{ id: first.id, countEmbeds: 2 }]);
  });

  it('answers pages where a limit is given, with the way to the next', async () => {
    const publisher = await aPublisher(app);
    const ids: number[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await publisher.made({ name: `Number ${n}` })).id);
    const seen: number[][] = [];
    for (let next: string | null = '/v5/playerconfiguration?limit=2&showFormats=true'; next; ) {
      const page: { body: ConfigurationBody[]; headers: Headers } = await call(`${app.url}${next}`, { token: publisher.token });
      seen.push(page.body.map(({ id }) => id));
      expect(page.body.every(({ formats }) => Array.isArray(formats))).toBe(true);
      next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? null;
    }
    expect(seen).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect((await publisher.find()).body).toHaveLength(5);
    expect((await publisher.find()).headers.get('link')).toBeNull();
    expect((await publisher.find(`?cursor=${ids[3]}`)).body.map(({ id }) => id)).toEqual([ids[4]]);
    expect((await publisher.find(`?cursor=${FAR}`)).body).toEqual([]);
  });

  it.each(['-1', '0', '2147483648', FAR])('answers an empty list for the id %s', async (id) => {
    const publisher = await aPublisher(app);
    await publisher.made();
    expect(await publisher.find(`?id=${id}`)).toMatchObject({ status: 200, body: [] });
  });

  it('refuses invalid parameters', async () => {
    const publisher = await aPublisher(app);
    const answer = await publisher.find('?id=one&refresh=maybe&showCountEmbeds=2&showFormats=x&limit=0&cursor=-1');
    expect(problemsOf(answer).map((problem) => problem.split(' ')[0])).toEqual([
      'cursor',
      'id',
      'limit',
      'refresh',
      'showCountEmbeds',
      'showFormats',
    ]);
  });
});

describe('the version of a player configuration', () => {
  it('is a strong ETag, which a change may require', async () => {
    const publisher = await aPublisher(app);
    const created = await publisher.create();
    const { id } = created.body;
    expect(created.headers.get('etag')).toBe(`"${id}-1"`);
    expect((await publisher.get(id)).headers.get('etag')).toBe(`"${id}-1"`);
    const changed = await publisher.update(id, { name: 'Second' }, { 'if-match': `"other", "${id}-1"` });
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, `"${id}-2"`]);
    for (const tag of [`"${id}-1"`, `W/"${id}-2"`, `${id}-2`, '"x"', `"${id + 1}-2"`]) {
      const refused = await publisher.update(id, { name: 'Lost' }, { 'if-match': tag });
      expect(refused).toMatchObject({ status: 412, body: { code: 'precondition_failed' } });
      expect(await publisher.destroy(id, undefined, { 'if-match': tag })).toMatchObject({ status: 412 });
    }
    expect((await publisher.get(id, '?refresh=true')).body).toMatchObject({ name: 'Second' });
    expect((await publisher.update(id, { name: 'Third' }, { 'if-match': '*' })).headers.get('etag')).toBe(`"${id}-3"`);
    expect((await publisher.update(id, { name: 'Fourth' })).headers.get('etag')).toBe(`"${id}-4"`);
    expect((await publisher.destroy(id, undefined, { 'if-match': `"${id}-4"` })).status).toBe(200);
  });

  it('lets one of 20 changes with the same If-Match succeed, and loses none without it', async () => {
    const publisher = await aPublisher(app);
    const { id } = await publisher.made();
    const insisting = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => await publisher.update(id, { name: `Name ${n}` }, { 'if-match': `"${id}-1"` })),
    );
    const won = insisting.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(insisting.filter(({ status }) => status === 412)).toHaveLength(19);
    expect((await publisher.get(id)).body).toMatchObject({ name: won[0]?.body.name });
    const keys = ['cname', 'providerName', 'providerUrl'] as const;
    const changes = await Promise.all(keys.map(async (key) => await publisher.update(id, { settings: { [key]: 'www.example.org' } })));
    expect(changes.map(({ status }) => status)).toEqual([200, 200, 200]);
    const read = await publisher.get(id);
    expect(read.headers.get('etag')).toBe(`"${id}-5"`);
    expect(read.body.settings).toEqual(Object.fromEntries(keys.map((key) => [key, 'www.example.org'])));
  });

  it('gives 304 to browsers that have it, unless they request the count', async () => {
    const publisher = await aPublisher(app);
    const { id } = await publisher.made();
    const headers = { authorization: `Bearer ${publisher.token}`, 'if-none-match': `"${id}-1"` };
    const ask = async (query: string) => (await rawRequest(app.url, { path: `/v5/playerconfiguration/${id}${query}`, headers })).status;
    expect([await ask(''), await ask('?showCountEmbeds=true')]).toEqual([304, 200]);
  });
});

describe('the freshness of a player configuration', () => {
  it('is the time of the database read: cached until a change or a request with refresh', async () => {
    const clock = new FakeClock(new Date(Date.now()));
    const real = app.app.get(Clock).now;
    const publisher = await aPublisher(app);
    const { id } = await publisher.made();
    Object.assign(app.app.get(Clock), { now: () => clock.now() });
    try {
      const seconds = () => Math.floor(clock.now().getTime() / 1_000);
      const first = (await publisher.get(id)).body.freshness;
      expect(first).toBe(seconds());
      clock.advance(10);
      expect((await publisher.get(id)).body.freshness).toBe(first);
      expect((await publisher.find(`?id=${id}`)).body).toMatchObject([{ freshness: first }]);
      expect((await publisher.get(id, '?refresh=true')).body.freshness).toBe(first + 10);
      clock.advance(10);
      expect((await publisher.get(id)).body.freshness).toBe(first + 10);
      expect((await publisher.find(`?id=${id}&refresh=true`)).body).toMatchObject([{ freshness: first + 20 }]);
      clock.advance(10);
      expect((await publisher.update(id, { name: 'Other' })).body.freshness).toBe(first + 30);
      clock.advance(10);
      expect((await publisher.get(id)).body).toMatchObject({ name: 'Other', freshness: first + 40 });
      expect((await publisher.find()).body).toMatchObject([{ freshness: first + 40 }]);
    } finally {
      Object.assign(app.app.get(Clock), { now: real });
    }
  });
});
