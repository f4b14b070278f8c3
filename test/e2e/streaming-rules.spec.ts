import { describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { TokenStatesService } from '../../src/modules/access/index.js';
import { DeliveryStatesService } from '../../src/modules/delivery/gate/delivery-states.service.js';
import { Database } from '../../src/shared/database/index.js';
import { capturedLog } from '../support/captured-log.js';
import { recordStatements } from '../support/database/recorded-statements.js';
import { stageDeliverEmbed } from '../support/delivery/deliver-embed-stage.js';
import type { Embed, NewEmbed } from '../support/delivery/embeds.js';
import { eventually } from '../support/eventually.js';
import { aLadder, aRung, follow, refusalOf, request } from '../support/media/streaming.js';
import { tokenOf } from '../support/media/uploads.js';

const PAGE = { origin: 'https://shop.example.org', referer: 'https://shop.example.org/' };
const ONE_PLAY = { bandwidthControl: [{ cidr: '127.0.0.0/8', type: 'parallel', limit: 1 }] };

const { log, lines } = capturedLog();
const stage = stageDeliverEmbed({ log });

const ladder = async (more: Partial<NewEmbed> = {}) => await stage.embed({ ...aLadder, ...more });
const ruled = async (securitySettings: object, more: Partial<NewEmbed> = {}) =>
  await ladder({ ...more, configuration: { securitySettings: { authOnly: false, ...securitySettings } } });
const masterUrl = ({ link }: Embed, query = '') => new URL(`/v5/deliverEmbed/${link}/master.m3u8${query}`, stage.app.url);
const database = () => stage.app.app.get(Database);

/** The sentence for the viewer. */
const sentenceOf = async (url: URL) => ((await (await request(url)).json()) as { detail?: string }).detail;

/** Why this viewer does not get the first rendition, as the owner is told. */
const explain = async ({ configuration, formatIds }: Embed) => {
  const viewer = { ip: '127.0.0.1', formatId: formatIds['Streaming 720p'] };
  type Explanation = { allowed: boolean; rule: string | null; code: string | null };
  const { body } = await stage.publisher.send<Explanation>(`playerconfiguration/${configuration.id}/explain`, 'POST', viewer);
  return body.allowed ? 'allowed' : `${body.rule} ${body.code}`;
};

describe('a running film', () => {
  it('that a page may show goes on by its admission, until the page may not show it any more', async () => {
    const film = await ruled({ matchReferer: ['shop.example.org', 'www.example.org'] });
    expect(await refusalOf(masterUrl(film))).toBe('403 matchReferer referer_not_allowed');
    const { segment, parsed } = await follow(masterUrl(film), PAGE);
    expect(parsed.playlists?.[0]?.uri).toMatch(/^media\/\d+\.m3u8\?admission=/);
    expect((await request(segment)).status).toBe(302);
    const { id, formats } = film.configuration;
    await stage.publisher.update(id, { formats, securitySettings: { authOnly: false, matchReferer: ['www.example.org'] } });
    expect(await refusalOf(segment)).toBe('403 matchReferer referer_not_allowed');
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

  it.each(changes)('stops at the next segment when %s, with a sentence, and explain names the rule', async (_, change, expected) => {
    const film = await ladder();
    const { segment, first } = await follow(masterUrl(film));
    expect((await request(segment)).status).toBe(302);
    expect(await explain(film)).toBe('allowed');
    await change(film);
    expect(await refusalOf(segment)).toBe(expected);
    expect(await refusalOf(first)).toBe(expected);
    expect(await sentenceOf(segment)).toMatch(/^[A-Z].{10,}\.$/);
    const isByRule = expected.startsWith('403 ');
    expect(await explain(film)).toBe(isByRule ? expected.slice(4) : 'allowed');
  });

  it('stops when the access token of the viewer is revoked', async () => {
    const film = await ruled({ auth: { enabled: true } });
    const token = await tokenOf(stage.app, stage.publisher.user);
    expect(await refusalOf(masterUrl(film))).toBe('403 auth auth_required');
    const { segment, parsed } = await follow(masterUrl(film), { authorization: `Bearer ${token}` });
    expect((await request(segment)).status).toBe(302);
    const auth = new URL(parsed.playlists?.[0]?.uri ?? '', masterUrl(film)).searchParams.get('auth') ?? '';
    expect(Buffer.from(auth, 'base64url').toString()).toMatch(/^:token\.[\w-]+$/); // sealed: it opens nothing but this film
    expect(await refusalOf(masterUrl(await ruled({ auth: { enabled: true } }), `?auth=${auth}`))).toBe('403 auth auth_required');
    expect(await refusalOf(masterUrl(film, `?auth=${Buffer.from(`:${token}`).toString('base64url')}`))).toBe('403 auth auth_required');
    const { jti } = decodeJwt(token);
    await stage.app.app.get(TokenStatesService).revoke(String(jti), new Date(Date.now() + 3_600_000));
    expect(await refusalOf(segment)).toBe('403 auth auth_required');
    expect(await sentenceOf(segment)).toBe('Sign in to see this.');
    expect(await explain(film)).toBe('auth auth_required');
  });

  it('has a lease where plays are limited, which each segment renews until the plays are used up', async () => {
    const [film, other] = [await ruled(ONE_PLAY), await ruled(ONE_PLAY)];
    const { segment } = await follow(masterUrl(film));
    expect((await request(segment)).status).toBe(302);
    expect((await request((await follow(masterUrl(other))).segment)).status).toBe(302); // another configuration counts its own
    expect(await explain(film)).toBe('allowed'); // the play is this viewer's
    await database().query(`UPDATE playback_leases SET viewer = '127.0.0.9'`);
    expect(await refusalOf(segment)).toBe('429 bandwidthControl parallel_limit_reached');
    expect(await sentenceOf(segment)).toBe('Too many people in your network are watching at the same time. Try again later.');
    expect(await explain(film)).toBe('bandwidthControl parallel_limit_reached');
  });

  it('comes through the service where the bandwidth is limited', async () => {
    const film = await ruled({ bandwidthControl: [{ cidr: '127.0.0.0/8', type: 'bandwidth', limit: 8_000_000 }] });
    const { segment } = await follow(masterUrl(film));
    const response = await request(segment, { range: 'bytes=800-2799', ...PAGE });
    expect([response.status, response.headers.get('content-range'), response.headers.get('access-control-allow-origin')]).toEqual([
      206,
      expect.stringMatching(/^bytes 800-2799\//),
      '*',
    ]);
    const expected = aLadder.renditions?.['Streaming 720p']?.content as Buffer;
    expect(Buffer.from(await response.arrayBuffer()).equals(expected.subarray(800, 2_800))).toBe(true);
  });

  it('costs four statements a segment, which simultaneous viewers share', async () => {
    const film = await ruled({ matchReferer: ['shop.example.org'] });
    const { segment } = await follow(masterUrl(film), PAGE);
    await request(segment);
    expect(await recordStatements(async () => await request(segment))).toHaveLength(4);
    const states = stage.app.app.get(DeliveryStatesService);
    const viewers = async () => await Promise.all(Array.from({ length: 1_000 }, async () => await states.find(film.link)));
    expect(await recordStatements(viewers)).toHaveLength(4);
  });
});

describe('the log', () => {
  it.each([
    ['short film, whose addresses carry tokens in the query', 3],
    ['long film, whose addresses carry them in the path', 1_000],
  ])('contains no token of the viewers of a %s', async (_, segments) => {
    const renditions = { Film: aRung({ height: 1_080, segments }) };
    const films = [
      await ruled({ matchReferer: ['shop.example.org'] }, { renditions }),
      await ruled({ auth: { enabled: true } }, { renditions }),
    ];
    const secrets = [stage.publisher.token];
    for (const film of films) {
      const { first, segment } = await follow(masterUrl(film), { ...PAGE, authorization: `Bearer ${stage.publisher.token}` });
      expect((await request(segment)).status).toBe(302);
      const [, token = ''] = /(?:admission|auth)=([^;&/?]{40,})/.exec(first.href) ?? [];
      expect(first.pathname.includes(token)).toBe(segments > 3);
      expect((await request(new URL(segment.href.replace(token, `${token.slice(0, -8)}forged00`)))).status).toBe(403);
      secrets.push(token.slice(0, -8));
    }
    const logged = ({ link, mediaIds }: Embed) =>
      lines.filter(({ msg, path }) => msg === 'request' && path === `/v5/deliverEmbed/${link.slice(0, 8)}…/media/${mediaIds.Film}.mp4`);
    for (const film of films) await eventually(() => logged(film).length === 2);
    const text = JSON.stringify(lines);
    for (const secret of secrets) expect([secret.length > 30, text.includes(secret)]).toEqual([true, false]);
  });
});
