import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Format, FormatReaderService } from '../../src/modules/formats/index.js';
import { AuditService } from '../../src/shared/audit/audit.service.js';
import { CountingService } from '../../src/shared/counting/index.js';
import { Database } from '../../src/shared/database/index.js';
import { HousekeepingService } from '../../src/shared/jobs/index.js';
import { aClient, aUser, authorizeUrl, REDIRECT_URI, signIn } from '../support/accounts/scenario.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { addRendition } from '../support/converter/renditions.js';
import { aTranscoding } from '../support/converter/shown-transcoding.js';
import { aFormat } from '../support/delivery/player-configurations.js';
import { eventually } from '../support/eventually.js';
import { uploadMedia } from '../support/media/media.js';
import { call, tokenOf } from '../support/media/uploads.js';

interface LinkBody extends Record<string, unknown> {
  readonly id: number;
  readonly link: string;
}
type Problem = { code: string; errors?: { path: string; code: string }[] };

const { app } = useTestAppWithStorage();
let owner: { id: number; customerId: number; email: string };
let token: string;
let original: number;
let image: { id: number; mediaId: number };

beforeAll(async () => {
  owner = await aUser(app);
  token = await tokenOf(app, owner);
  original = (await app.app.get(FormatReaderService).originalIds()).image;
  image = await uploadMedia(app, token, { content: 'a portrait' });
});

const addFormat = async (fields: Partial<Format>, { id, customerId } = owner) => (await aFormat(app, { id, customerId }, fields)).id;
const create = async (body: object, as: string | null = token) =>
  await call<LinkBody & Problem>(`${app.url}/v5/downloadlink`, { token: as, body });
const aLink = async (fields: object = {}) => {
  const { status, body } = await create({ mediaContainerIds: [image.id], formatIds: [original], ...fields });
  if (status !== 201) throw new Error(`No link was made: ${JSON.stringify(body)}`);
  return body;
};
const page = async ({ link }: { link: string }) => {
  const response = await fetch(`${app.url}/l/${link}`, { headers: { accept: 'text/html' } });
  return { status: response.status, html: await response.text(), headers: response.headers };
};
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

describe('a download link', () => {
  it('is made with all that can be said of it, found, listed and deleted', async () => {
    const end = inSeconds(3_600);
    const fields = { mediaContainerIds: [image.id], formatIds: [original], templateId: 3, title: 'Portraits', start: 1_600_000_000, end };
    const { status, body: created } = await create(fields);
    const { ignored, ...body } = created;
    expect([status, ignored]).toEqual([201, [{ path: 'templateId', reason: expect.any(String) }]]);
    expect(body).toEqual({
      ...fields,
      id: expect.any(Number),
      link: expect.stringMatching(/^[\da-f-]{36}$/),
      url: `${app.url}/l/${body.link}`,
      uses: 0,
      lastUsedAt: null,
      endedAt: null,
      endedBy: null,
      creatorId: owner.id,
      customerId: owner.customerId,
      createdAt: expect.any(String),
    });
    const url = `${app.url}/v5/downloadlink`;
    expect((await call(`${url}/${body.id}`, { token })).body).toEqual(body);
    expect((await call(`${url}?id=${body.id}`, { token })).body).toEqual([body]);
    expect((await call(`${url}/${body.id}`, { token, method: 'DELETE' })).body).toEqual({ id: body.id });
    expect((await call(`${url}/${body.id}`, { token })).status).toBe(404);
    expect((await call(url, { token, method: 'DELETE', body: { id: body.id } })).status).toBe(404);
    expect((await page(body)).status).toBe(410);
    expect((await call(`${url}?id=${body.id}`, { token })).body).toEqual([]);
    const listed = await call<(LinkBody & { readonly end: number; readonly endedAt: string })[]>(`${url}?state=ended`, { token });
    const deleted = listed.body.find(({ id }) => id === body.id);
    expect(deleted).toEqual({
      ...body,
      end: Math.floor(Date.parse(deleted?.endedAt ?? '') / 1_000),
      endedAt: expect.any(String),
      endedBy: owner.id,
    });
    const noted = async (verb: string) =>
      await app.app.get(AuditService).findLatest({ action: `download_link.${verb}`, subject: `download_link:${body.id}` }, 2);
    for (const verb of ['create', 'delete']) expect(await noted(verb)).toMatchObject([{ actor: `user:${owner.id}` }]);
  });

  it('that was deleted is gone after 90 days', async () => {
    const link = await aLink();
    await call(`${app.url}/v5/downloadlink/${link.id}`, { token, method: 'DELETE' });
    const database = app.app.get(Database);
    await database.query(`UPDATE download_links SET ended_at = ended_at - interval '90 days' WHERE id = $1`, [link.id]);
    await app.app.get(HousekeepingService).run();
    expect((await page(link)).status).toBe(404);
    expect((await call(`${app.url}/v5/downloadlink?state=ended&id=${link.id}`, { token })).body).toEqual([]);
  });

  it('has defaults for absent and null members', async () => {
    const expected = { templateId: 0, title: '', start: null, end: null };
    expect(await aLink()).toMatchObject(expected);
    expect(await aLink({ templateId: null, title: null, start: null, end: null })).toMatchObject(expected);
  });

  it('begins and ends with days in UTC', async () => {
    expect(await aLink({ start: '2026-11-27', end: '2026-11-27' })).toMatchObject({ start: 1_795_737_600, end: 1_795_823_999 });
    const { status, body } = await create({ mediaContainerIds: [image.id], formatIds: [original], start: '2026-11-28', end: '2026-11-27' });
    expect([status, body]).toMatchObject([400, { errors: [{ path: 'end', code: 'end_before_start' }] }]);
  });

  it('is listed a page at a time, the oldest first', async () => {
    const other = await aUser(app);
    const theirs = await tokenOf(app, other);
    const { id } = await uploadMedia(app, theirs);
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.push((await create({ mediaContainerIds: [id], formatIds: [original] }, theirs)).body.id);
    const first = await call<LinkBody[]>(`${app.url}/v5/downloadlink?limit=2`, { token: theirs });
    expect(first.body.map((link) => link.id)).toEqual(ids.slice(0, 2));
    expect(first.body.map((link) => link.creatorId)).toEqual([other.id, other.id]);
    const next = /<(.*)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1];
    const second = await call<LinkBody[]>(`${app.url}${next}`, { token: theirs });
    expect(second.body.map((link) => link.id)).toEqual(ids.slice(2));
  });

  it('is listed by its state: it ends with its own end, or when none of its containers is available any more', async () => {
    const other = await aUser(app);
    const theirs = await tokenOf(app, other);
    const media = [await uploadMedia(app, theirs), await uploadMedia(app, theirs)].map(({ id }) => id);
    const [kept, trashed] = media;
    const make = async (fields: object) => (await create({ mediaContainerIds: media, formatIds: [original], ...fields }, theirs)).body.id;
    const active = [await make({}), await make({ end: inSeconds(60) }), await make({ start: inSeconds(60) })];
    const ended = [await make({ end: inSeconds(-1) }), await make({ mediaContainerIds: [trashed] })];
    await call(`${app.url}/v5/mediacontainer/${trashed}`, { token: theirs, method: 'DELETE' });
    const listed = async (query: string) =>
      (await call<LinkBody[]>(`${app.url}/v5/downloadlink${query}`, { token: theirs })).body.map(({ id }) => id);
    expect(await listed('')).toEqual(active);
    expect(await listed('?state=ended')).toEqual(ended);
    expect(await listed('?state=all')).toEqual([...active, ...ended]);
    expect(await listed(`?id=${ended[0]}`)).toEqual([ended[0]]);
    expect(await listed(`?id=${ended[0]}&state=active`)).toEqual([]);
    await call(`${app.url}/v5/mediacontainer/${kept}`, { token: theirs, method: 'DELETE', body: { forceDelete: true } });
    await eventually(async () => (await call(`${app.url}/v5/mediacontainer/${kept}`, { token: theirs })).status === 404);
    expect(await listed('')).toEqual([]);
  });

  it('names containers and formats that the customer has, and no previews', async () => {
    const stranger = await aUser(app);
    const foreign = await uploadMedia(app, await tokenOf(app, stranger));
    const preview = await addFormat({ name: 'Preview', usage: 'preview' });
    const theirs = await addFormat({ name: 'Theirs' }, stranger);
    const hidden = await addFormat({ name: 'Hidden', settings: { mediaTypes: ['image'], useInPlayer: false } });
    const inTest = await addFormat({ name: 'In test', settings: { mediaTypes: ['image'], testMode: {} } });
    const { status, body } = await create({
      mediaContainerIds: [image.id, foreign.id, 2_000_000_000],
      formatIds: [theirs, original, preview, hidden, inTest],
      start: 20,
      end: 10,
    });
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect(body.errors?.map(({ path, code }) => [path, code])).toEqual([
      ['mediaContainerIds.1', 'not_found'],
      ['mediaContainerIds.2', 'not_found'],
      ['formatIds.0', 'not_found'],
      ['formatIds.2', 'not_downloadable'],
      ['formatIds.3', 'not_downloadable'],
      ['formatIds.4', 'not_downloadable'],
      ['end', 'end_before_start'],
    ]);
  });

  it('cannot have a container in the trash, or a format that none of its containers can have', async () => {
    const trashed = await uploadMedia(app, token, { content: 'thrown away' });
    await call(`${app.url}/v5/mediacontainer/${trashed.id}`, { token, method: 'DELETE' });
    const film = await addFormat({ name: 'Film', settings: { mediaTypes: ['video'] } });
    const both = await addFormat({ name: 'Both', settings: { mediaTypes: ['video', 'image'] } });
    const refused = await create({ mediaContainerIds: [image.id, trashed.id], formatIds: [both, film, original] });
    expect([refused.status, refused.body.code]).toEqual([400, 'validation_failed']);
    expect(refused.body.errors?.map(({ path, code }) => [path, code])).toEqual([
      ['mediaContainerIds.1', 'in_trash'],
      ['formatIds.1', 'not_of_containers'],
    ]);
    const onlyTrash = await create({ mediaContainerIds: [trashed.id], formatIds: [original] });
    expect([onlyTrash.status, onlyTrash.body.code, onlyTrash.body.errors?.length]).toEqual([400, 'in_trash', 1]);
    const video = await uploadMedia(app, token, { type: 'video', fileName: 'a.mp4', originalFileExtension: 'mp4', content: 'a film' });
    expect((await create({ mediaContainerIds: [image.id, video.id], formatIds: [both, film, original] })).status).toBe(201);
    await call(`${app.url}/v5/mediacontainer/${trashed.id}`, { token, method: 'PUT', body: { flag: 0 } });
    expect((await create({ mediaContainerIds: [trashed.id], formatIds: [original] })).status).toBe(201);
  });

  it('offers the original of a watermark asset', async () => {
    const mark = await uploadMedia(app, token, { content: 'a mark' });
    await call(`${app.url}/v5/mediacontainer/${mark.id}`, { token, method: 'PUT', body: { type: 'watermark', flag: 33 } });
    expect((await create({ mediaContainerIds: [mark.id], formatIds: [original] })).status).toBe(201);
  });

  it.each([
    [{ mediaContainerIds: [] }, 'mediaContainerIds'],
    [{ mediaContainerIds: 'all' }, 'mediaContainerIds'],
    [{ formatIds: [1, 1] }, 'formatIds'],
    [{ title: 'two\nlines' }, 'title'],
    [{ templateId: -1 }, 'templateId'],
    [{ start: '2030-02-30' }, 'start'],
  ])('is not made of %j', async (fields, path) => {
    const { status, body } = await create({ mediaContainerIds: [image.id], formatIds: [original], ...fields });
    expect([status, body.errors?.map((one) => one.path)]).toEqual([400, expect.arrayContaining([path])]);
  });

  it('is not accessible to others', async () => {
    const { id } = await aLink();
    const other = await tokenOf(app, await aUser(app));
    const url = `${app.url}/v5/downloadlink/${id}`;
    expect((await call(url, { token: other })).status).toBe(404);
    expect((await call(url, { token: other, method: 'DELETE' })).status).toBe(404);
    expect((await create({ mediaContainerIds: [image.id], formatIds: [original] }, null)).status).toBe(401);
  });
});

describe('its page', () => {
  it('lists the files with formats and sizes, and missing files', async () => {
    const [large, small, hidden, trial] = await Promise.all([
      addFormat({ name: 'Large <JPEG>', settings: { mediaTypes: ['image'] } }),
      addFormat({ name: 'Small JPEG', settings: { mediaTypes: ['image'] } }),
      addFormat({ name: 'Secret JPEG', settings: { mediaTypes: ['image'] } }),
      addFormat({ name: 'Trial JPEG', settings: { mediaTypes: ['image'] } }),
    ]);
    const rendition = { containerId: image.id, fileExtension: 'jpg', content: 'x'.repeat(2_500), type: 'image', width: 1_600, height: 900 };
    await addRendition(app, { ...rendition, formatId: large, fileName: 'portrait_large' });
    await addRendition(app, { ...rendition, formatId: hidden, fileName: 'portrait_secret' });
    const link = await aLink({ formatIds: [original, large, small, hidden, trial], title: 'For Ada' });
    await addFormat({ id: hidden, name: 'Secret JPEG', settings: { mediaTypes: ['image'], useInPlayer: false } });
    await addFormat({ id: trial, name: 'Trial JPEG', settings: { mediaTypes: ['image'], testMode: {} } });
    const { status, html, headers } = await page(link);
    expect(status).toBe(200);
    expect(html).toContain('<h1><bdi>For Ada</bdi></h1>');
    expect(html).toContain('2 files, 2.5\u00a0kB');
    expect(html).toContain('portrait_large.jpg');
    expect(html).toContain('<bdi>Large &lt;JPEG&gt;</bdi>');
    expect(html).toContain('JPG, 1600\u00a0×\u00a0900, 2.5\u00a0kB');
    expect(html).toMatch(/Small JPEG[\s\S]*This file has not been made\./);
    expect(html).not.toMatch(/portrait_secret|Secret JPEG|Trial JPEG|<JPEG>/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toContain(`img-src 'self' ${app.config.s3Endpoint}`);
  });

  it('shows whether a missing file is waiting, in progress or failed, with the reason', async () => {
    const formatId = await addFormat({ name: 'Poster JPEG', settings: { mediaTypes: ['image'] } });
    const portrait = await uploadMedia(app, token, { content: 'another portrait' });
    const link = await aLink({ mediaContainerIds: [portrait.id], formatIds: [original, formatId] });
    const state = async () => /Poster JPEG[\s\S]*?<span class="state( failed)?">([^<]*)</.exec((await page(link)).html)?.slice(1);
    expect(await state()).toEqual([undefined, 'This file has not been made.']);
    const job = await aTranscoding(app, { containerId: portrait.id, formatId });
    expect(await state()).toEqual([undefined, 'Waiting to be prepared. Reload this page later.']);
    await job.advance(42);
    expect(await state()).toEqual([undefined, 'Being prepared: 42\u00a0%. Reload this page later.']);
    await job.fail('source_unreadable');
    expect(await state()).toEqual([' failed', 'Failed. The original file is damaged or is not of a kind that can be converted.']);
    expect((await page(link)).html).not.toContain('secret.mov');
    await (await aTranscoding(app, { containerId: portrait.id, formatId })).succeed({ skipped: true });
    expect(await state()).toBeUndefined();
    const again = await aTranscoding(app, { containerId: portrait.id, formatId });
    expect(await state()).toEqual([undefined, expect.stringMatching(/^Waiting/)]);
    await addRendition(app, { containerId: portrait.id, formatId, type: 'image', fileName: 'poster', fileExtension: 'jpg', content: 'x' });
    await again.succeed();
    expect(await state()).toBeUndefined();
    expect((await page(link)).html).toContain('poster.jpg');
  });

  it.each([
    ['format_unavailable', 'The service lacks a program that this format needs.'],
    ['cancelled', 'The conversion was cancelled.'],
    ['of a later version', 'The conversion did not succeed.'],
  ])('describes the failure %s as: %s', async (code, reason) => {
    const formatId = await addFormat({ name: 'Poster JPEG', settings: { mediaTypes: ['image'] } });
    await (await aTranscoding(app, { containerId: image.id, formatId })).fail(code);
    expect((await page(await aLink({ formatIds: [formatId] }))).html).toContain(`Failed. ${reason}`);
  });

  it('shows a preview, or the image for the file type', async () => {
    const preview = await addFormat({ name: 'Poster', usage: 'preview' });
    const [first, second] = [await uploadMedia(app, token, { type: 'document', fileName: 'one.pdf', originalFileExtension: 'pdf' }), image];
    const { document } = await app.app.get(FormatReaderService).originalIds();
    expect((await page(await aLink({ mediaContainerIds: [first.id], formatIds: [document] }))).html).toContain(
      '/fixedPreviewImages/pdf.png',
    );
    await addRendition(app, { containerId: second.id, formatId: preview, fileName: 'poster', fileExtension: 'jpg', content: 'a poster' });
    const { html } = await page(await aLink());
    const picture = /<div class="picture"><img src="([^"]*)"/.exec(html)?.[1] ?? '';
    expect(picture).toMatch(/^\/l\/[\da-f-]{36}\/pictures\/\d+$/);
    expect(await (await fetch(`${app.url}${picture}`)).text()).toBe('a poster');
    const pictureOf = async (id: number | string) =>
      await fetch(`${app.url}${picture.replace(/\d+$/, String(id))}`, { redirect: 'manual' });
    for (const id of [first.id, 2_000_000_000, 'x', -1]) expect([id, (await pictureOf(id)).status]).toEqual([id, 404]);
    const both = await aLink({ mediaContainerIds: [first.id, second.id], formatIds: [document, original] });
    const answer = await fetch(`${app.url}/l/${both.link}/pictures/${first.id}`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, expect.stringContaining('/fixedPreviewImages/default.png')]);
  });

  it('hands out a file as an attachment under its name, and no other file', async () => {
    const { link } = await aLink();
    const answer = await fetch(`${app.url}/l/${link}/${image.mediaId}`, { redirect: 'manual' });
    expect(answer.status).toBe(302);
    const file = await fetch(answer.headers.get('location') ?? '');
    expect(await file.text()).toBe('a portrait');
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="portrait.jpg"/);
    expect(file.headers.get('content-type')).toBe('image/jpeg');
    const other = await uploadMedia(app, token);
    for (const id of [other.mediaId, 2_000_000_000, 'x']) {
      expect((await fetch(`${app.url}/l/${link}/${id}`, { redirect: 'manual' })).status).toBe(404);
    }
  });

  it('counts how often it was opened and its files were downloaded', async () => {
    const link = await aLink();
    await page(link);
    await fetch(`${app.url}/l/${link.link}/${image.mediaId}`, { redirect: 'manual' });
    await fetch(`${app.url}/l/${link.link}/2000000000`);
    await app.app.get(CountingService).writeAll();
    const { body } = await call<LinkBody & { lastUsedAt: string }>(`${app.url}/v5/downloadlink/${link.id}`, { token });
    expect(body).toMatchObject({ uses: 2, lastUsedAt: expect.stringMatching(/:00:00\.000Z$/) });
  });

  it('counts no visits of people of its customer who are signed in', async () => {
    const link = await aLink();
    const browser = new TestBrowser(app.url);
    const { clientId } = await aClient(app);
    await signIn(browser, authorizeUrl(app.url, { client_id: clientId, redirect_uri: REDIRECT_URI }), owner);
    const headers = { cookie: browser.cookieHeader('/l') };
    for (const path of ['', `/${image.mediaId}`, '/archive'])
      await (await fetch(`${app.url}/l/${link.link}${path}`, { headers, redirect: 'manual' })).arrayBuffer();
    await app.app.get(CountingService).writeAll();
    expect((await call<LinkBody>(`${app.url}/v5/downloadlink/${link.id}`, { token })).body.uses).toBe(0);
  });

  it('is there from its start to its end', async () => {
    expect((await page(await aLink({ start: inSeconds(60) }))).status).toBe(404);
    expect((await page(await aLink({ start: inSeconds(-60), end: inSeconds(60) }))).html).toContain('Available until');
    const ended = await aLink({ end: inSeconds(-1) });
    const { status, html } = await page(ended);
    expect([status, html.includes('download_link_ended')]).toEqual([410, true]);
    expect((await fetch(`${app.url}/l/${ended.link}/${image.mediaId}`, { redirect: 'manual' })).status).toBe(410);
    for (const link of ['b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11', 'nonsense']) expect((await page({ link })).status).toBe(404);
  });

  it('omits containers that are in the trash or have ended', async () => {
    const [trashed, ended] = [await uploadMedia(app, token), await uploadMedia(app, token)];
    const link = await aLink({ mediaContainerIds: [trashed.id, ended.id] });
    expect((await page(link)).html).toContain('2 files');
    await call(`${app.url}/v5/mediacontainer/${trashed.id}`, { token, method: 'DELETE' });
    await app.app.get(Database).query(`UPDATE media_containers SET "end" = now() - interval '1 second' WHERE id = $1`, [ended.id]);
    expect((await page(link)).html).toContain('There is nothing to download at the moment.');
    expect((await fetch(`${app.url}/l/${link.link}/${trashed.mediaId}`, { redirect: 'manual' })).status).toBe(404);
  });

  describe('of many files', () => {
    /** Copies of the portrait, each in a container of its own. */
    const copies = async (count: number) => {
      const { rows } = await app.app.get(Database).query<{ id: number }>(
        `WITH copy AS (INSERT INTO media_containers (customer_id, creator_id, type, name)
            SELECT customer_id, creator_id, type, 'Copy ' || n FROM media_containers, generate_series(1, $2) n WHERE id = $1 RETURNING id)
          INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status, bucket, s3_key)
            SELECT copy.id, customer_id, format_id, type, 'copy-' || copy.id, 'jpg', 1, 'successful', bucket, 'renditions/copies/' || copy.id
            FROM copy, media_items WHERE media_container_id = $1 AND format_id = $3 RETURNING media_container_id AS id`,
        [image.id, count, original],
      );
      return rows.map(({ id }) => id).toSorted((one, other) => one - other);
    };
    const filesIn = (html: string) => [...html.matchAll(/aria-label="Download ([^"]*)"/g)].map(([, name = '']) => name);
    const nextIn = (html: string) => /<a [^>]*href="([^"]*)" rel="next"/.exec(html)?.[1] ?? null;
    const walk = async (link: string) => {
      const pages: string[][] = [];
      for (let url: string | null = `/l/${link}`; url !== null; ) {
        const html = await (await fetch(`${app.url}${url}`, { headers: { accept: 'text/html' } })).text();
        pages.push(filesIn(html));
        url = nextIn(html);
      }
      return pages;
    };

    it('lists a hundred files at a time, signs none of them, and each is there once', async () => {
      const ids = await copies(400);
      const { link } = await aLink({ mediaContainerIds: ids });
      const { html } = await page({ link });
      expect(html).toContain('100 files on this page');
      expect(html).not.toMatch(/X-Amz|First page/);
      const pages = await walk(link);
      expect(pages.map(({ length }) => length)).toEqual([100, 100, 100, 100]);
      expect(pages.flat()).toEqual(ids.map((id) => `copy-${id}.jpg`));
    });

    it('divides the files of one container, and skips containers without a file', async () => {
      const formats = await Promise.all(Array.from({ length: 99 }, async (_, index) => await addFormat({ name: `Size ${index}` })));
      const [one = 0, two = 0, ...ended] = await copies(203);
      await app.app.get(Database).query(
        `INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status, bucket, s3_key)
          SELECT c.id, c.customer_id, f.id, c.type, 'size-' || c.id || '-' || f.id, 'png', 1, 'successful', 'media', 'renditions/' || c.id || '/' || f.id
          FROM media_containers c, formats f WHERE c.id = ANY($1) AND f.id = ANY($2)`,
        [[one, two], formats],
      );
      const [last = 0] = await copies(1);
      await app.app.get(Database).query(`UPDATE media_containers SET "end" = now() - interval '1 second' WHERE id = ANY($1)`, [ended]);
      const mediaContainerIds = [image.id, one, ...ended, two, last];
      const pages = await walk((await aLink({ mediaContainerIds, formatIds: [original, ...formats] })).link);
      expect(pages.map(({ length }) => length)).toEqual([100, 1, 100, 1]);
      const names = pages.flat();
      expect([new Set(names).size, names[0], names[101]?.startsWith(`copy-${two}`), names[201]]).toEqual([
        202,
        'portrait.jpg',
        true,
        `copy-${last}.jpg`,
      ]);
    });

    it.each(['', '1', '-1.0', '9999.0', '0.999999', '1e3.0', '00001.0', 'x', '0.0&from=1.0'])(
      'has no fault at the position %j',
      async (from) => {
        const { link } = await aLink();
        expect((await fetch(`${app.url}/l/${link}?from=${from}`)).status).toBe(200);
      },
    );
  });

  it('names itself after its only container, unless it has a title', async () => {
    const name = (await call<{ name: string }>(`${app.url}/v5/mediacontainer/${image.id}`, { token })).body.name;
    expect((await page(await aLink())).html).toContain(`<h1><bdi>${name}</bdi></h1>`);
    const other = await uploadMedia(app, token);
    expect((await page(await aLink({ mediaContainerIds: [image.id, other.id] }))).html).toContain('<h1><bdi>Files for you</bdi></h1>');
  });
});
