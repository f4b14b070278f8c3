import { beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import type { MediaContainer } from '../../src/modules/media/index.js';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';
import { aContainer, originalOf } from '../support/delivery/player-configurations.js';
import { type Answer, call, tokenOf } from '../support/media/uploads.js';

type Found = { readonly id: number; readonly name: string };
type Problem = {
  readonly code: string;
  readonly errors: readonly { readonly path: string; readonly code: string; readonly message: string }[];
};

const app = useTestApp();
let user: Awaited<ReturnType<typeof aUser>>;
let token: string;
beforeAll(async () => {
  user = await aUser(app);
  token = await tokenOf(app, user);
});

const find = async <Body = Found[]>(query: string | URLSearchParams, as = token): Promise<Answer<Body>> =>
  await call<Body>(`${app.url}/v5/mediacontainer?${query}`, { token: as });

/** A container with an original of these bytes, named after the container. */
async function aMedium(
  fields: Partial<MediaContainer>,
  { fileSize = 1_000, fileExtension = 'mov', status = 'successful' } = {},
  owner = user,
) {
  const container = await aContainer(app, owner, fields);
  const formatId = await originalOf(app, owner, 'video');
  await app.app.get(Database).query(
    `INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status, bucket, s3_key)
      VALUES ($1, $2, $3, 'video', $4, $5, $6, $7, 'media', gen_random_uuid()::text)`,
    [container.id, owner.customerId, formatId, `${container.name} raw`, fileExtension, fileSize, status],
  );
  return container;
}

/** The names of what a find answers, page by page. */
async function namesOf(query: string, as = token): Promise<string[]> {
  const names: string[] = [];
  for (let path: string | undefined = `/v5/mediacontainer?${query}`; path; ) {
    const { status, body, headers }: Answer<Found[]> = await call<Found[]>(`${app.url}${path}`, { token: as });
    expect([path, status]).toEqual([path, 200]);
    names.push(...body.map(({ name }) => name));
    path = /<(.*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  return names;
}

describe('a find of media containers', () => {
  let owner: typeof user;
  let as: string;
  let colleague: typeof user;
  let dropsite: { id: number; link: string };
  let formatId: number;
  beforeAll(async () => {
    colleague = await aUser(app, { customer: 'Customer of two' });
    owner = await aUser(app, { customer: 'Customer of two' });
    as = await tokenOf(app, owner);
    dropsite = (await call<typeof dropsite>(`${app.url}/v5/dropsite`, { token: as, body: { name: 'Summer' } })).body;
    formatId = await originalOf(app, owner, 'video');
    const at = (day: number) => new Date(`2026-03-0${day}T12:00:00Z`);
    const film: Partial<MediaContainer> = { type: 'video', description: 'Café by the river', tags: ['news', 'Spring'], createdAt: at(1) };
    await aMedium({ name: 'alpha', ...film }, { fileSize: 500 }, owner);
    const sound: Partial<MediaContainer> = {
      type: 'audio',
      tags: ['news'],
      origin: dropsite.id,
      metadata: [{ title: 'author', content: 'Łukasz Ångström' }],
      createdAt: at(2),
    };
    await aMedium({ name: 'Beta', ...sound }, { fileExtension: 'wav', fileSize: 2_000 }, owner);
    await aMedium({ name: 'gamma', type: 'image', createdAt: at(3) }, { fileExtension: 'jpg', fileSize: 1_000 }, colleague);
    await aMedium({ name: 'delta', type: 'document', flag: 1, createdAt: at(4) }, { fileExtension: 'pdf', fileSize: 3_000 }, owner);
    const broken = await aMedium(
      { name: 'zeta', type: 'image', flag: 1, createdAt: at(6) },
      { fileExtension: 'png', fileSize: 9_000 },
      owner,
    );
    await app.app
      .get(Database)
      .query(
        `UPDATE media_items SET file_description = '{"problem": "Its end is missing."}', format_id = NULL WHERE media_container_id = $1`,
        [broken.id],
      );
    await aMedium({ name: 'eta river', createdAt: at(7) }, { fileSize: 7_000, status: 'prepared' }, owner);
    await aMedium({ name: 'theta', flag: 1, createdAt: at(8) }, { status: 'unsuccessful' }, owner);
    await aContainer(app, owner, { name: 'Épsilon river', createdAt: at(5) });
    await aMedium({ name: 'foreign river', tags: ['news'] }, {}, user);
  });

  it.each<[string, () => string, string[]]>([
    ['nothing: the newest first, without the trash', () => '', ['Épsilon river', 'gamma', 'Beta', 'alpha']],
    ['the trash', () => 'state=trash', ['zeta', 'delta']],
    ['all', () => 'state=all&order=asc', ['alpha', 'Beta', 'gamma', 'delta', 'Épsilon river', 'zeta']],
    ['what has not arrived', () => 'state=incomplete', ['theta', 'eta river']],
    ['a word of what has not arrived', () => 'state=incomplete&search=river', ['eta river']],
    ['a problem', () => 'problem=true&state=all', ['zeta']],
    ['no problem', () => 'problem=false&state=all&order=asc', ['alpha', 'Beta', 'gamma', 'delta', 'Épsilon river']],
    ['a type', () => 'type=audio', ['Beta']],
    ['a tag', () => 'tag=news', ['Beta', 'alpha']],
    ['all of several tags', () => 'tag=news&tag=Spring', ['alpha']],
    ['a tag as it is written', () => 'tag=spring', []],
    ['an extension', () => 'extension=.MOV', ['alpha']],
    ['a creator', () => `creatorId=${colleague.id}`, ['gamma']],
    ['a dropsite', () => `dropsite=${dropsite.link}`, ['Beta']],
    ['an unknown dropsite', () => 'dropsite=6f1c1a52-3d0e-4c55-8a5b-0f4f7a0b9f61', []],
    ['a period', () => 'createdAfter=2026-03-01T12:00:00Z&createdBefore=2026-03-03T12:00:00.001Z', ['gamma', 'Beta']],
    ['a period in Unix seconds', () => `createdAfter=${Date.parse('2026-03-02') / 1_000}&createdBefore=2026-03-03`, ['Beta']],
    ['sizes, inclusive', () => 'minSize=1000&maxSize=2000', ['gamma', 'Beta']],
    ['a largest size, of those that have one', () => 'maxSize=1000', ['gamma', 'alpha']],
    ['a format', () => `formatId=${formatId}`, ['gamma', 'Beta', 'alpha']],
    ['a missing format', () => `missingFormatId=${formatId}&state=all`, ['zeta', 'Épsilon river']],
    ['an unknown format', () => 'formatId=2147483647', []],
    ['a word of the name or the description', () => 'search=RIVER', ['Épsilon river', 'alpha']],
    ['words in any order, without accents', () => 'search=angstrom+lukasz', ['Beta']],
    ['words with accents', () => `search=${encodeURIComponent('CAFÉ epsilön')}`, []],
    ['the beginning of a word', () => 'search=caf+riv', ['alpha']],
    ['the inside of a word', () => 'search=iver', []],
    ['a file name', () => 'search=gamma+raw.jpg', ['gamma']],
    ['no word', () => 'search=%25+!!', []],
    ['nothing to look for', () => 'search=', []],
    ['filters together', () => 'tag=news&type=video&minSize=1&search=cafe&extension=mov&sort=name', ['alpha']],
    ['names, without case and accents', () => 'sort=name&order=asc', ['alpha', 'Beta', 'Épsilon river', 'gamma']],
    ['sizes', () => 'sort=fileSize', ['Beta', 'gamma', 'alpha', 'Épsilon river']],
    ['relevance', () => 'sort=relevance&search=river', ['Épsilon river', 'alpha']],
    ['relevance, the other way', () => 'sort=relevance&search=river&order=asc', ['alpha', 'Épsilon river']],
  ])('by %s', async (_, query, names) => {
    for (const limit of ['', '&limit=1']) expect(await namesOf(`${query()}${limit}`, as)).toEqual(names);
    expect((await find(query(), as)).headers.get('total-count')).toBe(String(names.length));
  });

  it('counts types, tags and extensions of all that match', async () => {
    const facets = async (query: string) => (await call(`${app.url}/v5/mediacontainer/facets?${query}`, { token: as })).body;
    expect(await facets('')).toEqual({
      type: [
        { value: 'video', count: 2 },
        { value: 'audio', count: 1 },
        { value: 'image', count: 1 },
      ],
      tag: [
        { value: 'news', count: 2 },
        { value: 'Spring', count: 1 },
      ],
      extension: [
        { value: 'jpg', count: 1 },
        { value: 'mov', count: 1 },
        { value: 'wav', count: 1 },
      ],
    });
    expect(await facets('tag=Spring&search=river&type=video&minSize=500')).toEqual({
      type: [{ value: 'video', count: 1 }],
      tag: [
        { value: 'Spring', count: 1 },
        { value: 'news', count: 1 },
      ],
      extension: [{ value: 'mov', count: 1 }],
    });
    for (const query of ['search=', 'dropsite=6f1c1a52-3d0e-4c55-8a5b-0f4f7a0b9f61', 'id=999999']) {
      expect(await facets(query)).toEqual({ type: [], tag: [], extension: [] });
    }
    expect(await facets('problem=true')).toMatchObject({ errors: [{ path: 'problem', code: 'unknown_parameter' }] });
    expect(await facets('sort=name')).toMatchObject({ errors: [{ path: 'sort', code: 'unknown_parameter' }] });
  });

  it('follows changes of containers and files, of any process', async () => {
    const words = async (search: string) => (await find(`search=${search}&state=all`)).body.length;
    const { id } = await aMedium({ name: 'first name' });
    expect(await words('first')).toBe(1);
    await call(`${app.url}/v5/mediacontainer/${id}`, {
      method: 'PUT',
      token,
      body: { name: 'second name', tags: ['third'], description: 'fourth' },
    });
    expect([await words('first'), await words('second+third+fourth')]).toEqual([1, 1]); // the file is still named "first name raw"
    await app.app.get(Database).query(`UPDATE media_items SET file_name = 'fifth', file_size = 77 WHERE media_container_id = $1`, [id]);
    expect([await words('first'), await words('fifth')]).toEqual([0, 1]);
    expect((await find('minSize=77&maxSize=77')).body.map((one) => one.id)).toEqual([id]);
    await call(`${app.url}/v5/mediacontainer/${id}`, { method: 'DELETE', token });
    expect((await find('search=fifth&state=trash')).body.map((one) => one.id)).toEqual([id]);
    await app.app.get(Database).query('UPDATE media_containers SET doomed = true WHERE id = $1', [id]);
    expect(await words('fifth')).toBe(0);
  });

  it.each([
    ['sort=date', 'sort', 'is_in'],
    ['order=up', 'order', 'is_in'],
    ['sort=relevance', 'sort', 'not_allowed'],
    ['type=film', 'type', 'is_in'],
    ['state=gone', 'state', 'is_in'],
    ['minSize=-1', 'minSize', 'min'],
    ['maxSize=big', 'maxSize', 'type'],
    ['createdAfter=yesterday', 'createdAfter', 'is_time'],
    ['createdBefore=2026-02-30', 'createdBefore', 'is_time'],
    ['dropsite=7', 'dropsite', 'is_uuid'],
    ['creatorId=me', 'creatorId', 'type'],
    ['formatId=1.5', 'formatId', 'type'],
    ['tag=', 'tag.0', 'min_length'],
    ['limit=1001', 'limit', 'max'],
    [Array.from({ length: 21 }, (_, n) => `tag=${n}`).join('&'), 'tag', 'array_max_size'],
    [`extension=${'x'.repeat(101)}`, 'extension', 'max_length'],
    ['cursor=abc', 'cursor', 'invalid_cursor'],
    [`search=${'a'.repeat(201)}`, 'search', 'max_length'],
    ['tags=news', 'tags', 'unknown_parameter'],
  ])('refuses %s', async (query, path, code) => {
    const { status, body } = await find<Problem>(query);
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect(body.errors).toMatchObject([{ path, code }]);
    expect(body.errors[0]?.message).toMatch(/\w+ \w+/);
  });

  it('refuses the cursor of another order, and takes the id of a container as one', async () => {
    for (const name of ['x1', 'x2', 'x3']) await aContainer(app, user, { name, tags: ['cursor'] });
    const { headers, body } = await find('tag=cursor&limit=2');
    const cursor = /cursor=([\w-]+)/.exec(headers.get('link') ?? '')?.[1];
    expect((await find<Problem>(`tag=cursor&sort=name&cursor=${cursor}`)).body.errors).toMatchObject([
      { path: 'cursor', code: 'other_order' },
    ]);
    expect((await find(`tag=cursor&cursor=${cursor}`)).body.map(({ name }) => name)).toEqual(['x1']);
    expect((await find(`tag=cursor&cursor=${body[1]?.id}`)).body.map(({ name }) => name)).toEqual(['x1']);
    expect((await find('tag=cursor&cursor=0')).body).toHaveLength(3);
    const forged = Buffer.from(JSON.stringify(['createdAt', 'desc', 1, '99999999999999', 'moved'])).toString('base64url');
    expect((await find(`tag=cursor&cursor=${forged}`)).status).toBe(400);
  });

  it.each([
    `'`,
    `''; DROP TABLE media_containers; --`,
    '%',
    'a & b | !c <-> (d:*)',
    '\\ \\\' "quoted"',
    '漢'.repeat(200),
    '👩‍👩‍👧‍👦🎬',
    'a\u0000b',
    '\u202e\ufeff\ud800',
    'ﷺ'.repeat(200),
    Array.from({ length: 100 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join(' '),
    ':* 1:a',
  ])('answers the hostile text %j soon', async (search) => {
    const start = performance.now();
    const { status, body } = await find<Found[] | Problem>(new URLSearchParams({ search, sort: 'relevance' }));
    expect([200, 400]).toContain(status);
    if (status === 400) expect(body).toMatchObject({ code: expect.stringMatching(/validation_failed|malformed_request/) });
    expect(performance.now() - start).toBeLessThan(5_000);
    const tag = await find(new URLSearchParams({ tag: search }));
    expect([200, 400]).toContain(tag.status);
  });

  it.each([
    ['extension', '漢'.repeat(100)],
    ['extension', `'\\:*`],
    ['tag', '漢'.repeat(1_024)],
    ['tag', ' '],
    ['createdAfter', '9999-12-31T23:59:59-12:00'],
    ['createdBefore', '0100-01-01T00:00:00+12:00'],
    ['createdBefore', '253402300799'],
    ['formatId', '-999999999999999'],
    ['creatorId', '999999999999999'],
    ['maxSize', '999999999999999'],
    ['id', '999999999999999'],
    ['cursor', '999999999999999'],
  ])('finds nothing, or everything, by an extreme %s', async (name, value) => {
    const query = new URLSearchParams({ [name]: value });
    expect((await find(query)).status).toBe(200);
    const { status } = await call(`${app.url}/v5/mediacontainer/facets?${query}`, { token });
    expect(status).toBe(name === 'cursor' ? 400 : 200);
  });

  it.each(['id', 'creatorId', 'formatId', 'missingFormatId'])(
    'finds nothing, or everything, by a %s of a JSON body that no column holds',
    async (name) => {
      for (const value of [1e300, -1e300, 2 ** 63]) {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const { statusCode, body } = await request(`${app.url}/v5/mediacontainer`, {
          method: 'GET',
          headers,
          body: JSON.stringify({ [name]: value }),
        });
        await body.dump();
        expect(statusCode).toBe(200);
      }
    },
  );

  it('finds texts with quotes, signs and other scripts by their words', async () => {
    const { id } = await aContainer(app, user, { name: `O'Brien & "Söhne": 100% 漢字かな_IMG-2041 Ελλάς`, tags: [`it's \\ a "tag"`] });
    for (const search of [`o'brien`, 'obrien', `brien "sohne"`, '100%', '漢字', 'img_2041', 'IMG 2041', 'ΕΛΛΆΣ', 'ελλας']) {
      const expected = search === 'obrien' ? [] : [id];
      expect([search, (await find(new URLSearchParams({ search }))).body.map((one) => one.id)]).toEqual([search, expected]);
    }
    expect((await find(new URLSearchParams({ tag: `it's \\ a "tag"` }))).body.map((one) => one.id)).toEqual([id]);
  });
});
