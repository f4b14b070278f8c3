import { describe, expect, it } from '@jest/globals';
import { DeliveryCountsService, Play } from '../../src/modules/statistics/index.js';
import { Clock } from '../../src/shared/clock.js';
import { CountingService } from '../../src/shared/counting/index.js';
import { Database } from '../../src/shared/database/index.js';
import { HousekeepingService } from '../../src/shared/jobs/index.js';
import { aClient, aUser, authorizeUrl, REDIRECT_URI, signIn } from '../support/accounts/scenario.js';
import { TestBrowser } from '../support/browser/browser.js';
import { recordStatements } from '../support/database/recorded-statements.js';
import { stageDeliverEmbed } from '../support/delivery/deliver-embed-stage.js';
import type { Embed, NewEmbed } from '../support/delivery/embeds.js';
import { problemsOf } from '../support/delivery/player-configurations.js';
import { eventually } from '../support/eventually.js';
import { aRung, follow, parsePlaylist, request } from '../support/media/streaming.js';
import { call, tokenOf } from '../support/media/uploads.js';

const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1';
const SHOP = { referer: 'https://shop.example.org/films' };
const HOUR_MS = 3_600_000;

interface Row {
  readonly key: string | number | null;
  readonly plays: number;
  readonly watchedSeconds: number;
  readonly finished: number;
  readonly downloads: number;
  readonly pictures: number;
  readonly refused: number;
  readonly bytes: number;
}

const stage = stageDeliverEmbed();

/** Ten seconds of film in three segments, so that a hundredth is a tenth of a second. */
const FILM: NewEmbed = {
  type: 'video',
  original: { fileName: 'interview.mov', content: 'original' },
  renditions: { '360p': { ...aRung({ height: 360 }), duration: 9.968 } },
};
const aFilm = async (more: Partial<NewEmbed> = {}) => await stage.embed({ ...FILM, ...more });
const write = async () => await stage.app.app.get(CountingService).writeAll();
const statistics = async (query: string, token = stage.publisher.token) =>
  await call<Row[]>(`${stage.app.url}/v5/statistics?${query}`, { token });
const figuresOf = async ({ containerId }: Embed, by = 'day') => {
  await write();
  return (await statistics(`by=${by}&mediaContainer=${containerId}`)).body;
};
const retentionOf = async ({ containerId }: Embed, token = stage.publisher.token) =>
  await call<number[]>(`${stage.app.url}/v5/mediacontainer/${containerId}/retention`, { token });

/** A page as a browser opens it, and its reports. */
async function openPage({ link }: Embed, headers: Record<string, string> = {}) {
  const html = await (await fetch(`${stage.app.url}/v5/deliverEmbed/${link}`, { headers: { accept: 'text/html', ...headers } })).text();
  const play = /data-play="([^"]+)"/.exec(html)?.[1] ?? '';
  const report = async (fields: object, to = link) => {
    const body = { play, event: 'position', position: 1, watched: 1, seen: bits(0, 10), ...fields };
    return await call<{ code?: string }>(`${stage.app.url}/v5/deliverEmbed/${to}/plays`, { method: 'POST', body });
  };
  return { html, play, report };
}

/** The hundredths from one to before another, as pages report them. */
const bits = (from: number, to: number): string => (((1n << BigInt(to - from)) - 1n) << BigInt(from)).toString(16).padStart(25, '0');

/** Runs `work` as if so many milliseconds had passed. */
async function later<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const clock = stage.app.app.get(Clock);
  const now = clock.now.bind(clock);
  clock.now = () => new Date(Date.now() + ms);
  return await work().finally(() => {
    clock.now = now;
  });
}

describe('a play of the player page', () => {
  it('is counted once, with its seconds, its hundredths, its end, its page and its device', async () => {
    const film = await aFilm();
    const { report } = await openPage(film, { ...SHOP, 'user-agent': PHONE });
    expect((await report({ event: 'begin', position: 0, watched: 0, seen: bits(0, 0) })).status).toBe(204);
    expect(await figuresOf(film)).toMatchObject([{ plays: 1, watchedSeconds: 0, finished: 0 }]);
    await later(5_000, async () => await report({ position: 4, watched: 4, seen: bits(0, 40) }));
    await write();
    await later(12_000, async () => await report({ event: 'end', position: 9.9, watched: 7, seen: bits(60, 100) }));
    const today = new Date().toISOString().slice(0, 10);
    expect(await figuresOf(film)).toMatchObject([{ key: today, plays: 1, watchedSeconds: 7, finished: 1, downloads: 0, refused: 0 }]);
    for (const [by, key] of Object.entries({ host: 'shop.example.org', device: 'phone', mediaContainer: film.containerId, rule: null }))
      expect(await figuresOf(film, by)).toMatchObject([{ key, plays: 1, watchedSeconds: 7 }]);
    const { body: retention } = await retentionOf(film);
    expect(retention).toEqual([...Array(40).fill(1), ...Array(20).fill(0), ...Array(40).fill(1)]);
  });

  it('is neither a play nor a use where a person of the customer is signed in, and counts for people of others', async () => {
    const film = await aFilm();
    const cookieOf = async (user: { readonly email: string }) => {
      const browser = new TestBrowser(stage.app.url);
      const { clientId } = await aClient(stage.app);
      await signIn(browser, authorizeUrl(stage.app.url, { client_id: clientId, redirect_uri: REDIRECT_URI }), user);
      return browser.cookieHeader('/v5/deliverEmbed');
    };
    const watch = async (user: { readonly email: string }) => {
      const { report } = await openPage(film, { cookie: await cookieOf(user) });
      expect((await report({ event: 'begin', position: 0, watched: 0, seen: bits(0, 0) })).status).toBe(204);
      await write();
      const { body } = await call<{ uses: number }[]>(
        `${stage.app.url}/v5/embedlink?mediaContainerId=${film.containerId}`,
        stage.publisher,
      );
      return [body[0]?.uses, ...(await figuresOf(film)).map(({ plays }) => plays)];
    };
    expect(await watch(stage.publisher.user)).toEqual([0]);
    expect(await watch(await aUser(stage.app))).toEqual([1, 1]);
  });

  it('counts nothing when a report is repeated, forged, of another link, too late, or impossible', async () => {
    const film = await aFilm();
    const other = await aFilm();
    const { report, play } = await openPage(film);
    await later(4_000, async () => await report({ watched: 4, seen: bits(0, 40) }));
    const once = await figuresOf(film);
    for (let n = 0; n < 3; n += 1) await later(4_000, async () => await report({ watched: 4, seen: bits(0, 40) }));
    await write();
    await later(4_000, async () => await report({ watched: 3, seen: bits(0, 20) })); // an earlier one arrives late
    const refusals = [
      await report({ play: `${play.slice(0, -4)}AAAA` }),
      await report({ play: play.replace(/^[^.]+/, Buffer.from('{"id":"x"}').toString('base64url')) }),
      await report({ play: 'x' }),
      await report({}, other.link),
      await report({ watched: 9, seen: bits(0, 40) }), // more than has passed
      await later(60_000, async () => await report({ watched: 14 })), // more than the film is long
      await later(60_000, async () => await report({ position: 14 })),
      await later(4_000, async () => await report({ watched: 1, seen: bits(0, 60) })),
      await later(13 * HOUR_MS, async () => await report({})),
    ];
    expect(refusals.map(({ status, body }) => [status, body.code])).toEqual(refusals.map(() => [403, 'play_refused']));
    expect(await figuresOf(film)).toEqual(once);
    expect(once).toMatchObject([{ plays: 1, watchedSeconds: 4, finished: 0 }]);
    expect(await figuresOf(other)).toEqual([]);
  });

  it.each<[object, string]>([
    [{ event: 'dance' }, 'event is_in'],
    [{ position: -1 }, 'position min'],
    [{ watched: 'x' }, 'watched type'],
    [{ watched: 90_000 }, 'watched max'],
    [{ seen: 'ff' }, 'seen matches'],
    [{ height: 1e9 }, 'height max'],
    [{ play: 'x'.repeat(1_001) }, 'play max_length'],
  ])('is not read from %j', async (fields, problem) => {
    const { report } = await openPage(await aFilm());
    const answer = await report(fields);
    expect([answer.status, problemsOf(answer)]).toEqual([400, [problem]]);
  });

  it('is summed for a thousand reports by one statement, and a report itself sends none', async () => {
    const film = await aFilm();
    const pages = await Promise.all(Array.from({ length: 20 }, async () => await openPage(film)));
    const rounds = Array.from({ length: 50 }, (_, n) => n / 10);
    await write();
    const begun = performance.now();
    const statements = await recordStatements(async () => {
      for (const watched of rounds)
        await Promise.all(pages.map(async ({ report }) => await report({ watched: Math.min(watched, 2), seen: bits(0, 2) })));
      await write();
    });
    expect(statements.filter(({ text }) => !text.includes('INSERT INTO plays'))).toEqual([]);
    expect(statements.length).toBeLessThanOrEqual(2 + (performance.now() - begun) / 10_000); // one, and one for every ten seconds that ended meanwhile
    expect(await figuresOf(film)).toMatchObject([{ plays: 20, watchedSeconds: 40 }]);
  });

  it('belongs to the day in UTC on which it began, and merges what two processes know of it', async () => {
    const film = await aFilm();
    const { report } = await openPage(film);
    const day = HOUR_MS * 24;
    const toMidnight = day - (Date.now() % day);
    const late = await later(toMidnight - 1_000, async () => await openPage(film));
    await later(toMidnight + 3_000, async () => await late.report({ watched: 4, seen: bits(0, 40) }));
    await report({});
    await write();
    const to = new Date(Date.now() + day).toISOString().slice(0, 10);
    const { body } = await statistics(`mediaContainer=${film.containerId}&to=${to}`);
    expect(body).toMatchObject([{ plays: 2, watchedSeconds: 5 }]);
  });

  it('stores nothing of a person, and is deleted after 90 days while the sums of its day stay', async () => {
    const film = await aFilm();
    const { report } = await openPage(film, { ...SHOP, 'user-agent': PHONE, 'x-forwarded-for': '203.0.113.9' });
    await report({});
    await fetch(`${stage.app.url}/v5/deliverFile/${film.link}`, { headers: { 'user-agent': PHONE }, redirect: 'manual' });
    const database = stage.app.app.get(Database);
    const figures = await figuresOf(film);
    const { rows: plays } = await database.query<Record<string, unknown>>('SELECT * FROM plays WHERE media_container_id = $1', [
      film.containerId,
    ]);
    const { rows: days } = await database.query<Record<string, unknown>>('SELECT * FROM daily_figures WHERE media_container_id = $1', [
      film.containerId,
    ]);
    const stored = JSON.stringify([plays, days]);
    for (const personal of ['127.0.0.1', '203.0.113.9', 'Mozilla', 'iPhone', '/films', stage.publisher.user.email])
      expect(stored).not.toContain(personal);
    expect(Object.keys(plays[0] ?? {}).sort()).toEqual([
      ...['customer_id', 'day', 'device', 'embed_link_id', 'fetched_length', 'finished', 'host', 'id', 'media_container_id'],
      ...['player_configuration_id', 'previous_seconds', 'seen', 'was_finished', 'watched_seconds'],
    ]);
    await database.query(`UPDATE plays SET day = day - 91 WHERE media_container_id = $1`, [film.containerId]);
    await stage.app.app.get(HousekeepingService).run();
    expect(await database.repository(Play).countBy({ mediaContainerId: film.containerId })).toBe(0);
    expect((await retentionOf(film)).body).toEqual(Array(100).fill(0));
    expect(await figuresOf(film)).toEqual(figures);
  });
});

describe('a play of another player', () => {
  const master = ({ link }: Embed, query = '') => new URL(`/v5/deliverEmbed/${link}/master.m3u8${query}`, stage.app.url);
  /** Fetches segments as players do, each by its range. */
  const fetchSegments = async (film: Embed, indexes: readonly number[], headers: Record<string, string> = {}, query = '') => {
    const { media, first } = await follow(master(film, query), headers);
    for (const index of indexes) {
      const segment = media.segments[index];
      const { offset = 0, length = 0 } = segment?.byterange ?? {};
      const range = `bytes=${offset}-${Number(offset) + Number(length) - 1}`;
      expect((await request(new URL(segment?.uri ?? '', first), { range, ...headers })).status).toBe(302);
    }
  };
  /** Waits until the figures are these: deliveries do not wait for the positions of segments. */
  const becomes = async (film: Embed, expected: Partial<Row>) => {
    await eventually(async () => {
      const [row] = await figuresOf(film);
      return Object.entries(expected).every(([name, value]) => row?.[name as 'plays'] === value);
    });
    expect(await figuresOf(film)).toMatchObject([expected]);
  };

  it('is counted by the segments that it fetches', async () => {
    const film = await aFilm();
    await fetchSegments(film, [0, 1]);
    await becomes(film, { plays: 1, watchedSeconds: 8, finished: 0, bytes: 4_001 });
    await fetchSegments(film, [0, 1, 2]);
    await becomes(film, { plays: 2, watchedSeconds: 18, finished: 1 });
  });

  it('is one by the session that it names, however often it reads the playlist, and counts a segment once', async () => {
    const film = await aFilm();
    const session = { 'cmcd-session': 'cid="x",sid="6e2fb550-c457-11e9-bb97-0800200c9a66"' };
    await fetchSegments(film, [0, 0], session);
    await fetchSegments(film, [0, 1], session);
    await becomes(film, { plays: 1, watchedSeconds: 8 });
    const { segment } = await follow(master(film));
    segment.searchParams.set('CMCD', 'bl=21300,sid="another"');
    await request(segment, { range: 'bytes=800-2799' });
    await becomes(film, { plays: 2, watchedSeconds: 12 });
  });

  it('is one by the session with which its playlist was read, in the query or in a header, also if its segments name none', async () => {
    const film = await aFilm();
    const readPlaylist = async (query: string, headers: Record<string, string> = {}) =>
      (await follow(master(film, query), headers)).segment;
    const segments = [
      await readPlaylist('?CMCD=sid%3D%22in-the-query%22'),
      await readPlaylist('', { 'cmcd-session': 'v=1,sid="in-a-header"' }),
      await readPlaylist(''),
      await readPlaylist('?CMCD=bl%3D100%2Csid%3Din-the-query'), // again
    ];
    for (const segment of segments) expect((await request(segment, { range: 'bytes=800-2799' })).status).toBe(302);
    await becomes(film, { plays: 3, watchedSeconds: 12, bytes: 8_000 });
  });

  it('is one for each session with the same playlist, which must be of the link', async () => {
    const [film, other] = [await aFilm(), await aFilm()];
    const { segment } = await follow(master(film));
    const fetchAs = async (play: string, cmcd = '') => {
      const address = new URL(segment);
      address.searchParams.set('play', play);
      if (cmcd !== '') address.searchParams.set('CMCD', `sid="${cmcd}"`);
      expect((await request(address, { range: 'bytes=800-2799' })).status).toBe(302);
    };
    const own = segment.searchParams.get('play') ?? '';
    const foreign = (await follow(master(other))).segment.searchParams.get('play') ?? '';
    for (const invented of ['A'.repeat(22), foreign, `${own.slice(0, 21)}${own.endsWith('A') ? 'Q' : 'A'}`]) {
      await fetchAs(invented);
      await fetchAs(invented, invented);
    }
    for (let n = 0; n < 5; n += 1) await fetchAs(own, `session ${n}`);
    await fetchAs(own);
    await becomes(film, { plays: 6, watchedSeconds: 24, bytes: 24_000 });
    expect(await figuresOf(other)).toEqual([]);
  });

  it('is not counted for the segments of our own page, which reports its play', async () => {
    const film = await aFilm();
    const { html } = await openPage(film, SHOP);
    const stream = (/data-stream="([^"]+)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&');
    const { media, first } = await follow(new URL(stream, stage.app.url));
    await request(new URL(media.segments[0]?.uri ?? '', first), { range: 'bytes=800-2799' });
    await becomes(film, { plays: 0, bytes: 2_000 });
    expect(await figuresOf(film, 'host')).toMatchObject([{ key: 'shop.example.org', bytes: 2_000 }]);
    expect(parsePlaylist(await (await request(first)).text()).segments[0]?.uri).toContain('play=page.shop.example.org');
  });
});

describe('statistics', () => {
  it('count downloads, pictures and refusals by rule, and add up by whatever they are asked for', async () => {
    const picture: NewEmbed = {
      type: 'image',
      original: { fileName: 'harbour.jpg', content: 'harbour' },
      downloadable: ['original'],
      configuration: { securitySettings: { authOnly: false, matchReferer: ['shop.example.org'] } },
    };
    const image = await stage.embed(picture);
    const get = async (query: string, headers: Record<string, string> = {}) =>
      (await fetch(`${stage.app.url}/v5/deliverFile/${image.link}${query}`, { headers, redirect: 'manual' })).status;
    expect(await get('', SHOP)).toBe(302);
    expect(await get('?download=true', { ...SHOP, 'user-agent': PHONE })).toBe(302);
    expect(await get('?download=true', { ...SHOP, range: 'bytes=3-' })).toBe(302);
    expect(await get('', { referer: 'https://thief.example/' })).toBe(403);
    const { body: link } = await stage.publisher.send<{ link: string }>('downloadlink', 'POST', {
      ...{ mediaContainerIds: [image.containerId], formatIds: [image.formatIds.original] },
    });
    await fetch(`${stage.app.url}/l/${link.link}/${image.mediaIds.original}`, { redirect: 'manual' });
    const total = { plays: 0, downloads: 2, pictures: 1, refused: 1, bytes: 25 };
    expect(await figuresOf(image)).toMatchObject([total]);
    expect(await figuresOf(image, 'rule')).toMatchObject([
      { key: null, downloads: 2, refused: 0 },
      { key: 'matchReferer', refused: 1, downloads: 0 },
    ]);
    expect(await figuresOf(image, 'host')).toMatchObject([
      { key: null, downloads: 1 },
      { key: 'shop.example.org', downloads: 1, pictures: 1 },
      { key: 'thief.example', refused: 1 },
    ]);
    expect((await figuresOf(image, 'embedLink')).map(({ key }) => key)).toEqual([null, expect.any(Number)]);
    expect(await figuresOf(image, 'device')).toMatchObject([{ key: 'other' }, { key: 'phone', downloads: 1 }]);
    for (const by of ['mediaContainer', 'playerConfiguration', 'host', 'device', 'rule', 'embedLink']) {
      const rows = await figuresOf(image, by);
      for (const [name, sum] of Object.entries(total)) expect(rows.reduce((all, row) => all + row[name as 'bytes'], 0)).toBe(sum);
    }
    const { body } = await statistics(
      `by=device&mediaContainer=${image.containerId}&host=shop.example.org&device=phone&day=${new Date().toISOString().slice(0, 10)}`,
    );
    expect(body).toMatchObject([{ key: 'phone', downloads: 1, pictures: 0 }]);
    expect((await statistics(`rule=ipWhiteList&mediaContainer=${image.containerId}`)).body).toEqual([]);
  });

  it('limit the hosts of a link, because anyone can send any referer', async () => {
    const film = await aFilm();
    for (let n = 0; n < 102; n += 1) {
      await fetch(`${stage.app.url}/v5/deliverFile/${film.link}`, {
        headers: { referer: `https://host${n}.example/` },
        redirect: 'manual',
      });
    }
    await write();
    const { body } = await statistics(`by=host&mediaContainer=${film.containerId}&limit=200`);
    expect([body.length, body.find(({ key }) => key === '(other)')?.bytes]).toEqual([101, 2 * 6_803]);
  });

  it('come in pages, of at most 366 days, and only to the customer', async () => {
    const films = [await aFilm(), await aFilm(), await aFilm()];
    for (const film of films) await (await openPage(film)).report({});
    await write();
    const ids = films.map(({ containerId }) => containerId);
    const seen: unknown[] = [];
    for (let next: string | undefined = '/v5/statistics?by=mediaContainer&limit=2'; next; ) {
      const page: { body: Row[]; headers: Headers } = await call(`${stage.app.url}${next}`, { token: stage.publisher.token });
      seen.push(...page.body.map(({ key }) => key));
      next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(expect.arrayContaining(ids));
    expect(seen).toEqual([...new Set(seen)].sort((one, other) => Number(one) - Number(other)));
    const stranger = await tokenOf(stage.app, await aUser(stage.app));
    expect((await statistics(`mediaContainer=${ids[0]}`, stranger)).body).toEqual([]);
    expect((await retentionOf(films[0] as Embed, stranger)).status).toBe(404);
    const reader = await tokenOf(stage.app, stage.publisher.user, 'api:read');
    expect((await statistics('from=2026-01-01&to=2027-01-01', reader)).status).toBe(200);
    const wrong = [
      'from=2026-01-01&to=2027-01-02',
      'from=2026-01-02&to=2026-01-01',
      'by=moon',
      'cursor=x',
      'day=today',
      'from=today',
      'device=fridge',
      'day=9999-12-31T23:59:59-23:59',
      'from=9999-12-31T23:59:59-12:00&to=9999-12-31T23:59:59-12:00',
      `cursor=${Buffer.from('["day","0000-01-01"]').toString('base64url')}`,
    ];
    const problems = await Promise.all(wrong.map(async (query) => problemsOf(await statistics(query))));
    expect(problems.flat()).toEqual([
      ...['from too_many_days', 'to before_from', 'by is_in', 'cursor cursor'],
      ...['day is_moment', 'from is_moment', 'device is_in'],
      ...['day is_day', 'from is_day', 'cursor cursor'],
    ]);
  });

  it('are dropped, and nothing else, for a customer who was removed meanwhile', async () => {
    const film = await aFilm();
    const gone = await aFilm();
    await (await openPage(film)).report({});
    const { report, play } = await openPage(gone);
    await report({});
    const database = stage.app.app.get(Database);
    const { rows } = await database.query<{ id: number }>(`SELECT max(id) + 1000 AS id FROM customers`);
    const counts = stage.app.app.get(DeliveryCountsService);
    const removed = {
      customerId: rows[0]?.id ?? 0,
      mediaContainerId: 1,
      embedLinkId: 0,
      playerConfigurationId: 0,
      host: '',
      device: 'other',
    } as const;
    counts.delivered(removed, { downloads: 1 });
    expect(play).not.toBe('');
    expect(await figuresOf(film)).toMatchObject([{ plays: 1 }]);
    expect(await figuresOf(gone)).toMatchObject([{ plays: 1 }]);
  });
});
