import { describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { TokenStatesService } from '../../src/modules/access/index.js';
import { DeliveryStatesQueries } from '../../src/modules/delivery/gate/delivery-states.queries.js';
import { CurrentRulesService } from '../../src/modules/player-configurations/index.js';
import { Database } from '../../src/shared/database/index.js';
import { stageDeliverEmbed } from '../support/deliver-embed-stage.js';
import type { Embed, NewEmbed } from '../support/embeds.js';
import { recordStatements } from '../support/recorded-statements.js';
import { aRung, parsePlaylist } from '../support/streaming.js';
import { tokenOf } from '../support/uploads.js';

const HLS = 'application/vnd.apple.mpegurl';
const PAGE = { origin: 'https://shop.example.org', referer: 'https://shop.example.org/' };

const stage = stageDeliverEmbed();

const aLadder: NewEmbed = {
  type: 'video',
  original: { fileName: 'interview.mov', content: 'original' },
  renditions: {
    'Streaming 720p': aRung({ height: 720, bandwidth: 3_000_000 }),
    'Streaming 360p': aRung({ height: 360, bandwidth: 900_000 }),
  },
};
const ladder = async (more: Partial<NewEmbed> = {}) => await stage.embed({ ...aLadder, ...more });
const ruled = async (securitySettings: object, more: Partial<NewEmbed> = {}) =>
  await ladder({ ...more, configuration: { securitySettings: { authOnly: false, ...securitySettings } } });

const database = () => stage.app.app.get(Database);
const masterUrl = ({ link }: Pick<Embed, 'link'>, query = '') => new URL(`/v5/deliverEmbed/${link}/master.m3u8${query}`, stage.app.url);
const read = async (url: URL, headers: Record<string, string> = {}) => await fetch(url, { headers, redirect: 'manual' });
const text = async (url: URL, headers: Record<string, string> = {}) => await (await read(url, headers)).text();
const refusal = async (url: URL, headers: Record<string, string> = {}) => {
  const response = await read(url, headers);
  const { code, rule } = (await response.json()) as { code?: string; rule?: string };
  return [response.status, rule, code].filter(Boolean).join(' ');
};

/** What a player follows: the media playlists of a master playlist, and the segments of the first. */
async function follow(master: URL, headers: Record<string, string> = {}) {
  const parsed = parsePlaylist(await text(master, headers));
  const uris = (parsed.playlists ?? []).map(({ uri }) => new URL(uri, master));
  const [first = master] = uris;
  const media = parsePlaylist(await text(first, headers));
  return { parsed, uris, first, media, segment: new URL(media.segments[0]?.uri ?? '', first) };
}

describe('the master playlist', () => {
  it('lists the streaming renditions in the order of the configuration', async () => {
    const film = await ladder({ renditions: { ...aLadder.renditions, Sound: aRung({ bandwidth: 96_000 }) } });
    const response = await read(masterUrl(film));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, HLS]);
    const parsed = parsePlaylist(await response.text());
    expect(parsed).toMatchObject({ version: 7, independentSegments: true });
    expect(parsed.playlists).toEqual([
      expect.objectContaining({
        uri: `media/${film.mediaIds['Streaming 720p']}.m3u8`,
        attributes: expect.objectContaining({
          ...{ BANDWIDTH: 3_000_000, 'AVERAGE-BANDWIDTH': '2250000', RESOLUTION: { width: 1_280, height: 720 } },
          ...{ CODECS: 'avc1.64001f,mp4a.40.2', 'FRAME-RATE': 29.97 },
        }),
      }),
      expect.objectContaining({ attributes: expect.objectContaining({ BANDWIDTH: 900_000, RESOLUTION: { width: 640, height: 360 } }) }),
      expect.objectContaining({
        uri: `media/${film.mediaIds.Sound}.m3u8`,
        attributes: expect.not.objectContaining({ RESOLUTION: expect.anything() }),
      }),
    ]);
    expect(parsed.playlists?.map(({ attributes }) => attributes.AUDIO)).toEqual([undefined, undefined, 'sound']);
    expect(parsed.mediaGroups?.AUDIO).toEqual({ sound: { Sound: { default: true, autoselect: true } } });
  });

  it('is the address in `hls`, which is null without a streaming rendition', async () => {
    const film = await ladder();
    expect((await stage.json(film.link)).body.hls).toBe(masterUrl(film).href);
    const plain = await stage.embed();
    expect((await stage.json(plain.link)).body.hls).toBeNull();
    expect(await refusal(masterUrl(plain))).toBe('404 not_streamable');
  });

  it('leaves out previews, formats that players do not use, and formats of other configurations', async () => {
    const renditions = {
      Preview: { ...aRung({ height: 240 }), format: { usage: 'preview' as const } },
      Hidden: { ...aRung({ height: 480 }), format: { settings: { mediaTypes: ['video' as const], useInPlayer: false } } },
      Elsewhere: aRung({ height: 1_080 }),
    };
    const film = await ladder({ renditions, delivers: ['Preview', 'Hidden'] });
    expect(await refusal(masterUrl(film))).toBe('404 not_streamable');
    const of = (name: string, extension: string) => new URL(`media/${film.mediaIds[name]}.${extension}`, masterUrl(film));
    for (const extension of ['m3u8', 'mp4']) {
      expect(await refusal(of('Preview', extension))).toBe('404 media_not_available');
      expect(await refusal(of('Hidden', extension))).toBe('404 media_not_available');
      expect(await refusal(of('Elsewhere', extension))).toBe('403 formats format_not_in_configuration');
      expect(await refusal(of('original', extension))).toBe('403 formats format_not_in_configuration');
      expect(await refusal(new URL(`media/999999.${extension}`, masterUrl(film)))).toBe('404 media_not_available');
    }
  });

  it('of sound alone has one variant without a picture', async () => {
    const sound = await ladder({
      type: 'audio',
      original: { fileName: 'talk.wav', content: 'x' },
      renditions: { Sound: { ...aRung(), type: 'audio' } },
    });
    const { parsed, media } = await follow(masterUrl(sound));
    expect(parsed.playlists?.map(({ attributes }) => [attributes.CODECS, attributes.RESOLUTION])).toEqual([['mp4a.40.2', undefined]]);
    expect(media.segments).toHaveLength(3);
  });

  it('lists subtitles and captions, each with a playlist of one WebVTT file', async () => {
    const beside = ['de', 'fr'].map((language) => ({
      fileName: `talk.${language}`,
      fileExtension: 'vtt',
      language,
      content: 'WEBVTT\n\n00:01.000 --> 00:02.000\nHallo\n',
    }));
    const film = await ladder({ beside });
    const { parsed } = await follow(masterUrl(film));
    const groups = parsed.mediaGroups?.SUBTITLES.texts ?? {};
    expect(Object.entries(groups).map(([name, { language, autoselect }]) => [name, language, autoselect])).toEqual([
      ['Deutsch', 'de', true],
      ['Français', 'fr', true],
    ]);
    expect(parsed.playlists?.every(({ attributes }) => attributes.SUBTITLES === 'texts')).toBe(true);
    const playlist = new URL(groups.Deutsch?.uri ?? '', masterUrl(film));
    const { segments, targetDuration } = parsePlaylist(await text(playlist));
    expect([targetDuration, segments.map(({ duration }) => duration)]).toEqual([10, [9.968]]);
    const track = await read(new URL(segments[0]?.uri ?? '', playlist), PAGE);
    expect([track.headers.get('content-type'), await track.text()]).toEqual(['text/vtt; charset=utf-8', expect.stringContaining('Hallo')]);
    expect(track.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('a media playlist', () => {
  it('names the header and the segments of the file, which a player gets byte by byte', async () => {
    const film = await ladder();
    const { media, first } = await follow(masterUrl(film));
    expect(media).toMatchObject({ playlistType: 'VOD', endList: true, targetDuration: 4, version: 7 });
    expect(media.segments.map(({ duration, byterange }) => [duration, byterange?.offset, byterange?.length])).toEqual([
      [4.004, 800, 2_000],
      [4.004, 2_800, 2_001],
      [1.96, 4_801, 2_002],
    ]);
    const { map } = media.segments[0] ?? {};
    const parts = [map, ...media.segments].map(async (part) => {
      const { offset = 0, length = 0 } = part?.byterange ?? {};
      const range = { range: `bytes=${offset}-${offset + length - 1}` };
      const response = await fetch(new URL(part?.uri ?? '', first), { headers: { ...range, ...PAGE } });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([206, '*']);
      return Buffer.from(await response.arrayBuffer());
    });
    const expected = aLadder.renditions?.['Streaming 720p']?.content;
    expect(Buffer.concat(await Promise.all(parts)).equals(expected as Buffer)).toBe(true);
  });

  it('redirects a segment to a URL that works for minutes, and does not tell HEAD', async () => {
    const { segment } = await follow(masterUrl(await ladder()));
    const response = await read(segment);
    expect([response.status, response.headers.get('cache-control')]).toEqual([302, 'no-store']);
    const location = new URL(response.headers.get('location') ?? '');
    expect(location.searchParams.get('X-Amz-Expires')).toBe('300');
    expect((await read(segment)).headers.get('location')).toBe(location.href); // for all viewers of a minute
    const head = await fetch(segment, { method: 'HEAD', redirect: 'manual' });
    expect([head.status, head.headers.get('location')]).toEqual([302, null]);
  });

  it('of three hours is below 150 kB, for every kind of viewer', async () => {
    const renditions = { Long: aRung({ height: 1_080, segments: 2_700, segmentBytes: 2_500_000 }) };
    const { publisher } = stage;
    const [open, byPage, byToken] = [
      await ladder({ renditions }),
      await ruled({ matchReferer: ['shop.example.org'] }, { renditions }),
      await ruled({ auth: { enabled: true } }, { renditions }),
    ];
    const authorization = `Bearer ${publisher.token}`;
    for (const master of [masterUrl(open), masterUrl(byPage), masterUrl(byToken)]) {
      const { first, segment } = await follow(master, { ...PAGE, authorization });
      expect(Buffer.byteLength(await text(first))).toBeLessThan(150_000);
      expect((await read(segment)).status).toBe(302);
    }
  });

  it('reads the tokens in the path of a link', async () => {
    const film = await ruled({ matchReferer: ['shop.example.org'] });
    const { first } = await follow(masterUrl(film), PAGE);
    const tokens = first.search.slice(1);
    const inPath = new URL(`/v5/deliverEmbed/${film.link};${tokens}/media/${film.mediaIds['Streaming 360p']}.m3u8`, stage.app.url);
    const { segments } = parsePlaylist(await text(inPath));
    expect(segments[0]?.uri).toBe(`${film.mediaIds['Streaming 360p']}.mp4`);
    expect((await read(new URL(segments[0]?.uri ?? '', inPath))).status).toBe(302);
    expect(await refusal(new URL(inPath.href.replace(/;admission=\d/, ';admission=9')))).toBe('403 matchReferer referer_not_allowed');
  });
});

describe('a page of another origin', () => {
  it('may ask for ranges of segments, and read every answer, without credentials', async () => {
    const film = await ladder();
    const { segment, uris } = await follow(masterUrl(film));
    for (const url of [masterUrl(film), ...uris, segment, new URL('media/999999.mp4', masterUrl(film))]) {
      const preflight = await fetch(url, {
        method: 'OPTIONS',
        headers: { ...PAGE, 'access-control-request-method': 'GET', 'access-control-request-headers': 'range' },
      });
      expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, '*, authorization']);
      const { headers } = await read(url, PAGE);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
  });
});

describe('a running film', () => {
  it('that a page may show goes on by its admission, until the page may not show it any more', async () => {
    const film = await ruled({ matchReferer: ['shop.example.org', 'www.example.org'] });
    expect(await refusal(masterUrl(film))).toBe('403 matchReferer referer_not_allowed');
    const { segment, parsed } = await follow(masterUrl(film), PAGE);
    expect(parsed.playlists?.[0]?.uri).toMatch(/^media\/\d+\.m3u8\?admission=/);
    expect((await read(segment)).status).toBe(302);
    const { id, formats } = film.configuration;
    await stage.publisher.update(id, { formats, securitySettings: { authOnly: false, matchReferer: ['www.example.org'] } });
    expect(await refusal(segment)).toBe('403 matchReferer referer_not_allowed');
  });

  const changes: [string, (film: Embed) => Promise<unknown>, string][] = [
    ['its link is deleted', async ({ link }) => await stage.publisher.unlink(await linkId(link)), '410 link_ended'],
    [
      'its media is in the trash',
      async ({ containerId }) => await stage.publisher.send(`mediacontainer/${containerId}`, 'DELETE'),
      '410 link_ended',
    ],
    [
      'other networks are allowed only',
      async (film) => await tighten(film, { ipWhiteList: [{ cidr: '192.0.2.0/24', type: 'ipv4' }] }),
      '403 ipWhiteList ip_not_allowed',
    ],
    ['viewers have to sign in', async (film) => await tighten(film, { auth: { enabled: true } }), '403 auth auth_required'],
    ['it moves to another host', async (film) => await tighten(film, { url: { cname: 'video.example.org' } }), '403 url.cname wrong_host'],
    [
      'its format is not delivered any more',
      async ({ configuration, formatIds }) =>
        await stage.publisher.update(configuration.id, { formats: [{ formatId: formatIds['Streaming 360p'] }] }),
      '403 formats format_not_in_configuration',
    ],
  ];
  const tighten = async ({ configuration: { id, formats } }: Embed, securitySettings: object) =>
    await stage.publisher.update(id, { formats, securitySettings: { authOnly: false, ...securitySettings } });
  const linkId = async (link: string) =>
    Number((await database().queryOne<{ id: number }>('SELECT id FROM embed_links WHERE link = $1', [link]))?.id);

  it.each(changes)('stops at the next segment when %s', async (_, change, expected) => {
    const film = await ladder();
    const { segment, first } = await follow(masterUrl(film));
    expect((await read(segment)).status).toBe(302);
    await change(film);
    expect(await refusal(segment)).toBe(expected);
    expect(await refusal(first)).toBe(expected);
  });

  it('stops when the access token of the viewer is revoked', async () => {
    const film = await ruled({ auth: { enabled: true } });
    const token = await tokenOf(stage.app, stage.publisher.user);
    expect(await refusal(masterUrl(film))).toBe('403 auth auth_required');
    const { segment, parsed } = await follow(masterUrl(film), { authorization: `Bearer ${token}` });
    expect((await read(segment)).status).toBe(302);
    const auth = new URL(parsed.playlists?.[0]?.uri ?? '', masterUrl(film)).searchParams.get('auth') ?? '';
    expect(Buffer.from(auth, 'base64url').toString()).toMatch(/^:token\.[\w-]+$/); // sealed: it opens nothing but this film
    expect(await refusal(masterUrl(await ruled({ auth: { enabled: true } }), `?auth=${auth}`))).toBe('403 auth auth_required');
    expect(await refusal(masterUrl(film, `?auth=${Buffer.from(`:${token}`).toString('base64url')}`))).toBe('403 auth auth_required');
    const { jti } = decodeJwt(token);
    await stage.app.app.get(TokenStatesService).revoke(String(jti), new Date(Date.now() + 3_600_000));
    expect(await refusal(segment)).toBe('403 auth auth_required');
  });

  it('has a lease where plays are limited, which each segment renews', async () => {
    const film = await ruled({ bandwidthControl: [{ cidr: '127.0.0.0/8', type: 'parallel', limit: 1 }] });
    const other = await ruled({ bandwidthControl: [{ cidr: '127.0.0.0/8', type: 'parallel', limit: 1 }] });
    const { segment } = await follow(masterUrl(film));
    expect((await read(segment)).status).toBe(302);
    expect((await read((await follow(masterUrl(other))).segment)).status).toBe(302); // another configuration counts its own
    await database().query(`UPDATE playback_leases SET viewer = '127.0.0.9'`);
    expect(await refusal(segment)).toBe('429 parallel_limit_reached');
  });

  it('comes through the service where the bandwidth is limited', async () => {
    const film = await ruled({ bandwidthControl: [{ cidr: '127.0.0.0/8', type: 'bandwidth', limit: 8_000_000 }] });
    const { segment } = await follow(masterUrl(film));
    const response = await read(segment, { range: 'bytes=800-2799', ...PAGE });
    expect([response.status, response.headers.get('content-range'), response.headers.get('access-control-allow-origin')]).toEqual([
      206,
      expect.stringMatching(/^bytes 800-2799\//),
      '*',
    ]);
    const expected = aLadder.renditions?.['Streaming 720p']?.content as Buffer;
    expect(Buffer.from(await response.arrayBuffer()).equals(expected.subarray(800, 2_800))).toBe(true);
  });

  it('costs one statement a segment, which simultaneous viewers share', async () => {
    const film = await ruled({ matchReferer: ['shop.example.org'] });
    const { segment } = await follow(masterUrl(film), PAGE);
    await read(segment);
    expect(await recordStatements(async () => await read(segment))).toHaveLength(1);
    const { app } = stage.app;
    const link = await app.get(CurrentRulesService).findLink(film.link);
    const states = app.get(DeliveryStatesQueries);
    const viewers = async () => await Promise.all(Array.from({ length: 1_000 }, async () => link && (await states.find(link))));
    expect(await recordStatements(viewers)).toHaveLength(1);
  });
});
