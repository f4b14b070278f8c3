import { describe, expect, it } from '@jest/globals';
import { aFilm, stageDeliverEmbed } from '../support/delivery/deliver-embed-stage.js';

const stage = stageDeliverEmbed();
const { embed, get, json } = stage;
const ANYWHERE = { origin: 'https://anywhere.example' };

const TILES = {
  ...{ fileName: 'interview', fileExtension: 'jpg', content: 'tiles', type: 'image', width: 480, height: 90 },
  storyboard: { intervalSeconds: 10, pictures: 3, columns: 3, rows: 1 },
};
const withTiles = async (configuration: Record<string, unknown> = {}) => {
  const renditions = { ...aFilm.renditions, Storyboard: { ...TILES, format: { usage: 'preview' as const } } };
  const made = await embed({ ...aFilm, renditions, delivers: ['720p', '360p'], configuration });
  return { ...made, mediaId: made.mediaIds.Storyboard };
};

describe('the storyboard of a film', () => {
  it('maps times to parts of a picture that players of every origin may load', async () => {
    const { link, mediaId } = await withTiles();
    const { body } = await json(link);
    expect(body.storyboard).toBe(`${stage.app.url}/v5/deliverEmbed/${link}/storyboard.vtt`);
    const { headers, text } = await get(String(body.storyboard), ANYWHERE);
    expect(headers.get('content-type')).toBe('text/vtt; charset=utf-8');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const tiles = [...text.matchAll(/^(\S+)\.000 --> (\S+)\.000\n(\S+)#xywh=(\S+)$/gm)].map(([, ...parts]) => parts);
    expect(tiles).toEqual([
      ['00:00:00', '00:00:10', `storyboard/${mediaId}.jpg`, '0,0,160,90'],
      ['00:00:10', '00:00:20', `storyboard/${mediaId}.jpg`, '160,0,160,90'],
      ['00:00:20', '00:00:30', `storyboard/${mediaId}.jpg`, '320,0,160,90'],
    ]);
    const picture = await get(new URL(`storyboard/${mediaId}.jpg`, String(body.storyboard)).href, ANYWHERE);
    expect([picture.status, picture.headers.get('access-control-allow-origin')]).toEqual([302, '*']);
    const file = await fetch(picture.headers.get('location') ?? '');
    expect([file.headers.get('content-type'), await file.text()]).toEqual(['image/jpeg', 'tiles']);
  });

  it('passes the rules of the link with the tokens of its addresses only', async () => {
    const { link, mediaId } = await withTiles({ securitySettings: { authOnly: false, matchReferer: ['www.example.org'] } });
    const { body } = await json(link, { referer: 'https://www.example.org/film' });
    expect(await get(`/v5/deliverEmbed/${link}/storyboard.vtt`)).toMatchObject({ status: 403 });
    const { status, text } = await get(String(body.storyboard));
    expect(status).toBe(200);
    const [address = ''] = /storyboard\/[^#\s]+/.exec(text) ?? [];
    expect((await get(new URL(address, String(body.storyboard)).href)).status).toBe(302);
    expect(await get(`/v5/deliverEmbed/${link}/storyboard/${mediaId}.jpg`)).toMatchObject({ status: 403 });
  });

  it('is absent until it is made, and only that of the link', async () => {
    const [one, other] = [await embed(aFilm), await withTiles()];
    expect((await json(one.link)).body.storyboard).toBeNull();
    const { status, text } = await get(`/v5/deliverEmbed/${one.link}/storyboard.vtt`, { accept: '*/*' });
    expect([status, JSON.parse(text).code]).toEqual([404, 'storyboard_not_available']);
    for (const id of [other.mediaId, one.mediaIds['720p'], 'x']) {
      expect((await get(`/v5/deliverEmbed/${one.link}/storyboard/${id}.jpg`)).status).toBe(404);
    }
  });
});
