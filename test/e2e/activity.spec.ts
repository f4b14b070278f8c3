import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ActivitiesRepository, type NewActivity } from '../../src/modules/activity/index.js';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { declareWorker } from '../support/converter/converter-workers.js';
import { aFormat } from '../support/converter/formats.js';
import { transcode, waitingJobs } from '../support/converter/transcoding.js';
import { permitDifferences } from '../support/documents/documented-answers.js';
import { eventually } from '../support/eventually.js';
import { uploadMedia } from '../support/media/media.js';
import { call, tokenOf } from '../support/media/uploads.js';

const { app } = useTestAppWithStorage();
let user: { id: number; customerId: number };
let token: string;

interface ActivityBody extends Record<string, unknown> {
  readonly jobId: string;
  readonly message: string | null;
}

const activities = () => app.app.get(ActivitiesRepository);
const list = async (query = '', as = token) => await call<ActivityBody[]>(`${app.url}/v5/activity${query}`, { token: as });
const idsOf = ({ body }: { body: readonly ActivityBody[] }) => body.map(({ jobId }) => jobId);
const resultOf = async (jobId: string, headers: Record<string, string> = {}, as: string | null = token) =>
  await call(`${app.url}/v5/activity/jobResult/${jobId}`, { token: as, headers });
const cancel = async (jobId: string, as = token) =>
  await call<ActivityBody>(`${app.url}/v5/activity/${jobId}`, { method: 'DELETE', token: as });

async function aCustomer(): Promise<void> {
  user = await aUser(app);
  token = await tokenOf(app, user);
}

async function begin(more: Partial<NewActivity> = {}): Promise<string> {
  const id = randomUUID();
  await activities().start({ id, customerId: user.customerId, clientId: null, type: 'transcoding', ...more });
  return id;
}

async function aTranscoding(): Promise<{ jobId: string; containerId: number; formatId: number }> {
  const { id: formatId } = await aFormat(app, token);
  const { id: containerId } = await uploadMedia(app, token, { type: 'video', fileName: 'film.mp4', originalFileExtension: 'mp4' });
  const { body } = await transcode(app, token, { id: containerId, formatIds: [formatId] });
  return { jobId: body.jobs[0]?.jobId ?? '', containerId, formatId };
}

describe('the jobs of a customer', () => {
  beforeAll(async () => await aCustomer());

  it('are listed with all that is known of them, the newest first', async () => {
    const made = await begin({ mediaContainerId: 7, formatId: 12 });
    const failed = await begin({ mediaContainerId: 7, formatId: 13 });
    const running = await begin({ mediaContainerId: 8, formatId: 12 });
    const destruction = await begin({ type: 'formatDestruction', formatId: 14 });
    await activities().finish(made, { result: { status: 'successful' } });
    await activities().advance(failed, 40);
    await activities().finish(failed, { code: 'unreadable', message: 'The file is no video.', log: 'moov atom not found' });
    await activities().advance(running, 66);
    const moment = expect.stringMatching(/^\d{4}-.*Z$/);
    const job = { type: 'transcoding', createdAt: moment, finishedAt: null, message: null };
    expect((await list()).body).toEqual([
      { ...job, jobId: destruction, type: 'formatDestruction', status: 'running', progress: null, mediaContainerId: null, formatId: 14 },
      { ...job, jobId: running, status: 'running', progress: 66, mediaContainerId: 8, formatId: 12 },
      {
        ...{ ...job, jobId: failed, status: 'failed', progress: 40, mediaContainerId: 7, formatId: 13 },
        ...{ finishedAt: moment, message: 'The file is no video.' },
      },
      { ...job, jobId: made, status: 'successful', progress: 100, mediaContainerId: 7, formatId: 12, finishedAt: moment },
    ]);
    expect(idsOf(await list('?status=running'))).toEqual([destruction, running]);
    expect(idsOf(await list('?type=transcoding&status=failed'))).toEqual([failed]);
    expect(idsOf(await list('?mediaContainerId=7'))).toEqual([failed, made]);
  });

  it('are read page by page', async () => {
    const all = idsOf(await list());
    const pages: string[][] = [];
    for (let next: string | undefined = '/v5/activity?limit=3'; next; ) {
      const page: Awaited<ReturnType<typeof list>> = await call<ActivityBody[]>(`${app.url}${next}`, { token });
      pages.push(idsOf(page));
      next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(pages).toEqual([all.slice(0, 3), all.slice(3)]);
  });

  it('are returned a hundred at a time unless the caller sets a limit', async () => {
    const before = [...idsOf(await list())];
    const many = Array.from({ length: 120 }, () => ({
      id: randomUUID(),
      customerId: user.customerId,
      clientId: null,
      type: 'upload' as const,
    }));
    await activities().startMany(many);
    const page = await list('?type=upload');
    expect([page.body.length, page.headers.get('link')]).toEqual([100, expect.stringContaining('limit=100&cursor=')]);
    expect((await list('?limit=1000')).body).toHaveLength(120 + before.length);
  });

  it.each(['limit=0', 'limit=1001', 'cursor=x', 'status=waiting', 'type=film', 'mediaContainerId=0'])(
    'are not found by %s',
    async (query) => {
      expect(await list(`?${query}`)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    },
  );

  it('are for users of the customer only', async () => {
    const reader = await tokenOf(app, user, 'api:read');
    expect((await list('?limit=1', reader)).body).toHaveLength(1);
    expect((await list('', await tokenOf(app, await aUser(app)))).body).toEqual([]);
    expect(await list('', await tokenOf(app, user, 'dropsite'))).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    expect((await call(`${app.url}/v5/activity`)).status).toBe(401);
  });
});

describe('the result of a job', () => {
  beforeAll(async () => await aCustomer());

  it('has its progress, if it is known', async () => {
    const [upload, transcoding] = [await begin({ type: 'upload' }), await begin()];
    await activities().advance(transcoding, 17);
    expect((await resultOf(upload)).body).toEqual({ ok: true });
    expect((await resultOf(transcoding)).body).toEqual({ ok: true, progress: 17 });
  });

  it('has a key ok only while the job runs, whatever a finished job was stored with', async () => {
    permitDifferences(/jobResult/); // results that no job stores
    const [transcoding, before, upload] = [await begin(), await begin(), await begin({ type: 'upload' })];
    const made = { mediaContainerId: 7, mediaId: 9, formatId: 12 };
    await activities().finish(transcoding, { result: { status: 'successful', ...made } });
    await activities().finish(before, { result: { ok: true, ...made } }); // as the previous version stores it
    await activities().succeed(
      { id: upload, customerId: user.customerId, clientId: null, type: 'upload' },
      { result: { ok: true, a: 1 }, secret: { result: { ok: true, a: 2 }, expiresAt: new Date(Date.now() + 60_000) } },
    );
    expect((await resultOf(transcoding)).body).toEqual({ status: 'successful', ...made });
    expect((await resultOf(before)).body).toEqual({ status: 'successful', ...made });
    expect((await resultOf(upload)).body).toEqual({ status: 'successful', a: 2 });
    expect((await resultOf(upload, {}, await tokenOf(app, user, 'api:read'))).body).toEqual({ status: 'successful', a: 1 });
  });

  it('has upload credentials for callers that may upload, and a token that only reads does not learn the id with which senders ask', async () => {
    permitDifferences(/jobResult/); // results that no job stores
    const clientId = 'the-dropsite';
    const id = await begin({ type: 'upload', clientId });
    const expiresAt = new Date(Date.now() + 60_000);
    const activity = { id, customerId: user.customerId, clientId, type: 'upload' } as const;
    await activities().succeed(activity, { result: { a: 1 }, secret: { result: { a: 2 }, expiresAt } });
    const reader = await tokenOf(app, user, 'api:read');
    const [plain, secret] = [{ a: 1 }, { a: 2 }];
    expect((await resultOf(id, { clientid: clientId }, reader)).body).toEqual(plain);
    expect((await resultOf(id, { clientid: clientId }, null)).body).toEqual(secret);
    expect((await resultOf(id)).body).toEqual(secret);
    const jobIds = async (as?: string) => (await list('?type=upload&limit=1', as)).body.map(({ jobId }) => jobId);
    expect([await jobIds(reader), await jobIds()]).toEqual([[null], [id]]);
  });

  it('has the reason of a failure and, for users of the customer, the last output of the program', async () => {
    const jobId = await begin({ clientId: 'the-dropsite' });
    await activities().finish(jobId, { code: 'tool_failed', message: 'ffmpeg could not read the file.', log: 'line 1\nline 2' });
    const failure = { status: 'failed', code: 'tool_failed', message: 'ffmpeg could not read the file.' };
    expect((await resultOf(jobId)).body).toEqual({ ...failure, log: 'line 1\nline 2' });
    expect((await resultOf(jobId, {}, await tokenOf(app, user, 'api:read'))).body).toEqual({ ...failure, log: 'line 1\nline 2' });
    expect((await resultOf(jobId, { clientid: 'the-dropsite' }, null)).body).toEqual(failure);
    const sender = await tokenOf(app, user, 'dropsite');
    expect((await resultOf(jobId, { clientid: 'the-dropsite' }, sender)).body).toEqual(failure);
    expect((await resultOf(jobId, {}, sender)).status).toBe(404);
  });

  it('has no log when no program said anything', async () => {
    const jobId = await begin();
    await activities().finish(jobId, { code: 'cancelled', message: 'It was cancelled.' });
    expect((await resultOf(jobId)).body).toEqual({ status: 'failed', code: 'cancelled', message: 'It was cancelled.' });
  });
});

describe('a transcoding that waits', () => {
  beforeAll(async () => await aCustomer());

  it('shows what it waits for if no worker has the program', async () => {
    const { jobId, containerId } = await aTranscoding();
    const find = async () => (await list(`?mediaContainerId=${containerId}&type=transcoding`)).body;
    expect(await find()).toMatchObject([{ jobId, status: 'running', message: null }]);
    await declareWorker(app, ['ffprobe']);
    await eventually(async () => (await find())[0]?.message);
    expect((await find())[0]?.message).toMatch(/^No worker has ffmpeg;/);
    await declareWorker(app, null);
    await eventually(async () => (await find())[0]?.message === null);
  });

  it('is cancelled', async () => {
    const { jobId, containerId, formatId } = await aTranscoding();
    const { status, body } = await cancel(jobId);
    const cancelled = {
      jobId,
      type: 'transcoding',
      status: 'failed',
      mediaContainerId: containerId,
      formatId,
      message: expect.any(String),
    };
    expect([status, body]).toEqual([200, expect.objectContaining(cancelled)]);
    expect(await waitingJobs(app, containerId)).toEqual([]);
    expect((await resultOf(jobId)).body).toMatchObject({ status: 'failed', code: 'cancelled' });
    expect(await cancel(jobId)).toMatchObject({ status: 409, body: { code: 'job_not_cancellable' } });
    const again = await transcode(app, token, { id: containerId, formatIds: [formatId] });
    expect(again.body.jobs).toEqual([{ jobId: expect.not.stringContaining(jobId), formatId }]);
  });

  it('can be cancelled only by users of its customer with write access', async () => {
    const { jobId } = await aTranscoding();
    expect(await cancel(jobId, await tokenOf(app, await aUser(app)))).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await cancel(jobId, await tokenOf(app, user, 'api:read'))).toMatchObject({ status: 403 });
    expect(await cancel(jobId, await tokenOf(app, user, 'dropsite'))).toMatchObject({ status: 403 });
    expect((await resultOf(jobId)).body).toEqual({ ok: true, progress: 0 });
  });
});

describe('a job that cannot be cancelled', () => {
  beforeAll(async () => await aCustomer());

  it('is one of another type, one that has ended, or an unknown one', async () => {
    const [upload, ended] = [await begin({ type: 'upload' }), await begin()];
    await activities().finish(ended, { result: { status: 'successful' } });
    for (const jobId of [upload, ended]) expect(await cancel(jobId)).toMatchObject({ status: 409, body: { code: 'job_not_cancellable' } });
    for (const jobId of [randomUUID(), 'no-uuid']) expect(await cancel(jobId)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const states = await app.app.get(Database).query('SELECT status FROM activities WHERE id = ANY($1)', [[upload, ended]]);
    expect(states.rows.map(({ status }) => status).sort()).toEqual(['running', 'successful']);
  });
});
