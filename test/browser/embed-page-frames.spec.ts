import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { takePicture } from '../support/browser/chromium.js';
import { MEDIA, SHOP, stageEmbedPages, subtitled } from '../support/browser/embed-page-stage.js';
import { type Site, startSite } from '../support/browser/site.js';
import type { Embed } from '../support/delivery/embeds.js';

const stage = stageEmbedPages();

describe('in a frame of another site', () => {
  let shop: Site;
  let stranger: Site;

  beforeAll(async () => {
    const framing = (url: URL) => {
      const sandbox = url.searchParams.has('sandbox') ? 'sandbox="allow-scripts"' : '';
      return { html: `<h1>Shop</h1><iframe width="640" height="420" ${sandbox} src="${url.searchParams.get('frame')}"></iframe>` };
    };
    [shop, stranger] = await Promise.all([startSite('127.0.0.1', framing), startSite('127.0.0.1', framing)]);
  });
  afterAll(async () => await Promise.all([shop?.close(), stranger?.close()]));

  const shopOrigin = () => shop.origin.replace('127.0.0.1', SHOP);
  const frameAt = async (origin: string, { link }: Embed, more = '') => {
    const url = `${stage.app.url}/v5/deliverEmbed/${link}`;
    await stage.visit(`${origin}/?frame=${encodeURIComponent(url)}${more}`);
    const frame = stage.page.frames().find((one) => one.url().startsWith(url));
    if (!frame) throw new Error('There is no frame.');
    return frame;
  };
  const forTheShop = { configuration: { securitySettings: { authOnly: false, matchReferer: [SHOP] } } };

  it('plays on any site without a rule', async () => {
    const frame = await frameAt(stranger.origin, await stage.embed());
    await stage.play(frame);
    expect(stage.complaints).toEqual([]);
  });

  it('plays, with subtitles, on the site that the rule names', async () => {
    const media = await stage.embed(
      stage.film({ ...subtitled({}), configuration: { ...forTheShop.configuration, settings: { subtitle: { behaviour: 3 } } } }),
    );
    const frame = await frameAt(shopOrigin(), media);
    await stage.play(frame);
    await stage.until(`${MEDIA}.textTracks[0].cues?.length > 0`, frame);
    await stage.choose('closed captions', 'Deutsch', frame);
    await stage.until(`${MEDIA}.textTracks[1].cues?.length > 0`, frame);
    expect(stage.complaints).toEqual([]);
    await takePicture(stage.page, 'embed in a frame');
  });

  it('is refused, in words, on any other', async () => {
    const frame = await frameAt(stranger.origin, await stage.embed({ ...stage.film(), ...forTheShop }));
    await frame.getByText('This can be seen only on the websites that its owner has chosen.').waitFor();
    await takePicture(stage.page, 'embed refused in a frame');
  });

  it('plays in a sandbox, too', async () => {
    const frame = await frameAt(shopOrigin(), await stage.embed({ ...stage.film(), ...forTheShop }), '&sandbox');
    await stage.play(frame);
  });
});
