import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CurrentRulesService, PlayerConfigurationCacheService } from '../../src/modules/player-configurations/index.js';
import { Database } from '../../src/shared/database/index.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { refusals } from '../support/delivery/dropsites.js';
import { aContainer, aFormat, aPublisher, type Publisher, problemsOf, storedLinks } from '../support/delivery/player-configurations.js';
import { eventually, promptly } from '../support/eventually.js';
import { call } from '../support/media/uploads.js';

const NOTICE_MS = 100; // within which every process has forgotten
const TIMES = [1, 2, 3, 4, 5];

let one: TestApp;
let two: TestApp;
beforeAll(async () => {
  one = await startTestApp();
  two = await startTestApp({ database: one.database, publicUrl: one.url });
});
afterAll(async () => {
  await two.close();
  await one.close();
});

const readers = () =>
  [one, two].map(({ app }) => ({ links: app.get(CurrentRulesService), configurations: app.get(PlayerConfigurationCacheService) }));

const currentLink = async (rules: CurrentRulesService, link: string) => (await rules.find([link])).get(link)?.link;

/** A configuration with embed links: active, hidden and deleted. */
async function withLinks(fields: object = {}) {
  const publisher = await aPublisher(one);
  const configuration = await publisher.made(fields);
  const links = [];
  for (const flag of [0, 10, 0]) {
    links.push((await publisher.embed((await aContainer(one, publisher.user)).id, configuration.id, { flag })).body);
  }
  await publisher.unlink(Number(links[2]?.id));
  return { publisher, id: configuration.id, links };
}

const flagsOf = async (publisher: Publisher) =>
  (await storedLinks(one, publisher.user)).map(({ flag, playerConfigurationId }) => [flag, playerConfigurationId]);

describe('a player configuration that is destroyed', () => {
  it('is returned unchanged, and deleted', async () => {
    const publisher = await aPublisher(one);
    const formats = [{ formatId: (await aFormat(one, publisher.user)).id }];
    const before = await publisher.made({ formats, settings: { providerName: 'Example' } });
    const destroyed = await publisher.destroy(before.id);
    expect(destroyed.status).toBe(200);
    expect(destroyed.body).toEqual({ ...before, freshness: expect.any(Number) });
    expect(refusals([await publisher.get(before.id), await publisher.destroy(before.id)])).toEqual(Array(2).fill([404, 'not_found']));
    expect((await publisher.find()).body).toEqual([]);
  });

  it('stays unchanged while embed links use it, and returns their number', async () => {
    const { publisher, id } = await withLinks();
    for (const answer of [await publisher.destroy(id), await publisher.destroy(id, { autoGenerate: true, move: null })]) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'player_configuration_has_embed_links', countEmbeds: 2 } });
    }
    expect((await publisher.get(id, '?refresh=true')).status).toBe(200);
    expect(await flagsOf(publisher)).toEqual([
      [0, id],
      [10, id],
      [1, id],
    ]);
  });

  it('may go when its links were deleted before', async () => {
    const { publisher, id, links } = await withLinks();
    for (const link of links) await publisher.unlink(link.id);
    expect((await publisher.destroy(id)).status).toBe(200);
    expect(await flagsOf(publisher)).toEqual(Array(3).fill([1, null]));
  });

  it('takes its embed links with it when that is said', async () => {
    const { publisher, id, links } = await withLinks();
    for (const { links: reader } of readers()) for (const { link } of links) expect(await currentLink(reader, link)).toBeTruthy();
    expect((await publisher.destroy(id, { move: -1 })).status).toBe(200);
    expect(await flagsOf(publisher)).toEqual(Array(3).fill([1, null]));
    for (const { links: reader, configurations } of readers()) {
      for (const { link } of links) {
        expect(await currentLink(reader, link)).toMatchObject({ flag: 1, playerConfigurationId: null });
      }
      expect(await configurations.find(publisher.user.customerId, id)).toBeNull();
    }
  });

  it('hands its embed links to another one when that is said, in the query or the body', async () => {
    for (const inQuery of [true, false]) {
      const { publisher, id, links } = await withLinks();
      const target = await publisher.made();
      await publisher.embed(Number(links[0]?.mediaContainerId), target.id);
      for (const { links: reader } of readers()) for (const { link } of links) expect(await currentLink(reader, link)).toBeTruthy();
      const answer = inQuery
        ? await publisher.send(`playerconfiguration/${id}?move=${target.id}&autoGenerate=true`, 'DELETE')
        : await publisher.send('playerconfiguration', 'DELETE', { id, move: target.id, autoGenerate: true });
      expect(answer).toMatchObject({ status: 200, body: { id } });
      expect(await flagsOf(publisher)).toEqual([
        [0, target.id],
        [10, target.id],
        [1, target.id],
        [0, target.id],
      ]);
      expect((await publisher.get(target.id, '?showCountEmbeds=true')).body).toMatchObject({ countEmbeds: 3, autoGenerate: false });
      for (const { links: reader } of readers()) {
        for (const { link } of links) expect(await currentLink(reader, link)).toMatchObject({ playerConfigurationId: target.id });
      }
    }
  });

  it.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
  ])('that generates links (%p) hands that on when it is said (%p): %p', async (generates, wanted, expected) => {
    const publisher = await aPublisher(one);
    const [{ id }, target] = [await publisher.made({ autoGenerate: generates }), await publisher.made()];
    expect((await publisher.get(target.id)).body.autoGenerate).toBe(false);
    expect((await publisher.destroy(id, { move: target.id, autoGenerate: wanted })).status).toBe(200);
    const { body, headers } = await publisher.get(target.id);
    expect([body.autoGenerate, headers.get('etag')]).toEqual([expected, `"${target.id}-${expected ? 2 : 1}"`]);
  });

  it('says that new uploads get no embed link if no other one of its type generates links', async () => {
    const publisher = await aPublisher(one);
    const [first, second, target] = [
      await publisher.made({ autoGenerate: true }),
      await publisher.made({ autoGenerate: true }),
      await publisher.made(),
    ];
    await publisher.made({ type: 'audio', autoGenerate: true });
    expect((await publisher.destroy(first.id, { move: target.id })).body).not.toHaveProperty('warnings');
    expect((await publisher.destroy(second.id, { move: target.id })).body.warnings).toEqual([
      expect.stringMatching(/^New media containers of the type video get no embed link: /),
    ]);
    expect((await publisher.destroy(target.id)).body).not.toHaveProperty('warnings'); // it generated none
  });

  it('says so when its links are deleted, and not when another one takes over', async () => {
    const publisher = await aPublisher(one);
    const [first, target] = [await publisher.made({ autoGenerate: true }), await publisher.made()];
    const handedOn = await publisher.destroy(first.id, { move: target.id, autoGenerate: true });
    expect(handedOn.body).not.toHaveProperty('warnings');
    expect((await publisher.destroy(target.id, { move: -1 })).body.warnings).toHaveLength(1);
  });

  it.each<[string, (context: { publisher: Publisher; id: number }) => unknown, string]>([
    ['itself', ({ id }) => id, 'move same_configuration'],
    ['one of another type', async ({ publisher }) => (await publisher.made({ type: 'audio' })).id, 'move type_mismatch'],
    ['one of another customer', async () => (await (await aPublisher(one)).made()).id, 'move not_found'],
    ['one that does not exist', () => 2_147_483_647, 'move not_found'],
    ['one that cannot exist', () => 2 ** 40, 'move not_found'],
    ['0', () => 0, 'move not_equals'],
    ['-2', () => -2, 'move min'],
    ['a word', () => 'other', 'move type'],
    ['a list', () => [1], 'move type'],
  ])('is refused with a move to %s, and nothing changes', async (_name, move, problem) => {
    const { publisher, id } = await withLinks();
    const before = await flagsOf(publisher);
    const answer = await publisher.destroy(id, { move: await move({ publisher, id }) });
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(problemsOf(answer)).toEqual([problem]);
    expect((await publisher.get(id, '?refresh=true')).status).toBe(200);
    expect(await flagsOf(publisher)).toEqual(before);
  });
});

describe('embed links that are made while their configuration is destroyed', () => {
  /** 20 links of 20 containers, by two processes at once, and what destroys the configuration in between. */
  async function race(body: object | undefined, target?: boolean) {
    const publisher = await aPublisher(one);
    const { id } = await publisher.made();
    const other = target ? await publisher.made() : null;
    const containers = await Promise.all(Array.from({ length: 20 }, async () => (await aContainer(one, publisher.user)).id));
    const urls = [one.url, addressOf(two.app)];
    const embed = async (container: number, n: number) =>
      await call(`${urls[n % 2]}/v5/embedlink/${container}`, { token: publisher.token, body: { playerConfigurationId: id } });
    const destroy = async () => await publisher.destroy(id, other ? { move: other.id } : body);
    const [destroyed, ...made] = await Promise.all([
      (async () => {
        await eventually(async () => (await storedLinks(one, publisher.user)).length > 0);
        return await destroy();
      })(),
      ...containers.map(embed),
    ]);
    const created = made.filter(({ status }) => status === 201);
    for (const answer of made.filter(({ status }) => status !== 201))
      expect(problemsOf(answer)).toEqual(['playerConfigurationId not_found']);
    return { id, other, destroyed, created, links: await storedLinks(one, publisher.user) };
  }

  it.each(TIMES)('are all moved or refused (%p)', async () => {
    const { other, destroyed, created, links } = await race(undefined, true);
    expect(destroyed.status).toBe(200);
    expect(links).toHaveLength(created.length);
    expect(links.every(({ flag, playerConfigurationId }) => flag === 0 && playerConfigurationId === other?.id)).toBe(true);
  });

  it.each(TIMES)('are all deleted or refused (%p)', async () => {
    const { destroyed, created, links } = await race({ move: -1 });
    expect(destroyed.status).toBe(200);
    expect(links).toHaveLength(created.length);
    expect(links.every(({ flag, playerConfigurationId }) => flag === 1 && playerConfigurationId === null)).toBe(true);
  });

  it.each(TIMES)('keep it from being destroyed without a move (%p)', async () => {
    const { id, destroyed, created, links } = await race(undefined);
    expect(destroyed.status).toBe(409);
    expect(created).toHaveLength(20);
    expect(links.every(({ flag, playerConfigurationId }) => flag === 0 && playerConfigurationId === id)).toBe(true);
  });

  it.each(TIMES)('leave no records when both start at the same time (%p)', async () => {
    const publisher = await aPublisher(one);
    const { id } = await publisher.made();
    const container = await aContainer(one, publisher.user);
    const [embedded, destroyed] = await Promise.all([publisher.embed(container.id, id), publisher.destroy(id)]);
    expect([
      [201, 409],
      [400, 200],
    ]).toContainEqual([embedded.status, destroyed.status]);
    expect(await storedLinks(one, publisher.user)).toHaveLength(embedded.status === 201 ? 1 : 0);
  });

  it('that hand their links to each other do not wait for each other', async () => {
    const publisher = await aPublisher(one);
    const [a, b] = [await publisher.made(), await publisher.made()];
    for (const { id } of [a, b]) await publisher.embed((await aContainer(one, publisher.user)).id, id);
    const answers = await Promise.all([publisher.destroy(a.id, { move: b.id }), publisher.destroy(b.id, { move: a.id })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const left = (await publisher.find()).body[0]?.id;
    expect((await storedLinks(one, publisher.user)).map(({ playerConfigurationId }) => playerConfigurationId)).toEqual([left, left]);
  });

  it('never belong to a deleted configuration', async () => {
    const sql = `SELECT count(*)::int AS orphans FROM embed_links l WHERE flag <> 1
      AND NOT EXISTS (SELECT FROM player_configurations c WHERE c.id = l.player_configuration_id)`;
    expect(await one.app.get(Database).queryOne(sql)).toEqual({ orphans: 0 });
  });
});

describe('two processes', () => {
  it('answer the same configuration within a tenth of a second after a change, and the same object until then', async () => {
    const publisher = await aPublisher(one);
    const { id } = await publisher.made();
    const [here, there] = readers().map(({ configurations }) => configurations);
    const read = async () => (await there?.find(publisher.user.customerId, id))?.value;
    const first = await read();
    expect(await read()).toBe(first);
    await publisher.update(id, { name: 'Changed' });
    expect((await here?.find(publisher.user.customerId, id))?.value.name).toBe('Changed');
    let name = 'Changed';
    await eventually(async () => (await read())?.name === name);
    const again = async () => {
      name = randomUUID();
      await publisher.update(id, { name });
    };
    await promptly(NOTICE_MS, { change: again, effect: async () => (await read())?.name === name });
    const second = await read();
    expect(await read()).toBe(second);
    expect(await there?.find(publisher.user.customerId + 1, id)).toBeNull();
  });

  it('return over HTTP the changes of the other one', async () => {
    const publisher = await aPublisher(one);
    const { id } = await publisher.made();
    const ask = async () => (await call(`${addressOf(two.app)}/v5/playerconfiguration/${id}`, { token: publisher.token })).body;
    expect(await ask()).toMatchObject({ name: 'Website' });
    let name = '';
    const rename = async () => {
      name = randomUUID();
      await publisher.update(id, { name });
    };
    await promptly(NOTICE_MS, { change: rename, effect: async () => (await ask()).name === name });
    await publisher.destroy(id);
    await eventually(async () => (await ask()).status === 404);
  });
});
