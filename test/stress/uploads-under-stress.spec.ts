import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CredentialIssuer } from '../../src/modules/uploads/credentials/credential-issuer.port.js';
import { UploadReaperJob } from '../../src/modules/uploads/index.js';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { eventually } from '../support/eventually.js';
import { aFile, call, clientFor, type ProcessedItem, tokenOf, type UploadDocument } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

const MIB = 1024 * 1024;

let storage: TestStorage;
let app: TestApp;
let owner: { id: number };
let token: string;
let foreign: string;

beforeAll(async () => {
  storage = await startTestStorage();
  app = await startTestApp({ ...storage.settings, worker: 'inline' });
  foreign = await tokenOf(app, await aUser(app)); // the first customer and user of all, whom nothing here belongs to
  owner = await aUser(app);
  token = await tokenOf(app, owner);
});

afterAll(async () => {
  await app.close();
  await storage.close();
});

const prepare = async (body: unknown) => await call<UploadDocument>(`${app.url}/v5/s3/createUpload`, { token, body });

const succeed = async ({ bucket, s3Key: key }: ProcessedItem) => await call(`${app.url}/v5/s3/success`, { token, body: { bucket, key } });

const complete = async (uploadId: string) =>
  await call<{ items: { status: string }[] }>(`${app.url}/v5/s3/uploadComplete`, { token, body: { uploadId } });

const put = async (item: ProcessedItem) =>
  await clientFor(item).send(new PutObjectCommand({ Bucket: item.bucket, Key: item.s3Key, Body: 'content' }));

/** The result of a job that is over. */
const ended = async (jobId: string): Promise<UploadDocument> => {
  const ask = async () => (await call<UploadDocument & { ok?: true }>(`${app.url}/v5/activity/jobResult/${jobId}`, { token })).body;
  await eventually(async () => !(await ask()).ok);
  return await ask();
};

const rows = async (table: string): Promise<number> =>
  (await app.app.get(Database).queryOne<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`))?.count ?? -1;

describe('a batch that is prepared in a job', () => {
  it('is answered at once with its jobId, and then by jobResult with the whole document', async () => {
    const uploadId = randomUUID();
    const body = { uploadId, payload: [aFile(), aFile({ type: 'hologram' })], waitForCompletion: false };
    const { status, body: first } = await prepare(body);
    expect(status).toBe(200);
    expect(first).toMatchObject({ uploadId, processed: [], error: [] });
    const jobResult = `${app.url}/v5/activity/jobResult/${first.jobId}`;
    const document = await ended(first.jobId);
    expect(document).not.toHaveProperty('ok');
    expect(document.error).toMatchObject([{ index: 1, code: 'invalid_type' }]);
    await put(document.processed[0] as ProcessedItem);
    expect((await succeed(document.processed[0] as ProcessedItem)).status).toBe(200);
    expect((await prepare(body)).body.jobId).toBe(first.jobId);
    const again = (await prepare({ ...body, waitForCompletion: true })).body;
    expect([again.processed[0]?.id, again.error]).toEqual([document.processed[0]?.id, document.error]);
    const container = await call(`${app.url}/v5/mediacontainer/${document.processed[0]?.id}`, { token });
    expect(container.body).toMatchObject({ creatorId: owner.id });
    expect((await call(jobResult, { token: foreign })).status).toBe(404);
    expect((await call(`${app.url}/v5/activity/jobResult/${randomUUID()}`, { token })).status).toBe(404);
  });

  it('fails with a reason if the storage does not answer, and the same request prepares it again', async () => {
    await storage.stop();
    const uploadId = randomUUID();
    const body = { uploadId, payload: [aFile()], waitForCompletion: false };
    const { jobId } = (await prepare(body)).body;
    expect(await ended(jobId)).toMatchObject({
      status: 'failed',
      code: 'storage_unavailable',
      message: expect.stringContaining('storage'),
    });
    await storage.start();
    const again = await prepare({ ...body, waitForCompletion: true });
    expect(again).toMatchObject({ status: 200, body: { processed: [{ index: 0 }] } });
  });
});

describe('a batch that is prepared at once', () => {
  it('asks for its credentials once', async () => {
    const issuer = app.app.get(CredentialIssuer);
    const asked: string[] = [];
    const issue = issuer.issue.bind(issuer);
    issuer.issue = async (request) => {
      asked.push(request.policy);
      return await issue(request);
    };
    try {
      expect((await prepare({ payload: [aFile(), aFile({ type: 'video' })] })).status).toBe(200);
    } finally {
      issuer.issue = issue;
    }
    expect(asked).toHaveLength(2);
  });
});

describe('a storage that does not answer', () => {
  /** Rows that uploads write; the inspection of a file that arrived before may add its problem at any time. */
  const counts = async () => [
    await rows('media_containers'),
    await rows('upload_batches'),
    await rows('activities'),
    await rows(`events WHERE name <> 'event:mediaProblem'`),
  ];

  it('leaves no partial records: the same calls work when it is back', async () => {
    const before = (await prepare({ payload: [aFile()] })).body;
    const item = before.processed[0] as ProcessedItem;
    await put(item);
    const counted = await counts();

    await storage.stop();
    const uploadId = randomUUID();
    const body = { uploadId, payload: [aFile(), aFile({ type: 'video' })] };
    expect(await prepare(body)).toMatchObject({ status: 503, body: { code: 'storage_unavailable' } });
    expect(await succeed(item)).toMatchObject({ status: 503, body: { code: 'storage_unavailable' } });
    expect(await call(`${app.url}/v5/s3/getUploadCredentials/${item.mediaId}`, { token })).toMatchObject({ status: 503 });
    expect(await counts()).toEqual(counted);

    await storage.start();
    expect((await prepare(body)).body.processed).toHaveLength(2);
    expect((await succeed(item)).body).toMatchObject({ status: 'successful' });
  });

  it('nor does a security token service that accepts connections and never answers, which is noticed within 10 seconds', async () => {
    const item = (await prepare({ payload: [aFile()] })).body.processed[0] as ProcessedItem;
    const counted = await counts();
    const silent = createServer(() => {});
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
    const stsEndpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const service = await startTestApp({ ...storage.settings, stsEndpoint, database: app.database, publicUrl: app.url });
    const url = addressOf(service.app);
    const timed = async (at: string, content?: object) => {
      const startedAt = performance.now();
      const { status, body, headers } = await call<{ code?: string }>(`${url}${at}`, { token, body: content });
      return { answer: [status, body.code, headers.get('retry-after')], seconds: (performance.now() - startedAt) / 1_000 };
    };
    const unavailable = [503, 'storage_unavailable', '5'];
    const body = { uploadId: randomUUID(), payload: [aFile(), aFile({ type: 'video' })] };
    try {
      const first = await timed('/v5/s3/createUpload', body);
      expect(first).toEqual({ answer: unavailable, seconds: expect.any(Number) });
      expect(first.seconds).toBeLessThan(10);
      for (const later of [await timed('/v5/s3/createUpload', body), await timed(`/v5/s3/getUploadCredentials/${item.mediaId}`)]) {
        expect(later).toEqual({ answer: unavailable, seconds: expect.any(Number) });
        expect(later.seconds).toBeLessThan(1);
      }
      expect(await counts()).toEqual(counted);
    } finally {
      await service.close();
      silent.closeAllConnections();
      await new Promise((resolve) => silent.close(resolve));
    }
    expect((await prepare(body)).body.processed).toHaveLength(2);
  });
});

describe('credentials that expire in the middle of a multipart upload', () => {
  let aheadBy = 0;
  let clocked: TestStorage;
  let service: TestApp;

  beforeAll(async () => {
    clocked = await startTestStorage({ now: () => new Date(Date.now() + aheadBy) });
    service = await startTestApp({ ...clocked.settings });
  });

  afterAll(async () => {
    await service.close();
    await clocked.close();
  });

  it('are renewed by the same createUpload, and the upload continues', async () => {
    const uploader = await tokenOf(service, await aUser(service));
    const send = async <Body>(path: string, content?: object) =>
      (await call<Body>(`${service.url}/v5/${path}`, { token: uploader, body: content })).body;
    const prepareAgain = async () => (await send<UploadDocument>('s3/createUpload', body)).processed[0] as ProcessedItem;
    const body = { uploadId: randomUUID(), payload: [aFile({ type: 'video', fileSize: 11 * MIB })] };
    const item = await prepareAgain();
    const where = { Bucket: item.bucket, Key: item.s3Key };
    const first = clientFor(item);
    const { UploadId } = await first.send(new CreateMultipartUploadCommand(where));
    const part = (n: number, size: number) => new UploadPartCommand({ ...where, UploadId, PartNumber: n, Body: randomBytes(size) });
    await first.send(part(1, 5 * MIB));
    aheadBy = 16 * 60 * 1_000;
    await expect(first.send(part(2, 5 * MIB))).rejects.toMatchObject({ name: 'ExpiredToken' });
    const renewed = await prepareAgain();
    expect(renewed.s3Key).toBe(item.s3Key);
    const second = clientFor(renewed, { systemClockOffset: aheadBy });
    await second.send(part(2, 5 * MIB));
    await second.send(part(3, MIB));
    const { Parts } = await second.send(new ListPartsCommand({ ...where, UploadId }));
    await second.send(
      new CompleteMultipartUploadCommand({
        ...where,
        UploadId,
        MultipartUpload: { Parts: Parts?.map(({ ETag, PartNumber }) => ({ ETag, PartNumber })) },
      }),
    );
    expect(await send('s3/success', { bucket: item.bucket, key: item.s3Key })).toMatchObject({ status: 'successful' });
    const container = await send<{ media: object[] }>(`mediacontainer/${item.id}`);
    expect(container.media).toMatchObject([{ status: 'successful', fileSize: 11 * MIB }]);
  });
});

describe('the reaper', () => {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);

  it('aborts open multipart uploads and deletes unreported objects', async () => {
    const { uploadId, processed } = (await prepare({ payload: [aFile({ type: 'video' }), aFile()] })).body;
    const [video, image] = processed as [ProcessedItem, ProcessedItem];
    const { UploadId } = await clientFor(video).send(new CreateMultipartUploadCommand({ Bucket: video.bucket, Key: video.s3Key }));
    await put(image);
    await app.app.get(UploadReaperJob).reap(inHours(48));
    const parts = new ListPartsCommand({ Bucket: video.bucket, Key: video.s3Key, UploadId });
    await expect(clientFor(video).send(parts)).rejects.toMatchObject({ name: 'NoSuchUpload' });
    expect(await succeed(image)).toMatchObject({ status: 409, body: { code: 'object_missing' } });
    expect((await complete(uploadId)).body).toMatchObject({
      status: 'completed',
      items: [{ status: 'unsuccessful' }, { status: 'unsuccessful' }],
    });
    expect(await prepare({ uploadId, payload: [aFile({ type: 'video' }), aFile()] })).toMatchObject({ status: 409 });
  });

  it('leaves an object that was completed shortly ago, though its upload began long before', async () => {
    const { processed } = (await prepare({ payload: [aFile({ fileName: 'long' })] })).body;
    const item = processed[0] as ProcessedItem;
    await put(item);
    const database = app.app.get(Database);
    // Credentials until an hour ago, so the object may be as young as that, whatever time the storage says.
    await database.query(
      `UPDATE upload_batches SET last_activity_at = now() - interval '3 days', credentials_expire_at = now() + interval '46 hours'
      WHERE items @> $1::jsonb`,
      [JSON.stringify([{ mediaId: item.mediaId }])],
    );
    await app.app.get(UploadReaperJob).reap(inHours(47));
    expect((await succeed(item)).status).toBe(200);
  });

  it('continues with other batches when one cannot be reaped, and fails at the end', async () => {
    const bad = (await prepare({ payload: [aFile({ fileName: 'bad' })] })).body;
    const good = (await prepare({ payload: [aFile({ fileName: 'good' })] })).body;
    const database = app.app.get(Database);
    await database.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$`);
    await database.query(`CREATE TRIGGER refuse BEFORE UPDATE ON media_items FOR EACH ROW WHEN (NEW.status = 'deleted'
      AND NEW.file_name = 'bad') EXECUTE FUNCTION refuse()`);
    try {
      await expect(app.app.get(UploadReaperJob).reap(inHours(48))).rejects.toThrow('no');
    } finally {
      await database.query('DROP FUNCTION refuse CASCADE');
    }
    const statusOf = async ({ processed }: UploadDocument) =>
      (await call(`${app.url}/v5/mediacontainer/${processed[0]?.id}`, { token })).status;
    expect([await statusOf(bad), await statusOf(good)]).toEqual([200, 404]);
    await app.app.get(UploadReaperJob).reap(inHours(48));
    expect(await statusOf(bad)).toBe(404);
  });

  it('and a concurrent report: one of them succeeds, and no acknowledged file is lost', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { processed } = (await prepare({ payload: [aFile({ fileName: `race ${round}` })] })).body;
      const item = processed[0] as ProcessedItem;
      await put(item);
      const [report] = await Promise.all([succeed(item), app.app.get(UploadReaperJob).reap(inHours(48))]);
      const container = await call<{ media: { status: string }[] }>(`${app.url}/v5/mediacontainer/${item.id}`, { token });
      if (report.status === 200) expect(container.body.media).toMatchObject([{ status: 'successful' }]);
      else expect([report.status, container.status]).toEqual([409, 404]);
    }
  });

  it('and a completion that meet: one of them wins, and the batch has ended', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { uploadId, processed } = (
        await prepare({ payload: [aFile({ fileName: `end ${round}` }), aFile({ fileName: `lost ${round}` })] })
      ).body;
      const item = processed[0] as ProcessedItem;
      await put(item);
      await succeed(item);
      const [{ status, body }] = await Promise.all([complete(uploadId), app.app.get(UploadReaperJob).reap(inHours(48))]);
      expect([status, body.items.map((one) => one.status)]).toEqual([200, ['successful', 'unsuccessful']]);
      const { rows: ended } = await app.app.get(Database).query<{ status: string; events: number }>(
        `SELECT status, (SELECT count(*)::int FROM events WHERE name = 'event:uploadComplete' AND payload->>'uploadId' = $1) AS events
         FROM upload_batches WHERE upload_id = $1::uuid`,
        [uploadId],
      );
      expect(ended).toEqual([{ status: expect.stringMatching(/^(completed|reaped)$/), events: ended[0]?.status === 'completed' ? 1 : 0 }]);
    }
  });

  it('runs in one process at a time', async () => {
    const reaper = app.app.get(UploadReaperJob);
    await reaper.reap(inHours(48)); // what a completion that came first left to the next one
    const { processed } = (await prepare({ payload: [aFile()] })).body;
    const reports = await Promise.all(Array.from({ length: 5 }, async () => await reaper.reap(inHours(48))));
    expect(reports.filter((report) => report !== null).reduce((sum, report) => sum + report.deletedItems, 0)).toBe(1);
    expect(reports.filter((report) => report === null).length).toBeGreaterThan(0);
    expect((await succeed(processed[0] as ProcessedItem)).status).toBe(409);
  });
});
