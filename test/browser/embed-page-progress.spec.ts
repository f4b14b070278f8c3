import { beforeAll, describe, expect, it } from '@jest/globals';
import { takePicture } from '../support/browser/chromium.js';
import { MEDIA, SECONDS, SHOP, stageEmbedPages } from '../support/browser/embed-page-stage.js';
import { type Site, startSite } from '../support/browser/site.js';
import { aPdf, aPicture } from '../support/browser/small-media.js';
import { addRendition } from '../support/converter/renditions.js';
import { aTranscoding } from '../support/converter/shown-transcoding.js';
import type { NewEmbed } from '../support/delivery/embeds.js';
import { aFormat } from '../support/delivery/player-configurations.js';
import { retryInCi } from '../support/retries.js';

retryInCi('Films are played while they are made, each within the time that Chromium needs to decode on the processor alone.');

const stage = stageEmbedPages();
let poster: Buffer;

beforeAll(async () => {
  poster = await aPicture(stage.browser, { width: 640, height: 360, colour: '#a8521c' });
});

const looks = [
  ['375 light', { viewport: { width: 375, height: 667 }, colorScheme: 'light' }],
  ['375 dark', { viewport: { width: 375, height: 667 }, colorScheme: 'dark' }],
  ['1280 light', { viewport: { width: 1280, height: 720 }, colorScheme: 'light' }],
  ['1280 dark', { viewport: { width: 1280, height: 720 }, colorScheme: 'dark' }],
] as const;

/** A film of which only the original is there, in a preview and a format that are to come. */
async function anAwaitedFilm(more: Partial<NewEmbed> = {}) {
  const of = (usage: 'preview' | 'transcoding') =>
    aFormat(stage.app, stage.publisher.user, { usage, settings: { mediaTypes: ['video'], filetype: 'webm' } });
  const [preview, full] = [await of('preview'), await of('transcoding')];
  const formats = [full, preview].map(({ id: formatId }) => ({ formatId }));
  const embed = await stage.embed({ ...stage.film(), renditions: {}, ...more, configuration: { formats, ...more.configuration } });
  const { containerId } = embed;
  const file = { containerId, fileName: 'evening', fileExtension: 'webm', duration: SECONDS };
  return {
    ...embed,
    preview: async (progress: number) => await aTranscoding(stage.app, { containerId, formatId: preview.id, progress }),
    full: async (progress: number) => await aTranscoding(stage.app, { containerId, formatId: full.id, progress }),
    addPreview: async () => await addRendition(stage.app, { ...file, formatId: preview.id, content: stage.small, width: 320, height: 180 }),
    addFull: async () => await addRendition(stage.app, { ...file, formatId: full.id, content: stage.large, width: 640, height: 360 }),
  };
}

const percent = async () => (await stage.page.locator('.percent').textContent()) ?? '';
const hint = (text: string) => stage.page.locator('.words', { hasText: text });
const failed = () => stage.page.locator('.message', { hasText: 'This video could not be prepared.' });

describe('a film that is being made', () => {
  it('shows its progress, and plays the preview as soon as it exists', async () => {
    const film = await anAwaitedFilm();
    const job = await film.preview(42);
    await stage.show(film);
    const bar = stage.page.getByRole('progressbar', { name: 'This video is being prepared…' });
    expect([await bar.getAttribute('value'), await percent()]).toEqual(['42', '42\u00a0%']);
    await job.advance(80);
    await stage.page.locator('.percent', { hasText: '80' }).waitFor();
    expect(await bar.getAttribute('value')).toBe('80');
    expect(await stage.page.locator('[role=status]').textContent()).toBe('80 percent');
    await film.addPreview();
    await job.succeed();
    await stage.play();
    expect(await stage.state()).toMatchObject({ videoWidth: 320, error: null });
    expect(stage.complaints).toEqual([]);
  });

  it('polls when the page is visible again, and not while it is hidden', async () => {
    const film = await anAwaitedFilm();
    const job = await film.preview(10);
    await stage.open();
    await stage.page.clock.install();
    let asked = 0;
    stage.page.on('request', (request) => {
      if (new URL(request.url()).pathname.endsWith('/progress')) asked += 1;
    });
    await stage.page.goto(stage.urlOf(film));
    await stage.page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })`);
    await stage.page.clock.fastForward(60_000);
    expect(asked).toBe(0);
    await job.advance(20);
    await stage.page.evaluate(`delete document.hidden, document.dispatchEvent(new Event('visibilitychange'))`);
    await stage.page.getByText('20\u00a0%').waitFor();
    expect(asked).toBe(1);
  });

  it('shows that the conversion failed', async () => {
    const film = await anAwaitedFilm();
    const job = await film.preview(30);
    await stage.show(film);
    await stage.page.getByRole('progressbar').waitFor();
    await job.fail();
    await failed().waitFor();
    expect(await stage.page.getByRole('progressbar').count()).toBe(0);
    expect(stage.complaints).toEqual([]);
  });

  it('shows its progress without scripts too', async () => {
    const film = await anAwaitedFilm();
    await film.preview(42);
    await stage.show(film, { javaScriptEnabled: false });
    await stage.page.getByText('This video is being prepared…').waitFor();
    expect(await percent()).toBe('42\u00a0%');
  });

  it('stops when the viewer may no longer see it', async () => {
    const film = await anAwaitedFilm();
    await film.preview(42);
    await stage.show(film);
    await stage.page.getByRole('progressbar').waitFor();
    await stage.publisher.send(`mediacontainer/${film.containerId}`, 'DELETE');
    await stage.page.getByText('This link is no longer available.').waitFor();
  });

  it('plays in a frame of the permitted site when it is ready', async () => {
    const film = await anAwaitedFilm({ configuration: { securitySettings: { authOnly: false, matchReferer: [SHOP] } } });
    const job = await film.preview(42);
    const shop: Site = await startSite('127.0.0.1', () => ({
      html: `<iframe width="640" height="420" src="${stage.urlOf(film)}"></iframe>`,
    }));
    await stage.visit(shop.origin.replace('127.0.0.1', SHOP));
    const frame = stage.page.frames().find((one) => one.url().startsWith(stage.urlOf(film)));
    await frame?.getByRole('progressbar').waitFor();
    await film.addPreview();
    await job.succeed();
    await stage.play(frame);
    expect(stage.complaints).toEqual([]);
    await shop.close();
  });
});

describe('a preview that plays', () => {
  it('continues while better quality is made, and the viewer switches without losing the position', async () => {
    const film = await anAwaitedFilm();
    await film.addPreview();
    const job = await film.full(10);
    await stage.show(film);
    await stage.play();
    await hint('Better quality is being prepared…').waitFor();
    await job.advance(55);
    await stage.page.getByText('55\u00a0%').waitFor();
    await film.addFull();
    await job.succeed();
    await hint('Better quality is ready.').waitFor();
    expect((await stage.state()).videoWidth).toBe(320);
    await stage.page.evaluate(`Object.assign(${MEDIA}, { loop: true, currentTime: 2, playbackRate: 0.5 })`);
    await stage.until(`${MEDIA}.currentTime > 2.1`);
    await stage.page.getByRole('button', { name: 'Switch now' }).click();
    await stage.until(`${MEDIA}.videoWidth === 640 && ${MEDIA}.currentTime > 2.1`);
    expect(await stage.state()).toMatchObject({ paused: false, playbackRate: 0.5 });
    expect(await stage.page.locator('#hint').count()).toBe(0);
    expect(stage.complaints).toEqual([]);
  });

  it('continues when the better quality failed, and the page shows the reason', async () => {
    const film = await anAwaitedFilm();
    await film.addPreview();
    const job = await film.full(10);
    await stage.show(film);
    await stage.play();
    await job.fail();
    await stage.page.getByText('Better quality could not be prepared. A program could not convert the original file.').first().waitFor();
    expect((await stage.state()).error).toBeNull();
    await stage.page.reload();
    await stage.page.getByText('This is only a preview: the video could not be prepared.').waitFor();
  });
});

describe('a document', () => {
  it('shows its first page until the PDF is ready', async () => {
    const of = (filetype: string, usage: 'preview' | 'transcoding') =>
      aFormat(stage.app, stage.publisher.user, { usage, settings: { mediaTypes: ['document'], filetype } });
    const [pdf, first] = [await of('pdf', 'transcoding'), await of('png', 'preview')];
    const formats = [pdf, first].map(({ id: formatId }) => ({ formatId }));
    const original = { fileName: 'Programme.docx', content: 'x' };
    const embed = await stage.embed({ type: 'document', original, configuration: { formats, templateId: 1 } });
    const { containerId } = embed;
    const file = { containerId, type: 'document', fileName: 'Programme' };
    await addRendition(stage.app, { ...file, formatId: first.id, fileExtension: 'png', content: poster, width: 640, height: 360 });
    const job = await aTranscoding(stage.app, { containerId, formatId: pdf.id, progress: 42 });
    await stage.show(embed);
    await hint('The document is being prepared…').waitFor();
    await takePicture(stage.page, 'progress document');
    await addRendition(stage.app, { ...file, formatId: pdf.id, fileExtension: 'pdf', content: aPdf('Programme') });
    await job.succeed();
    await stage.page.locator('object.document').waitFor();
    expect(stage.complaints).toEqual([]);
  });
});

describe('the looks', () => {
  it.each(looks)('are calm: %s', async (name, options) => {
    const film = await anAwaitedFilm();
    const job = await film.preview(42);
    await stage.show(film, options);
    await takePicture(stage.page, `progress ${name}`);
    await stage.page.setViewportSize({ width: options.viewport.width, height: 210 });
    await takePicture(stage.page, `progress low ${name}`);
    expect(await stage.page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
    await stage.page.setViewportSize(options.viewport);
    await job.fail();
    await failed().waitFor();
    await takePicture(stage.page, `progress failed ${name}`);
    await addRendition(stage.app, {
      ...{ containerId: film.containerId, formatId: null, fileName: 'p', fileExtension: 'png', content: poster },
    });
    await film.preview(7);
    await stage.page.reload();
    await takePicture(stage.page, `progress poster ${name}`);
    await film.addPreview();
    const full = await film.full(42);
    await stage.page.reload();
    await stage.play();
    await stage.page.evaluate(`${MEDIA}.pause()`);
    await takePicture(stage.page, `progress hint ${name}`);
    await film.addFull();
    await full.succeed();
    await hint('Better quality is ready.').waitFor();
    await takePicture(stage.page, `progress ready ${name}`);
    expect(await stage.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});
