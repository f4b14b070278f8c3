import { describe, expect, it } from '@jest/globals';
import { addRendition } from '../support/converter/renditions.js';
import { stageDeliverEmbed } from '../support/delivery/deliver-embed-stage.js';
import type { Embed, NewEmbed } from '../support/delivery/embeds.js';
import { aFormat } from '../support/delivery/player-configurations.js';
import { aLadder, aRung, asSound, follow, parsePlaylist, refusalOf, request, textOf, withoutSound } from '../support/media/streaming.js';

const HLS = 'application/vnd.apple.mpegurl';
const PAGE = { origin: 'https://shop.example.org', referer: 'https://shop.example.org/' };

const stage = stageDeliverEmbed();

const ladder = async (more: Partial<NewEmbed> = {}) => await stage.embed({ ...aLadder, ...more });
const ruled = async (securitySettings: object, more: Partial<NewEmbed> = {}) =>
  await ladder({ ...more, configuration: { securitySettings: { authOnly: false, ...securitySettings } } });
/** The address of a media playlist, which names the play that its segments belong to. */
const playlistOf = (id: number | undefined) => expect.stringMatching(new RegExp(`^media/${id}\\.m3u8\\?play=[\\w-]{22}$`));
const masterUrl = ({ link }: Embed) => new URL(`/v5/deliverEmbed/${link}/master.m3u8`, stage.app.url);

describe('the master playlist', () => {
  it('lists the streaming renditions in the order of the configuration', async () => {
    const film = await ladder({ renditions: { ...aLadder.renditions, Sound: aRung({ bandwidth: 96_000 }) } });
    const response = await request(masterUrl(film));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, HLS]);
    const text = await response.text();
    const parsed = parsePlaylist(text);
    expect(parsed).toMatchObject({ version: 7, independentSegments: true });
    expect(parsed.playlists).toEqual([
      expect.objectContaining({
        uri: playlistOf(film.mediaIds['Streaming 720p']),
        attributes: expect.objectContaining({
          ...{ BANDWIDTH: 3_000_000, 'AVERAGE-BANDWIDTH': '2250000', RESOLUTION: { width: 1_280, height: 720 } },
          ...{ CODECS: 'avc1.64001f,mp4a.40.2', 'FRAME-RATE': 29.97 },
        }),
      }),
      expect.objectContaining({ attributes: expect.objectContaining({ BANDWIDTH: 900_000, RESOLUTION: { width: 640, height: 360 } }) }),
      expect.objectContaining({
        uri: playlistOf(film.mediaIds.Sound),
        attributes: expect.not.objectContaining({ RESOLUTION: expect.anything() }),
      }),
    ]);
    expect(parsed.playlists?.map(({ attributes }) => attributes.AUDIO)).toEqual([undefined, undefined, 'sound']);
    expect(parsed.mediaGroups?.AUDIO).toEqual({ sound: { Sound: { default: true, autoselect: true } } });
    expect(text.match(/CLOSED-CAPTIONS=NONE/g)).toHaveLength(3); // RFC 8216 section 4.3.4.2: all or none
  });

  it('is the address in `hls`, which is null without a streaming rendition', async () => {
    const film = await ladder();
    expect((await stage.json(film.link)).body.hls).toBe(masterUrl(film).href);
    const plain = await stage.embed();
    expect((await stage.json(plain.link)).body.hls).toBeNull();
    expect(await refusalOf(masterUrl(plain))).toBe('404 not_streamable');
  });

  it('lists what has been made of a ladder, and the rest as soon as it is there', async () => {
    const { 'Streaming 720p': large, 'Streaming 360p': small } = aLadder.renditions ?? {};
    if (!large || !small) throw new Error('The ladder has two renditions.');
    const film = await ladder({ renditions: { 'Streaming 360p': small } });
    const { id: formatId } = await aFormat(stage.app, stage.publisher.user, { name: 'Streaming 720p' });
    await stage.publisher.update(film.configuration.id, { formats: [{ formatId }, ...film.configuration.formats] });
    const sizes = async () => (await follow(masterUrl(film))).parsed.playlists?.map(({ attributes }) => attributes.RESOLUTION);
    expect(await sizes()).toMatchObject([{ height: 360 }]);
    expect((await request((await follow(masterUrl(film))).segment)).status).toBe(302);
    await addRendition(stage.app, { ...large, containerId: film.containerId, formatId });
    expect(await sizes()).toMatchObject([{ height: 720 }, { height: 360 }]);
  });

  it('leaves out previews, formats that players do not use, and formats of other configurations', async () => {
    const renditions = {
      Preview: { ...aRung({ height: 240 }), format: { usage: 'preview' as const } },
      Hidden: { ...aRung({ height: 480 }), format: { settings: { mediaTypes: ['video' as const], useInPlayer: false } } },
      Elsewhere: aRung({ height: 1_080 }),
    };
    const film = await ladder({ renditions, delivers: ['Preview', 'Hidden'] });
    expect(await refusalOf(masterUrl(film))).toBe('404 not_streamable');
    const of = (name: string, extension: string) => new URL(`media/${film.mediaIds[name]}.${extension}`, masterUrl(film));
    for (const extension of ['m3u8', 'mp4']) {
      expect(await refusalOf(of('Preview', extension))).toBe('404 media_not_available');
      expect(await refusalOf(of('Hidden', extension))).toBe('404 media_not_available');
      expect(await refusalOf(of('Elsewhere', extension))).toBe('403 formats format_not_in_configuration');
      expect(await refusalOf(of('original', extension))).toBe('403 formats format_not_in_configuration');
      expect(await refusalOf(new URL(`media/999999.${extension}`, masterUrl(film)))).toBe('404 media_not_available');
    }
  });

  describe('of a film of several sounds', () => {
    const tracks = [
      { language: 'de', label: 'Regie', isDefault: false },
      { language: 'de', label: 'Deutsch', isDefault: false },
      { language: 'de', label: 'Hörfilm', isDefault: false },
    ] as const;
    const aFilmOfSounds = async (delivers?: readonly string[]) => {
      const english = asSound(aRung({ bandwidth: 128_000 }), { language: 'en', label: 'English', isDefault: true });
      const film = await ladder({
        renditions: { Muxed: aRung({ height: 480 }), Apart: withoutSound(aRung({ height: 720 })), Sounds: english },
        ...(delivers && { delivers }),
      });
      const place = { containerId: film.containerId, formatId: film.formatIds.Sounds ?? 0 };
      const ids: number[] = [];
      for (const [index, content] of (['commentary', 'main', 'description'] as const).entries())
        ids.push(
          await addRendition(stage.app, { ...asSound(aRung({ bandwidth: 96_000 }), tracks[index] ?? tracks[0], content), ...place }),
        );
      return { film, ids };
    };

    it.each([[['Muxed', 'Apart', 'Sounds']], [['Muxed', 'Apart']]])('that delivers %j lists each sound once', async (delivers) => {
      const { film, ids } = await aFilmOfSounds(delivers);
      const text = await textOf(masterUrl(film));
      const { playlists = [], mediaGroups } = parsePlaylist(text);
      const uris = [film.mediaIds.Apart, ...(delivers.includes('Sounds') ? [film.mediaIds.Sounds] : [])];
      expect(playlists.map(({ uri }) => uri)).toEqual(uris.map(playlistOf));
      expect(playlists.map(({ attributes }) => attributes.AUDIO)).toEqual(uris.map(() => 'sound'));
      expect(playlists[0]?.attributes).toMatchObject({ BANDWIDTH: 2_128_000, CODECS: 'avc1.4d401e,mp4a.40.2' });
      const of = (id: number | undefined) => ({ uri: playlistOf(id) });
      expect(mediaGroups?.AUDIO.sound).toEqual({
        English: { ...of(film.mediaIds.Sounds), default: true, autoselect: true, language: 'en' },
        Regie: { ...of(ids[0]), default: false, autoselect: false, language: 'de' },
        Deutsch: { ...of(ids[1]), default: false, autoselect: true, language: 'de' },
        Hörfilm: {
          ...{ ...of(ids[2]), default: false, autoselect: true, language: 'de' },
          characteristics: 'public.accessibility.describes-video',
        },
      });
      for (const id of [film.mediaIds.Sounds, ...ids]) {
        const { segments } = parsePlaylist(await textOf(new URL(`media/${id}.m3u8`, masterUrl(film))));
        expect((await request(new URL(segments[0]?.uri ?? '', new URL('media/', masterUrl(film))))).status).toBe(302);
      }
    });

    it('is not streamed silently: without its sounds, pictures that lack them are not listed', async () => {
      const film = await ladder({ renditions: { Apart: withoutSound(aRung({ height: 720 })) } });
      expect((await stage.json(film.link)).body.hls).toBeNull();
      expect(await refusalOf(masterUrl(film))).toBe('404 not_streamable');
      const mixed = await ladder({ renditions: { Muxed: aRung({ height: 480 }), Apart: withoutSound(aRung({ height: 720 })) } });
      expect((await follow(masterUrl(mixed))).parsed.playlists).toHaveLength(1);
    });

    it('whose pictures have their sound lists only these, and does not deliver the sounds of formats that it does not name', async () => {
      const { film, ids } = await aFilmOfSounds(['Muxed']);
      const { parsed } = await follow(masterUrl(film));
      expect([parsed.playlists?.length, parsed.mediaGroups?.AUDIO]).toEqual([1, {}]);
      for (const id of [film.mediaIds.Sounds, ...ids])
        expect(await refusalOf(new URL(`media/${id}.mp4`, masterUrl(film)))).toBe('404 media_not_available');
    });
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
    const { segments, targetDuration } = parsePlaylist(await textOf(playlist));
    expect([targetDuration, segments.map(({ duration }) => duration)]).toEqual([10, [9.968]]);
    const track = await request(new URL(segments[0]?.uri ?? '', playlist), PAGE);
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
    const response = await request(segment);
    expect([response.status, response.headers.get('cache-control')]).toEqual([302, 'no-store']);
    const location = new URL(response.headers.get('location') ?? '');
    expect(location.searchParams.get('X-Amz-Expires')).toBe('300');
    expect((await request(segment)).headers.get('location')).toBe(location.href); // for all viewers of a minute
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
      expect(Buffer.byteLength(await textOf(first))).toBeLessThan(150_000);
      expect((await request(segment)).status).toBe(302);
    }
  });

  it('reads the tokens in the path of a link', async () => {
    const film = await ruled({ matchReferer: ['shop.example.org'] });
    const { first } = await follow(masterUrl(film), PAGE);
    const tokens = first.search.slice(1);
    const inPath = new URL(`/v5/deliverEmbed/${film.link};${tokens}/media/${film.mediaIds['Streaming 360p']}.m3u8`, stage.app.url);
    const { segments } = parsePlaylist(await textOf(inPath));
    expect(segments[0]?.uri).toBe(`${film.mediaIds['Streaming 360p']}.mp4`);
    expect((await request(new URL(segments[0]?.uri ?? '', inPath))).status).toBe(302);
    expect(await refusalOf(new URL(inPath.href.replace(/;admission=\d/, ';admission=9')))).toBe('403 matchReferer referer_not_allowed');
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
      const { headers } = await request(url, PAGE);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
  });
});
