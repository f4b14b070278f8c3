import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BLUEPRINTS } from '../../src/modules/formats/blueprints/blueprints.js';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { aFormat, blueprintOf, type FormatBody } from '../support/converter/formats.js';
import { eventually } from '../support/eventually.js';
import { uploadMedia } from '../support/media/media.js';
import { call, tokenOf } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

let storage: TestStorage;
let app: TestApp;
/** Tokens of users of one customer, by their adminLevel. */
const tokens = new Map<number, string>();
const LEVELS = [0, 9, 10];

beforeAll(async () => {
  storage = await startTestStorage();
  app = await startTestApp(storage.settings);
  for (const adminLevel of LEVELS) tokens.set(adminLevel, await tokenOf(app, await aUser(app, { adminLevel, customer: 'Newsroom' })));
});
afterAll(async () => {
  await app?.close();
  await storage?.close();
});

const tokenOfLevel = (level: number) => tokens.get(level) ?? '';
const put = async (id: number, body: object, level = 0) =>
  await call<FormatBody>(`${app.url}/v5/format/${id}`, { method: 'PUT', token: tokenOfLevel(level), body });
const read = async (id: number) => (await call<FormatBody>(`${app.url}/v5/format/${id}?refresh=true`, { token: tokenOfLevel(0) })).body;
const post = async (blueprint: string, fields: object = {}, level = 0) => {
  const { id: blueprintId, converter } = await blueprintOf(app, tokenOfLevel(0), blueprint);
  const body = { blueprintId, converter, name: 'Ours', ...fields };
  return await call<FormatBody>(`${app.url}/v5/format`, { token: tokenOfLevel(level), body });
};
const problemsOf = ({ body }: { body: Record<string, unknown> }) =>
  (body.errors as { path: string; code: string }[]).map(({ path, code }) => `${path} ${code}`);
/** A format without the fields that every change sets, and without the report on its input. */
const withoutStamps = ({
  updatedAt: _updatedAt,
  lastEditorId: _lastEditorId,
  fromCache: _fromCache,
  ignored: _ignored,
  ...format
}: FormatBody) => format;

/** The converters whose raw parameters had no effect, from paths such as `settings.imagemagick.quality`. */
const ignoredConverters = ({ ignored = [] }: FormatBody) => ignored.map(({ path }) => path.split('.')[1]);

const RAW = { ffmpeg: { crf: 1, tune: 'film' }, imagemagick: { quality: 7 } };
const REFUSAL = { status: 403, body: { code: 'admin_level_not_sufficient', requiredAdminLevel: 10 } };

describe('a format that was read', () => {
  const made = BLUEPRINTS.filter(({ converter }) => converter !== 'original');

  it.each([...made.map(({ name }) => [name, 'settings']), ...['configuration', 'command', 'nothing'].map((place) => ['JPEG', place])])(
    'of %s, with raw parameters in %s, can be sent back by all who may edit it',
    async (name = '', place = '') => {
      const tool = name === 'Tool of the operator' ? { parameters: { tool: 'words' }, filetype: 'txt' } : {};
      const settings = { ...tool, ...(place === 'settings' && RAW) };
      const { id } = await aFormat(app, tokenOfLevel(10), { blueprint: name, settings, ...(place !== 'settings' && { [place]: RAW }) });
      for (const level of LEVELS) {
        const before = await read(id);
        const { status, body } = await put(id, before, level);
        expect([status, withoutStamps(body)]).toEqual([200, withoutStamps(before)]);
        expect(ignoredConverters(body)).not.toContain(before.converter);
        expect(withoutStamps(await read(id))).toEqual(withoutStamps(before));
      }
    },
  );

  it('can be sent back although its watermark was deleted, which no other format may name', async () => {
    const image = await uploadMedia(app, tokenOfLevel(0), { fileName: 'logo.png', originalFileExtension: 'png' });
    const container = `${app.url}/v5/mediacontainer/${image.id}`;
    await call(container, { method: 'PUT', token: tokenOfLevel(0), body: { type: 'watermark', flag: 33 } });
    const watermark = { mediaContainerId: image.id, position: 'br' };
    const places = [{ settings: { watermark } }, { configuration: { watermark } }];
    const formats = [];
    for (const fields of places) formats.push(await aFormat(app, tokenOfLevel(0), fields));
    await call(container, { method: 'PUT', token: tokenOfLevel(0), body: { flag: 1 } });
    for (const { id } of formats) expect(await put(id, await read(id))).toMatchObject({ status: 200 });
    for (const fields of places) expect(problemsOf(await post('H.264 720p', fields))).toHaveLength(1);
  });

  it('can be sent back when it is a custom format of the originals, which earlier versions made', async () => {
    const { id } = await aFormat(app, tokenOfLevel(0));
    const original = await blueprintOf(app, tokenOfLevel(0), 'Original video');
    await app.app.get(Database).query(`UPDATE formats SET converter = 'original', blueprint_id = $2 WHERE id = $1`, [id, original.id]);
    expect(await put(id, { ...(await read(id)), name: 'Still there' })).toMatchObject({
      status: 200,
      body: { name: 'Still there', converter: 'original' },
    });
  });
});

describe('a change', () => {
  it('is made key by key, and null clears', async () => {
    const token = tokenOfLevel(0);
    const { id, blueprintId, updatedAt } = await aFormat(app, token, { settings: { parameters: { crf: 20 }, testMode: { seconds: 3 } } });
    const changed = (await put(id, { name: 'New', settings: { testMode: null, createThumbnailVersions: true } })).body;
    expect(changed).toMatchObject({ name: 'New', blueprintId, settings: { parameters: { crf: 20 }, createThumbnailVersions: true } });
    expect(changed.settings).not.toHaveProperty('testMode');
    expect(changed.updatedAt).not.toBe(updatedAt);
    const byBody = await call<FormatBody>(`${app.url}/v5/format`, { method: 'PUT', token, body: { id, name: 'Newer', settings: null } });
    expect(byBody.body).toMatchObject({ name: 'Newer', settings: { mediaTypes: ['video'], useInPlayer: true, filetype: 'mp4' } });
    expect(Object.keys(byBody.body.settings).sort()).toEqual(['filetype', 'mediaTypes', 'useInPlayer']);
  });

  it('leaves the blueprint and the converter', async () => {
    const { id, blueprintId } = await aFormat(app, tokenOfLevel(0));
    const pathsOf = ({ body }: { body: FormatBody }) => (body.errors as { path: string }[]).map(({ path }) => path).sort();
    expect(pathsOf(await put(id, { name: 'x', blueprintId: 1, converter: 'imagemagick' }))).toEqual(['blueprintId', 'converter']);
    expect((await put(id, { name: 'x', blueprintId, converter: 'ffmpeg' })).status).toBe(200);
    expect(pathsOf(await put(id, {}))).toEqual(['name']);
  });
});

describe('raw parameters', () => {
  const places = ['settings', 'configuration', 'command'];

  it('are taken above adminLevel 9 only, in any spelling', async () => {
    const raw = { ffmpeg: { tune: 'film', 'b:v': '1M' } };
    const { id, settings } = await aFormat(app, tokenOfLevel(9));
    for (const place of places) {
      for (const asked of [raw, { ffmpeg: {} }, { imagemagick: { quality: 1 } }]) {
        const fields = { name: 'raw', [place]: asked };
        const answers = [await post('H.264 720p', fields, 9), await put(id, fields, 9)];
        const refusal = { status: 403, body: { code: 'admin_level_not_sufficient', requiredAdminLevel: 10 } };
        expect(answers).toMatchObject([refusal, refusal]);
      }
    }
    expect(await read(id)).toMatchObject({ name: 'Our format', settings });
    for (const place of places) {
      const { status, body } = await post('H.264 720p', { name: 'raw', [place]: raw }, 10);
      expect([status, body.command]).toEqual([201, expect.objectContaining({ tune: 'film', 'b:v': '1M' })]);
      expect((await put(body.id, { name: 'kept' }, 10)).body.command).toMatchObject(raw.ffmpeg);
    }
  });

  it('stay in an update up to adminLevel 9 that leaves them out, clears them or sends them as they were', async () => {
    for (const place of places) {
      const { id, command } = await aFormat(app, tokenOfLevel(10), { [place]: { ffmpeg: RAW.ffmpeg } });
      const same = { ffmpeg: { tune: 'film', crf: 1 } };
      const updates = [
        ...[{}, { settings: null, configuration: null, command: null }, { settings: {}, configuration: {} }],
        ...places.flatMap((name) => [{ [name]: { ffmpeg: null } }, { [name]: same }]),
      ];
      for (const level of [0, 9]) {
        for (const update of updates) {
          const { status, body } = await put(id, { name: 'Kept', ...update }, level);
          expect([update, status, body.command]).toEqual([update, 200, command]);
        }
      }
    }
  });

  it('with other values are refused up to adminLevel 9, and nothing is changed', async () => {
    const { id } = await aFormat(app, tokenOfLevel(10), { settings: { ffmpeg: RAW.ffmpeg } });
    const before = await read(id);
    const others = [{ ...RAW.ffmpeg, crf: 2 }, { crf: 1 }, { ...RAW.ffmpeg, r: 25 }, {}, { ...RAW.ffmpeg, crf: '1' }].map((ffmpeg) => ({
      ffmpeg,
    }));
    for (const level of [0, 9]) {
      for (const place of places) {
        for (const raw of [...others, { imagemagick: { quality: 1 } }])
          expect(await put(id, { name: 'Changed', usage: 'preview', [place]: raw }, level)).toMatchObject(REFUSAL);
      }
    }
    expect(await read(id)).toEqual(before);
  });

  it('are changed and cleared above adminLevel 9', async () => {
    const { id } = await aFormat(app, tokenOfLevel(10), { settings: { ffmpeg: RAW.ffmpeg } });
    expect((await put(id, { name: 'x', settings: { ffmpeg: { crf: 2 } } }, 10)).body).toMatchObject({ command: { crf: 2 } });
    expect((await put(id, { name: 'x', settings: { ffmpeg: null } }, 10)).body).toMatchObject({ command: { crf: 22 } });
  });
});

describe('a format of the converter original', () => {
  it.each(['video', 'audio', 'image', 'document'])('is refused with the reason for %s', async (type) => {
    const answer = await post(`Original ${type}`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(problemsOf(answer)).toEqual(['converter original_format']);
    expect(answer.body.detail).toContain(`uploads belong to "Original ${type}" itself`);
  });
});

describe('the deprecated type', () => {
  const mediaTypesOf = ({ body }: { body: FormatBody }) => [body.type, body.settings.mediaTypes];

  it('sets the media types of a new format if its settings do not', async () => {
    expect(mediaTypesOf(await post('Copy', { type: 'audio' }))).toEqual(['audio', ['audio']]);
    expect(mediaTypesOf(await post('Copy', { type: null }))).toEqual(['video', ['video', 'audio', 'image', 'document']]);
    expect(mediaTypesOf(await post('Copy', { type: 'audio', settings: { mediaTypes: ['image'] } }))).toEqual(['image', ['image']]);
    expect(mediaTypesOf(await post('Copy', { type: 'audio', configuration: { mediaTypes: ['image'] } }))).toEqual(['image', ['image']]);
  });

  it('has to be one of the blueprint', async () => {
    expect(problemsOf(await post('H.264 720p', { type: 'audio' }))).toEqual(['type not_of_blueprint']);
    expect(problemsOf(await post('H.264 720p', { type: 'film' }))).toEqual(['type is_in']);
    const { body } = await post('H.264 720p');
    expect(problemsOf(await put(body.id, { name: 'x', type: 'audio' }))).toEqual(['type not_of_blueprint']);
  });

  it('fills them in an update too, unless it is sent back as it was read', async () => {
    const { id } = (await post('Copy')).body;
    expect(mediaTypesOf(await put(id, { name: 'x', type: 'video' }))[1]).toHaveLength(4);
    expect(mediaTypesOf(await put(id, { name: 'x', type: 'document' }))).toEqual(['document', ['document']]);
    expect(mediaTypesOf(await put(id, { name: 'x', type: 'image' }))).toEqual(['document', ['document']]);
    expect(mediaTypesOf(await put(id, { name: 'x', type: 'image', settings: { mediaTypes: null } }))).toEqual(['image', ['image']]);
  });
});

describe('formats in memory', () => {
  it('are changed in every process', async () => {
    const other = await startTestApp({ ...storage.settings, database: app.database, publicUrl: app.url });
    try {
      const token = tokenOfLevel(0);
      const { id } = await aFormat(app, token);
      const nameThere = async () => (await call<FormatBody>(`${other.url}/v5/format/${id}`, { token })).body.name;
      expect(await nameThere()).toBe('Our format');
      await put(id, { name: 'Changed' });
      await eventually(async () => (await nameThere()) === 'Changed');
    } finally {
      await other.close();
    }
  });
});
