import { beforeAll, describe, expect, it } from '@jest/globals';
import { BLUEPRINTS } from '../../src/modules/formats/blueprints/blueprints.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { aFormat, blueprintOf, type FormatBody, listFormats } from '../support/converter/formats.js';
import { eventually } from '../support/eventually.js';
import { uploadMedia } from '../support/media/media.js';
import { call, tokenOf } from '../support/media/uploads.js';

const { app } = useTestAppWithStorage();
let user: { id: number; customerId: number };
let token: string;
let stranger: string;

beforeAll(async () => {
  user = await aUser(app, { adminLevel: 0 });
  token = await tokenOf(app, user);
  stranger = await tokenOf(app, await aUser(app));
});

const post = async (body: object, as = token) => await call<FormatBody>(`${app.url}/v5/format`, { token: as, body });
const put = async (id: number, body: object, as = token) =>
  await call<FormatBody>(`${app.url}/v5/format/${id}`, { method: 'PUT', token: as, body });
const get = async (id: number, as = token) => await call<FormatBody>(`${app.url}/v5/format/${id}`, { token: as });
const pathsOf = ({ body }: { body: Record<string, unknown> }) => (body.errors as { path: string }[]).map(({ path }) => path).sort();

describe('the blueprints', () => {
  it('exist, visible to all customers and read-only', async () => {
    const found = (await listFormats(app, token)).filter(({ isBlueprint }) => isBlueprint);
    expect(found.map(({ name }) => name).sort()).toEqual(BLUEPRINTS.map(({ name }) => name).sort());
    const [blueprint] = found;
    expect(blueprint).toMatchObject({ blueprintId: null, creatorId: null, lastEditorId: null, flag: 0 });
    const admin = await tokenOf(app, await aUser(app, { adminLevel: 10 }));
    const id = blueprint?.id ?? 0;
    expect(await put(id, { name: 'Mine' }, admin)).toMatchObject({ status: 403, body: { code: 'blueprint_read_only' } });
    const destroyed = await call(`${app.url}/v5/format/${id}`, { method: 'DELETE', token: admin });
    expect(destroyed).toMatchObject({ status: 403, body: { code: 'blueprint_read_only' } });
  });

  it('are found by media type', async () => {
    const audio = await listFormats(app, token, '?mediaType=audio');
    expect(audio.length).toBeGreaterThan(3);
    expect(audio.every(({ settings }) => settings.mediaTypes.includes('audio'))).toBe(true);
  });
});

describe('a format', () => {
  it('keeps every setting that it is given', async () => {
    const image = await uploadMedia(app, token, { fileName: 'logo.png', originalFileExtension: 'png' });
    const sound = await uploadMedia(app, token, { type: 'audio', fileName: 'jingle.mp3', originalFileExtension: 'mp3' });
    for (const { id } of [image, sound]) {
      await call(`${app.url}/v5/mediacontainer/${id}`, { method: 'PUT', token, body: { type: 'watermark', flag: 33 } });
    }
    const { id: blueprintId } = await blueprintOf(app, token, 'H.264 720p');
    const settings = {
      mediaTypes: ['video'],
      useInPlayer: false,
      autoGenerate: ['video'],
      previewFormat: true,
      createThumbnailVersions: true,
      filetype: 'mov',
      parameters: { crf: 20, preset: 'slow' },
      metadata: [{ metaTitle: 'author', type: 'iptc', key: 'By-line', languages: ['de'], language: 'en', value: 'x' }],
      watermark: { mediaContainerId: image.id, position: 'br', widthFactor: 20, gravity: 'SouthEast' },
      audioWatermark: { mediaContainerId: sound.id, position: 5, interval: 30 },
      annotation: { text: '100 % "mine"', fill: '#ff0000', font: 'Arial', gravity: 'NorthWest', pointSize: 20, relative: 3 },
      burnTimecode: {
        fontcolor: 'white',
        fontsize: '24',
        font: 20,
        box: 1,
        boxcolor: 'black@0.5',
        boxborderw: 2,
        position: 'North',
        offset: 1,
      },
      testMode: { seconds: 3 },
    };
    const configuration = { transcodingCreateNotAllowed: true, autoGenerate: [] };
    const name = '720p with our logo';
    const { status, body } = await post({ blueprintId, converter: 'ffmpeg', name, usage: 'preview', settings, configuration, unknown: 1 });
    const expected = {
      id: expect.any(Number),
      name,
      blueprintId,
      isBlueprint: false,
      converter: 'ffmpeg',
      usage: 'preview',
      flag: 0,
      type: 'video',
      command: expect.objectContaining({ crf: 20, preset: 'slow', 'c:v': 'libx264' }),
      available: true,
      configuration,
      settings,
      creatorId: user.id,
      lastEditorId: user.id,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      fromCache: expect.any(Boolean),
    };
    const ignored = [{ path: 'unknown', reason: expect.any(String) }];
    expect([status, body]).toEqual([201, { ...expected, ignored }]);
    await eventually(async () => (await get(body.id)).body.fromCache); // until this process has heard of its own change too
    expect((await get(body.id)).body).toEqual({ ...expected, fromCache: true });
    expect(await listFormats(app, token, `?id=${body.id}`)).toEqual([{ ...expected, fromCache: true }]);
    expect((await call<FormatBody>(`${app.url}/v5/format/${body.id}?refresh=true`, { token })).body).toEqual({
      ...expected,
      fromCache: false,
    });
  });

  it('for streaming is refused with what would end the alignment of its renditions', async () => {
    const { id: blueprintId, command } = await blueprintOf(app, token, 'Streaming 720p');
    expect(command).toMatchObject({ streaming: true, height: 720, above: 480 });
    const format = { blueprintId, converter: 'ffmpeg', name: 'Ours' };
    const fine = await post({ ...format, settings: { parameters: { height: 540, above: 270, g: 12 } } });
    expect(fine).toMatchObject({ status: 201, body: { command: { streaming: true, height: 540, above: 270 } } });
    expect(fine.body.ignored).toMatchObject([{ path: 'settings.parameters.g' }]);
    expect(await post({ ...format, settings: { filetype: 'webm' } })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'settings.filetype', code: 'not_streamable' }] },
    });
    const admin = await tokenOf(app, await aUser(app, { adminLevel: 10 }));
    const raw = await post({ ...format, settings: { ffmpeg: { 'c:v': 'libx265', g: 12 } } }, admin);
    expect([raw.status, pathsOf(raw)]).toEqual([400, ['settings.ffmpeg.c:v', 'settings.ffmpeg.g']]);
  });

  it('reports all its problems, including nested ones', async () => {
    const wrong = {
      blueprintId: 'x',
      converter: 'magic',
      name: '',
      usage: 'other',
      settings: {
        mediaTypes: ['film'],
        useInPlayer: 'yes',
        parameters: { crf: { a: 1 } },
        metadata: [{ type: 'xmp' }],
        watermark: { widthFactor: 101, position: 'x', gravity: 'Up' },
        audioWatermark: { mediaContainerId: 0, position: -1 },
        annotation: { fill: 'red;', relative: 'x' },
        burnTimecode: { box: 2, offset: 2 },
        testMode: { seconds: 0 },
      },
      configuration: { transcodingCreateNotAllowed: 1, watermark: {} },
      command: { ffmpeg: 'x' },
    };
    const answer = await post(wrong);
    expect(answer.status).toBe(400);
    expect(pathsOf(answer)).toEqual(
      [
        'blueprintId',
        'converter',
        'name',
        'usage',
        'command.ffmpeg',
        'configuration.transcodingCreateNotAllowed',
        'configuration.watermark.mediaContainerId',
        'settings.annotation.fill',
        'settings.annotation.relative',
        'settings.annotation.text',
        'settings.audioWatermark.mediaContainerId',
        'settings.audioWatermark.position',
        'settings.burnTimecode.box',
        'settings.burnTimecode.offset',
        'settings.mediaTypes.0',
        'settings.metadata.0.metaTitle',
        'settings.metadata.0.type',
        'settings.parameters.crf',
        'settings.testMode.seconds',
        'settings.useInPlayer',
        'settings.watermark.gravity',
        'settings.watermark.mediaContainerId',
        'settings.watermark.position',
        'settings.watermark.widthFactor',
      ].sort(),
    );
  });

  it('reports the path of problems, including values that its converter does not accept', async () => {
    const { id: blueprintId } = await blueprintOf(app, token, 'JPEG');
    const make = async (fields: object) => await post({ blueprintId, converter: 'imagemagick', name: 'x', ...fields });
    const annotation = { text: 'Ours', font: 'Comic Sans' };
    expect(pathsOf(await make({ settings: { annotation, filetype: 'mp4' } }))).toEqual(['settings.annotation.font', 'settings.filetype']);
    expect(pathsOf(await make({ configuration: { annotation } }))).toEqual(['configuration.annotation.font']);
    const parameters = { quality: '9'.repeat(131_073) };
    expect(pathsOf(await make({ settings: { parameters } }))).toEqual(['settings.parameters.quality']);
    expect((await make({ settings: { filetype: '.JPEG' } })).body.settings).toMatchObject({ filetype: 'jpg' });
  });

  it('is based on a blueprint, with its converter and of its media types', async () => {
    const own = await aFormat(app, token);
    const { id: blueprintId } = await blueprintOf(app, token, 'MP3');
    expect(pathsOf(await post({ blueprintId: own.id, converter: 'ffmpeg', name: 'x' }))).toEqual(['blueprintId']);
    expect(pathsOf(await post({ blueprintId: 999_999, converter: 'ffmpeg', name: 'x' }))).toEqual(['blueprintId']);
    expect(pathsOf(await post({ blueprintId, converter: 'imagemagick', name: 'x' }))).toEqual(['converter']);
    const answer = await post({ blueprintId, converter: 'ffmpeg', name: 'x', settings: { mediaTypes: ['image'] } });
    expect(pathsOf(answer)).toEqual(['settings.mediaTypes']);
  });

  it('names watermarks only that are ones, of the customer', async () => {
    const { id } = await uploadMedia(app, token);
    const other = await uploadMedia(app, stranger);
    const make = async (settings: object) => {
      const { id: blueprintId } = await blueprintOf(app, token, 'H.264 720p');
      return await post({ blueprintId, converter: 'ffmpeg', name: 'x', settings });
    };
    const codes = async (settings: object) => ((await make(settings)).body.errors as { code: string }[]).map(({ code }) => code);
    expect(await codes({ watermark: { mediaContainerId: id } })).toEqual(['not_a_watermark']);
    expect(await codes({ watermark: { mediaContainerId: other.id } })).toEqual(['not_found']);
    await call(`${app.url}/v5/mediacontainer/${id}`, { method: 'PUT', token, body: { type: 'watermark', flag: 33 } });
    expect(await codes({ audioWatermark: { mediaContainerId: id } })).toEqual(['not_a_watermark']);
    expect((await make({ watermark: { mediaContainerId: id } })).status).toBe(201);
  });

  it('uses the deprecated configuration for absent settings', async () => {
    const { id, settings } = await aFormat(app, token, { configuration: { useInPlayer: false, previewFormat: true } });
    expect(settings).toMatchObject({ useInPlayer: false, previewFormat: true, mediaTypes: ['video'], filetype: 'mp4' });
    expect((await put(id, { name: 'x', settings: { useInPlayer: true } })).body.settings).toMatchObject({
      useInPlayer: true,
      previewFormat: true,
    });
  });

  it('ignores other members of command', async () => {
    const { command } = await aFormat(app, token, { command: { crf: 1, 'c:v': 'evil' } });
    expect(command).toMatchObject({ 'c:v': 'libx264', crf: 22 });
  });

  it('explains where each parameter came from', async () => {
    const { id, blueprintId } = await aFormat(app, token, { settings: { parameters: { crf: 20, preset: 'wrong', i: '/etc/passwd' } } });
    const { status, body } = await call<{ command: object; parameters: object[] }>(`${app.url}/v5/format/${id}/explain`, { token });
    expect([status, body]).toMatchObject([200, { formatId: id, blueprintId, command: { crf: 20, preset: 'medium' } }]);
    expect(body.command).not.toHaveProperty('i');
    expect(body.parameters).toEqual(
      expect.arrayContaining([
        { command: 'crf', value: 22, source: 'blueprint', used: false, reason: 'overridden by the custom format' },
        { command: 'crf', value: 20, source: 'custom', used: true, reason: 'allowed by the blueprint' },
        { command: 'preset', value: 'wrong', source: 'custom', used: false, reason: expect.stringMatching(/^does not match/) },
        { command: 'i', value: '/etc/passwd', source: 'custom', used: false, reason: 'not allowed by the blueprint' },
      ]),
    );
  });

  it('ignores a value of 100 kB like any other that does not match', async () => {
    const { command } = await aFormat(app, token, { settings: { parameters: { preset: `${'a'.repeat(100_000)}!` } } });
    expect(command).toMatchObject({ preset: 'medium' });
  });

  it('shows the metadata that it would write', async () => {
    const { id: mediaContainerId } = await uploadMedia(app, token);
    await call(`${app.url}/v5/mediacontainer/${mediaContainerId}`, {
      method: 'PUT',
      token,
      body: { tags: ['news'], license: { usageTerms: 'Web only' } },
    });
    const metadata = [{ metaTitle: 'tags', key: null }, { metaTitle: 'license' }, { metaTitle: 'headline' }];
    const { id } = await aFormat(app, token, { blueprint: 'JPEG', settings: { metadata } });
    const { body } = await call(`${app.url}/v5/format/${id}/metadataPreview?mediaContainerId=${mediaContainerId}`, { token });
    expect(body).toMatchObject({
      tags: expect.arrayContaining([
        { tag: 'IPTC:Source', values: [expect.any(String)], metaTitle: null },
        { tag: 'IPTC:Keywords', values: ['news'], metaTitle: 'tags' },
        { tag: 'XMP-xmpRights:UsageTerms', values: ['Web only'], metaTitle: 'license' },
      ]),
      skipped: [{ metaTitle: 'headline', reason: expect.any(String) }],
    });
    expect((await call(`${app.url}/v5/format/${id}/metadataPreview?mediaContainerId=999999`, { token })).status).toBe(404);
    expect((await call(`${app.url}/v5/format/${id}/metadataPreview`, { token })).status).toBe(400);
    const copy = await aFormat(app, token, { blueprint: 'Copy', settings: { metadata: [{ metaTitle: 'tags' }] } });
    const unchanged = await call(`${app.url}/v5/format/${copy.id}/metadataPreview?mediaContainerId=${mediaContainerId}`, { token });
    expect(unchanged.body).toEqual({ tags: [], skipped: [{ metaTitle: 'tags', reason: 'the file is not changed' }] });
  });

  it('of another customer is not found', async () => {
    const { id } = await aFormat(app, token);
    const admin = await tokenOf(app, await aUser(app, { adminLevel: 10 }));
    const answers = [
      await get(id, admin),
      await put(id, { name: 'x' }, admin),
      await call(`${app.url}/v5/format/${id}`, { method: 'DELETE', token: admin }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await listFormats(app, admin, `?id=${id}`)).toEqual([]);
    expect((await listFormats(app, admin)).some((format) => format.id === id)).toBe(false);
  });

  it('comes in pages when asked to', async () => {
    const all = await listFormats(app, token);
    const first = await call<FormatBody[]>(`${app.url}/v5/format?limit=5`, { token });
    expect(first.body.map(({ id }) => id)).toEqual(all.slice(0, 5).map(({ id }) => id));
    const next = /<(.*)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1];
    expect((await call<FormatBody[]>(`${app.url}${next}`, { token })).body[0]?.id).toBe(all[5]?.id);
  });
});
