import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { aFormat } from '../support/converter/formats.js';
import { aContainer } from '../support/delivery/player-configurations.js';
import { aFile, call, tokenOf, type UploadDocument } from '../support/media/uploads.js';
import { aSubscriptionInput, type Problem, problemsOf } from '../support/subscriptions/subscriptions.js';

const DOCUMENT = 262_144;
const PAGE = 4 * 1024 * 1024;

const { app } = useTestAppWithStorage();

/** A user with adminLevel 10, and what they send. */
async function aSender() {
  const user = await aUser(app, { adminLevel: 10 });
  const token = await tokenOf(app, user);
  const send = async <Body = Problem>(path: string, body: unknown, method = 'POST') =>
    await call<Body>(`${app.url}/v5/${path}`, { token, body, method });
  const upload = async (payload: readonly unknown[], fields: object = {}) =>
    await send<UploadDocument & Problem>('s3/createUpload', { payload, ...fields });
  const read = async <Body = Record<string, unknown>>(path: string) => await call<Body>(`${app.url}/v5/${path}`, { token });
  return { user, token, send, upload, read };
}

/** Entries whose JSON has so many bytes together. */
function metadataOf(bytes: number) {
  const entry = (length: number) => ({ title: 't', content: 'x'.repeat(length) });
  const entries = Array.from({ length: 4 }, () => entry(8_000));
  return [...entries, entry(bytes - JSON.stringify([...entries, entry(0)]).length)];
}

const sizeOf = async () =>
  (await app.app.get(Database).queryOne<{ size: number }>('SELECT sum(pg_column_size(b.*))::int AS size FROM upload_batches b'))?.size;

describe('an upload', () => {
  it('accepts 32 KiB of metadata per item, and creates nothing for a batch with more', async () => {
    const { upload } = await aSender();
    expect((await upload([aFile({ metadata: metadataOf(32_768) })])).body.processed).toHaveLength(1);
    const before = await sizeOf();
    const refused = await upload([aFile(), aFile({ fileName: 'b.jpg', metadata: metadataOf(32_769) })]);
    expect(problemsOf(refused)).toEqual([400, 'validation_failed', ['payload.1.metadata too_large']]);
    expect(await sizeOf()).toBe(before);
    const other = await upload([{ ...aFile(), metadata: 'x'.repeat(40_000) }, 'x'.repeat(20_000)]);
    expect(problemsOf(other)).toEqual([400, 'validation_failed', ['payload.0.metadata too_large', 'payload too_large']]);
  });

  it('accepts 16 KiB of unknown or over-long fields per batch', async () => {
    const { upload } = await aSender();
    const rest = (bytes: number) => 'x'.repeat(bytes - '"note"""'.length);
    expect((await upload([aFile({ note: rest(8_192) }), aFile({ fileName: 'b.jpg', note: rest(8_192) })])).status).toBe(200);
    const refused = await upload([aFile({ note: rest(8_192) }), aFile({ fileName: 'b.jpg', note: rest(8_193) })]);
    expect(problemsOf(refused)).toEqual([400, 'validation_failed', ['payload too_large']]);
    expect(problemsOf(await upload([aFile({ fileName: 'x'.repeat(20_000) })]))).toEqual([400, 'validation_failed', ['payload too_large']]);
    expect((await upload(Array.from({ length: 1_000 }, (_, n) => aFile({ fileName: `${n}.jpg`, uuid: randomUUID() })))).status).toBe(200);
  });

  it('is answered with all that was sent, which is stored once', async () => {
    const { upload, read } = await aSender();
    const mark = randomUUID();
    const { body } = await upload([aFile({ note: mark }), aFile({ type: 'text', note: mark })]);
    const result = await read<UploadDocument>(`activity/jobResult/${body.jobId}`);
    expect(result.body).toEqual(body);
    expect([result.body.processed[0]?.note, result.body.error[0]?.note]).toEqual([mark, mark]);
    const sql = `SELECT (SELECT count(*)::int FROM upload_batches WHERE payload::text LIKE $1) AS batches,
      (SELECT count(*)::int FROM activities WHERE result::text LIKE $1) AS results`;
    expect(await app.app.get(Database).queryOne(sql, [`%${mark}%`])).toEqual({ batches: 1, results: 0 });
    const again = await upload([aFile({ note: mark }), aFile({ type: 'text', note: mark })], { uploadId: body.uploadId });
    expect(again.body.processed[0]).toMatchObject({ note: mark, s3Key: body.processed[0]?.s3Key });
  });
});

describe('a JSON document of a resource', () => {
  const large = 'x'.repeat(DOCUMENT);

  it('has 256 KiB at most, on every resource that has one', async () => {
    const { send, user } = await aSender();
    const { id } = await aContainer(app, user);
    const configuration = { name: 'p', type: 'video', templateId: 1, formats: [] };
    const tooLarge = (path: string) => [400, 'validation_failed', [`${path} too_large`]];
    const format = { blueprintId: 1, converter: 'ffmpeg', name: 'f' };
    expect(problemsOf(await send('format', { ...format, settings: { note: large } }))).toEqual(tooLarge('settings'));
    expect(problemsOf(await send('format', { ...format, configuration: { note: large } }))).toEqual(tooLarge('configuration'));
    for (const member of ['settings', 'securitySettings', 'configuration'])
      expect(problemsOf(await send('playerconfiguration', { ...configuration, [member]: { note: large } }))).toEqual(tooLarge(member));
    const entries = Array.from({ length: 30 }, () => ({ title: 't', content: 'x'.repeat(9_000) }));
    expect(problemsOf(await send(`mediacontainer/${id}`, { metadata: entries }, 'PUT'))).toEqual(tooLarge('metadata'));
    expect(problemsOf(await send(`mediacontainer/${id}`, { license: { usageTerms: large } }, 'PUT'))).toEqual(tooLarge('license'));
    expect(problemsOf(await send('customer', { burnTimecode: { note: large } }, 'PUT'))).toEqual(tooLarge('burnTimecode'));
    expect(problemsOf(await send('subscriptions', aSubscriptionInput({ conditions: { payload: { a: large } } })))).toEqual(
      tooLarge('conditions.payload'),
    );
  });

  it('cannot exceed the limit by a change that is merged into the stored document', async () => {
    const { send, token } = await aSender();
    const { id: formatId } = await aFormat(app, token);
    const configuration = { name: 'p', type: 'video', templateId: 1, formats: [] };
    const { id: configurationId } = (await send<{ id: number }>('playerconfiguration', configuration)).body;
    const stored = JSON.stringify({ note: 'x'.repeat(DOCUMENT - '{"note":""}'.length) });
    const cases: [path: string, table: string, id: number, body: object, added: object][] = [
      ['format', 'formats', formatId, { name: 'f' }, { mediaTypes: ['video'] }],
      ['playerconfiguration', 'player_configurations', configurationId, configuration, { subtitle: { lang: 'eng' } }],
    ];
    for (const [path, table, id, body, added] of cases) {
      await app.app.get(Database).query(`UPDATE ${table} SET settings = $2 WHERE id = $1`, [id, stored]);
      const change = async (changes: object) => await send(`${path}/${id}`, { ...body, ...changes }, 'PUT');
      expect(problemsOf(await change({ settings: added }))).toEqual([400, 'validation_failed', ['settings too_large']]);
      const sql = `SELECT settings::text = $2::jsonb::text AS same FROM ${table} WHERE id = $1`;
      expect(await app.app.get(Database).queryOne(sql, [id, stored])).toEqual({ same: true });
      expect((await change({ name: 'changed' })).status).toBe(200); // what a change does not name stays
    }
    const command = { ffmpeg: { crf: '20' } };
    const { status, body } = await send<Problem>(`format/${formatId}`, { name: 'f', command }, 'PUT');
    expect([status, body.errors?.map(({ path, code }) => `${path} ${code}`)]).toEqual([400, ['settings too_large']]);
  });

  it('may have a list of addresses with a separate limit', async () => {
    const { send } = await aSender();
    const ipWhiteList = Array.from({ length: 10_000 }, (_, n) => ({ cidr: `2001:db8::${(n + 1).toString(16)}`, type: 'ipv6' }));
    const body = { name: 'p', type: 'video', templateId: 1, formats: [], securitySettings: { ipWhiteList, authOnly: false } };
    const { status, body: answer } = await send('playerconfiguration', body);
    expect(answer.errors?.slice(0, 2)).toBeUndefined();
    expect(JSON.stringify(ipWhiteList).length).toBeGreaterThan(DOCUMENT);
    expect(status).toBe(201);
  });
});

describe('a list', () => {
  /** So many containers of so many bytes each, as earlier versions stored them. */
  const fill = async (user: { id: number; customerId: number }, count: number, bytes: number) =>
    await app.app.get(Database).query(
      `INSERT INTO media_containers (customer_id, creator_id, type, name, metadata)
        SELECT $1, $2, 'image', n::text, jsonb_build_array(jsonb_build_object('title', 't', 'content', repeat('x', $4))) FROM generate_series(1, $3) AS n`,
      [user.customerId, user.id, count, bytes],
    );

  it('ends a page early at 4 MiB, and the links lead to every element once', async () => {
    const { user, token } = await aSender();
    await fill(user, 60, 800_000);
    const names: string[] = [];
    let pages = 0;
    for (let next: string | undefined = '/v5/mediacontainer?limit=1000&order=asc'; next; pages += 1) {
      const response: Response = await fetch(`${app.url}${next}`, { headers: { authorization: `Bearer ${token}` } });
      const text = await response.text();
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(PAGE);
      names.push(...(JSON.parse(text) as { name: string }[]).map(({ name }) => name));
      next = /<(.*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect(names).toEqual(Array.from({ length: 60 }, (_, n) => String(n + 1)));
    expect(pages).toBe(12);
  });

  it('without a limit is whole and the same text as before, however many parallel readers there are', async () => {
    const { user, token, read } = await aSender();
    await app.app.get(Database).query(
      `INSERT INTO player_configurations (customer_id, creator_id, last_editor_id, name, type, template_id, settings)
        SELECT $1, $2, $2, n::text, 'video', 1, jsonb_build_object('note', repeat('x', 400)) FROM generate_series(1, 10000) AS n`,
      [user.customerId, user.id],
    );
    const [first] = (await read<object[]>('playerconfiguration?limit=1')).body;
    const all = await Promise.all(
      Array.from(
        { length: 4 },
        async () => await (await fetch(`${app.url}/v5/playerconfiguration`, { headers: { authorization: `Bearer ${token}` } })).text(),
      ),
    );
    expect(new Set(all.map((text) => text.replaceAll(/"freshness":\d+/g, ''))).size).toBe(1);
    const list = JSON.parse(all[0] ?? '') as { name: string }[];
    expect(list.map(({ name }) => name)).toEqual(Array.from({ length: 10_000 }, (_, n) => String(n + 1)));
    expect(all[0]).toBe(JSON.stringify(list));
    expect(list[0]).toEqual({ ...first, freshness: expect.any(Number) });
  });
});
