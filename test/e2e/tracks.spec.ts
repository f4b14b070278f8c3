import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ItemUrlsService } from '../../src/modules/library/item-urls.service.js';
import { MediaItem } from '../../src/modules/media/index.js';
import { UploadReaperJob } from '../../src/modules/uploads/index.js';
import { callerOf } from '../../src/shared/auth/index.js';
import { Database } from '../../src/shared/database/index.js';
import { ObjectStorage } from '../../src/shared/storage/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { anItem } from '../support/browser/embedded-media.js';
import { aDropsite, put, senderOf } from '../support/delivery/dropsites.js';
import { aPublisher, type Publisher } from '../support/delivery/player-configurations.js';
import { permitDifferences } from '../support/documents/documented-answers.js';
import { eventually } from '../support/eventually.js';
import { MAX_LIVE_MS, withLiveChecks } from '../support/live-checks.js';
import { uploadMedia } from '../support/media/media.js';
import { aFile, call, type ProcessedItem, tokenOf, type UploadDocument } from '../support/media/uploads.js';

const { app } = useTestAppWithStorage({ worker: 'inline' });
let publisher: Publisher;
beforeAll(async () => {
  publisher = await aPublisher(app);
});

const VTT = 'WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n';
/** One pixel. */
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

interface MediaItemBody extends Record<string, unknown> {
  readonly id: number;
  readonly status: string;
  readonly role: string | null;
  readonly default: boolean;
}

const url = (path: string): string => `${app.url}/v5/${path}`;
const token = (): string => publisher.token;
const aFilm = async (fields: object = {}) =>
  await uploadMedia(app, token(), { type: 'video', fileName: `${randomUUID()}.mp4`, originalFileExtension: 'mp4', ...fields });
/** An item of createUpload. */
const aTrack = (mediaContainerId: unknown, fields: object = {}) => ({
  ...{ mediaContainerId, role: 'subtitles', language: 'en', fileName: 'talk.vtt', fileSize: VTT.length },
  ...fields,
});
const prepare = async (payload: object[], options: { token?: string; waitForCompletion?: boolean; uploadId?: string } = {}) => {
  const { token: as = token(), ...body } = options;
  return await call<UploadDocument>(url('s3/createUpload'), { token: as, body: { payload, ...body } });
};
const prepared = async (track: object): Promise<ProcessedItem> => {
  const { body } = await prepare([track]);
  if (!body.processed[0]) throw new Error(`Nothing was prepared: ${JSON.stringify(body)}`);
  return body.processed[0];
};
const report = async ({ bucket, s3Key: key }: ProcessedItem) =>
  await call<Record<string, unknown>>(url('s3/success'), { token: token(), body: { bucket, key } });
const uploaded = async (track: object, content: string | Buffer = VTT): Promise<ProcessedItem> => {
  const item = await prepared(track);
  await put(item, content as string);
  expect(await report(item)).toMatchObject({ status: 200 });
  return item;
};
const mediaOf = async (id: number) => (await call<{ media: MediaItemBody[] }>(url(`mediacontainer/${id}`), { token: token() })).body.media;
const tracksOf = async (id: number) => (await mediaOf(id)).filter(({ role, status }) => role !== null && status === 'successful');
const change = async (id: number, mediaId: number, body: object, as = token()) =>
  await call<MediaItemBody & { code?: string }>(url(`mediacontainer/${id}/media/${mediaId}`), { method: 'PUT', token: as, body });
const remove = async (id: number, mediaId: number, as = token()) =>
  await call<MediaItemBody & { code?: string }>(url(`mediacontainer/${id}/media/${mediaId}`), { method: 'DELETE', token: as });
const events = async (mediaId: number) =>
  (
    await app.app
      .get(Database)
      .query<{ payload: object }>(`SELECT payload FROM events WHERE name = 'event:s3success' AND (payload->>'mediaId')::int = $1`, [
        mediaId,
      ])
  ).rows.map(({ payload }) => payload);

describe('a track', () => {
  it('is a file of the container with its role and a canonical language, and is told by the event', async () => {
    const film = await aFilm();
    const [item] = (await prepare([aTrack(film.id, { language: 'DE-at', type: 'nonsense', default: true })])).body.processed;
    expect(item).toMatchObject({ id: film.id, mediaContainerId: film.id, role: 'subtitles', language: 'DE-at', type: 'nonsense' });
    await put(item as ProcessedItem, VTT);
    const answer = { mediaContainerId: film.id, mediaId: item?.mediaId, status: 'successful' };
    expect(await report(item as ProcessedItem)).toMatchObject({ status: 200, body: answer });
    expect(await report(item as ProcessedItem)).toMatchObject({ status: 200, body: answer });
    expect(await mediaOf(film.id)).toEqual([
      expect.objectContaining({ id: film.mediaId, role: null, language: null, label: null, default: false }),
      expect.objectContaining({
        ...{ id: item?.mediaId, role: 'subtitles', language: 'de-AT', label: 'Österreichisches Deutsch', default: true },
        ...{ type: 'document', formatId: null, fileExtension: 'vtt', fileSize: VTT.length, status: 'successful' },
      }),
    ]);
    const ids = { mediaContainerId: film.id, mediaId: item?.mediaId, customerId: publisher.user.customerId };
    expect(await events(Number(item?.mediaId))).toEqual([{ ...ids, role: 'subtitles', language: 'de-AT' }]);
    expect(await events(film.mediaId)).toEqual([{ ...ids, mediaId: film.mediaId, role: null, language: null }]);
  });

  it('is prepared in a job too, and again with the same ids when the request is repeated', async () => {
    const { id } = await aFilm();
    const payload = [aTrack(id), aTrack(2_000_000_000)];
    const request = { uploadId: randomUUID(), waitForCompletion: false };
    const { jobId } = (await prepare(payload, request)).body;
    const document = await eventually(async () => {
      const { body } = await call<UploadDocument>(url(`activity/jobResult/${jobId}`), { token: token() });
      return body.processed ? body : null;
    });
    expect(document).toMatchObject({ processed: [{ id, index: 0 }], error: [{ index: 1, code: 'not_found' }] });
    const again = await prepare(payload, { uploadId: request.uploadId });
    expect(again.body.processed.map(({ mediaId }) => mediaId)).toEqual(document?.processed.map(({ mediaId }) => mediaId));
  });

  it.each([
    [{ mediaContainerId: undefined }, 'required'],
    [{ mediaContainerId: '7' }, 'type'],
    [{ role: undefined }, 'required'],
    [{ role: 7 }, 'type'],
    [{ role: { toString: 1, valueOf: 2 } }, 'type'],
    [{ role: 'Subtitles' }, 'invalid_role'],
    [{ language: undefined }, 'required'],
    [{ language: 'de_DE' }, 'invalid_language'],
    [{ language: 'english' }, 'invalid_language'],
    [{ label: 7 }, 'type'],
    [{ label: 'two\nlines' }, 'invalid_label'],
    [{ default: 'yes' }, 'type'],
    [{ fileName: 'talk.ass' }, 'invalid_file_extension'],
    [{ originalFileExtension: 'txt' }, 'invalid_file_extension'],
    [{ fileSize: 10_000_001 }, 'file_too_large'],
    [{ role: 'poster', fileName: 'poster.vtt' }, 'invalid_file_extension'],
    [{ mediaContainerId: 2_000_000_000 }, 'not_found'],
    [{ mediaContainerId: -1 }, 'not_found'],
    [{ mediaContainerId: 1e15 }, 'not_found'],
  ])('with %j is refused as an item: %s', async (fields, code) => {
    permitDifferences(/error\/0\/mediaContainerId: must be integer/); // what was sent is repeated
    const { id } = await aFilm();
    const { status, body } = await prepare([aTrack(id, fields), aTrack(id)]);
    expect([status, body.processed.map(({ index }) => index), body.error.map((problem) => [problem.index, problem.code])]).toEqual([
      200,
      [1],
      [[0, code]],
    ]);
  });

  it('is not added to a container of another customer, in the trash, or in deletion', async () => {
    const stranger = await tokenOf(app, await aUser(app));
    const { id } = await aFilm();
    const codes = async (as?: string) => (await prepare([aTrack(id)], { token: as })).body.error.map(({ code }) => code);
    expect(await codes(stranger)).toEqual(['not_found']);
    await call(url(`mediacontainer/${id}`), { method: 'DELETE', token: token() });
    expect(await codes()).toEqual(['media_container_in_trash']);
    await call(url(`mediacontainer/${id}`), { method: 'DELETE', token: token(), body: { forceDelete: true } });
    expect(await codes()).toEqual(['not_found']);
  });

  it('is not taken from a dropsite', async () => {
    const { id } = await aFilm();
    const { dropsite } = await aDropsite(app);
    const sender = senderOf(app, dropsite.link);
    const session = { token: (await sender.session()).access_token };
    const { body } = await sender.create({ payload: [aTrack(id), aFile()] }, session);
    expect([body.processed.map(({ index }) => index), body.error.map(({ code }) => code)]).toEqual([[1], ['not_allowed']]);
  });

  it('neither is nor has a duplicate, and is no original', async () => {
    const film = await aFilm();
    const track = aTrack(film.id, { fileName: `${randomUUID()}.vtt`, checksum: randomUUID() });
    await uploaded(track);
    const { body } = await prepare([track, track, { ...track, mediaContainerId: undefined, role: undefined, type: 'document' }]);
    expect([body.processed.length, body.error]).toEqual([3, []]);
    const ghost = await prepared(aFile({ fileName: randomUUID() })); // its original never arrives
    await uploaded(aTrack(ghost.id));
    const { body: refusal } = await call(url(`mediacontainer/${ghost.id}/transcode`), { token: token(), body: { formatIds: [1] } });
    expect(refusal.code).toBe('original_missing');
  });

  it('of the same role and language replaces the earlier one; others stay', async () => {
    const { id } = await aFilm();
    const first = await uploaded(aTrack(id));
    const others = [
      await uploaded(aTrack(id, { language: 'de' })),
      await uploaded(aTrack(id, { role: 'captions' })),
      await uploaded(aTrack(id, { role: 'poster', fileName: 'a.png' }), PNG),
    ];
    const second = await uploaded(aTrack(id, { language: 'eng', fileName: 'again.srt' }), '1\n00:00:01,000 --> 00:00:02,000\nHi\n');
    const poster = await uploaded(aTrack(id, { role: 'poster', fileName: 'b.png', language: undefined }), PNG);
    const ids = (await tracksOf(id)).map((track) => track.id);
    expect(ids).toEqual([others[0], others[1], second, poster].map((item) => item?.mediaId));
    expect((await mediaOf(id)).find((item) => item.id === first.mediaId)).toMatchObject({ status: 'deleted' });
    expect(await report(first)).toMatchObject({ status: 200, body: { mediaId: first.mediaId, status: 'successful' } });
    expect((await tracksOf(id)).map((track) => track.id)).toEqual(ids);
    const credentials = await call(url(`s3/getUploadCredentials/${first.mediaId}`), { token: token() });
    expect(credentials).toMatchObject({ status: 409, body: { code: 'upload_completed' } });
  });

  it('is the only one of several that succeed at the same moment, and the only default', async () => {
    const { id } = await aFilm();
    const wanted = Array.from({ length: 8 }, (_, n) => aTrack(id, { default: true, language: n % 2 ? 'en' : 'fr', label: String(n) }));
    const items = await Promise.all(wanted.map(prepared));
    await Promise.all(items.map(async (item) => await put(item, VTT)));
    expect((await Promise.all(items.map(report))).map(({ status }) => status)).toEqual(items.map(() => 200));
    const tracks = await tracksOf(id);
    expect(tracks.map(({ language }) => language).sort()).toEqual(['en', 'fr']);
    expect(tracks.filter((track) => track.default)).toHaveLength(1);
  });

  it.each([
    ['subtitles', 'talk.vtt', 'WEBVTT\n\n00:01.000 --> soon\nHello\n', 3],
    ['captions', 'talk.srt', '1\n00:00:01,000 --> 00:00:02,000\nHi\n\n2\n00:00:03 -> 00:00:04\n\n3\n0:0:x --> 0:1\n', 6],
    ['subtitles', 'talk.srt', '1\n0:00:01,0 --> 0:00:02,0\nHi\n\n2\n0:00:0x,0 --> 0:00:04,0\nlost\n', 6],
    ['subtitles', 'talk.vtt', 'WEBVTT\n\nNOTE without a cue\n', 4],
    ['chapters', 'talk.vtt', '<script>alert(1)</script>', 1],
    ['descriptions', 'talk.vtt', 'x'.repeat(10_000_001), 0],
    ['poster', 'poster.jpg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 0],
  ])('of the role %s that is not what it should be is unsuccessful until it is uploaded again', async (role, fileName, content, line) => {
    const { id } = await aFilm();
    const item = await prepared(aTrack(id, { role, fileName }));
    await put(item, content);
    expect(await report(item)).toMatchObject({ status: 400, body: { code: 'track_unreadable', line } });
    expect((await mediaOf(id))[1]).toMatchObject({ status: 'unsuccessful' });
    expect(await events(item.mediaId)).toEqual([]);
    await put(item, (role === 'poster' ? PNG : VTT) as string);
    expect(await report(item)).toMatchObject({ status: 200 });
    expect((await mediaOf(id))[1]).toMatchObject({ status: 'successful', width: role === 'poster' ? 1 : null });
  });

  it('is one of at most 32 of its role', async () => {
    const { id } = await aFilm();
    const container = { id, customerId: publisher.user.customerId };
    const aStored = { formatId: null, type: 'document' as const, role: 'subtitles' as const, fileExtension: 'vtt' };
    for (let n = 0; n < 30; n += 1) await anItem(app, container, { ...aStored, language: `en-x-a${n}` });
    const languages = ['de', 'fr', 'it', 'en-x-a0', 'de'];
    const { body } = await prepare([...languages.map((language) => aTrack(id, { language })), aTrack(id, { role: 'captions' })]);
    expect(body.error.map(({ index, code }) => [index, code])).toEqual([[2, 'too_many_tracks']]);
    const late = await prepared(aTrack(id, { language: 'it' })); // before the others succeed
    for (const item of body.processed) {
      await put(item, VTT);
      expect((await report(item)).status).toBe(200);
    }
    await put(late, VTT);
    expect(await report(late)).toMatchObject({ status: 400, body: { code: 'too_many_tracks' } });
    expect((await tracksOf(id)).filter(({ role }) => role === 'subtitles')).toHaveLength(32);
    await remove(id, Number((await tracksOf(id))[0]?.id));
    expect((await report(late)).status).toBe(200);
  });

  it('of ten megabytes is read without delaying other requests or the track of another customer', async () => {
    const large = await prepared(aTrack((await aFilm()).id, { fileSize: 7_920_008 }));
    await put(large, `WEBVTT\n\n${'0:0 --> 9:9\n'.repeat(660_000)}`);
    const other = await aPublisher(app);
    const film = await uploadMedia(app, other.token, { type: 'video', fileName: 'x.mp4' });
    const small = {
      role: 'subtitles',
      language: 'en',
      mediaContainerId: film.id,
      fileName: 'x.vtt',
      originalFileExtension: 'vtt',
      content: VTT,
    };
    const work = Promise.all([...Array.from({ length: 5 }, async () => await report(large)), uploadMedia(app, other.token, small)]);
    const { result, longestMs } = await withLiveChecks(app.url, work);
    expect(result.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => expect.objectContaining({ status: 200 })));
    expect(longestMs).toBeLessThan(MAX_LIVE_MS);
  });

  it('makes no links, and its batch names the container once', async () => {
    const { id } = await aFilm();
    await publisher.made({ autoGenerate: true, formats: [] });
    const { body } = await prepare([aTrack(id), aTrack(id, { language: 'de' })]);
    for (const item of body.processed) {
      await put(item, VTT);
      await report(item);
    }
    const complete = await call<{ items: object[] }>(url('s3/uploadComplete'), { token: token(), body: { uploadId: body.uploadId } });
    expect(complete.body.items).toEqual([1, 2].map(() => ({ mediaContainerId: id, status: 'successful' })));
    const sql = `SELECT payload FROM events WHERE name = 'event:uploadComplete' AND payload->>'uploadId' = $1`;
    const { rows } = await app.app.get(Database).query<{ payload: object }>(sql, [body.uploadId]);
    expect(rows).toEqual([{ payload: { uploadId: body.uploadId, mediaContainerIds: [id] } }]);
    const links = await call<object[]>(url(`embedlink/${id}`), { token: token() });
    expect(links.body).toEqual([]);
  });

  it('that never arrives is reaped alone, and a superseded one is left to its job', async () => {
    const { id } = await aFilm();
    await uploaded(aTrack(id));
    const second = await uploaded(aTrack(id));
    const missing = await prepared(aTrack(id, { language: 'fr' }));
    const inTwoDays = new Date(Date.now() + 2 * 86_400_000);
    await app.app.get(UploadReaperJob).reap(inTwoDays);
    const media = await mediaOf(id);
    expect(media.some((item) => item.id === missing.mediaId)).toBe(false);
    expect(media.filter(({ role }) => role !== null).map(({ status }) => status)).toEqual(['deleted', 'successful']);
    expect((await tracksOf(id)).map((track) => track.id)).toEqual([second.mediaId]);
  });
});

describe('the description of a track', () => {
  it('changes, and its label follows the language until it has its own', async () => {
    const { id } = await aFilm();
    const { mediaId } = await uploaded(aTrack(id));
    expect(await change(id, mediaId, { language: 'fr-ca' })).toMatchObject({
      status: 200,
      body: { id: mediaId, role: 'subtitles', language: 'fr-CA', label: 'Français canadien', default: false },
    });
    expect((await change(id, mediaId, { label: 'Québec', default: true })).body).toMatchObject({ label: 'Québec', default: true });
    expect((await change(id, mediaId, { language: 'fr' })).body).toMatchObject({ label: 'Québec', default: true });
    expect((await change(id, mediaId, { label: null, default: null })).body).toMatchObject({ label: 'Français', default: false });
    expect(await tracksOf(id)).toEqual([expect.objectContaining({ id: mediaId, language: 'fr', label: 'Français' })]);
  });

  it('takes the default from the others of its kind', async () => {
    const { id } = await aFilm();
    const subtitles = await uploaded(aTrack(id, { default: true }));
    const captions = await uploaded(aTrack(id, { role: 'captions' }));
    const chapters = await uploaded(aTrack(id, { role: 'chapters', default: true }));
    await change(id, captions.mediaId, { default: true });
    const defaults = (await tracksOf(id)).filter((track) => track.default).map((track) => track.id);
    expect(defaults).toEqual([captions.mediaId, chapters.mediaId]);
    expect(defaults).not.toContain(subtitles.mediaId);
  });

  it('is refused for a language that is taken, for what is no track, and for strangers', async () => {
    const film = await aFilm();
    const { id } = film;
    const english = await uploaded(aTrack(id));
    const german = await uploaded(aTrack(id, { language: 'de' }));
    const poster = await uploaded(aTrack(id, { role: 'poster', fileName: 'a.png' }), PNG);
    const other = await aFilm();
    const stranger = await tokenOf(app, await aUser(app));
    const reader = await tokenOf(app, publisher.user, 'api:read');
    const answer = async (asked: ReturnType<typeof change>) => [(await asked).status, (await asked).body.code];
    expect(await answer(change(id, german.mediaId, { language: 'en' }))).toEqual([409, 'track_exists']);
    expect(await answer(change(id, german.mediaId, { language: 'de_DE' }))).toEqual([400, 'validation_failed']);
    expect(await answer(change(id, german.mediaId, { language: null }))).toEqual([400, 'validation_failed']);
    expect(await answer(change(id, poster.mediaId, { label: 'x' }))).toEqual([400, 'validation_failed']);
    expect(await answer(change(id, film.mediaId, { label: 'x' }))).toEqual([400, 'not_a_track']);
    expect(await answer(remove(id, film.mediaId))).toEqual([400, 'not_a_track']);
    expect(await answer(change(other.id, english.mediaId, { label: 'x' }))).toEqual([404, 'not_found']);
    expect(await answer(remove(other.id, english.mediaId))).toEqual([404, 'not_found']);
    expect(await answer(remove(id, english.mediaId, stranger))).toEqual([404, 'not_found']);
    expect(await answer(change(id, english.mediaId, { label: 'x' }, stranger))).toEqual([404, 'not_found']);
    expect(await answer(remove(id, english.mediaId, reader))).toEqual([403, 'insufficient_scope']);
    expect(await tracksOf(id)).toHaveLength(3);
  });

  it('ends with its removal, which deletes the file', async () => {
    const { id } = await aFilm();
    const item = await uploaded(aTrack(id));
    const storage = app.app.get(ObjectStorage);
    const { webVttKey } = await app.app.get(Database).repository(MediaItem).findOneByOrFail({ id: item.mediaId });
    expect(await storage.find(String(webVttKey))).toMatchObject({ size: expect.any(Number) });
    expect(await remove(id, item.mediaId)).toMatchObject({ status: 200, body: { id: item.mediaId, status: 'deleted' } });
    expect(await remove(id, item.mediaId)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    await eventually(async () => (await mediaOf(id)).length === 1);
    expect(await storage.find(String(webVttKey))).toBeNull();
    await uploaded(aTrack(id));
  });
});

describe('the URL of a file', () => {
  interface FileUrl {
    readonly url: string;
    readonly expiresAt: string;
    readonly code?: string;
  }
  const urlOf = async (id: number, mediaId: number, { query = '', as = token() } = {}) =>
    await call<FileUrl>(url(`mediacontainer/${id}/media/${mediaId}/url${query}`), { token: as });
  const read = async ({ body }: { readonly body: FileUrl }) => {
    const answer = await fetch(body.url);
    return { text: await answer.text(), disposition: answer.headers.get('content-disposition') };
  };

  it('gives users of the customer its bytes for an hour, the original and tracks too, also with api:read', async () => {
    const film = await aFilm({ fileName: 'Straße.mp4', content: 'the film' });
    const track = await uploaded(aTrack(film.id));
    const reader = await tokenOf(app, publisher.user, 'api:read');
    const answer = await urlOf(film.id, film.mediaId, { as: reader });
    expect(answer).toMatchObject({ status: 200, body: { url: expect.any(String), expiresAt: expect.any(String) } });
    expect(Math.abs(Date.parse(answer.body.expiresAt) - Date.now() - 3_600_000)).toBeLessThan(60_000);
    expect(await read(answer)).toEqual({ text: 'the film', disposition: expect.stringContaining('inline') });
    const saved = await read(await urlOf(film.id, film.mediaId, { query: '?download=true' }));
    expect(saved).toEqual({ text: 'the film', disposition: expect.stringMatching(/^attachment;.*filename\*=UTF-8''Stra%C3%9Fe\.mp4/) });
    expect((await read(await urlOf(film.id, track.mediaId))).text).toBe(VTT);
    expect(await urlOf(film.id, film.mediaId, { query: '?download=maybe' })).toMatchObject({ status: 400 });
  });

  it('reads the bytes that were accepted, and never shows a file that may have scripts', async () => {
    const page = await uploadMedia(app, token(), {
      ...{ type: 'document', fileName: 'page.html', originalFileExtension: 'html', content: '<p>Hello' },
    });
    const item = await app.app.get(Database).repository(MediaItem).findOneByOrFail({ id: page.mediaId });
    expect(new URL((await urlOf(page.id, page.mediaId)).body.url).searchParams.get('versionId')).toBe(item.version);
    expect((await read(await urlOf(page.id, page.mediaId))).disposition).toContain('attachment');
  });

  it('is not given for what is not there, is not uploaded, or was uploaded and support staff ask', async () => {
    const film = await aFilm();
    const other = await aFilm();
    const waiting = await prepared(aTrack(film.id));
    const stranger = await tokenOf(app, await aUser(app));
    const code = async (asked: ReturnType<typeof urlOf>) => [(await asked).status, (await asked).body.code];
    expect(await code(urlOf(film.id, other.mediaId))).toEqual([404, 'not_found']);
    expect(await code(urlOf(film.id, film.mediaId, { as: stranger }))).toEqual([404, 'not_found']);
    expect(await code(urlOf(film.id, waiting.mediaId))).toEqual([409, 'not_ready']);
    await remove(film.id, waiting.mediaId);
    expect(await code(urlOf(film.id, waiting.mediaId))).toEqual([404, 'not_found']);
    const { id: userId, customerId } = publisher.user;
    const staff = { ...callerOf({ id: userId, customerId, adminLevel: 1, email: 'ada@example.org' }, 'bearer'), supportUserId: 1 };
    const urls = app.app.get(ItemUrlsService);
    await expect(urls.issue(staff, { id: film.id, mediaId: film.mediaId })).rejects.toMatchObject({ code: 'support_access_denied' });
    const rendition = await anItem(app, { id: film.id, customerId }, { formatId: null });
    expect(await urls.issue(staff, { id: film.id, mediaId: rendition.id })).toMatchObject({ url: expect.stringContaining('renditions/') });
  });
});
