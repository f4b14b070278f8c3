import { beforeAll, describe, expect, it } from '@jest/globals';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { addRendition } from '../support/converter/renditions.js';
import { aTranscoding } from '../support/converter/shown-transcoding.js';
import { anEmbed, type NewEmbed } from '../support/delivery/embeds.js';
import { aFormat, aPublisher, type Publisher } from '../support/delivery/player-configurations.js';

const { app } = useTestAppWithStorage();
let publisher: Publisher;

beforeAll(async () => {
  publisher = await aPublisher(app);
});

const get = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(new URL(path, app.url), { headers, redirect: 'manual' });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};
const progress = async (link: string, query = '', headers: Record<string, string> = {}) => {
  const { status, text, headers: answered } = await get(`/v5/deliverEmbed/${link}/progress${query}`, headers);
  return { status, headers: answered, body: JSON.parse(text) };
};
const page = async (link: string) => (await get(`/v5/deliverEmbed/${link}`, { accept: 'text/html' })).text;
const json = async (link: string) => JSON.parse((await get(`/v5/deliverEmbed/${link}`, { accept: 'application/json' })).text);

const mp4 = { fileName: 'film', fileExtension: 'mp4', content: 'film' };

/** What is told where nothing is under way. */
const nothing = { ready: true, progress: null, failed: false, reason: null };

/** A film of which nothing is there but the original, in formats that are to come. */
async function anAwaitedFilm(more: Partial<NewEmbed> = {}) {
  const of = (usage: 'preview' | 'transcoding', filetype = 'mp4') =>
    aFormat(app, publisher.user, { usage, settings: { mediaTypes: ['video'], filetype } });
  const [preview, full, poster] = [await of('preview'), await of('transcoding'), await of('preview', 'jpg')];
  const formats = [full, preview, poster].map(({ id }) => ({ formatId: id, downloadable: true }));
  const embed = await anEmbed(app, publisher, {
    type: 'video',
    original: { fileName: 'film.mov', content: 'original' },
    ...more,
    configuration: { formats, ...more.configuration },
  });
  const { containerId } = embed;
  return {
    ...embed,
    transcode: async ({ id: formatId }: { id: number }, percent: number) =>
      await aTranscoding(app, { containerId, formatId, progress: percent }),
    add: async ({ id: formatId }: { id: number }) => await addRendition(app, { containerId, formatId, ...mp4 }),
    ...{ preview, full, poster },
  };
}

describe('a link whose media is being made', () => {
  it('returns its progress until media can be shown, and then that of better quality', async () => {
    const film = await anAwaitedFilm();
    expect((await progress(film.link)).body).toEqual({ ...nothing, ready: false });
    await film.transcode(film.poster, 90);
    const [preview, full] = [await film.transcode(film.preview, 20), await film.transcode(film.full, 0)];
    expect((await progress(film.link)).body).toEqual({ ...nothing, ready: false, progress: 20 });
    await preview.advance(70);
    expect((await progress(film.link)).body.progress).toBe(70);
    await film.add(film.preview);
    await preview.succeed();
    expect((await progress(film.link)).body).toEqual({ ...nothing, progress: 0 });
    await full.advance(50);
    expect((await json(film.link)).progress).toBe(50);
    await film.add(film.full);
    await full.succeed();
    expect((await progress(film.link)).body).toEqual(nothing);
    expect((await json(film.link)).progress).toBeNull();
  });

  it('reports a failure until the conversion is requested again', async () => {
    const film = await anAwaitedFilm();
    await (await film.transcode(film.full, 30)).fail();
    const reason = 'A program could not convert the original file.';
    expect((await progress(film.link)).body).toEqual({ ready: false, progress: null, failed: true, reason });
    expect(await json(film.link)).toMatchObject({ progress: null, failed: true, reason });
    expect(await page(film.link)).toContain(`This video could not be prepared. ${reason}`);
    expect(await page(film.link)).not.toContain('secret.mov');
    const file = await get(`/v5/deliverFile/${film.link}?formatId=${film.full.id}`);
    expect([file.status, JSON.parse(file.text)]).toEqual([
      404,
      expect.objectContaining({ code: 'media_not_available', detail: `The file of this format could not be made. ${reason}` }),
    ]);
    await film.transcode(film.full, 5);
    expect((await progress(film.link)).body).toEqual({ ...nothing, ready: false, progress: 5 });
  });

  it('is shown by its page when it is made after a failure', async () => {
    const film = await anAwaitedFilm();
    await (await film.transcode(film.full, 30)).fail();
    const again = await film.transcode(film.full, 0);
    await film.add(film.full);
    await again.succeed();
    expect((await progress(film.link)).body).toEqual(nothing);
    expect(await json(film.link)).toMatchObject({ failed: false, reason: null });
    expect(await page(film.link)).toMatch(/<video[\s\S]*hidden><\/p>/);
    expect(await page(film.link)).not.toContain('could not be prepared');
  });

  it('reports that no rendition exists or is in progress', async () => {
    const film = await anAwaitedFilm();
    expect(await page(film.link)).toContain('No version of this video that browsers can play has been made.');
    expect(JSON.parse((await get(`/v5/deliverFile/${film.link}?formatId=${film.full.id}`)).text).detail).toBe(
      'There is no file of this format.',
    );
    await film.transcode(film.full, 0);
    expect(JSON.parse((await get(`/v5/deliverFile/${film.link}?formatId=${film.full.id}`)).text).detail).toBe(
      'The file of this format is being made.',
    );
  });

  it('reports beside a preview that better quality failed', async () => {
    const film = await anAwaitedFilm();
    await film.add(film.preview);
    await (await film.transcode(film.full, 30)).fail('took_too_long');
    expect(await page(film.link)).toContain('This is only a preview: the video could not be prepared. The conversion took too long.');
  });

  it('gives the reason why only the original exists', async () => {
    const film = await anAwaitedFilm();
    await publisher.update(film.configuration.id, { formats: [film.full.id, film.formatIds.original].map((formatId) => ({ formatId })) });
    await (await film.transcode(film.full, 30)).fail();
    const text = await page(film.link);
    expect(text).toContain('<video');
    expect(text).toContain('data-reason="This video could not be prepared. A program could not convert the original file."');
  });

  it('has a page that shows it, with and without scripts', async () => {
    const film = await anAwaitedFilm();
    await film.transcode(film.preview, 42);
    const text = await page(film.link);
    expect(text).toContain('This video is being prepared…');
    expect(text).toContain('<progress max="100" value="42" aria-labelledby="preparing-text">');
    expect(text).toContain(`data-progress-url="/v5/deliverEmbed/${film.link}/progress?play=page"`);
    expect(text).toMatch(/<noscript>.*Reload this page later\./);
    expect(text).not.toContain('<video');
  });

  it('plays its preview in the meantime, which cannot be downloaded', async () => {
    const film = await anAwaitedFilm();
    await film.add(film.preview);
    await film.transcode(film.full, 42);
    const text = await page(film.link);
    expect(text).toContain('<video');
    expect(text).toContain('Better quality is being prepared…');
    expect(text).not.toContain('download=true');
    expect((await get(`/v5/deliverFile/${film.link}?formatId=${film.preview.id}&download=true`)).status).toBe(403);
  });

  it('returns nothing to other customers and to viewers without access', async () => {
    const referers = { securitySettings: { authOnly: false, matchReferer: ['shop.example.org'] } };
    const film = await anAwaitedFilm({ configuration: referers });
    await film.transcode(film.preview, 42);
    expect(await progress(film.link)).toMatchObject({ status: 403, body: { code: 'referer_not_allowed', rule: 'matchReferer' } });
    const framed = await get(`/v5/deliverEmbed/${film.link}`, { accept: 'text/html', referer: 'https://shop.example.org/page' });
    const url = /data-progress-url="([^"]*)"/.exec(framed.text)?.[1] ?? '';
    const { status, text } = await get(url.replaceAll('&amp;', '&'));
    expect([status, JSON.parse(text).progress]).toEqual([200, 42]);
    expect((await get(url.replace('admission=', 'admission=9'))).status).toBe(403);
    await publisher.send(`mediacontainer/${film.containerId}`, 'DELETE');
    expect((await progress(film.link)).status).toBe(410);
    expect((await progress('b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11')).status).toBe(404);
  });

  it('is never cached', async () => {
    expect((await progress((await anAwaitedFilm()).link)).headers.get('cache-control')).toBe('private, no-store');
  });
});

describe('a document', () => {
  it('shows its first page until its PDF is there', async () => {
    const pdf = await aFormat(app, publisher.user, { settings: { mediaTypes: ['document'], filetype: 'pdf' } });
    const sheet = await anEmbed(app, publisher, { type: 'document', original: { fileName: 'plan.docx', content: 'x' }, delivers: [] });
    const { containerId } = sheet;
    const first = await aFormat(app, publisher.user, { usage: 'preview', settings: { mediaTypes: ['document'], filetype: 'jpg' } });
    const formats = [pdf, first].map(({ id }) => ({ formatId: id, downloadable: true }));
    await publisher.update(sheet.configuration.id, { formats, templateId: 1 });
    const job = await aTranscoding(app, { containerId, formatId: pdf.id, progress: 10 });
    expect(await page(sheet.link)).toContain('This document is being prepared…');
    await addRendition(app, {
      containerId,
      formatId: first.id,
      type: 'document',
      fileName: 'plan',
      fileExtension: 'jpg',
      content: 'a page',
    });
    const waiting = await page(sheet.link);
    expect(waiting).toMatch(new RegExp(`<img class="picture" src="[^"]*formatId=${first.id}&amp;play=page"`));
    expect(waiting).toContain('The document is being prepared…');
    await addRendition(app, { containerId, formatId: pdf.id, type: 'document', fileName: 'plan', fileExtension: 'pdf', content: '%PDF' });
    await job.succeed();
    const text = await page(sheet.link);
    expect(text).toMatch(new RegExp(`<object class="document" data="[^"]*formatId=${pdf.id}(&amp;play=page)?" type="application/pdf"`));
    expect(text).toContain(`formatId=${pdf.id}&amp;download=true`);
    expect(text).not.toContain(`formatId=${first.id}&amp;download=true`);
  });
});

describe('the files of a player', () => {
  it('have the data for the choice, playable ones first and previews last', async () => {
    const of = (name: string, more: object) => ({ [name]: { fileName: name, fileExtension: 'mp4', content: 'x'.repeat(1_000), ...more } });
    const { link, formatIds } = await anEmbed(app, publisher, {
      type: 'video',
      original: { fileName: 'film.mov', content: 'original' },
      renditions: {
        ...of('preview', { width: 640, height: 360, format: { usage: 'preview' } }),
        ...of('hevc', { width: 3840, height: 2160, codec: 'hevc' }),
        ...of('large', { width: 1280, height: 720, duration: 4, codec: 'h264' }),
      },
    });
    const sources = [...(await page(link)).matchAll(/<source src="[^"]*formatId=(\d+)&amp;play=page" type="([^"]*)" (data-[^>]*)>/g)];
    expect(sources.map(([, id, type, data]) => [Number(id), type, data])).toEqual([
      [formatIds.large, 'video/mp4', 'data-width="1280" data-height="720" data-preview="false"'],
      [formatIds.preview, 'video/mp4', 'data-width="640" data-height="360" data-preview="true"'],
      [formatIds.hevc, 'video/mp4; codecs=&quot;hvc1&quot;', 'data-width="3840" data-height="2160" data-preview="false"'],
    ]);
  });
});
