import { randomBytes, randomUUID } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { Upload } from '@aws-sdk/lib-storage';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { UploadReaperJob } from '../../src/modules/uploads/index.js';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { type Answer, aFile, call, clientFor, type ProcessedItem, tokenOf, type UploadDocument } from '../support/media/uploads.js';

const { app } = useTestAppWithStorage();
let token: string;
let foreign: string;

beforeAll(async () => {
  foreign = await tokenOf(app, await aUser(app)); // the first customer of all, to whom nothing here belongs
  token = await tokenOf(app, await aUser(app));
});

const prepare = async (body: unknown, as = token): Promise<Answer<UploadDocument>> =>
  await call<UploadDocument>(`${app.url}/v5/s3/createUpload`, { token: as, body });

const prepared = async (...files: object[]): Promise<UploadDocument & { first: ProcessedItem }> => {
  const { status, body } = await prepare({ payload: files });
  expect(status).toBe(200);
  return { ...body, first: body.processed[0] as ProcessedItem };
};

const put = async (item: ProcessedItem, content: Buffer | string, key = item.s3Key) =>
  await clientFor(item).send(new PutObjectCommand({ Bucket: item.bucket, Key: key, Body: content }));

const succeed = async ({ bucket, s3Key: key }: { bucket: string; s3Key: string }, as: string | null = token) =>
  await call(`${app.url}/v5/s3/success`, { token: as, body: { bucket, key } });

const complete = async (uploadId: string, as: string | null = token) =>
  await call<{ uploadId: string; status: string; items: { mediaContainerId: number; status: string }[] }>(
    `${app.url}/v5/s3/uploadComplete`,
    {
      token: as,
      body: { uploadId },
    },
  );

const events = async (name: string, uploadId: string): Promise<Record<string, unknown>[]> => {
  const sql = `SELECT payload FROM events WHERE name = $1 AND (payload->>'uploadId' = $2 OR (payload->>'mediaId')::int IN
    (SELECT id FROM media_items WHERE s3_key LIKE '%' || $2 || '%'))`;
  const { rows } = await app.app.get(Database).query<{ payload: Record<string, unknown> }>(sql, [name, uploadId]);
  return rows.map(({ payload }) => payload);
};

describe('a file', () => {
  it('is prepared, uploaded with a stock client, reported and completed', async () => {
    const { uploadId, jobId, processed, error, transferAcceleration } = await prepared(aFile({ colour: 'blue' }));
    expect({ error, transferAcceleration }).toEqual({ error: [], transferAcceleration: false });
    const item = processed[0] as ProcessedItem;
    expect(item).toMatchObject({ index: 0, bucket: 'media', region: 'us-east-1', forcePathStyle: true, ...aFile({ colour: 'blue' }) });
    expect(item.s3Key).toMatch(new RegExp(`^uploads/\\d+/${uploadId}/0\\.jpg$`));

    await put(item, 'hello world and more');
    expect((await succeed(item)).body).toEqual({ mediaContainerId: item.id, mediaId: item.mediaId, status: 'successful' });
    expect((await complete(uploadId)).body).toEqual({
      uploadId,
      status: 'completed',
      items: [{ mediaContainerId: item.id, status: 'successful' }],
    });

    const container = await call<{ media: object[] }>(`${app.url}/v5/mediacontainer/${item.id}`, { token });
    expect(container.body).toMatchObject({ id: item.id, type: 'image', name: 'portrait', flag: 0, origin: null, license: null });
    expect(container.body.media).toEqual([
      expect.objectContaining({
        id: item.mediaId,
        fileName: 'portrait',
        fileExtension: 'jpg',
        fileSize: 20,
        status: 'successful',
        s3Key: item.s3Key,
      }),
    ]);
    expect(await events('event:s3success', uploadId)).toEqual([
      expect.objectContaining({ mediaContainerId: item.id, mediaId: item.mediaId }),
    ]);
    expect(await events('event:uploadComplete', uploadId)).toEqual([{ uploadId, mediaContainerIds: [item.id] }]);
    expect((await call(`${app.url}/v5/activity/jobResult/${jobId}`, { token })).body).toMatchObject({ uploadId, jobId, processed });
  });

  it('of 100 MB goes through lib-storage in parts, with its default checksums', async () => {
    const { first } = await prepared(aFile({ type: 'video', fileName: 'film', originalFileExtension: '.MP4', fileSize: 100_000_000 }));
    expect(first.s3Key.endsWith('/0.mp4')).toBe(true);
    const Body = randomBytes(100_000_000);
    await new Upload({ client: clientFor(first), params: { Bucket: first.bucket, Key: first.s3Key, Body } }).done();
    expect((await succeed(first)).status).toBe(200);
    const { body } = await call<{ media: { fileSize: number }[] }>(`${app.url}/v5/mediacontainer/${first.id}`, { token });
    expect(body.media[0]?.fileSize).toBe(100_000_000);
  });

  it('that was not uploaded cannot be reported, and the report has no effect', async () => {
    const { first, uploadId } = await prepared(aFile());
    expect(await succeed(first)).toMatchObject({ status: 409, body: { code: 'object_missing' } });
    expect((await complete(uploadId)).body.items).toEqual([{ mediaContainerId: first.id, status: 'unsuccessful' }]);
    expect(await events('event:s3success', uploadId)).toEqual([]);
    expect(await events('event:uploadComplete', uploadId)).toEqual([{ uploadId, mediaContainerIds: [] }]);
  });

  it('that arrives after the batch was completed is not thrown away', async () => {
    const { first, uploadId } = await prepared(aFile());
    await complete(uploadId);
    await put(first, 'late');
    expect((await succeed(first)).body).toMatchObject({ status: 'successful' });
    expect((await complete(uploadId)).body.items).toEqual([{ mediaContainerId: first.id, status: 'successful' }]);
  });

  it('reported 20 times at once makes one event and 20 equal answers', async () => {
    const { first, uploadId } = await prepared(aFile());
    await put(first, 'x');
    const answers = await Promise.all(Array.from({ length: 20 }, async () => await succeed(first)));
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await events('event:s3success', uploadId)).toHaveLength(1);
  });

  it('is not accessible to another customer', async () => {
    const { first, uploadId } = await prepared(aFile());
    await put(first, 'x');
    expect((await succeed(first, foreign)).status).toBe(404);
    expect((await complete(uploadId, foreign)).status).toBe(404);
    expect((await call(`${app.url}/v5/mediacontainer/${first.id}`, { token: foreign })).status).toBe(404);
    expect((await call(`${app.url}/v5/s3/getUploadCredentials/${first.mediaId}`, { token: foreign })).status).toBe(404);
    expect((await succeed(first, null)).status).toBe(401);
    expect((await complete(uploadId, null)).status).toBe(401);
  });
});

describe('credentials', () => {
  it('are shared by items of one type and refuse every other key and operation', async () => {
    const { processed } = await prepared(
      aFile(),
      aFile({ fileName: 'b' }),
      aFile({ type: 'video', fileName: 'c', originalFileExtension: 'mp4' }),
    );
    const [a, b, c] = processed as [ProcessedItem, ProcessedItem, ProcessedItem];
    expect(a.credentials).toEqual(b.credentials);
    expect(c.credentials).not.toEqual(a.credentials);
    await put(a, 'x', b.s3Key);
    for (const key of [c.s3Key, `${a.s3Key}x`, 'uploads/other', a.s3Key.replace(/[^/]+$/, '9.jpg')]) {
      await expect(put(a, 'x', key)).rejects.toMatchObject({ name: 'AccessDenied' });
    }
  });

  it('are fresh when the same batch is asked for again, with the same ids and keys', async () => {
    const uploadId = randomUUID();
    const payload = [aFile(), aFile({ fileName: 'b' })];
    const one = (await prepare({ uploadId, payload })).body;
    const reordered = payload.map((file) => Object.fromEntries(Object.entries(file).reverse()));
    const two = (await prepare({ uploadId, payload: reordered })).body;
    expect(two.processed.map(({ id, mediaId, s3Key }) => ({ id, mediaId, s3Key }))).toEqual(
      one.processed.map(({ id, mediaId, s3Key }) => ({ id, mediaId, s3Key })),
    );
    expect(two.jobId).toBe(one.jobId);
    expect(two.processed[0]?.credentials.SessionToken).not.toBe(one.processed[0]?.credentials.SessionToken);
    expect(await prepare({ uploadId, payload: [aFile()] })).toMatchObject({ status: 409, body: { code: 'upload_id_conflict' } });
    expect((await prepare({ uploadId, payload }, foreign)).body.processed[0]?.id).not.toBe(one.processed[0]?.id);
    await complete(uploadId);
    expect(await prepare({ uploadId, payload })).toMatchObject({ status: 409, body: { code: 'upload_completed' } });
  });

  it('are those of the same batch however its uploadId is written', async () => {
    const uploadId = randomUUID();
    const { body } = await prepare({ uploadId: uploadId.toUpperCase(), payload: [aFile()] });
    expect(body.uploadId).toBe(uploadId);
    const [item] = body.processed as [ProcessedItem];
    await put(item, 'x');
    expect((await succeed(item)).status).toBe(200);
    expect((await prepare({ uploadId, payload: [aFile()] })).body.processed[0]?.s3Key).toBe(item.s3Key);
    expect((await complete(uploadId.toUpperCase())).body).toMatchObject({ uploadId, items: [{ status: 'successful' }] });
  });

  it('of one item can be renewed by whose batch it is, until it is completed', async () => {
    const { first, uploadId } = await prepared(aFile());
    const { status, body } = await call<ProcessedItem['credentials']>(`${app.url}/v5/s3/getUploadCredentials/${first.mediaId}`, { token });
    expect(status).toBe(200);
    await put({ ...first, credentials: body }, 'x');
    await complete(uploadId);
    expect(await call(`${app.url}/v5/s3/getUploadCredentials/${first.mediaId}`, { token })).toMatchObject({
      status: 409,
      body: { code: 'upload_completed' },
    });
  });

  it('do not reveal the id of the upload', async () => {
    const { first, uploadId } = await prepared(aFile());
    const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken } = first.credentials;
    const { region, endpoint } = first;
    const client = new STSClient({ region, endpoint, credentials: { accessKeyId, secretAccessKey, sessionToken } });
    const { Arn } = await client.send(new GetCallerIdentityCommand({}));
    expect(Arn).toContain('media-uploads/upload-');
    expect(Arn).not.toContain(uploadId);
  });

  it('are not returned to read-only callers', async () => {
    const user = await aUser(app);
    const [writer, reader] = [await tokenOf(app, user), await tokenOf(app, user, 'api:read')];
    const { body } = await prepare({ payload: [aFile()] }, writer);
    const [item] = body.processed as [ProcessedItem];
    expect(await call(`${app.url}/v5/s3/getUploadCredentials/${item.mediaId}`, { token: reader })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope' },
    });
    const jobResult = `${app.url}/v5/activity/jobResult/${body.jobId}`;
    expect((await call<UploadDocument>(jobResult, { token: writer })).body.processed).toEqual([item]);
    const { credentials: _, ...shown } = item;
    expect((await call<UploadDocument>(jobResult, { token: reader })).body.processed).toEqual([shown]);
    expect((await call(`${app.url}/v5/activity/jobResult/no-uuid`, { token: reader })).status).toBe(404);
  });

  it('are drawn once by 10 equal requests at once', async () => {
    const uploadId = randomUUID();
    const answers = await Promise.all(Array.from({ length: 10 }, async () => await prepare({ uploadId, payload: [aFile()] })));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(new Set(answers.map(({ body }) => JSON.stringify([body.jobId, body.processed[0]?.id, body.processed[0]?.s3Key]))).size).toBe(1);
  });
});

describe('a batch', () => {
  it('leaves out faulty items with the reason, and prepares the others', async () => {
    const { processed, error } = await prepared(
      aFile({ type: 'hologram' }),
      aFile({ fileName: 'good' }),
      aFile({ fileName: '' }),
      aFile({ fileSize: -1 }),
      aFile({ fileSize: 1.5 }),
      aFile({ fileSize: 2 ** 53 }),
      aFile({ fileSize: 0, fileName: 'empty' }),
      aFile({ fileName: 'line\nbreak' }),
      aFile({ fileName: 'n'.repeat(5_000) }),
      aFile({ originalFileExtension: '../../etc' }),
      aFile({ fileName: '../../../etc/pässwd/漢字.jpg', fileSize: 3 }),
    );
    expect(error.map(({ index, code }) => [index, code])).toEqual([
      [0, 'invalid_type'],
      [2, 'missing_file_name'],
      [3, 'invalid_file_size'],
      [4, 'type'],
      [5, 'file_too_large'],
      [7, 'invalid_file_name'],
      [8, 'invalid_file_name'],
      [9, 'invalid_file_extension'],
    ]);
    expect(processed.map(({ index, s3Key }) => [index, s3Key.replace(/^.*\//, '')])).toEqual([
      [1, '1.jpg'],
      [6, '6.jpg'],
      [10, '10.jpg'],
    ]);
    expect(error[0]).toMatchObject({ type: 'hologram', fileName: 'portrait.jpg', message: expect.any(String) });
  });

  it('treats null as absent', async () => {
    const { status, body } = await prepare({ uploadId: null, waitForCompletion: null, payload: [aFile()] });
    expect([status, body.processed.length]).toEqual([200, 1]);
    expect(body.uploadId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('reports duplicates of earlier uploads and of its own items, and prepares them anyway', async () => {
    const file = aFile({ fileName: `unique-${randomUUID()}`, fileSize: 4 });
    const { first, uploadId } = await prepared(file);
    expect((await prepared(file)).error).toEqual([]);
    await put(first, '1234');
    await succeed(first);
    const { processed, error } = await prepared(
      file,
      file,
      aFile({ fileName: 'other', checksum: 'c1' }),
      aFile({ fileName: 'another', checksum: 'c1' }),
    );
    expect(processed).toHaveLength(4);
    expect(error).toMatchObject([
      { index: 0, code: 'duplicate', mediaContainerId: first.id },
      { index: 1, code: 'duplicate', duplicateOfIndex: 0 },
      { index: 3, code: 'duplicate', duplicateOfIndex: 2 },
    ]);
    expect((await prepare({ payload: [file] }, foreign)).body.error).toEqual([]);
    expect(uploadId).toBeTruthy();
  });

  it.each([
    [{}],
    [{ payload: [] }],
    [{ payload: 'x' }],
    [{ payload: [aFile()], uploadId: 'no-uuid' }],
    [{ payload: [aFile()], uploadId: '00000000-0000-1000-8000-000000000000' }],
  ])('that is malformed (%j) is refused', async (body) => {
    expect(await prepare(body)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  });

  it('that was not completed is reaped a day after its last activity, without its successful files', async () => {
    const { processed, uploadId } = await prepared(aFile(), aFile({ fileName: 'b' }), aFile({ fileName: 'c' }));
    const [a, b, c] = processed as [ProcessedItem, ProcessedItem, ProcessedItem];
    await put(a, 'reported');
    await succeed(a);
    await put(b, 'not reported');
    const reaper = app.app.get(UploadReaperJob);
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);
    await reaper.reap(inHours(23));
    expect((await succeed(b)).status).toBe(200); // still there
    await reaper.reap(inHours(23.9)); // its last activity was the report just now
    expect((await call(`${app.url}/v5/mediacontainer/${c.id}`, { token })).status).toBe(200);
    await reaper.reap(inHours(25));
    expect((await call(`${app.url}/v5/mediacontainer/${c.id}`, { token })).status).toBe(404);
    expect((await complete(uploadId)).body.items.map(({ status }) => status)).toEqual(['successful', 'successful', 'unsuccessful']);
    expect(await events('event:uploadComplete', uploadId)).toHaveLength(1);
    expect((await succeed(c)).body).toMatchObject({ code: 'object_missing', detail: expect.stringContaining('Prepare a new upload') });
  });

  // The last one: the reaper above would remove all of its items.
  it('of 1,000 items is answered whole, of 1,001 refused', async () => {
    const payload = Array.from({ length: 1_000 }, (_, n) => aFile({ fileName: `file ${n}` }));
    const { status, body } = await prepare({ payload });
    expect(status).toBe(200);
    expect(body.processed.map(({ index }) => index)).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
    expect(new Set(body.processed.map(({ credentials }) => credentials.SessionToken)).size).toBeLessThanOrEqual(Math.ceil(1_000 / 22));
    expect((await prepare({ payload: [...payload, aFile()] })).status).toBe(400);
  });
});
