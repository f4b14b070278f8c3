import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { FormatReaderService } from '../../src/modules/formats/index.js';
import { NewMediaItemsRepository } from '../../src/modules/media/index.js';
import { Database } from '../../src/shared/database/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';
import { call, tokenOf } from '../support/media/uploads.js';

const app = useTestApp();
let user: { id: number; customerId: number };
let token: string;

beforeAll(async () => {
  await aUser(app); // another user exists
  user = await aUser(app);
  token = await tokenOf(app, user);
});

/** A container with an original that has arrived, made as uploads make them. */
async function aContainer(owner: { id: number; customerId: number } = user, origin: number | null = null) {
  const media = app.app.get(NewMediaItemsRepository);
  const file = {
    type: 'audio' as const,
    formatId: (await app.app.get(FormatReaderService).originalIds()).audio,
    fileName: 'interview',
    fileExtension: 'mp4',
    fileSize: 1_000,
    s3Key: `uploads/${owner.customerId}/${randomUUID()}/0.mp4`,
    checksum: 'sha256:abc',
    metadata: [{ title: 'author', content: 'Ada', language: 'en' }],
    track: null,
  };
  const [planned] = await media.plan([file], {
    customerId: owner.customerId,
    creatorId: owner.id,
    origin,
    senderId: null,
    bucket: 'media',
  });
  if (!planned) throw new Error('One was planned.');
  await media.insert([planned]);
  await app.app.get(Database).query(`UPDATE media_items SET status = 'successful' WHERE id = $1`, [planned.mediaId]);
  return planned;
}

const get = async <Body = Record<string, unknown>>(path: string, as = token) => await call<Body>(`${app.url}${path}`, { token: as });

describe('a media container', () => {
  it('is answered with everything that is known of it and its files', async () => {
    const { mediaContainerId: id, mediaId, s3Key } = await aContainer(user, 77);
    const database = app.app.get(Database);
    await database.query(
      `UPDATE media_containers SET flag = 33, description = 'At the river', tags = '{news,river}', license = '{"end": "2030-01-01"}',
        start = '2026-01-01T00:00:00Z', "end" = '2027-01-01T00:00:00Z' WHERE id = $1`,
      [id],
    );
    await database.query(
      `UPDATE media_items SET width = 1920, height = 1080, duration = 12.5, codec = 'h264', test = true, status = 'successful'
        WHERE id = $1`,
      [mediaId],
    );
    const { status, body } = await get(`/v5/mediacontainer/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      customerId: user.customerId,
      creatorId: user.id,
      type: 'audio',
      flag: 33,
      name: 'interview',
      description: 'At the river',
      tags: ['news', 'river'],
      technicalMetadata: null,
      preview: null,
      problem: null,
      duplicateOf: null,
      license: { end: '2030-01-01' },
      origin: 77,
      sender: null,
      checksum: 'sha256:abc',
      metadata: [{ title: 'author', content: 'Ada', language: 'en' }],
      start: '2026-01-01T00:00:00.000Z',
      end: '2027-01-01T00:00:00.000Z',
      createdAt: recently(),
      updatedAt: recently(),
      media: [
        {
          id: mediaId,
          mediaContainerId: id,
          formatId: (await app.app.get(FormatReaderService).originalIds()).audio,
          type: 'audio',
          fileName: 'interview',
          fileExtension: 'mp4',
          fileSize: 1_000,
          status: 'successful',
          width: 1920,
          height: 1080,
          duration: 12.5,
          codec: 'h264',
          bucket: 'media',
          s3Key,
          test: true,
          role: null,
          language: null,
          label: null,
          default: false,
          streaming: null,
          problem: null,
          createdAt: recently(),
        },
      ],
    });
  });

  it('shows what the inspection found out of its original, not of a rendition', async () => {
    const { mediaContainerId: id, mediaId } = await aContainer();
    const shown = async () => (await get<{ technicalMetadata: object }>(`/v5/mediacontainer/${id}`)).body.technicalMetadata;
    const describe = async (item: number, description: object) =>
      await app.app.get(Database).query('UPDATE media_items SET file_description = $2 WHERE id = $1', [item, JSON.stringify(description)]);
    const streams = [{ index: 0, codec_type: 'video', color_transfer: 'smpte2084', disposition: { default: 1 } }];
    const media = { format: { format_name: 'mov,mp4' }, streams, chapters: [{ start_time: '0', tags: { title: 'One' } }] };
    await describe(mediaId, {
      ...{
        version: 1,
        problem: null,
        content: null,
        size: 9,
        width: 16,
        height: 9,
        duration: 2,
        codec: 'h264',
        scripts: 'internal',
        media,
      },
      ...{ times: [{ index: 0, start: 0, end: 2, packets: 50 }], pictureRate: { average: 25, isVariable: false }, separator: ';' },
    });
    await app.app.get(Database).query(
      `INSERT INTO media_items (media_container_id, customer_id, type, file_name, file_extension, file_size, status, bucket, s3_key, file_description)
        SELECT id, customer_id, 'document', name, 'pdf', 9, 'successful', 'media', 'renditions/' || id || '/copy.pdf', '{ "content": "pdf", "pages": 7 }'
        FROM media_containers WHERE id = $1`,
      [id],
    );
    const nothing = {
      content: null,
      problem: null,
      colorProfile: null,
      pages: null,
      frameRate: null,
      variableFrameRate: null,
      times: null,
    };
    const film = { ...nothing, ...media, frameRate: 25, variableFrameRate: false, times: [{ index: 0, start: 0, end: 2 }] };
    expect(await shown()).toEqual(film);
    await describe(mediaId, { version: 1, problem: 'The file cannot be read.', content: 'pdf', pages: 3, media: null });
    const document = { ...nothing, content: 'pdf', problem: 'The file cannot be read.', pages: 3 };
    expect(await shown()).toEqual({ ...document, format: null, streams: null, chapters: null });
    const colorProfile = { name: 'Display P3', colorSpace: 'RGB' };
    await describe(mediaId, { version: 1, problem: null, content: 'jpg', colorProfile: { ...colorProfile, maker: 'APPL' }, media: null });
    const picture = { ...nothing, content: 'jpg', colorProfile };
    expect(await shown()).toEqual({ ...picture, format: null, streams: null, chapters: null });
    // Of an earlier version of the service, or of a machine with ffprobe.
    await app.app.get(Database).query('UPDATE media_containers SET technical_metadata = $2 WHERE id = $1', [id, JSON.stringify(media)]);
    expect(await shown()).toEqual({ ...picture, ...media });
  });

  it.each(['999999', '0', '-1', 'x', '2147483648', '1e3'])('%s is not there, or no id at all', async (id) => {
    expect([400, 404]).toContain((await get(`/v5/mediacontainer/${id}`)).status);
  });

  it('of another customer is not there', async () => {
    const { mediaContainerId: id } = await aContainer();
    const stranger = await tokenOf(app, await aUser(app));
    expect(await get(`/v5/mediacontainer/${id}`, stranger)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await call(`${app.url}/v5/mediacontainer/${id}`)).status).toBe(401);
  });
});

describe('the list of media containers', () => {
  it('comes in pages, without the trash and without those of others', async () => {
    const owner = await aUser(app);
    const as = await tokenOf(app, owner);
    const ids: number[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await aContainer(owner)).mediaContainerId);
    await app.app.get(Database).query('UPDATE media_containers SET flag = 1 WHERE id = $1', [ids[1]]);
    const first = await get<{ id: number; media: object[] }[]>('/v5/mediacontainer?limit=2', as);
    expect(first.body.map(({ id, media }) => [id, media.length])).toEqual([
      [ids[4], 1],
      [ids[3], 1],
    ]);
    const [, next = ''] = /<(.*)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
    const second = await get<{ id: number }[]>(next, as);
    expect(second.body.map(({ id }) => id)).toEqual([ids[2], ids[0]]);
    expect((await get<{ id: number }[]>('/v5/mediacontainer', as)).body.map(({ id }) => id)).toEqual([ids[4], ids[3], ids[2], ids[0]]);
  });

  it('returns one by its id, and none for an unknown, foreign or trashed one', async () => {
    const { mediaContainerId: id } = await aContainer();
    const stranger = await tokenOf(app, await aUser(app));
    const find = async (query: string | number, as = token) => (await get<{ id: number }[]>(`/v5/mediacontainer?id=${query}`, as)).body;
    expect((await find(id)).map((found) => found.id)).toEqual([id]);
    expect([await find(999_999), await find(id, stranger), await find('999999999999'), await find('-999999999999')]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    expect((await get('/v5/mediacontainer?cursor=999999999999')).body).toEqual([]);
    await app.app.get(Database).query('UPDATE media_containers SET flag = 1 WHERE id = $1', [id]);
    expect(await find(id)).toEqual([]);
  });

  it('by state shows the trash or all, but never containers in deletion', async () => {
    const owner = await aUser(app);
    const as = await tokenOf(app, owner);
    const ids: number[] = [];
    for (let n = 0; n < 4; n += 1) ids.push((await aContainer(owner)).mediaContainerId);
    await call(`${app.url}/v5/mediacontainer/${ids[1]}`, { method: 'DELETE', token: as });
    await app.app.get(Database).query('UPDATE media_containers SET flag = 33 WHERE id = $1', [ids[2]]);
    await app.app.get(Database).query('UPDATE media_containers SET flag = 1, doomed = true WHERE id = $1', [ids[3]]);
    const find = async (query: string) => (await get<{ id: number }[]>(`/v5/mediacontainer${query}`, as)).body.map(({ id }) => id);
    expect(await find('?state=trash')).toEqual([ids[1]]);
    expect(await find('?state=all')).toEqual([ids[2], ids[1], ids[0]]);
    expect([await find('?state=active'), await find('')]).toEqual(Array(2).fill([ids[2], ids[0]]));
    expect(await find(`?state=trash&id=${ids[1]}`)).toEqual([ids[1]]);
    expect((await get('/v5/mediacontainer?state=gone', as)).body).toMatchObject({ errors: [{ path: 'state', code: 'is_in' }] });
    const { headers } = await get('/v5/mediacontainer?state=all&limit=2', as);
    expect(headers.get('link')).toMatch(/^<\/v5\/mediacontainer\?state=all&limit=2&cursor=[\w-]+>; rel="next"$/);
  });

  it('has no next page with an id', async () => {
    const { mediaContainerId: id } = await aContainer();
    const { body, headers } = await get<object[]>(`/v5/mediacontainer?id=${id}&limit=1`);
    expect([body.length, headers.get('link')]).toEqual([1, null]);
  });

  it('has 100 a page unless another number is asked for', async () => {
    const owner = await aUser(app);
    const as = await tokenOf(app, owner);
    for (let n = 0; n < 101; n += 1) await aContainer(owner);
    const { body, headers } = await get<object[]>('/v5/mediacontainer', as);
    expect(body).toHaveLength(100);
    expect(headers.get('link')).toContain('limit=100');
    expect((await get('/v5/mediacontainer?limit=1001', as)).status).toBe(400);
  });
});

/** A time of the last minute, as clients read it. */
function recently() {
  return {
    asymmetricMatch: (value: unknown) => typeof value === 'string' && Math.abs(Date.parse(value) - Date.now()) < 60_000,
    toString: () => 'recently',
  };
}
