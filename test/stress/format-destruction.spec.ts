import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { MediaRemovalHooks, MediaRemovalService } from '../../src/modules/media/index.js';
import { Database } from '../../src/shared/database/index.js';
import { UNTIL_DONE } from '../../src/shared/jobs/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { aFormat, listFormats } from '../support/converter/formats.js';
import { eventually } from '../support/eventually.js';
import { uploadMedia } from '../support/media/media.js';
import { call, tokenOf } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

const MANY = 10_000;

let storage: TestStorage;
let app: TestApp;
let token: string;

beforeAll(async () => {
  storage = await startTestStorage();
  app = await startTestApp({ ...storage.settings, worker: 'inline' });
  token = await tokenOf(app, await aUser(app, { adminLevel: 9 }));
});
afterAll(async () => {
  await app?.close();
  await storage?.close();
});

const destroy = async (id: number, query = '', as = token) =>
  await call<{ id: number; flag: number; items: number; jobId: string }>(`${app.url}/v5/format/${id}${query}`, {
    method: 'DELETE',
    token: as,
  });
const statusOf = async (id: number) => (await call(`${app.url}/v5/format/${id}`, { token })).status;
const resultOf = async (jobId: string) => (await call(`${app.url}/v5/activity/jobResult/${jobId}`, { token })).body;
const query = async (sql: string, values: unknown[] = []) => (await app.app.get(Database).query(sql, values)).rows;

/** Renditions of a format in a container, without objects behind them. */
async function renditionsOf(formatId: number, count: number) {
  const original = await uploadMedia(app, token);
  await query(
    `INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status, bucket, s3_key, version)
      SELECT media_container_id, customer_id, $2::int, type, file_name, 'webp', 1, 'successful', bucket, 'renditions/' || $2::int || '/' || n, md5(n::text)
      FROM media_items, generate_series(1, $3::int) AS n WHERE id = $1`,
    [original.mediaId, formatId, count],
  );
  return original;
}

describe('a format that is destroyed', () => {
  it('is deleted immediately if it has no media items', async () => {
    const { id } = await aFormat(app, token);
    const { status, body } = await destroy(id);
    expect([status, body]).toEqual([200, { id, flag: 1, items: 0, jobId: expect.any(String) }]);
    expect(await resultOf(body.jobId)).toEqual({ id, flag: 1, items: 0 });
    expect([await statusOf(id), (await destroy(id)).status]).toEqual([404, 404]);
  });

  it('stays with flag 1 while there is media of it, and goes with the last of it', async () => {
    const { id } = await aFormat(app, token);
    const original = await renditionsOf(id, 3);
    const { body } = await destroy(id);
    expect(body).toEqual({ id, flag: 1, items: 0, jobId: expect.any(String) });
    expect(await resultOf(body.jobId)).toEqual({ id, flag: 1, items: 0 });
    expect((await listFormats(app, token, `?id=${id}`)).map(({ flag }) => flag)).toEqual([1]);
    await call(`${app.url}/v5/mediacontainer/${original.id}?forceDelete=true`, { method: 'DELETE', token });
    await eventually(async () => (await statusOf(id)) === 404);
  });

  it('is deleted with the last of its media, even if the process died before', async () => {
    const { id } = await aFormat(app, token);
    const original = await renditionsOf(id, 1);
    await destroy(id);
    const hooks = app.app.get(MediaRemovalHooks, { strict: false });
    const removal = app.app.get(MediaRemovalService, { strict: false });
    const run = hooks.run.bind(hooks);
    hooks.run = async () => await Promise.reject(new Error('died'));
    await expect(removal.remove({ containerId: original.id })).rejects.toThrow('died');
    hooks.run = run;
    await removal.remove({ containerId: original.id });
    await eventually(async () => (await statusOf(id)) === 404);
  });

  it('goes also when the last of its media went after it was counted', async () => {
    const { id } = await aFormat(app, token);
    const original = await renditionsOf(id, 1);
    const destroyer = new pg.Client({ connectionString: app.database.url });
    await destroyer.connect();
    try {
      await destroyer.query('BEGIN');
      await destroyer.query('SELECT FROM formats WHERE id = $1 FOR UPDATE', [id]); // and has counted an item
      await destroyer.query('UPDATE formats SET flag = 1 WHERE id = $1', [id]);
      const removing = app.app.get(MediaRemovalService, { strict: false }).remove({ containerId: original.id });
      await eventually(
        async () =>
          (await query(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)).length > 0,
      );
      await destroyer.query('COMMIT');
      await removing;
    } finally {
      await destroyer.end();
    }
    await eventually(async () => (await statusOf(id)) === 404);
  });

  it('deletes all of its media on request, in a job that survives a crash', async () => {
    const { id } = await aFormat(app, token);
    const original = await renditionsOf(id, MANY);
    await storage.stop(); // the job cannot get on
    const { status, body } = await destroy(id, '?forceDelete=true');
    expect([status, body]).toEqual([200, { id, flag: 1, items: MANY, jobId: expect.any(String) }]);
    expect(await resultOf(body.jobId)).toEqual({ ok: true });
    expect([await statusOf(id), await listFormats(app, token, `?id=${id}`)]).toEqual([404, []]);
    expect((await destroy(id, '?forceDelete=true')).status).toBe(404);
    await storage.start();
    const [job] = await query(`SELECT max_attempts AS most FROM graphile_worker.jobs WHERE task_identifier = 'destroy_format'`);
    expect(job).toEqual({ most: UNTIL_DONE });
    await query(`UPDATE graphile_worker._private_jobs SET run_at = now() WHERE attempts > 0`);
    await eventually(async () => !('ok' in (await resultOf(body.jobId))), 60_000);
    expect(await resultOf(body.jobId)).toEqual({ id, flag: 1, items: MANY });
    const [{ left }] = (await query('SELECT count(*)::int AS left FROM media_items WHERE format_id = $1', [id])) as [{ left: number }];
    expect(left).toBe(0);
    const container = await call<{ media: { id: number }[] }>(`${app.url}/v5/mediacontainer/${original.id}`, { token });
    expect(container.body.media.map((item) => item.id)).toEqual([original.mediaId]);
  });

  it('leaves the player configurations that delivered it', async () => {
    const { id: formatId } = await aFormat(app, token);
    const [original] = await listFormats(app, token, '?mediaType=video');
    const path = `${app.url}/v5/playerconfiguration`;
    const formats = [{ formatId }, { formatId: original?.id }];
    const { body } = await call<{ id: number }>(path, { token, body: { name: 'x', type: 'video', templateId: 1, formats } });
    const before = await call<{ formats: unknown[] }>(`${path}/${body.id}`, { token });
    expect(before.body.formats).toHaveLength(2);
    await renditionsOf(formatId, 1);
    await destroy(formatId, '?forceDelete=true');
    await eventually(async () => (await call<{ formats: unknown[] }>(`${path}/${body.id}`, { token })).body.formats.length === 1);
    const update = {
      method: 'PUT',
      token,
      body: { formats: [{ formatId: original?.id }] },
      headers: { 'if-match': before.headers.get('etag') ?? '' },
    };
    expect((await call(`${path}/${body.id}`, update)).status).toBe(412);
  });

  it('needs adminLevel 9', async () => {
    const user = await aUser(app, { adminLevel: 8 });
    const eight = await tokenOf(app, user);
    const { id } = await aFormat(app, eight);
    expect(await destroy(id, '', eight)).toMatchObject({
      status: 403,
      body: { code: 'admin_level_not_sufficient', requiredAdminLevel: 9 },
    });
    expect((await call(`${app.url}/v5/format/${id}`, { token: eight })).body).toMatchObject({ flag: 0 });
  });

  it('is named in the body as well as in the path', async () => {
    const { id } = await aFormat(app, token);
    const answer = await call(`${app.url}/v5/format`, { method: 'DELETE', token, body: { id, forceDelete: true } });
    expect(answer).toMatchObject({ status: 200, body: { id, items: 0 } });
    expect(await statusOf(id)).toBe(404);
  });
});
