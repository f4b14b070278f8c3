import { beforeAll, describe, expect, it } from '@jest/globals';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { anEmbed, type Embed, type NewEmbed } from '../support/delivery/embeds.js';
import { aPublisher, type Publisher } from '../support/delivery/player-configurations.js';
import { aPng } from '../support/media/media.js';

const { app } = useTestAppWithStorage();
let publisher: Publisher;

beforeAll(async () => {
  publisher = await aPublisher(app);
});

const film: NewEmbed = {
  type: 'video',
  original: { fileName: 'interview.mov', content: 'x' },
  renditions: { '720p': { fileName: 'interview', fileExtension: 'mp4', content: 'x', width: 1280, height: 720 } },
};
const embed = async (configuration: Record<string, unknown> = {}, more: Partial<NewEmbed> = {}): Promise<Embed> =>
  await anEmbed(app, publisher, { ...film, configuration, ...more });
const pageOf = ({ link }: Embed, origin = app.url) => `${origin}/v5/deliverEmbed/${link}`;
const secured = (securitySettings: object) => ({ securitySettings: { authOnly: false, ...securitySettings } });

async function ask(url: string, query: Record<string, string> = {}) {
  const response = await fetch(`${app.url}/v5/oembed?${new URLSearchParams({ url, ...query })}`);
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown> & { html: string },
  };
}

describe('oEmbed', () => {
  it('describes a film that is as wide as its place', async () => {
    const media = await embed({ settings: { providerName: 'Ada Media', providerUrl: 'ada.example.org' } });
    const { status, headers, body } = await ask(pageOf(media));
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      version: '1.0',
      type: 'video',
      title: 'interview',
      provider_name: 'Ada Media',
      provider_url: 'https://ada.example.org/',
      width: 640,
      height: 360,
      html:
        `<iframe src="${pageOf(media)}" title="interview" style="border:0;width:100%;aspect-ratio:1.7778" allow="autoplay; fullscreen; ` +
        'picture-in-picture" allowfullscreen loading="lazy" referrerpolicy="strict-origin-when-cross-origin"></iframe>',
    });
  });

  it('is found from the page', async () => {
    const html = await (await fetch(pageOf(await embed()), { headers: { accept: 'text/html' } })).text();
    const href = /<link rel="alternate" type="application\/json\+oembed" href="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(await (await fetch(href)).json()).toMatchObject({ type: 'video', title: 'interview' });
  });

  it('keeps to the size that the consumer allows', async () => {
    const responsive = pageOf(await embed());
    expect((await ask(responsive, { maxwidth: '320' })).body).toMatchObject({ width: 320, height: 180 });
    expect((await ask(responsive, { maxwidth: '320' })).body.html).toContain('max-width:320px');
    expect((await ask(responsive, { maxheight: '90' })).body).toMatchObject({ width: 160, height: 90 });
    const fixed = pageOf(await embed({ width: 800, height: 400 }));
    expect((await ask(fixed)).body.html).toContain('width="800" height="400"');
    expect((await ask(fixed, { maxwidth: '400' })).body).toMatchObject({ width: 400, height: 200 });
    expect((await ask(fixed, { maxwidth: '400' })).body.html).toContain('width="400" height="200"');
  });

  it('describes an uploaded picture in its shape from its success on', async () => {
    const media = await embed({}, { type: 'image', original: { fileName: 'garden.png', content: aPng(1_600, 900) }, renditions: {} });
    expect((await ask(pageOf(media))).body).toMatchObject({ type: 'photo', width: 1600, height: 900 });
  });

  it('describes an image of known size as a photo, in the largest format that fits', async () => {
    const picture = { fileName: 'p', fileExtension: 'jpg', content: 'x' };
    const media = await embed(
      {},
      {
        type: 'image',
        original: { fileName: 'p.jpg', content: 'x' },
        renditions: { small: { ...picture, width: 400, height: 300 }, large: { ...picture, width: 1600, height: 1200 } },
      },
    );
    const url = (name: string) => `${app.url}/v5/deliverFile/${media.link}?formatId=${media.formatIds[name]}`;
    expect((await ask(pageOf(media))).body).toMatchObject({ type: 'photo', url: url('large'), width: 1600, height: 1200 });
    expect((await ask(pageOf(media), { maxwidth: '800' })).body).toMatchObject({
      type: 'photo',
      url: url('small'),
      width: 400,
      height: 300,
    });
    expect((await ask(pageOf(media), { maxwidth: '100' })).body).toMatchObject({ type: 'rich', width: 100 });
    expect((await ask(pageOf(media))).body.thumbnail_url).toBe(`${app.url}/v5/deliverEmbed/${media.link}/preview`);
  });

  it('describes an image in a box of the configured size as rich', async () => {
    const original = { fileName: 'p.jpg', content: 'x' };
    const renditions = { small: { fileName: 'p', fileExtension: 'jpg', content: 'x', width: 400, height: 300 } };
    const media = await embed({ width: 300, height: 200 }, { type: 'image', original, renditions });
    expect((await ask(pageOf(media))).body).toMatchObject({ type: 'rich', width: 300, height: 200 });
  });

  it('describes sound and documents as rich, with their thumbnail', async () => {
    const settings = { fixedPreviewImage: { enabled: true } };
    const sound = await embed({ settings }, { type: 'audio', original: { fileName: 'a.mp3', content: 'x' }, renditions: {} });
    expect((await ask(pageOf(sound))).body).toMatchObject({
      type: 'rich',
      height: 140,
      thumbnail_url: `${app.url}/fixedPreviewImages/mp3.png`,
      thumbnail_width: 640,
      thumbnail_height: 360,
    });
    const paper = await embed({}, { type: 'document', original: { fileName: 'a.pdf', content: 'x' }, renditions: {} });
    expect((await ask(pageOf(paper))).body.type).toBe('rich');
  });

  it('writes names as text', async () => {
    const media = await embed();
    await publisher.send(`mediacontainer/${media.containerId}`, 'PUT', { name: '"><script>' });
    expect((await ask(pageOf(media))).body).toMatchObject({
      title: '"><script>',
      html: expect.stringContaining('title="&quot;&gt;&lt;script&gt;"'),
    });
  });

  it('recognises the URL on the host of the configuration', async () => {
    const media = await embed(secured({ url: { cname: 'media.example.net' } }));
    const own = pageOf(media, 'https://media.example.net');
    expect((await ask(own)).body.html).toContain(`src="${own}"`);
    expect((await ask(pageOf(media))).body.html).toContain(`src="${pageOf(media, 'http://media.example.net')}"`);
    expect((await ask(pageOf(media, 'https://other.example'))).status).toBe(404);
  });

  it('does not need to be the page that the link is for', async () => {
    expect((await ask(pageOf(await embed(secured({ matchReferer: ['shop.example.org'] }))))).status).toBe(200);
  });

  it.each([
    { auth: { enabled: true } },
    { extAuth: { enabled: true, allowedAccessKeys: ['key'] } },
    { ipWhiteList: [{ cidr: '203.0.113.0/24', type: 'ipv4' }] },
  ])('does not describe a link with %j', async (rule) => {
    const { status, body } = await ask(pageOf(await embed(secured(rule))));
    expect([status, body.code]).toEqual([401, 'oembed_private']);
    expect(JSON.stringify(body)).not.toContain('interview');
  });

  it('does not find other URLs', async () => {
    const { link } = await embed();
    for (const url of [
      `${app.url}/v5/deliverEmbed/b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11`,
      `${app.url}/v5/deliverFile/${link}`,
      `https://elsewhere.example/v5/deliverEmbed/${link}`,
      `ftp://localhost/v5/deliverEmbed/${link}`,
      'nonsense',
    ]) {
      expect((await ask(url)).status).toBe(404);
    }
  });

  it('is not there any more when the link is not', async () => {
    const media = await embed();
    await publisher.send(`mediacontainer/${media.containerId}`, 'DELETE');
    expect((await ask(pageOf(media))).status).toBe(410);
  });

  it('speaks JSON only, and wants a url', async () => {
    const url = pageOf(await embed());
    expect((await ask(url, { format: 'json' })).status).toBe(200);
    expect((await ask(url, { format: 'xml' })).status).toBe(501);
    const withoutUrl = await fetch(`${app.url}/v5/oembed`);
    expect([withoutUrl.status, await withoutUrl.json()]).toMatchObject([400, { detail: 'The input is not valid. url is required.' }]);
    expect((await ask(url, { maxwidth: '0' })).status).toBe(400);
  });
});
