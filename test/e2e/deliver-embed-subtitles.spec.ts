import { describe, expect, it } from '@jest/globals';
import { aFilm, SRT, stageDeliverEmbed } from '../support/deliver-embed-stage.js';

const stage = stageDeliverEmbed();
const { embed, get, json, page } = stage;

describe('subtitles', () => {
  const subtitled = async (subtitle: object) =>
    await embed({
      ...aFilm,
      beside: [
        { fileName: 'interview.en', fileExtension: 'vtt', content: 'WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n' },
        { fileName: 'interview_ger', fileExtension: 'srt', content: SRT },
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
