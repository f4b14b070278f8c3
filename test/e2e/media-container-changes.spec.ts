import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { MediaRemovalService } from '../../src/modules/media/media-removal.service.js';
import { Database } from '../../src/shared/database/index.js';
import { UNTIL_DONE } from '../../src/shared/jobs/index.js';
import { ObjectStorage } from '../../src/shared/storage/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { eventually } from '../support/eventually.js';
import { uploadMedia } from '../support/media/media.js';
import { call, tokenOf } from '../support/media/uploads.js';

const { app, storage } = useTestAppWithStorage({ worker: 'inline' });
let user: { id: number; customerId: number };
let token: string;
let stranger: string;

beforeAll(async () => {
  user = await aUser(app);
  token = await tokenOf(app, user);
  stranger = await tokenOf(app, await aUser(app));
});

const path = (id: number) => `${app.url}/v5/mediacontainer/${id}`;
const get = async (id: number) => await call(path(id), { token });
const put = async (id: number, body: object, as = token) => await call(path(id), { method: 'PUT', token: as, body });
const remove = async (id: number, query = '', as = token) => await call(`${path(id)}${query}`, { method: 'DELETE', token: as });
const pathsOf = ({ body }: { body: Record<string, unknown> }) => (body.errors as { path: string }[]).map(({ path: at }) => at);

describe('a media container', () => {
  it('changes the given members and keeps the others', async () => {
    const { id } = await uploadMedia(app, token);
    const fields = {
      name: 'At the river',
      description: 'In spring',
      tags: ['news', 'river'],
      license: { name: 'RM', usageTerms: 'Editorial', start: '2026-01-01T00:00:00Z', end: '2030-01-01T00:00:00Z', types: ['web'] },
      metadata: [{ title: 'author', content: 'Ada', language: 'en' }],
      start: '2026-02-01T00:00:00.000Z',
      end: '2029-02-01T00:00:00.000Z',
    };
    const { status, body } = await put(id, fields);
    expect([status, body]).toEqual([200, expect.objectContaining({ ...fields, type: 'image', flag: 0, id })]);
    expect((await put(id, { description: null, tags: null, license: null, metadata: null, end: null })).body).toMatchObject({
      name: 'At the river',
      description: '',
      tags: [],
      license: null,
      metadata: [],
      start: fields.start,
      end: null,
    });
    expect((await get(id)).body).toMatchObject({ name: 'At the river', description: '', media: [{ status: 'successful' }] });
  });

  it('is changed, moved to the trash and removed by an id in the body', async () => {
    const { id } = await uploadMedia(app, token);
    const send = async (method: string, body: object) => await call(`${app.url}/v5/mediacontainer`, { method, token, body });
    expect(await send('PUT', { id, name: 'interview' })).toMatchObject({ status: 200, body: { id, name: 'interview' } });
    expect(await send('DELETE', { id })).toMatchObject({ status: 200, body: { id, flag: 1 } });
    expect(await send('PUT', { id, flag: 0 })).toMatchObject({ status: 200, body: { id, flag: 0 } });
    expect((await send('DELETE', { id, forceDelete: true })).status).toBe(200);
    expect((await get(id)).status).toBe(404);
    const missing = { status: 400, body: { errors: [{ path: 'id', code: 'required' }] } };
    expect([await send('PUT', { name: 'a' }), await send('DELETE', {})]).toMatchObject([missing, missing]);
  });

  it('reports all problems with their paths, and stays unchanged', async () => {
    const { id } = await uploadMedia(app, token);
    const wrong = {
      name: '',
      tags: ['ok', 7],
      license: { start: 'soon', types: 'web' },
      metadata: [{ title: 'author' }],
      start: '2026',
      flag: 2,
      type: 'film',
    };
    const answer = await put(id, wrong);
    expect(answer.status).toBe(400);
    const expected = ['flag', 'license.start', 'license.types', 'metadata.0.content', 'name', 'start', 'tags.1', 'type'];
    expect([...new Set(pathsOf(answer))].sort()).toEqual(expected);
    expect((await get(id)).body).toMatchObject({ name: 'portrait', tags: [], flag: 0 });
  });

  it('does not end before it begins', async () => {
    const { id } = await uploadMedia(app, token);
    const answer = await put(id, { start: '2027-01-01', end: '2026-01-01', license: { start: '2027-01-02', end: '2027-01-01' } });
    expect([answer.status, pathsOf(answer)]).toEqual([400, ['end', 'license.end']]);
  });

  it('of an image or a sound becomes a watermark and an image again; a video does not', async () => {
    const { id } = await uploadMedia(app, token);
    expect((await put(id, { type: 'watermark', flag: 33 })).body).toMatchObject({ type: 'watermark', flag: 33 });
    expect((await put(id, { type: 'image', flag: 0 })).body).toMatchObject({ type: 'image', flag: 0 });
    const video = await uploadMedia(app, token, { type: 'video', fileName: 'film.mp4', originalFileExtension: 'mp4' });
    const answer = await put(video.id, { type: 'watermark', flag: 33 });
    expect([answer.status, pathsOf(answer)]).toEqual([400, ['type']]);
  });

  it('goes into the trash and comes out of it', async () => {
    const { id } = await uploadMedia(app, token);
    expect((await remove(id)).body).toMatchObject({ id, flag: 1 });
    expect((await call<unknown[]>(`${app.url}/v5/mediacontainer?id=${id}`, { token })).body).toEqual([]);
    expect((await put(id, { flag: 0 })).body).toMatchObject({ flag: 0 });
    expect((await call<unknown[]>(`${app.url}/v5/mediacontainer?id=${id}`, { token })).body).toHaveLength(1);
  });

  it('is removed for good with its files when that is asked for', async () => {
    const { id, s3Key } = await uploadMedia(app, token);
    const kept = await uploadMedia(app, token);
    expect(await remove(id, '?forceDelete=true')).toMatchObject({ status: 200, body: { id, flag: 1 } });
    expect((await get(id)).status).toBe(404);
    await eventually(async () => (await app.app.get(ObjectStorage).find(s3Key)) === null);
    expect((await get(kept.id)).body).toMatchObject({ flag: 0, media: [{ status: 'successful' }] });
    expect(await app.app.get(ObjectStorage).find(kept.s3Key)).not.toBeNull();
  });

  it('that is being deleted permanently cannot be restored, and is not found', async () => {
    const { id, s3Key } = await uploadMedia(app, token);
    await storage.stop(); // the job cannot get on
    expect(await remove(id, '?forceDelete=true')).toMatchObject({ status: 200, body: { id, flag: 1 } });
    const answers = [await get(id), await put(id, { flag: 0 }), await remove(id, '?forceDelete=true')];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    await storage.start();
    const database = app.app.get(Database);
    const jobs = `task_id = (SELECT id FROM graphile_worker._private_tasks WHERE identifier = 'destroy_media_container')`;
    const { rows } = await database.query(`UPDATE graphile_worker._private_jobs SET run_at = now() WHERE ${jobs} RETURNING max_attempts`);
    expect(rows).toEqual([{ max_attempts: UNTIL_DONE }]);
    const sql = 'SELECT FROM media_containers WHERE id = $1';
    await eventually(async () => (await database.query(sql, [id])).rowCount === 0);
    expect(await app.app.get(ObjectStorage).find(s3Key)).toBeNull();
  });

  it('is removed with a file that is added at the last moment', async () => {
    const { id } = await uploadMedia(app, token);
    const added = await uploadMedia(app, token);
    const adder = new pg.Client({ connectionString: app.database.url });
    await adder.connect();
    try {
      await adder.query('BEGIN');
      await adder.query('UPDATE media_items SET media_container_id = $2 WHERE id = $1', [added.mediaId, id]);
      const removing = app.app.get(MediaRemovalService, { strict: false }).removeContainer(id);
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await eventually(async () => ((await app.app.get(Database).query(waiting)).rowCount ?? 0) > 0);
      await adder.query('COMMIT');
      await removing;
    } finally {
      await adder.end();
    }
    expect((await get(id)).status).toBe(404);
    expect(await app.app.get(ObjectStorage).find(added.s3Key)).toBeNull();
  });

  it('is asked to be released, which is an event', async () => {
    const { id } = await uploadMedia(app, token);
    const ask = async (as = token) => await call(`${path(id)}/releaseRequest`, { token: as, body: { message: 'May we print it?' } });
    const { status, body } = await ask();
    const payload = { mediaContainerId: id, requesterId: user.id, message: 'May we print it?' };
    expect([status, body]).toEqual([200, payload]);
    const sql = `SELECT method, payload, customer_id FROM events WHERE name = 'event:releaseRequest'`;
    const { rows } = await app.app.get(Database).query(sql);
    expect(rows).toEqual([{ method: 'create', payload, customer_id: user.customerId }]);
    expect((await ask(stranger)).status).toBe(404);
    await remove(id);
    expect(await ask()).toMatchObject({ status: 409, body: { code: 'media_container_in_trash' } });
  });

  it('of another customer is not found', async () => {
    const { id } = await uploadMedia(app, token);
    expect([(await put(id, { name: 'mine' }, stranger)).status, (await remove(id, '?forceDelete=true', stranger)).status]).toEqual([
      404, 404,
    ]);
    expect((await get(id)).body).toMatchObject({ name: 'portrait', flag: 0 });
  });
});
