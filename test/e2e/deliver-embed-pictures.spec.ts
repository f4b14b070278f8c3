import { describe, expect, it } from '@jest/globals';
import { aFilm, stageDeliverEmbed } from '../support/delivery/deliver-embed-stage.js';
import { uploadMedia } from '../support/media/media.js';

const stage = stageDeliverEmbed();
const { embed, get, json } = stage;

describe('the preview image', () => {
  const poster = { fileName: 'poster', fileExtension: 'jpg', content: 'a poster', format: { usage: 'preview' as const } };

  it('is a preview that was made of the media, from our own address', async () => {
    const { link } = await embed({ ...aFilm, renditions: { ...aFilm.renditions, poster }, delivers: ['720p'] });
    const { previewImage } = (await json(link)).body;
    expect(previewImage).toBe(`${stage.app.url}/v5/deliverEmbed/${link}/preview`);
    const { status, headers } = await get(previewImage ?? '');
    expect(status).toBe(302);
    expect(await (await fetch(headers.get('location') ?? '')).text()).toBe('a poster');
  });

  it('is for an image the image itself', async () => {
    const { link } = await embed({ type: 'image', original: { fileName: 'portrait.jpg', content: 'a portrait' } });
    const { headers } = await get((await json(link)).body.previewImage ?? '');
    expect(await (await fetch(headers.get('location') ?? '')).text()).toBe('a portrait');
  });

  it('is not an image that players may not use', async () => {
    const picture = { fileName: 'p', fileExtension: 'jpg' };
    const secret = { ...picture, content: 'secret', format: { settings: { mediaTypes: ['image' as const], useInPlayer: false } } };
    const web = { ...picture, content: 'for the web' };
    const { link } = await embed({ type: 'image', original: { fileName: 'p.jpg', content: 'x' }, renditions: { secret, web } });
    const { headers } = await get((await json(link)).body.previewImage ?? '');
    expect(await (await fetch(headers.get('location') ?? '')).text()).toBe('for the web');
  });

  it.each([
    [{ enabled: true }, '/fixedPreviewImages/mov.png'],
    [{ enabled: true, preferredFileExtensions: ['.MP4'] }, '/fixedPreviewImages/mov.png'],
    [{ enabled: true, preferredFileExtensions: ['pdf'] }, null],
    [{ enabled: false }, null],
  ])('is the one for the kind of the original with %j: %s', async (fixedPreviewImage, expected) => {
    const { link } = await embed({ ...aFilm, configuration: { settings: { fixedPreviewImage } } });
    expect((await json(link)).body.previewImage).toBe(expected && `https://cdn.example.org/media${expected}`);
  });

  it('is a default one for types without their own', async () => {
    const original = { fileName: 'film.xyz', content: 'x' };
    const { link } = await embed({ ...aFilm, original, configuration: { settings: { fixedPreviewImage: { enabled: true } } } });
    expect((await json(link)).body.previewImage).toBe('https://cdn.example.org/media/fixedPreviewImages/default.png');
    expect((await get('/fixedPreviewImages/default.png')).headers.get('content-type')).toBe('image/png');
  });

  it('is the image in the configuration, as long as it is available', async () => {
    const picture = await uploadMedia(stage.app, stage.publisher.token, { content: 'the fixed one' });
    const fixedPreviewImage = { enabled: true, mediaContainerId: picture.id };
    const { link } = await embed({ ...aFilm, configuration: { settings: { fixedPreviewImage } } });
    const { headers } = await get((await json(link)).body.previewImage ?? '');
    expect(await (await fetch(headers.get('location') ?? '')).text()).toBe('the fixed one');
    await stage.publisher.send(`mediacontainer/${picture.id}`, 'DELETE');
    expect((await json(link)).body.previewImage).toBe('https://cdn.example.org/media/fixedPreviewImages/mov.png');
  });

  it('is missing if none exists', async () => {
    const { link } = await embed();
    expect((await get(`/v5/deliverEmbed/${link}/preview`)).status).toBe(404);
  });
});
