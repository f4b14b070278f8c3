import { describe, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import { EventOutboxService } from '../../src/shared/events/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { aFormat, blueprintOf } from '../support/converter/formats.js';
import { waitingJobs } from '../support/converter/transcoding.js';
import { recordStatements } from '../support/database/recorded-statements.js';
import { uploadMedia } from '../support/media/media.js';
import { call, tokenOf } from '../support/media/uploads.js';

const { app, storage } = useTestAppWithStorage();

interface Customer {
  readonly user: { id: number; customerId: number };
  readonly token: string;
}

async function aCustomer(): Promise<Customer> {
  const user = await aUser(app);
  return { user, token: await tokenOf(app, user) };
}

const FILES = {
  video: { type: 'video', fileName: 'film.mp4', originalFileExtension: 'mp4' },
  image: { type: 'image', fileName: 'picture.jpg', originalFileExtension: 'jpg' },
  document: { type: 'document', fileName: 'letter.docx', originalFileExtension: 'docx' },
} as const;
const upload = async ({ token }: Customer, type: keyof typeof FILES) => await uploadMedia(app, token, FILES[type]);
const formatsOf = async (id: number) => (await waitingJobs(app, id)).map(({ formatId }) => formatId);

describe('an upload that arrives', () => {
  it('starts each automatic format once, however often its success is reported', async () => {
    const us = await aCustomer();
    const small = await aFormat(app, us.token, { settings: { autoGenerate: ['video'] } });
    await aFormat(app, us.token);
    await aFormat(app, us.token, { blueprint: 'JPEG', settings: { autoGenerate: ['image'] } });
    const { id, mediaId, s3Key } = await upload(us, 'video');
    const bucket = storage.settings.s3Bucket;
    await call(`${app.url}/v5/s3/success`, { token: us.token, body: { bucket, key: s3Key } });
    expect(await waitingJobs(app, id)).toEqual([
      expect.objectContaining({ formatId: small.id, sourceMediaId: mediaId, customerId: us.user.customerId, priority: 1 }),
    ]);
    const { body: activities } = await call<Record<string, unknown>[]>(
      `${app.url}/v5/activity?mediaContainerId=${id}&type=transcoding`,
      us,
    );
    expect(activities).toMatchObject([{ status: 'running', progress: 0, formatId: small.id }]);
  });

  it('is made into previews first, and into a thumbnail where a format asks for one', async () => {
    const us = await aCustomer();
    const large = await aFormat(app, us.token, { settings: { autoGenerate: ['video'], createThumbnailVersions: true } });
    const preview = await aFormat(app, us.token, { blueprint: 'Video preview', usage: 'preview', settings: { previewFormat: true } });
    const poster = await blueprintOf(app, us.token, 'Video poster');
    const { id } = await upload(us, 'video');
    expect((await waitingJobs(app, id)).map(({ formatId, priority }) => [formatId, priority])).toEqual([
      [poster.id, 0],
      [preview.id, 0],
      [large.id, 1],
    ]);
  });

  it('uses the deprecated configuration where settings are absent', async () => {
    const us = await aCustomer();
    const { id: told } = await aFormat(app, us.token, { configuration: { autoGenerate: ['video'] } });
    await aFormat(app, us.token, { settings: { autoGenerate: [] }, configuration: { autoGenerate: ['video'] } });
    expect(await formatsOf((await upload(us, 'video')).id)).toEqual([told]);
  });

  it('starts formats that cannot be requested, and formats whose programs no worker has yet', async () => {
    const us = await aCustomer();
    const kept = await aFormat(app, us.token, {
      blueprint: 'PDF',
      settings: { autoGenerate: ['document'] },
      configuration: { transcodingCreateNotAllowed: true },
    });
    const { id } = await upload(us, 'document');
    expect(await waitingJobs(app, id)).toMatchObject([{ formatId: kept.id, programs: ['soffice'] }]);
  });

  it('starts no formats of other customers', async () => {
    const them = await aCustomer();
    await aFormat(app, them.token, { settings: { autoGenerate: ['video'] } });
    expect(await formatsOf((await upload(await aCustomer(), 'video')).id)).toEqual([]);
  });

  it('starts no formats if it became a watermark asset before it arrived', async () => {
    const us = await aCustomer();
    await aFormat(app, us.token, { blueprint: 'JPEG', settings: { autoGenerate: ['image'] } });
    const { id, mediaId } = await upload(us, 'image');
    await call(`${app.url}/v5/mediacontainer/${id}`, { method: 'PUT', token: us.token, body: { type: 'watermark', flag: 33 } });
    await app.app.get(Database).query('DELETE FROM transcoding_jobs');
    await publishSuccess(us, { id, mediaId });
    expect(await formatsOf(id)).toEqual([]);
  });

  it('leaves no job when its success is taken back', async () => {
    const us = await aCustomer();
    await aFormat(app, us.token, { settings: { autoGenerate: ['video'] } });
    const { id, mediaId } = await upload(us, 'video');
    await app.app.get(Database).query('DELETE FROM transcoding_jobs');
    const taken = app.app.get(Database).transaction(async () => {
      await publishSuccess(us, { id, mediaId });
      expect(await formatsOf(id)).toHaveLength(1);
      throw new Error('taken back');
    });
    await expect(taken).rejects.toThrow('taken back');
    expect(await formatsOf(id)).toEqual([]);
  });

  it('costs one statement as long as no format wants it, and one more for the container', async () => {
    const [us, them] = [await aCustomer(), await aCustomer()];
    await aFormat(app, them.token, { settings: { autoGenerate: ['video'] } });
    const [ours, theirs] = [await upload(us, 'image'), await upload(them, 'image')];
    const quiet = await recordStatements(async () => await publishSuccess(us, ours));
    const asking = await recordStatements(async () => await publishSuccess(them, theirs));
    const about = (statements: readonly { text: string }[]) => statements.filter(({ text }) => /media_|formats|transcoding/.test(text));
    expect(about(quiet)).toHaveLength(1);
    expect(about(asking)).toHaveLength(2);
  });
});

/** What recording a success publishes. */
const publishSuccess = async ({ user }: Customer, media: { id: number; mediaId: number }) =>
  await app.app.get(EventOutboxService).publish({
    name: 'event:s3success',
    customerId: user.customerId,
    method: 'create',
    payload: { mediaContainerId: media.id, mediaId: media.mediaId, customerId: user.customerId, role: null, language: null },
  });

describe('an automatic format', () => {
  const post = async (token: string, blueprint: string, fields: object) => {
    const { id: blueprintId, converter } = await blueprintOf(app, token, blueprint);
    return await call(`${app.url}/v5/format`, { token, body: { blueprintId, converter, name: 'Ours', ...fields } });
  };

  it('is so of types only of which it is made', async () => {
    const { token } = await aCustomer();
    const wrong = { settings: { autoGenerate: ['video', 'audio'] }, configuration: { autoGenerate: ['image'] } };
    const { status, body } = await post(token, 'H.264 720p', wrong);
    expect([status, body.errors]).toEqual([
      400,
      [
        { path: 'settings.autoGenerate', code: 'not_of_format', message: 'the format is made only from video' },
        { path: 'configuration.autoGenerate', code: 'not_of_format', message: 'the format is made only from video' },
      ],
    ]);
    const narrowed = { settings: { mediaTypes: ['audio'], autoGenerate: ['video'] } };
    expect(await post(token, 'Technical metadata', narrowed)).toMatchObject({ status: 400 });
    const { id } = await aFormat(app, token, { settings: { autoGenerate: ['video'] } });
    const changed = { name: 'Ours', settings: { autoGenerate: ['image'] } };
    expect(await call(`${app.url}/v5/format/${id}`, { method: 'PUT', token, body: changed })).toMatchObject({ status: 400 });
  });

  it('of the operator names the tool and the type of its result', async () => {
    const { token } = await aCustomer();
    const pathsOf = async (settings: object) => {
      const { status, body } = await post(token, 'Tool of the operator', { settings });
      return [status, ((body.errors ?? []) as { path: string }[]).map(({ path }) => path)];
    };
    expect(await pathsOf({})).toEqual([400, ['settings.parameters.tool', 'settings.filetype']]);
    expect(await pathsOf({ filetype: 'txt', parameters: { tool: '../sh' } })).toEqual([400, ['settings.parameters.tool']]);
    expect(await pathsOf({ filetype: 'txt', parameters: { tool: 'upper-case' } })).toEqual([201, []]);
  });
});
