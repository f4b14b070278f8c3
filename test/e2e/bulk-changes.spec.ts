import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { MediaContainer } from '../../src/modules/media/index.js';
import { Database } from '../../src/shared/database/index.js';
import { QuotasService } from '../../src/shared/quotas/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';
import { aFormat } from '../support/converter/formats.js';
import { transcode, waitingJobs } from '../support/converter/transcoding.js';
import { aContainer, originalOf } from '../support/delivery/player-configurations.js';
import { permitDifferences } from '../support/documents/documented-answers.js';
import { call, tokenOf } from '../support/media/uploads.js';
import { type Problem, problemsOf } from '../support/subscriptions/subscriptions.js';

interface BulkBody extends Problem {
  readonly changed: number;
  readonly failed: readonly { readonly id: number; readonly code: string; readonly message: string }[];
  readonly ignored?: readonly object[];
}

const app = useTestApp();

const query = async (sql: string, values: unknown[] = []) => (await app.app.get(Database).query(sql, values)).rows;

// One file, because all tests share the service, its users and the set-based preparation of containers.
/** A user of a customer, and what they do with containers. */
async function anOrganiser() {
  const user = await aUser(app);
  const token = await tokenOf(app, user);
  const bulk = async (body: unknown, headers?: Record<string, string>, as: string | null = token) =>
    await call<BulkBody>(`${app.url}/v5/mediacontainer/bulk`, { token: as, body, headers });
  const put = async (id: number, body: object) =>
    await call<BulkBody>(`${app.url}/v5/mediacontainer/${id}`, { method: 'PUT', token, body });
  const get = async (id: number) => (await call<MediaContainer>(`${app.url}/v5/mediacontainer/${id}`, { token })).body;
  const find = async (search: string) => (await call<MediaContainer[]>(`${app.url}/v5/mediacontainer?${search}`, { token })).body;
  const make = async (fields: Partial<MediaContainer> = {}) => await aContainer(app, user, fields);
  /** A container whose original has been uploaded. */
  const upload = async (fields: Partial<MediaContainer> = {}) => {
    const container = await make(fields);
    const original = await originalOf(app, user, container.type === 'watermark' ? 'image' : container.type);
    await query(
      `INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status, bucket, s3_key)
        VALUES ($1, $2, $3, $4, 'film', 'mp4', 11, 'successful', 'media', $5)`,
      [container.id, user.customerId, original, container.type, `uploads/${container.id}`],
    );
    return container;
  };
  return { user, token, bulk, put, get, find, make, upload };
}

type Organiser = Awaited<ReturnType<typeof anOrganiser>>;

/** Containers whose originals have been uploaded, made by two statements. */
async function many({ user }: Organiser, count: number): Promise<number[]> {
  const sql = `INSERT INTO media_containers (customer_id, creator_id, type, name, tags)
    SELECT $1, $2, 'video', 'film ' || n, '{old}' FROM generate_series(1, $3) n RETURNING id`;
  const ids = (await query(sql, [user.customerId, user.id, count])).map(({ id }) => Number(id));
  await query(
    `INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status, bucket, s3_key)
      SELECT id, $2, $3, 'video', 'film', 'mp4', 11, 'successful', 'media', 'uploads/' || id FROM unnest($1::int[]) id`,
    [ids, user.customerId, await originalOf(app, user, 'video')],
  );
  return ids;
}

const codesOf = ({ body }: { body: BulkBody }) => body.failed.map(({ id, code }) => [id, code]);

describe('a bulk change', () => {
  it('gives many containers the same fields, keeps the others, and counts repeated ids once', async () => {
    const { bulk, get, make } = await anOrganiser();
    const [one, other] = [await make({ tags: ['old'], description: 'At the river' }), await make({ end: new Date('2031-01-01') })];
    const set = {
      tags: ['news', 'river'],
      license: { name: 'RM', usageTerms: 'Editorial', start: '2026-01-01T00:00:00Z', end: '2030-01-01T00:00:00Z', types: ['web'] },
      start: '2026-02-01T00:00:00.000Z',
    };
    const { status, body } = await bulk({ ids: [one.id, other.id, one.id], set });
    expect([status, body]).toEqual([200, { changed: 2, failed: [] }]);
    expect(await get(one.id)).toMatchObject({ ...set, description: 'At the river', end: null, flag: 0, name: 'Interview' });
    expect(await get(other.id)).toMatchObject({ ...set, end: '2031-01-01T00:00:00.000Z' });
    const cleared = await bulk({ ids: [one.id, other.id], set: { tags: null, license: null, start: null, end: null } });
    expect(cleared.body).toEqual({ changed: 2, failed: [] });
    expect(await get(other.id)).toMatchObject({ tags: [], license: null, start: null, end: null });
  });

  it('takes every moment that a single change takes', async () => {
    permitDifferences(/end: must match format "date-time"/); // RFC 3339 has four digits for a year
    const { bulk, put, get, make } = await anOrganiser();
    const [one, other] = [await make(), await make()];
    const set = { start: '0100-01-01T00:00:00.1234567+01:00', end: '9999-12-31T23:59:59-12:00' }; // the year 10000
    expect((await bulk({ ids: [one.id], set })).body).toEqual({ changed: 1, failed: [] });
    expect((await put(other.id, set)).status).toBe(200);
    const [bulked, single] = [await get(one.id), await get(other.id)];
    expect([bulked.start, bulked.end]).toEqual([single.start, single.end]);
  });

  it('adds and removes tags of each container; one that has them already stays untouched', async () => {
    const { bulk, get, make } = await anOrganiser();
    const [first, second, third] = [
      await make({ tags: ['draft', 'river'] }),
      await make({ tags: ['news'] }),
      await make({ tags: ['news', '100 % "süß"'] }),
    ];
    const before = (await get(third.id)).updatedAt;
    const ids = [first.id, second.id, third.id];
    const { body } = await bulk({ ids, set: { addTags: ['news', '100 % "süß"', 'news'], removeTags: ['draft', 'unknown'] } });
    expect(body).toEqual({ changed: 3, failed: [] });
    expect((await get(first.id)).tags).toEqual(['river', 'news', '100 % "süß"']);
    expect((await get(second.id)).tags).toEqual(['news', '100 % "süß"']);
    expect([(await get(third.id)).tags, (await get(third.id)).updatedAt]).toEqual([['news', '100 % "süß"'], before]);
    expect((await get(second.id)).updatedAt).not.toBe((await get(second.id)).createdAt);
    expect((await bulk({ ids, set: { removeTags: ['news'] } })).body.changed).toBe(3);
    expect((await get(first.id)).tags).toEqual(['river', '100 % "süß"']);
  });

  it('moves containers to the trash and back by the rules of a single change', async () => {
    const { bulk, put, get, make, find } = await anOrganiser();
    const [film, stamp] = [await make({ tags: ['a', 'a'] }), await make({ type: 'watermark', flag: 33 })];
    const ids = [film.id, stamp.id];
    expect((await bulk({ ids, flag: 1 })).body).toEqual({ changed: 2, failed: [] });
    expect((await find('state=trash')).map(({ id }) => id).sort()).toEqual(ids);
    expect(await find('')).toEqual([]);
    const restored = await bulk({ ids, flag: 0 });
    const single = await put(stamp.id, { flag: 0 });
    expect(restored.body).toEqual({ changed: 1, failed: [{ id: stamp.id, code: single.body.code, message: single.body.detail }] });
    expect((await bulk({ ids: [stamp.id], flag: 33 })).body).toEqual({ changed: 1, failed: [] });
    expect([await get(film.id), await get(stamp.id)]).toMatchObject([{ flag: 0, tags: ['a', 'a'] }, { flag: 33 }]);
  });

  it('reports containers that do not exist for the caller, and changes the others', async () => {
    const { bulk, put, get, make } = await anOrganiser();
    const theirs = await (await anOrganiser()).make();
    const [mine, leaving] = [await make(), await make()];
    await query('UPDATE media_containers SET doomed = true WHERE id = $1', [leaving.id]);
    const unknown = [2_000_000_000, theirs.id, 9_007_199_254_740_991, -1, 0, leaving.id];
    const answer = await bulk({ ids: [...unknown.slice(0, 2), mine.id, ...unknown.slice(2), theirs.id], set: { tags: ['seen'] } });
    expect([answer.body.changed, codesOf(answer)]).toEqual([1, unknown.map((id) => [id, 'not_found'])]);
    const single = await put(theirs.id, { tags: ['seen'] });
    expect(answer.body.failed[1]).toEqual({ id: theirs.id, code: single.body.code, message: single.body.detail });
    expect((await get(mine.id)).tags).toEqual(['seen']);
    expect(await query('SELECT tags FROM media_containers WHERE id = ANY($1)', [[theirs.id, leaving.id]])).toEqual([
      { tags: [] },
      { tags: [] },
    ]);
  });

  it('changes a container completely or not at all', async () => {
    const { bulk, put, get, make } = await anOrganiser();
    const [ending, lasting] = [await make({ end: new Date('2026-01-01') }), await make()];
    const set = { start: '2027-01-01', addTags: ['late'] };
    const { body } = await bulk({ ids: [ending.id, lasting.id], set, flag: 1 });
    const single = await put(ending.id, { start: set.start });
    expect(body).toEqual({ changed: 1, failed: [{ id: ending.id, code: 'validation_failed', message: single.body.detail }] });
    expect([await get(ending.id), await get(lasting.id)]).toMatchObject([
      { tags: [], flag: 0, start: null },
      { tags: ['late'], flag: 1, start: '2027-01-01T00:00:00.000Z' },
    ]);
  });

  it('does not add tags beyond what a container may have', async () => {
    const { bulk, get, make } = await anOrganiser();
    const full = await make({ tags: Array.from({ length: 999 }, (_, n) => `tag ${n}`) });
    const large = await make({ tags: Array.from({ length: 256 }, (_, n) => `${n}`.padStart(1_000, 'x')) });
    const ids = [full.id, large.id, (await make()).id];
    const addTags = Array.from({ length: 8 }, (_, n) => `${n}`.padStart(1_024, 'y'));
    const { body } = await bulk({ ids, set: { addTags } });
    expect(body).toEqual({
      changed: 1,
      failed: [
        { id: full.id, code: 'validation_failed', message: expect.stringMatching(/tags must contain no more than 1000 elements/) },
        { id: large.id, code: 'validation_failed', message: expect.stringMatching(/262144 bytes of JSON or less, and has \d+/) },
      ],
    });
    expect((await bulk({ ids: [full.id, large.id], set: { addTags: ['tag 0', 'one'] } })).body.changed).toBe(2);
    expect((await get(full.id)).tags).toHaveLength(1_000);
  });

  it('of a thousand containers is one request', async () => {
    const organiser = await anOrganiser();
    const { token, bulk, get } = organiser;
    const ids = await many(organiser, 1_000);
    const { id: formatId } = await aFormat(app, token);
    const { body } = await bulk({ ids, set: { addTags: ['archive'] }, transcode: [formatId] });
    expect(body).toEqual({ changed: 1_000, failed: [] });
    expect((await get(ids[999] ?? 0)).tags).toEqual(['old', 'archive']);
    const jobs = 'SELECT count(DISTINCT source_media_id)::int AS count FROM transcoding_jobs WHERE media_container_id = ANY($1)';
    expect(await query(jobs, [ids])).toEqual([{ count: 1_000 }]);
    expect(problemsOf(await bulk({ ids: [...ids, ids[0]], flag: 1 }))).toEqual([400, 'validation_failed', ['ids array_max_size']]);
  });
});

describe('a bulk change with formats to be made', () => {
  it('starts them for each container, and keeps what is under way', async () => {
    const { token, bulk, get, make, upload } = await anOrganiser();
    const [one, other] = [await upload(), await upload({ flag: 1 })];
    const formatIds = [(await aFormat(app, token)).id, (await aFormat(app, token)).id];
    const [first = 0] = formatIds;
    const earlier = (await transcode(app, token, { id: one.id, formatIds: [first] })).body.jobs[0]?.jobId;
    const { body } = await bulk({ ids: [one.id, other.id], set: { tags: ['new'] }, transcode: formatIds, flag: 0 });
    expect(body).toEqual({ changed: 2, failed: [] });
    const jobs = await waitingJobs(app, one.id);
    expect([jobs.map(({ formatId }) => formatId), jobs[0]?.id]).toEqual([formatIds, earlier]);
    expect((await waitingJobs(app, other.id)).map(({ formatId }) => formatId)).toEqual(formatIds);
    expect([await get(one.id), await get(other.id)]).toMatchObject([{ tags: ['new'] }, { tags: ['new'], flag: 0 }]);
    const listed = await call<object[]>(`${app.url}/v5/activity?mediaContainerId=${other.id}&type=transcoding`, { token });
    expect(listed.body).toHaveLength(2);
    expect(codesOf(await bulk({ ids: [(await make()).id], transcode: formatIds }))).toEqual([[expect.any(Number), 'original_missing']]);
  });

  it('reports for each container what a single request reports, and leaves it as it was', async () => {
    const { token, bulk, get, make, upload } = await anOrganiser();
    const [fine, image, trash, watermark, empty] = [
      await upload(),
      await upload({ type: 'image' }),
      await upload({ flag: 1 }),
      await upload({ type: 'watermark', flag: 33 }),
      await make(),
    ];
    const { id: formatId } = await aFormat(app, token);
    const ids = [fine, image, trash, watermark, empty].map(({ id }) => id);
    const answer = await bulk({ ids, set: { tags: ['seen'] }, transcode: [formatId] });
    expect([answer.body.changed, codesOf(answer)]).toEqual([
      1,
      [
        [image.id, 'validation_failed'],
        [trash.id, 'media_container_in_trash'],
        [watermark.id, 'media_container_is_watermark'],
        [empty.id, 'original_missing'],
      ],
    ]);
    expect(answer.body.failed[0]?.message).toBe(
      `The input is not valid. transcode.0: the format ${formatId} is made from video, not from image.`,
    );
    for (const { id, message } of answer.body.failed.slice(1))
      expect((await transcode(app, token, { id, formatIds: [formatId] })).body.detail).toBe(message);
    expect(await Promise.all(ids.map(async (id) => (await get(id)).tags.length))).toEqual([1, 0, 0, 0, 0]);
    expect(await waitingJobs(app, image.id)).toEqual([]);
    const unknown = await bulk({ ids: [fine.id], set: { tags: [] }, transcode: [formatId, 2_000_000_000] });
    expect(unknown.body.failed).toEqual([
      { id: fine.id, code: 'validation_failed', message: 'The input is not valid. transcode.1: there is no format 2000000000.' },
    ]);
    expect((await get(fine.id)).tags).toEqual(['seen']);
  });

  it('starts as many as the quota permits, each container completely', async () => {
    const organiser = await anOrganiser();
    const { user, token, bulk, get } = organiser;
    await app.app.get(QuotasService).declare(user.customerId, { waitingTranscodings: 5 });
    const ids = await many(organiser, 3);
    const formatIds = [(await aFormat(app, token)).id, (await aFormat(app, token)).id];
    const answer = await bulk({ ids, set: { addTags: ['new'] }, transcode: formatIds });
    expect([answer.body.changed, codesOf(answer)]).toEqual([2, [[ids[2], 'quota_exceeded']]]);
    expect(answer.body.failed[0]?.message).toBe('The request exceeds the quota of the customer: 5 transcodings that have not ended.');
    expect(await Promise.all(ids.map(async (id) => (await get(id)).tags.length))).toEqual([2, 2, 1]);
    expect(await Promise.all(ids.map(async (id) => (await waitingJobs(app, id)).length))).toEqual([2, 2, 0]);
  });

  it('cannot pass a quota that is far away', async () => {
    const { user } = await anOrganiser();
    const quotas = app.app.get(QuotasService);
    await quotas.declare(user.customerId, { waitingTranscodings: 25_000 });
    expect(await quotas.room(user.customerId, 'waitingTranscodings', 1_000)).toBe(1_000);
    expect(await quotas.room(user.customerId, 'waitingTranscodings', 50_000)).toBe(25_000);
  });
});

describe('a bulk change that fails', () => {
  it('because of an error leaves every container as it was, and starts nothing', async () => {
    permitDifferences(/bulk: no status 500/);
    const organiser = await anOrganiser();
    const { token, bulk, get } = organiser;
    const ids = await many(organiser, 3);
    const { id: formatId } = await aFormat(app, token);
    await query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$`);
    await query(`CREATE TRIGGER refuse BEFORE UPDATE ON media_containers FOR EACH ROW WHEN (OLD.id = ${ids[2]}) EXECUTE FUNCTION refuse()`);
    const headers = { 'idempotency-key': randomUUID() };
    const wanted = { ids, set: { addTags: ['new'] }, transcode: [formatId] };
    expect((await bulk(wanted, headers)).status).toBe(500);
    expect(await Promise.all(ids.map(async (id) => (await get(id)).tags))).toEqual([['old'], ['old'], ['old']]);
    expect(await waitingJobs(app, ids[0] ?? 0)).toEqual([]);
    await query('DROP TRIGGER refuse ON media_containers');
    const answers = [await bulk(wanted, headers), await bulk(wanted, headers)];
    expect(answers.map(({ status, body }) => [status, body.changed])).toEqual([
      [200, 3],
      [200, 3],
    ]);
    expect(answers.map((answer) => answer.headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    expect((await get(ids[0] ?? 0)).tags).toEqual(['old', 'new']);
  });

  it('needs a token that may write, of a user', async () => {
    const { user, bulk, get, make } = await anOrganiser();
    const { id } = await make();
    const body = { ids: [id], flag: 1 };
    const answers = [
      await bulk(body, {}, await tokenOf(app, user, 'api:read')),
      await bulk(body, {}, await tokenOf(app, user, 'dropsite')),
      await bulk(body, {}, null),
    ];
    expect(answers.map(({ status, body: { code } }) => [status, code])).toEqual([
      [403, 'insufficient_scope'],
      [403, 'insufficient_scope'],
      [401, 'unauthenticated'],
    ]);
    expect((await get(id)).flag).toBe(0);
  });

  it.each<[object, string[]]>([
    [{ set: { tags: [] } }, ['ids required']],
    [{ ids: [], flag: 1 }, ['ids array_min_size']],
    [{ ids: [7, '8', 1.5, null], flag: 1 }, ['ids.1 type', 'ids.2 type', 'ids.3 type']],
    [{ ids: [7] }, ['set required']],
    [{ ids: [7], set: {} }, ['set required']],
    [{ ids: [7], set: { name: 'same for all' } }, ['set required']],
    [{ ids: [7], set: null, transcode: null, flag: null }, ['flag type', 'set type', 'transcode type']],
    [{ ids: [7], set: 'tags', transcode: 12, flag: 2 }, ['flag is_in', 'set type', 'transcode type']],
    [{ ids: [7], set: { tags: ['a'], addTags: ['b'] } }, ['set.tags not_allowed']],
    [{ ids: [7], set: { tags: null, removeTags: ['b'] } }, ['set.tags not_allowed']],
    [{ ids: [7], set: { addTags: ['a', 'b'], removeTags: ['b'] } }, ['set.removeTags not_allowed']],
    [
      { ids: [7], set: { addTags: [], removeTags: ['', 7] } },
      ['set.addTags array_min_size', 'set.removeTags.0 min_length', 'set.removeTags.1 type'],
    ],
    [
      { ids: [7], set: { start: 'soon', end: '2026', license: { end: 7 } } },
      ['set.end is_moment', 'set.license.end type', 'set.start is_moment'],
    ],
    [{ ids: [7], transcode: [] }, ['transcode array_min_size']],
    [{ ids: [7], transcode: [1, 1] }, ['transcode array_unique']],
    [{ ids: [7], transcode: [12], flag: 1 }, ['transcode not_allowed']],
  ])('is refused as a whole: %j', async (body, expected) => {
    const { bulk } = await anOrganiser();
    const [status, code, problems] = problemsOf(await bulk(body));
    expect([status, code, (problems as string[]).sort()]).toEqual([400, 'validation_failed', expected]);
  });

  it('is not one where only unknown members are ignored, which are named', async () => {
    const { bulk, get, make } = await anOrganiser();
    const { id } = await make({ tags: ['old'] });
    const { status, body } = await bulk({ ids: [id], set: { addTags: ['new'], removetags: ['old'] }, dryRun: true });
    expect([status, body]).toEqual([
      200,
      {
        ...{ changed: 1, failed: [] },
        ignored: [
          { path: 'set.removetags', reason: 'there is no such member' },
          { path: 'dryRun', reason: 'there is no such member' },
        ],
      },
    ]);
    expect((await get(id)).tags).toEqual(['old', 'new']);
  });
});

describe('bulk changes at the same time', () => {
  it('lose nothing of each other, of single changes and of single requests', async () => {
    const organiser = await anOrganiser();
    const { token, bulk, put, get } = organiser;
    const ids = await many(organiser, 40);
    const { id: formatId } = await aFormat(app, token);
    const numbers = Array.from({ length: 12 }, (_, n) => n);
    const answers = await Promise.all([
      ...numbers.map(async (n) => {
        const headers: Record<string, string> = n % 3 === 0 ? { 'idempotency-key': randomUUID() } : {};
        const transcoded = n % 2 === 0 ? { transcode: [formatId] } : {};
        return await bulk({ ids: n % 2 === 0 ? ids : ids.toReversed(), set: { addTags: [`${n}`] }, ...transcoded }, headers);
      }),
      ...ids.map(async (id) => await put(id, { name: `renamed ${id}` })),
      ...ids.slice(0, 10).map(async (id) => await transcode(app, token, { id, formatIds: [formatId] })),
      bulk({ ids, set: { removeTags: ['old'] } }),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const all = numbers.map(String).sort();
    for (const id of ids) {
      const { name, tags } = await get(id);
      expect([name, tags.toSorted()]).toEqual([`renamed ${id}`, all]);
      expect(await waitingJobs(app, id)).toHaveLength(1);
    }
  });
});
