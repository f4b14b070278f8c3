import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { declareWorker } from '../support/converter/converter-workers.js';
import { aFormat, blueprintOf, type FormatBody } from '../support/converter/formats.js';
import { transcode, waitingJobs } from '../support/converter/transcoding.js';
import { eventually } from '../support/eventually.js';
import { uploadMedia } from '../support/media/media.js';
import { aFile, call, tokenOf, type UploadDocument } from '../support/media/uploads.js';

const { app } = useTestAppWithStorage();
let user: { id: number; customerId: number };
let token: string;
let stranger: string;

beforeAll(async () => {
  user = await aUser(app);
  token = await tokenOf(app, user);
  stranger = await tokenOf(app, await aUser(app));
});
afterEach(async () => await declareWorker(app, null));

const aVideo = async () => await uploadMedia(app, token, { type: 'video', fileName: 'film.mp4', originalFileExtension: 'mp4' });
const ask = async (id: number, formatIds: unknown, as = token) => await transcode(app, as, { id, formatIds });
const putContainer = async (id: number, body: object) => await call(`${app.url}/v5/mediacontainer/${id}`, { method: 'PUT', token, body });
const codesOf = ({ body }: { body: Record<string, unknown> }) =>
  (body.errors as { path: string; code: string }[]).map(({ path, code }) => [path, code]);

describe('a request for formats of a container', () => {
  it('gets a job for each, in the order in which they were asked for', async () => {
    const { id, mediaId } = await aVideo();
    const ours = await aFormat(app, token);
    const preview = await aFormat(app, token, { blueprint: 'Video preview', usage: 'preview' });
    const blueprint = await blueprintOf(app, token, 'H.264 1080p');
    const formatIds = [ours.id, blueprint.id, preview.id];
    const { status, body } = await ask(id, formatIds);
    expect([status, body.jobs.map(({ formatId }) => formatId)]).toEqual([200, formatIds]);
    const [first, second, third] = body.jobs.map(({ jobId }) => jobId);
    const job = { customerId: user.customerId, sourceMediaId: mediaId, programs: ['ffmpeg', 'ffprobe'] };
    expect(await waitingJobs(app, id)).toEqual([
      { id: third, formatId: preview.id, priority: 0, ...job },
      { id: first, formatId: ours.id, priority: 1, ...job },
      { id: second, formatId: blueprint.id, priority: 1, ...job },
    ]);
    expect((await call(`${app.url}/v5/activity/jobResult/${first}`, { token })).body).toEqual({ ok: true, progress: 0 });
  });

  it('returns the waiting job, and a new one for a new format', async () => {
    const { id } = await aVideo();
    const [one, other] = [await aFormat(app, token), await aFormat(app, token)];
    const [waiting] = (await ask(id, [one.id])).body.jobs;
    const { jobs } = (await ask(id, [other.id, one.id])).body;
    expect(jobs).toEqual([{ jobId: expect.any(String), formatId: other.id }, waiting]);
    expect(await waitingJobs(app, id)).toHaveLength(2);
  });

  it('gets one job for twenty requests at once', async () => {
    const { id } = await aVideo();
    const { id: formatId } = await aFormat(app, token);
    const answers = await Promise.all(Array.from({ length: 20 }, async () => await ask(id, [formatId])));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.jobs[0]?.jobId}`)).size).toBe(1);
    expect(await waitingJobs(app, id)).toHaveLength(1);
    expect((await call<unknown[]>(`${app.url}/v5/activity?mediaContainerId=${id}&type=transcoding`, { token })).body).toHaveLength(1);
  });

  it('with the same Idempotency-Key gets the same answer, although the job has ended since', async () => {
    const { id } = await aVideo();
    const { id: formatId } = await aFormat(app, token);
    const headers = { 'idempotency-key': randomUUID() };
    const { body } = await transcode(app, token, { id, formatIds: [formatId], headers });
    await app.app.get(Database).query('DELETE FROM transcoding_jobs WHERE media_container_id = $1', [id]);
    const again = await transcode(app, token, { id, formatIds: [formatId], headers });
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([200, body, 'true']);
    expect(await waitingJobs(app, id)).toEqual([]);
  });

  it('needs a token that may write, of a user', async () => {
    const { id } = await aVideo();
    const { id: formatId } = await aFormat(app, token);
    expect(await ask(id, [formatId], await tokenOf(app, user, 'api:read'))).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope' },
    });
    expect(await ask(id, [formatId], await tokenOf(app, user, 'dropsite'))).toMatchObject({ status: 403 });
    const path = `${app.url}/v5/mediacontainer/${id}/transcode`;
    expect((await call(path, { body: { formatIds: [formatId] } })).status).toBe(401);
  });
});

describe('a container without possible transcodings', () => {
  it('is not found if it does not exist, is of another customer, or is being deleted', async () => {
    const { id } = await aVideo();
    const { id: formatId } = await aFormat(app, token);
    const theirs = await aFormat(app, stranger);
    expect(await ask(2_000_000_000, [formatId])).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await ask(id, [theirs.id], stranger)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    await call(`${app.url}/v5/mediacontainer/${id}?forceDelete=true`, { method: 'DELETE', token });
    expect(await ask(id, [formatId])).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('is in the trash', async () => {
    const { id } = await aVideo();
    const { id: formatId } = await aFormat(app, token);
    await putContainer(id, { flag: 1 });
    expect(await ask(id, [formatId])).toMatchObject({ status: 409, body: { code: 'media_container_in_trash' } });
  });

  it('is a watermark asset', async () => {
    const { id } = await uploadMedia(app, token, {});
    const { id: formatId } = await aFormat(app, token, { blueprint: 'JPEG' });
    await putContainer(id, { type: 'watermark', flag: 33 });
    expect(await ask(id, [formatId])).toMatchObject({ status: 409, body: { code: 'media_container_is_watermark' } });
  });

  it('has no original yet', async () => {
    const { body } = await call<UploadDocument>(`${app.url}/v5/s3/createUpload`, { token, body: { payload: [aFile()] } });
    const { id: formatId } = await aFormat(app, token, { blueprint: 'JPEG' });
    expect(await ask(body.processed[0]?.id ?? 0, [formatId])).toMatchObject({ status: 409, body: { code: 'original_missing' } });
  });

  it('has lost its original, although something was made of it', async () => {
    const { id, mediaId } = await aVideo();
    const { id: formatId } = await aFormat(app, token);
    await app.app.get(Database).query(
      `INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status, bucket, s3_key)
        SELECT media_container_id, customer_id, $2, type, file_name, 'mp4', 1, 'successful', bucket, 'renditions/' || id FROM media_items
        WHERE id = $1`,
      [mediaId, formatId],
    );
    expect((await ask(id, [formatId])).status).toBe(200);
    await app.app.get(Database).query(`UPDATE media_items SET status = 'unsuccessful' WHERE id = $1`, [mediaId]);
    expect(await ask(id, [formatId])).toMatchObject({ status: 409, body: { code: 'original_missing' } });
  });
});

describe('formats that cannot be made of a container', () => {
  it('are all named at once, with the reason of each, and no job is made of the others', async () => {
    const { id } = await aVideo();
    const fine = await aFormat(app, token);
    const theirs = await aFormat(app, stranger);
    const deleted = await aFormat(app, token);
    await app.app.get(Database).query('UPDATE formats SET flag = 1 WHERE id = $1', [deleted.id]);
    const refused = await aFormat(app, token, { configuration: { transcodingCreateNotAllowed: true } });
    const image = await aFormat(app, token, { blueprint: 'JPEG' });
    const original = await blueprintOf(app, token, 'Original video');
    const formatIds = [fine.id, theirs.id, deleted.id, refused.id, image.id, original.id, 0, -1, 9_007_199_254_740_991];
    const answer = await ask(id, formatIds);
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed']);
    expect(codesOf(answer)).toEqual([
      ['formatIds.1', 'not_found'],
      ['formatIds.2', 'format_deleted'],
      ['formatIds.3', 'transcoding_not_allowed'],
      ['formatIds.4', 'media_type'],
      ['formatIds.5', 'original_format'],
      ['formatIds.6', 'not_found'],
      ['formatIds.7', 'not_found'],
      ['formatIds.8', 'not_found'],
    ]);
    expect(await waitingJobs(app, id)).toEqual([]);
  });

  it.each([[[]], [[1, 1]], [['1']], [[1.5]], ['1'], [null], [undefined], [Array.from({ length: 51 }, (_, n) => n + 1)]])(
    'are no list: %j',
    async (formatIds) => {
      const { status, body } = await ask(1, formatIds);
      expect([status, body.code]).toEqual([400, 'validation_failed']);
      expect(codesOf({ body }).every(([path]) => path?.startsWith('formatIds'))).toBe(true);
    },
  );

  it('lack a program that no worker has; without a worker the job waits', async () => {
    const { id } = await aVideo();
    const { id: formatId } = await aFormat(app, token);
    const tool = await aFormat(app, token, {
      blueprint: 'Tool of the operator',
      settings: { filetype: 'txt', parameters: { tool: 'count' } },
    });
    expect((await ask(id, [formatId, tool.id])).status).toBe(200);
    await declareWorker(app, ['ffprobe', 'convert']);
    await eventually(async () => (await ask(id, [tool.id, formatId])).status === 400);
    const answer = await ask(id, [tool.id, formatId]);
    expect(answer.body.errors).toEqual([
      {
        path: 'formatIds.0',
        code: 'format_unavailable',
        message: expect.stringContaining('the tool "count"; the operator can list it in cli-tools.json'),
      },
      { path: 'formatIds.1', code: 'format_unavailable', message: expect.stringMatching(/^No worker has ffmpeg; .*npm run install:tools/) },
    ]);
  });
});

describe('a format', () => {
  const reasonOf = async (id: number) => {
    const { body } = await call<FormatBody & { available: boolean; unavailableReason?: string }>(`${app.url}/v5/format/${id}`, { token });
    return [body.available, body.unavailableReason];
  };

  it('shows whether it can be made, and the programs that its worker needs', async () => {
    const format = await aFormat(app, token, { blueprint: 'JPEG' });
    expect(await reasonOf(format.id)).toEqual([true, undefined]);
    const { body } = await call(`${app.url}/v5/format/${format.id}/explain`, { token });
    expect(body.programs).toEqual(['sharp', 'exiftool']);
    await declareWorker(app, ['convert', 'ffmpeg']);
    const sentence = expect.stringMatching(/^No worker has sharp; the operator can install the service with its optional packages/);
    await eventually(async () => (await reasonOf(format.id))[0] === false);
    expect(await reasonOf(format.id)).toEqual([false, sentence]);
    const { body: all } = await call<Record<string, unknown>[]>(`${app.url}/v5/format`, { token });
    const unavailable = all.filter(({ available }) => !available);
    expect(unavailable.find(({ id }) => id === format.id)).toMatchObject({ unavailableReason: sentence });
    expect(all.find(({ name }) => name === 'Copy')).toMatchObject({ available: true });
    await declareWorker(app, ['sharp']);
    await eventually(async () => (await reasonOf(format.id))[0] === true);
  });

  it('of images is made by sharp, and by ImageMagick too where sharp lacks something', async () => {
    const formats = [
      await aFormat(app, token, { blueprint: 'JPEG' }),
      await aFormat(app, token, { blueprint: 'JPEG', settings: { annotation: { text: 'x' } } }),
    ];
    const explained = async () =>
      await Promise.all(
        formats.map(async ({ id }) => {
          const { body } = await call<Record<string, unknown>>(`${app.url}/v5/format/${id}/explain`, { token });
          return [body.engine, body.sharpObstacles];
        }),
      );
    await declareWorker(app, ['sharp']);
    await eventually(async () => (await explained())[0]?.[0] === 'sharp');
    expect(await explained()).toEqual([
      ['sharp', []],
      [null, ['settings.annotation']],
    ]);
    expect(await Promise.all(formats.map(async ({ id }) => await reasonOf(id)))).toEqual([
      [true, undefined],
      [false, expect.stringMatching(/^No worker has convert .* Images without settings.annotation are made by sharp alone.$/)],
    ]);
    await declareWorker(app, ['convert', 'ffmpeg', 'ffprobe', 'exiftool', 'sharp']);
    await eventually(async () => (await explained())[1]?.[0] === 'imagemagick');
    expect((await explained())[0]?.[0]).toBe('sharp');
  });

  it('without a tool of the operator cannot be made by any worker', async () => {
    const blueprint = await blueprintOf(app, token, 'Tool of the operator');
    expect(await reasonOf(blueprint.id)).toEqual([false, 'The format does not name a tool of the operator (settings.parameters.tool).']);
  });
});

describe('the explanation of a format for an original', () => {
  interface Explained extends Record<string, unknown> {
    readonly media: { result: string; reason: string | null; steps: { program: string; reason: string; arguments: Argument[] }[] };
  }
  interface Argument {
    readonly arguments: string[];
    readonly reason: string;
    readonly parts: { part: string; reason: string }[];
  }
  const explain = async (formatId: number, mediaId: unknown, as = token) =>
    await call<Explained>(`${app.url}/v5/format/${formatId}/explain?mediaId=${mediaId}`, { token: as });
  const explainMedia = async (formatId: number, mediaId: number) => (await explain(formatId, mediaId)).body.media;
  const sql = async (text: string, ...values: unknown[]) => (await app.app.get(Database).query<{ id: number }>(text, values)).rows;
  const describeFile = async (mediaId: number, facts: object) =>
    await sql(
      'UPDATE media_items SET file_description = $2 WHERE id = $1',
      mediaId,
      JSON.stringify({ version: 1, problem: null, ...facts }),
    );
  const aPicture = async () => await uploadMedia(app, token, { type: 'image', fileName: 'photo.psd', originalFileExtension: 'psd' });
  const INTERLACED = {
    format: { format_name: 'mov,mp4', start_time: '0', duration: '60' },
    streams: [
      { index: 0, codec_type: 'video', codec_name: 'dvvideo', width: 720, height: 576, avg_frame_rate: '25/1', field_order: 'tt' },
      { index: 1, codec_type: 'audio', codec_name: 'pcm_s16le', channels: 2 },
    ],
    chapters: [],
  };

  it('says why each argument is there, and what is still measured', async () => {
    const { mediaId } = await aVideo();
    await describeFile(mediaId, { media: INTERLACED });
    const { id } = await aFormat(app, token, { settings: { parameters: { crf: 20 } } });
    const { status, body } = await explain(id, mediaId);
    expect([status, body.media]).toMatchObject([
      200,
      { mediaId, result: 'made', reason: expect.stringContaining('first transcoding measures') },
    ]);
    const [step] = body.media.steps;
    const argumentOf = (option: string) => step?.arguments.find((group) => group.arguments[0] === option);
    expect(step).toMatchObject({ program: 'ffmpeg', times: 1 });
    expect(argumentOf('-vf')?.parts[0]).toEqual({
      part: 'bwdif=mode=send_frame:parity=tff:deint=all',
      reason: 'interlaced source, top field first',
    });
    expect(argumentOf('-crf')).toEqual({ arguments: ['-crf', '20'], reason: 'parameter crf: allowed by the blueprint', parts: [] });
    await describeFile(mediaId, { media: INTERLACED, times: [60, 40].map((end, index) => ({ index, start: 0, end })) });
    const measured = await explainMedia(id, mediaId);
    expect([measured.reason, measured.steps[0]?.arguments.find((group) => group.arguments[0] === '-af')?.parts]).toEqual([
      null,
      [{ part: 'apad=whole_dur=60', reason: 'the sound ends 20 s before the picture' }],
    ]);
  });

  it('says why nothing is made', async () => {
    const { mediaId } = await aVideo();
    const { id } = await aFormat(app, token);
    const outcome = async (format = id, media = mediaId) => {
      const { result, reason, steps } = await explainMedia(format, media);
      return [result, reason, steps.length];
    };
    expect(await outcome()).toEqual(['unknown', 'The original is being inspected. Ask again in a minute.', 0]);
    await describeFile(mediaId, { media: null });
    expect(await outcome()).toEqual(['unknown', expect.stringContaining('Each transcoding measures it.'), 0]);
    await describeFile(mediaId, { media: null, problem: 'The original is not a readable video: it is a text.' });
    expect(await outcome()).toEqual(['refused', 'The original is not a readable video: it is a text.', 0]);
    await describeFile(mediaId, { media: { ...INTERLACED, streams: INTERLACED.streams.slice(0, 1) } });
    const sound = await aFormat(app, token, { blueprint: 'Sound of a video' });
    expect(await outcome(sound.id)).toEqual(['refused', 'The source has no sound. Choose a format with a picture.', 0]);
    const large = await blueprintOf(app, token, 'Streaming 1080p');
    expect(await outcome(large.id)).toEqual(['skipped', expect.stringContaining('a smaller rendition is sufficient'), 0]);
    const copy = await aFormat(app, token, { blueprint: 'Copy', settings: { mediaTypes: ['video'] } });
    expect(await outcome(copy.id)).toEqual(['unchanged', 'The rendition is a copy of the original.', 0]);
    const mark = await uploadMedia(app, token, { type: 'image', fileName: 'mark.png', originalFileExtension: 'png' });
    await putContainer(mark.id, { type: 'watermark', flag: 33 });
    const marked = await aFormat(app, token, { settings: { watermark: { mediaContainerId: mark.id } } });
    await sql('UPDATE media_containers SET flag = 1 WHERE id = $1', mark.id);
    expect(await outcome(marked.id)).toEqual(['refused', expect.stringMatching(/^The watermark asset \d+ no longer exists/), 0]);
  });

  it('names the programs that make a picture, and waits for those that it needs', async () => {
    const { mediaId } = await aPicture();
    await describeFile(mediaId, { content: 'psd', width: 400, height: 300, codec: 'psd', media: null });
    const { id } = await aFormat(app, token, { blueprint: 'JPEG', settings: { mediaTypes: ['image'] } });
    expect((await explainMedia(id, mediaId)).steps.map(({ program, reason }) => [program, reason])).toEqual([
      ['convert', 'PSD, which libvips does not read'],
      ['sharp', 'sharp has everything that this format needs'],
    ]);
    await declareWorker(app, ['sharp']);
    await eventually(async () => (await explainMedia(id, mediaId)).result === 'waiting');
    expect((await explainMedia(id, mediaId)).reason).toMatch(/^No worker has convert \(ImageMagick\); the operator can install/);
  });

  it('shows no arguments of the operator', async () => {
    const { mediaId } = await aVideo();
    const tool = await aFormat(app, token, {
      blueprint: 'Tool of the operator',
      settings: { mediaTypes: ['video'], filetype: 'txt', parameters: { tool: 'count' } },
    });
    expect((await explainMedia(tool.id, mediaId)).steps).toEqual([
      { program: 'cli:count', reason: 'the tool of the operator that the format names', times: 1, arguments: [] },
    ]);
  });

  it("is only given for originals of one's own customer that the format is made from", async () => {
    const { id: containerId, mediaId } = await aVideo();
    const { id: blueprint } = await blueprintOf(app, token, 'H.264 1080p');
    const picture = await aPicture();
    const [rendition] = await sql(
      `INSERT INTO media_items (media_container_id, customer_id, type, file_name, file_extension, file_size, status, bucket, s3_key)
        SELECT id, customer_id, 'video', name, 'mp4', 9, 'successful', 'media', 'renditions/' || id || '/a.mp4' FROM media_containers WHERE id = $1
        RETURNING id`,
      containerId,
    );
    const answer = async (mediaId: unknown, as = token) => {
      const { status, body } = await explain(blueprint, mediaId, as);
      const [problem] = (body.errors ?? []) as { path: string; code: string; message: string }[];
      return [status, problem?.code ?? body.code, problem?.message];
    };
    expect(await answer(mediaId, stranger)).toEqual([404, 'not_found', undefined]);
    expect(await answer(2_147_483_647)).toEqual([404, 'not_found', undefined]);
    expect(await answer(picture.mediaId)).toEqual([400, 'media_type', `the format ${blueprint} is made from video, not from image`]);
    expect(await answer(rendition?.id)).toEqual([400, 'not_original', `must be the original of its media container, which is ${mediaId}`]);
    for (const wrong of ['x', '0', '-1', '1e9999', '']) expect((await answer(wrong))[0]).toBe(400);
    await sql(`UPDATE media_items SET status = 'prepared' WHERE id = $1`, mediaId);
    expect(await answer(mediaId)).toEqual([409, 'original_missing', undefined]);
    const { body } = await call(`${app.url}/v5/format/${blueprint}/explain`, { token });
    expect(body).not.toHaveProperty('media');
  });
});
