import { describe, expect, it } from '@jest/globals';
import { InspectionJob } from '../../src/modules/converter/inspection/inspection.job.js';
import { InspectionsService } from '../../src/modules/converter/inspection/inspections.service.js';
import { MediaItem } from '../../src/modules/media/index.js';
import { Database } from '../../src/shared/database/index.js';
import { ObjectStorage } from '../../src/shared/storage/index.js';
import { anItem } from '../support/browser/embedded-media.js';
import { aFilm, SRT, stageDeliverEmbed } from '../support/delivery/deliver-embed-stage.js';
import type { NewEmbed } from '../support/delivery/embeds.js';
import { MAX_LIVE_MS, withLiveChecks } from '../support/live-checks.js';
import { aPng } from '../support/media/media.js';

const stage = stageDeliverEmbed();
const { embed, get, json, page } = stage;
const inspect = async (id = 0) => await stage.app.app.get(InspectionsService, { strict: false }).inspect(id);
const itemOf = async (id: number) => await stage.app.app.get(Database).repository(MediaItem).findOneByOrFail({ id });

describe('subtitles', () => {
  const subtitled = async (subtitle: object) =>
    await embed({
      ...aFilm,
      beside: [
        { fileName: 'interview.en', fileExtension: 'vtt', language: 'en', content: 'WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n' },
        { fileName: 'interview_ger', fileExtension: 'srt', language: 'de', content: SRT },
      ],
      configuration: { settings: { subtitle } },
    });

  it('are the files of the container, in their languages, as WebVTT', async () => {
    const { link, mediaIds } = await subtitled({ behaviour: 1, lang: 'deu', default: 0 });
    const { subtitle } = (await json(link)).body;
    const url = (name: string) => `${stage.app.url}/v5/deliverEmbed/${link}/subtitles/${mediaIds[name]}.vtt`;
    expect(subtitle).toEqual({
      behaviour: 1,
      default: 0,
      lang: 'deu',
      tracks: [
        { url: url('interview.en.vtt'), lang: 'en', label: 'English', on: false },
        { url: url('interview_ger.srt'), lang: 'de', label: 'Deutsch', on: true },
      ],
    });
    const { headers, text } = await get(url('interview_ger.srt'));
    expect(headers.get('content-type')).toBe('text/vtt; charset=utf-8');
    expect(text).toBe('WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\nHallo\n');
  });

  it('follow the languages of the viewer', async () => {
    const { link } = await subtitled({ behaviour: 2 });
    const on = async (languages: string) =>
      (await json(link, { 'accept-language': languages })).body.subtitle.tracks.map((track) => track.on);
    expect(await on('de-AT,de;q=0.9,en;q=0.5')).toEqual([false, true]);
    expect(await on('fr,en;q=0.5,*;q=0.1')).toEqual([true, false]);
    expect(await on('fr')).toEqual([false, false]);
  });

  it('are only those of the link', async () => {
    const [one, other] = [await subtitled({}), await subtitled({})];
    for (const id of [other.mediaIds['interview.en.vtt'], one.mediaIds['720p'], 2_000_000_000, 'x']) {
      expect((await get(`/v5/deliverEmbed/${one.link}/subtitles/${id}.vtt`)).status).toBe(404);
    }
  });

  it('are not on the page when they are off', async () => {
    expect((await page((await subtitled({ behaviour: 4 })).link)).text).toContain('<track');
    expect((await page((await subtitled({ behaviour: 0 })).link)).text).not.toContain('<track');
  });
});

describe('tracks', () => {
  const VTT = 'WEBVTT\n\n00:01.000 --> 00:02.000\n';
  const film = async (beside: NonNullable<NewEmbed['beside']>, more: Partial<NewEmbed> = {}) => await embed({ ...aFilm, beside, ...more });

  it('are listed with their roles; subtitles and captions count for the setting', async () => {
    const { link, mediaIds } = await film(
      [
        { role: 'chapters', language: 'en', fileName: 'chapters', fileExtension: 'vtt', content: `${VTT}One\n` },
        { role: 'captions', language: 'en', fileName: 'captions', fileExtension: 'vtt', content: `${VTT}[Music]\n`, default: true },
        { role: 'subtitles', language: 'fr', fileName: 'fr', fileExtension: 'vtt', content: `${VTT}Oui\n`, label: 'En français' },
      ],
      { configuration: { settings: { subtitle: { behaviour: 3, default: 1 } } } },
    );
    const { body } = await json(link);
    const url = (name: string) => `${stage.app.url}/v5/deliverEmbed/${link}/subtitles/${mediaIds[name]}.vtt`;
    expect(body.tracks).toEqual([
      { role: 'chapters', language: 'en', label: 'English', default: false, url: url('chapters.vtt') },
      { role: 'captions', language: 'en', label: 'English', default: true, url: url('captions.vtt') },
      { role: 'subtitles', language: 'fr', label: 'En français', default: false, url: url('fr.vtt') },
    ]);
    expect(body.subtitle.tracks.map(({ lang, on }) => [lang, on])).toEqual([
      ['en', false],
      ['fr', true],
    ]);
    const { html } = { html: (await page(link)).text };
    expect(html.match(/<track kind="(?:captions|chapters|subtitles)"/g)).toHaveLength(3);
  });

  it('marked as the default are shown where the configuration says nothing', async () => {
    const { link } = await film([{ language: 'fr', fileName: 'fr', fileExtension: 'vtt', content: `${VTT}Oui\n`, default: true }]);
    expect((await json(link)).body.subtitle.tracks.map(({ on }) => on)).toEqual([true]);
  });

  it('are read by pages of every origin, and contain no code', async () => {
    const content = `${VTT}<script>alert(1)</script> <v Eve onclick=alert(1)>Hi & bye\n\n00:05.000 --> 00:05.000\nnever\n`;
    const { link, mediaIds } = await film([{ language: 'en', fileName: 'x', fileExtension: 'vtt', content }]);
    const { headers, text } = await get(`/v5/deliverEmbed/${link}/subtitles/${mediaIds['x.vtt']}.vtt`, {
      origin: 'https://player.example',
    });
    expect(text).toBe('WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nalert(1) <v Eve onclick&#61;alert(1)>Hi &amp; bye</v>\n');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('content-type')).toBe('text/vtt; charset=utf-8');
  });

  it('without a role are subtitles in containers of earlier versions', async () => {
    const { link } = await embed({ type: 'document', original: { fileName: 'talk_ger.srt', content: SRT } });
    const [track] = (await json(link)).body.tracks;
    expect(track).toMatchObject({ role: 'subtitles', language: 'de', label: 'Deutsch', default: false });
    expect(await get(track?.url ?? '')).toMatchObject({ status: 404, text: expect.stringContaining('still being prepared') });
    await stage.app.app.get(InspectionJob, { strict: false }).inspectOlder();
    expect((await get(track?.url ?? '')).text).toBe('WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\nHallo\n');
  });

  it('are converted once: a delivery sends an object of its own, which is made again if it is lost', async () => {
    const { link, mediaIds } = await film([{ language: 'de', fileName: 'x', fileExtension: 'srt', content: SRT }]);
    const id = mediaIds['x.srt'] ?? 0;
    const { s3Key, webVttKey } = await itemOf(id);
    const storage = stage.app.app.get(ObjectStorage);
    await storage.delete(s3Key);
    const track = `/v5/deliverEmbed/${link}/subtitles/${id}.vtt`;
    expect(await get(track)).toMatchObject({ status: 200, text: 'WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\nHallo\n' });
    await storage.write(s3Key, { file: Buffer.from(SRT), contentType: 'text/plain' });
    await storage.delete(String(webVttKey));
    expect((await get(track)).status).toBe(404);
    const { version } = (await storage.find(s3Key)) ?? {};
    await stage.app.app.get(Database).repository(MediaItem).update(id, { version });
    await inspect(id);
    expect((await get(track)).status).toBe(200);
  });

  it('of ten megabytes do not delay other requests when many viewers request them and leave', async () => {
    const { link, mediaIds } = await film([
      { language: 'en', fileName: 'large', fileExtension: 'vtt', content: `WEBVTT\n\n${'0:0 --> 9:9\n'.repeat(660_000)}` },
      { language: 'de', fileName: 'small', fileExtension: 'vtt', content: `${VTT}Hallo\n` },
    ]);
    const url = (name: string) => `${stage.app.url}/v5/deliverEmbed/${link}/subtitles/${mediaIds[name]}.vtt`;
    const left = Array.from(
      { length: 40 },
      async () => await fetch(url('large.vtt'), { signal: AbortSignal.timeout(100) }).catch(() => null),
    );
    const { result, longestMs } = await withLiveChecks(stage.app.url, get(url('small.vtt')));
    await Promise.all(left);
    expect(result.text).toContain('Hallo');
    expect(longestMs).toBeLessThan(MAX_LIVE_MS);
  });

  it('in hundreds of languages are compared with those of a viewer at no cost', async () => {
    const { link, containerId } = await film([{ language: 'en', fileName: 'en', fileExtension: 'vtt', content: `${VTT}Hi\n` }], {
      configuration: { settings: { subtitle: { behaviour: 2 } } },
    });
    const container = { id: containerId, customerId: stage.publisher.user.customerId };
    const languages = Array.from({ length: 300 }, (_, n) => `en-x-a${String(n).padStart(4, '0')}`);
    const track = { formatId: null, role: 'subtitles' as const, fileExtension: 'vtt', type: 'document' as const };
    for (const language of languages) await anItem(stage.app, container, { ...track, language, label: language });
    const header = { 'accept-language': `${languages.join(',').slice(0, 8_100)}` };
    const { result, longestMs } = await withLiveChecks(stage.app.url, json(link, header));
    expect(result.body.subtitle.tracks).toHaveLength(301);
    expect(longestMs).toBeLessThan(MAX_LIVE_MS);
  });

  it('of every kind, 32 each, do not delay other requests when many viewers open the page and leave', async () => {
    const { link, containerId } = await film([{ language: 'en', fileName: 'en', fileExtension: 'vtt', content: `${VTT}Hi\n` }]);
    const container = { id: containerId, customerId: stage.publisher.user.customerId };
    for (const role of ['chapters', 'descriptions', 'captions'] as const) {
      for (let n = 0; n < 32; n += 1) {
        const language = `en-x-a${String(n).padStart(4, '0')}`;
        await anItem(stage.app, container, { formatId: null, role, fileExtension: 'vtt', type: 'document', language, label: language });
      }
    }
    const page = `${stage.app.url}/v5/deliverEmbed/${link}`;
    const open = async () => await fetch(page, { headers: { accept: 'text/html' }, signal: AbortSignal.timeout(100) }).catch(() => null);
    const left = Array.from({ length: 100 }, open);
    const { longestMs } = await withLiveChecks(stage.app.url, Promise.all(left));
    expect(longestMs).toBeLessThan(MAX_LIVE_MS);
    const { text } = await get(`/v5/deliverEmbed/${link}`, { accept: 'text/html' });
    expect(text.match(/kind="(chapters|descriptions|captions)"/g)?.length).toBe(34);
  });
});

describe('a poster', () => {
  const poster = { role: 'poster', fileName: 'poster', fileExtension: 'png', content: aPng(320, 180) };

  it('is the preview image: of the link, of oEmbed, and on download pages', async () => {
    const thumbnail = { fileName: 'thumbnail', fileExtension: 'jpg', content: 'thumbnail', width: 640, height: 360 };
    const format = { usage: 'preview' as const, settings: { mediaTypes: ['video' as const], previewFormat: true } };
    const renditions = { ...aFilm.renditions, Thumbnail: { ...thumbnail, format } };
    const wanted = { ...aFilm, renditions, beside: [poster], delivers: ['720p'] };
    const { link, containerId, formatIds, mediaIds } = await embed(wanted);
    expect((await json(link)).body).toMatchObject({ previewImage: expect.stringContaining('/preview'), tracks: [] });
    const { headers } = await get(`/v5/deliverEmbed/${link}/preview`);
    expect(Buffer.from(await (await fetch(headers.get('location') ?? '')).arrayBuffer())).toEqual(poster.content);
    const oembed = await get(`/v5/oembed?url=${encodeURIComponent(`${stage.app.url}/v5/deliverEmbed/${link}`)}`);
    expect(JSON.parse(oembed.text)).toMatchObject({ thumbnail_width: 320, thumbnail_height: 180 });
    const { link: download } = await stage.publisher
      .send<{ link: string }>('downloadlink', 'POST', { mediaContainerIds: [containerId], formatIds: [formatIds['720p']] })
      .then(({ body }) => body);
    const { text } = await get(`/l/${download}`, { accept: 'text/html' });
    const [, picture = ''] = /<div class="picture"><img src="([^"]+)"/.exec(text) ?? [];
    expect((await get(picture)).headers.get('location')).toMatch(/uploads\/\d+\/[^"]*\.png/);
    expect(text).not.toContain(`/l/${download}/${mediaIds['poster.png']}`);
  });
});

it('a download link offers the text tracks of a container that has files', async () => {
  const { containerId, formatIds, mediaIds } = await embed({
    ...aFilm,
    beside: [{ language: 'de', fileName: 'interview.de', fileExtension: 'srt', content: SRT }],
  });
  const { body } = await stage.publisher.send<{ link: string }>('downloadlink', 'POST', {
    mediaContainerIds: [containerId],
    formatIds: [formatIds['720p']],
  });
  const { text } = await get(`/l/${body.link}`, { accept: 'text/html' });
  expect(text).toContain('Subtitles: Deutsch');
  expect(text).toContain('2 files');
  const { headers } = await get(`/l/${body.link}/${mediaIds['interview.de.srt']}`);
  expect(await (await fetch(headers.get('location') ?? '')).text()).toBe(SRT);
});
