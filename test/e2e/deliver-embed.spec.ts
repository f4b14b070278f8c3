import { describe, expect, it } from '@jest/globals';
import { Database } from '../../src/shared/database/index.js';
import { aFilm, SRT, stageDeliverEmbed } from '../support/delivery/deliver-embed-stage.js';
import type { NewEmbed } from '../support/delivery/embeds.js';
import { rawRequest } from '../support/raw-request.js';

const stage = stageDeliverEmbed();
const { embed, get, json, page } = stage;

const REFERER = { referer: 'https://shop.example.org/page' };

describe('an embed link, for a player of your own', () => {
  it('returns all data that it needs', async () => {
    const { link, containerId, configuration, formatIds } = await embed({
      ...aFilm,
      downloadable: ['720p'],
      configuration: { width: 800, height: 450 },
    });
    const { status, headers, body } = await json(link);
    expect(status).toBe(200);
    expect(body).toEqual({
      link,
      type: 'video',
      mediaContainerId: containerId,
      playerConfigurationId: configuration.id,
      name: 'interview',
      width: 800,
      height: 450,
      previewImage: null,
      subtitle: { behaviour: 4, default: null, lang: null, tracks: [] },
      tracks: [],
      storyboard: null,
      hls: null,
      progress: null,
      failed: false,
      reason: null,
      formats: [
        {
          formatId: formatIds['720p'],
          url: `${stage.app.url}/v5/deliverFile/${link}?formatId=${formatIds['720p']}`,
          downloadable: true,
          mimeType: 'video/mp4',
          width: 1280,
          height: 720,
        },
        expect.objectContaining({ formatId: formatIds['360p'], downloadable: false, width: 640, height: 360 }),
      ],
    });
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('vary')).toContain('Accept');
  });

  it('leaves out formats that are kept from players, and those without a file', async () => {
    const { link, formatIds } = await embed({
      ...aFilm,
      renditions: {
        ...aFilm.renditions,
        secret: { fileName: 'x', fileExtension: 'mp4', content: 'x', format: { settings: { mediaTypes: ['video'], useInPlayer: false } } },
      },
    });
    expect((await json(link)).body.formats.map(({ formatId }) => formatId)).toEqual([formatIds['720p'], formatIds['360p']]);
    expect((await get(`/v5/deliverFile/${link}?formatId=${formatIds.secret}`)).status).toBe(302);
  });

  it('hands the token of another server on to its addresses', async () => {
    const { link } = await embed();
    const { body } = await json(`${link}?auth=eDp5`);
    expect(new URL(body.formats[0]?.url ?? '').searchParams.get('auth')).toBe('eDp5');
  });
});

describe('its page', () => {
  it('plays in a page, with the poster and the provider', async () => {
    const { link, formatIds } = await embed({
      ...aFilm,
      configuration: { settings: { providerName: 'Ada & Co', providerUrl: 'ada.example.org' } },
    });
    const { status, headers, text } = await page(link);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain(`<source src="/v5/deliverFile/${link}?formatId=${formatIds['720p']}&amp;play=page" type="video/mp4"`);
    expect(text).toContain('<a href="https://ada.example.org/" target="_blank" rel="noopener">Ada &amp; Co</a>');
    expect(text).toMatch(
      new RegExp(`<link rel="alternate" type="application/json\\+oembed" href="${stage.app.url}/v5/oembed\\?url=[^"]*${link}`),
    );
    expect(text).not.toMatch(/<style|\sstyle="|\son\w+=/);
  });

  it('names the account where no other provider is set, and the deprecated customer before it', async () => {
    const name = async (settings: object) =>
      /<span class="provider">(?:<a [^>]*>)?([^<]*)/.exec(
        (await page((await embed({ ...aFilm, configuration: { settings } })).link)).text,
      )?.[1];
    expect(await name({})).toMatch(/^Customer \d+$/);
    expect(await name({ customer: { name: 'Old name', url: 'old.example.org' } })).toBe('Old name');
  });

  it.each([
    [1, true],
    [77, true],
    [2, false],
  ])('of template %i has a line below the media: %s', async (templateId, hasBar) => {
    const { link } = await embed({ ...aFilm, configuration: { templateId } });
    expect((await page(link)).text.includes('class="bar"')).toBe(hasBar);
  });

  it('has a fixed box only where the configuration has a size', async () => {
    const { link } = await embed({ ...aFilm, configuration: { width: 640 } });
    expect((await page(link)).text).toContain('<svg class="box" width="640" height="360"');
    expect((await page((await embed()).link)).text).not.toContain('class="box"');
  });

  it('offers downloads only of downloadable formats', async () => {
    const { link, formatIds } = await embed({ ...aFilm, downloadable: ['360p'] });
    const { text } = await page(link);
    expect(text).toContain(`/v5/deliverFile/${link}?formatId=${formatIds['360p']}&amp;download=true`);
    expect(text).not.toContain(`formatId=${formatIds['720p']}&amp;download`);
  });

  it('shows an image in the size that fits, and a PDF', async () => {
    const picture = { fileName: 'p', fileExtension: 'jpg', content: 'x' };
    const image = await embed({
      type: 'image',
      original: { fileName: 'p.tif', content: 'x' },
      renditions: { small: { ...picture, width: 400, height: 300 }, large: { ...picture, width: 1600, height: 1200 } },
    });
    const sized = (width: number) => `/v5/deliverEmbed/${image.link}/image?width=${width}&amp;play=page`;
    const srcset = [160, 320, 480, 640, 960, 1280, 1600].map((width) => `${sized(width)} ${width}w`).join(', ');
    expect((await page(image.link)).text).toContain(`src="${sized(1280)}" srcset="${srcset}" sizes="100vw"`);
    const document = await embed({ type: 'document', original: { fileName: 'd.pdf', content: 'x' } });
    expect((await page(document.link)).text).toMatch(/<object class="document" data="\/v5\/deliverFile\/[^"]*" type="application\/pdf"/);
    const sheet = await embed({
      type: 'document',
      original: { fileName: 'd.xlsx', content: 'x' },
      delivers: ['original'],
      downloadable: ['original'],
    });
    expect((await page(sheet.link)).text).toMatch(/This document cannot be shown here. You can download it.[\s\S]*download=true/);
  });

  it('may be framed by any page, and loads only from its own origin and the storage', async () => {
    const { headers } = await page((await embed()).link);
    const policy = headers.get('content-security-policy') ?? '';
    expect(headers.get('x-frame-options')).toBeNull();
    expect(policy).not.toContain('frame-ancestors');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`media-src 'self' blob: ${stage.app.config.s3Endpoint};`); // Media Source Extensions
    expect(policy).toContain(`object-src 'self' ${stage.app.config.s3Endpoint};`);
    expect(policy).toContain(`img-src 'self' ${stage.app.config.s3Endpoint} https://cdn.example.org;`);
    expect(policy).toContain(`connect-src 'self' ${stage.app.config.s3Endpoint};`);
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/unsafe|worker-src/);
  });

  it('writes names as text', async () => {
    const { link, containerId } = await embed({ ...aFilm, configuration: { settings: { providerName: '<b>"x"</b>' } } });
    await stage.app.app.get(Database).query(`UPDATE media_containers SET name = '<script>alert(1)</script>' WHERE id = $1`, [containerId]);
    const { text } = await page(link);
    expect(text).not.toMatch(/<b>|<script>alert/);
    expect(text).toContain('&lt;b&gt;');
  });
});

describe('a rule for referers', () => {
  const protectedFilm: NewEmbed = {
    ...aFilm,
    beside: [{ fileName: 'a.de', fileExtension: 'srt', language: 'de', content: SRT }],
    configuration: { securitySettings: { authOnly: false, matchReferer: ['shop.example.org', '*.example.com'] } },
  };

  it('permits only the listed pages to frame it', async () => {
    const { link } = await embed(protectedFilm);
    const { status, headers } = await page(link, REFERER);
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toContain(
      'frame-ancestors https://shop.example.org:* http://shop.example.org:* https://*.example.com:* http://*.example.com:*',
    );
    expect((await page(link)).status).toBe(403);
    expect((await page(link, { referer: 'https://evil.example/' })).status).toBe(403);
  });

  it('permits requests of the opened page, which have the page itself as referer', async () => {
    const { link } = await embed(protectedFilm);
    const { formats, subtitle } = (await json(link, REFERER)).body;
    const urls = [formats[0]?.url ?? '', subtitle.tracks[0]?.url ?? ''];
    const ours = { referer: `${stage.app.url}/v5/deliverEmbed/${link}` };
    for (const url of urls) {
      expect((await get(url, ours)).status).toBeLessThan(400);
      expect((await get(url.replace(/admission=\d/, 'admission=9'), ours)).status).toBe(403);
      expect((await get(url.replace(/[?&]admission=[^&]*/, ''), ours)).status).toBe(403);
    }
    const lease = await fetch(`${stage.app.url}/v5/deliverEmbed/${link}/lease?${urls[0]?.split('?')[1]}`, {
      method: 'POST',
      headers: ours,
    });
    expect(lease.status).toBe(204);
    expect((await json(`${link}?${urls[0]?.split('?')[1]}`, ours)).status).toBe(403); // not the page itself
  });

  it('alone makes admissions', async () => {
    expect(JSON.stringify((await json((await embed()).link)).body)).not.toContain('admission');
  });
});

describe('a host of the configuration', () => {
  it('is used in the URLs', async () => {
    const { link } = await embed({
      ...aFilm,
      configuration: { securitySettings: { authOnly: false, url: { cname: 'media.example.net' } } },
    });
    const answer = await rawRequest(stage.app.url, {
      path: `/v5/deliverEmbed/${link}`,
      headers: { host: 'media.example.net', accept: 'application/json' },
    });
    expect(JSON.parse(answer.text).formats[0].url).toMatch(/^http:\/\/media\.example\.net\/v5\/deliverFile\//);
    expect((await json(link)).body.code).toBe('wrong_host');
  });
});

describe('a refused viewer', () => {
  const gone = async () => {
    const { link, containerId } = await embed();
    await stage.publisher.send(`mediacontainer/${containerId}`, 'DELETE');
    return link;
  };

  it('gets one sentence that fits into a frame', async () => {
    const { link } = await embed({ ...aFilm, configuration: { securitySettings: { authOnly: true, auth: { enabled: true } } } });
    const { status, headers, text } = await page(link);
    expect(status).toBe(403);
    expect(text).toContain('<h1>Sign in to see this.</h1>');
    expect(text).toContain('<code>auth_required</code>');
    expect(text).toContain('<a class="button" id="sign-in"');
    expect(headers.get('content-security-policy')).not.toContain('frame-ancestors');
    expect(headers.get('x-frame-options')).toBeNull();
    expect([(await page(await gone())).status, (await page('b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11')).status]).toEqual([410, 404]);
  });

  it('gets a problem document as a client', async () => {
    const { link } = await embed({ ...aFilm, configuration: { securitySettings: { authOnly: true, auth: { enabled: true } } } });
    const { status, headers, body } = await json(link);
    expect([status, body.code, body.rule]).toEqual([403, 'auth_required', 'auth']);
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect((await json(await gone())).body.code).toBe('link_ended');
  });
});
