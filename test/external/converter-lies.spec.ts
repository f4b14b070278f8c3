import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { useExecutionStage } from '../support/converter/execution-stage.js';
import { run } from '../support/converter/run-invocation.js';
import { docx, docxBomb, odp, odt, pngBomb, put } from '../support/media/hostile-files.js';

const stage = useExecutionStage();
/** Hears every request that a program makes. */
let canary: Server;
let requests: string[] = [];
let remote: string;
let secret: string;
beforeAll(async () => {
  canary = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => canary.once('listening', resolve));
  remote = `http://127.0.0.1:${(canary.address() as AddressInfo).port}`;
  secret = path.join(stage.folder, 'secret.png');
  await run(stage.folder, 'convert', ['-size', '200x100', 'xc:red', `png:${secret}`]);
  put(stage.folder, 'secret.txt', 'TOPSECRET');
});
afterAll(() => void canary.close());
afterEach(() => {
  expect(stage.leftovers()).toEqual([]);
  expect(requests).toEqual([]);
  requests = [];
});

interface Lie {
  readonly type: string;
  readonly fileExtension: string;
  readonly blueprint: string;
}

const outcomeOf = async (content: string | Buffer, { blueprint, ...lie }: Lie) => {
  const placed = await stage.place({ file: put(stage.folder, 'lie', content), ...lie });
  return (await stage.run(placed, await stage.blueprint(blueprint))).outcome;
};
const VIDEO = { type: 'video', fileExtension: 'mp4', blueprint: 'h264-360p' };
const IMAGE = { type: 'image', fileExtension: 'jpg', blueprint: 'jpeg' };
const DOCUMENT = { type: 'document', fileExtension: 'docx', blueprint: 'document-pdf' };

describe('a file that is not a video', () => {
  it.each<[string, () => string | Buffer, RegExp]>([
    ['a playlist', () => `#EXTM3U\n#EXTINF:5,\nfile:///etc/passwd\n#EXTINF:5,\n${remote}/segment.ts\n#EXT-X-ENDLIST\n`, /a playlist/],
    ['a list for concat', () => `ffconcat version 1.0\nfile /etc/passwd\nfile ${remote}/a.mp4\n`, /a text/],
    [
      'a manifest of DASH',
      () => `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>${remote}/</BaseURL></MPD>`,
      /markup/,
    ],
    ['a session', () => `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 96\n`, /a text/],
    ['subtitles', () => `1\n00:00:01,000 --> 00:00:02,000\nHello\n`, /a text/],
    ['a picture', () => pngBomb(8), /a picture \(png\)/],
    ['a script', () => '#!/bin/sh\necho hello\n', /a script/],
    ['zeros', () => Buffer.alloc(100_000), /zeros/],
    ['empty', () => '', /empty/],
    ['noise', () => Buffer.from(Array.from({ length: 50_000 }, (_, n) => (n * n * 31 + n * 7) & 255)), /damaged/],
  ])('%s: is refused', async (_, content, message) => {
    for (const blueprint of ['h264-360p', 'video-poster', 'technical-metadata']) {
      const outcome = await outcomeOf(content(), { ...VIDEO, blueprint });
      expect(outcome).toMatchObject({ kind: 'failed', code: 'source_unreadable', message: expect.stringMatching(message) });
    }
  });

  it('as audio: is refused', async () => {
    const outcome = await outcomeOf(`#EXTM3U\n${remote}/a.mp3\n`, { type: 'audio', fileExtension: 'mp3', blueprint: 'mp3' });
    expect(outcome).toMatchObject({
      code: 'source_unreadable',
      message: 'The original is not a readable audio file: it is a playlist. Upload an MP3 or WAV.',
    });
  });
});

describe('a file that is not a picture', () => {
  it.each<[string, () => string]>([
    ['an SVG', () => `<svg xmlns="http://www.w3.org/2000/svg"><image href="${remote}/x.png"/><image href="file://${secret}"/></svg>`],
    ['an MVG', () => `push graphic-context\nviewbox 0 0 640 480\nimage over 0,0 0,0 '${remote}/x.png'\npop graphic-context\n`],
    ['an MSL', () => `<?xml version="1.0"?><image><read filename="${secret}"/><write filename="/tmp/x.png"/></image>`],
    ['PostScript', () => `%!PS\n(${secret}) run showpage\n`],
    ['a label of a file', () => `@${secret}`],
    ['empty', () => ''],
  ])('%s: says so', async (_, content) => {
    for (const blueprint of ['jpeg', 'png', 'webp', 'image-thumbnail']) {
      for (const fileExtension of ['jpg', 'png', 'svg', 'mvg']) {
        const outcome = await outcomeOf(content(), { type: 'image', fileExtension, blueprint });
        expect(outcome).toMatchObject({ kind: 'failed', code: 'source_unreadable' });
      }
    }
  });

  it('a bomb of 50,000 x 50,000 pixels: is refused', async () => {
    const outcome = await outcomeOf(pngBomb(50_000), { ...IMAGE, fileExtension: 'png' });
    expect(outcome).toMatchObject({
      code: 'source_unreadable',
      message: expect.stringMatching(/^The picture has 2,500 million pixels; the limit is 256 million.$/),
    });
  });

  it('a picture with another extension is converted by its content', async () => {
    const { rendition } = await stage.make({ file: secret, type: 'image', fileExtension: 'jpg' }, await stage.blueprint('jpeg'));
    expect(rendition.facts).toMatchObject({ width: 200, height: 100 });
  });
});

describe('a file that is not a document', () => {
  it.each<[string, string, () => string | Buffer]>([
    ['HTML', 'docx', () => `<html><img src="file://${secret}"><img src="${remote}/x.png"></html>`],
    ['HTML', 'doc', () => `<html><iframe src="file://${path.dirname(secret)}/secret.txt"></html>`],
    ['HTML', 'txt', () => `<html><img src="file://${secret}"></html>`],
    ['RTF', 'docx', () => `{\\rtf1 x {\\field{\\*\\fldinst INCLUDEPICTURE "file://${secret}" \\\\d}{\\fldrslt x}}}`],
    ['flat OpenDocument', 'odt', () => `<?xml version="1.0"?><office:document/>`],
    ['a Word document', 'pdf', () => docx({})],
  ])('%s named .%s: is refused', async (_, fileExtension, content) => {
    expect(await outcomeOf(content(), { ...DOCUMENT, fileExtension })).toMatchObject({ kind: 'failed', code: 'source_unreadable' });
  });

  it('RTF is refused, because it includes other files', async () => {
    const outcome = await outcomeOf('{\\rtf1 Hello}', { ...DOCUMENT, fileExtension: 'rtf' });
    expect(outcome).toMatchObject({ kind: 'failed', code: 'transcoding_refused', message: expect.stringContaining('"rtf"') });
  });

  it.each<[string, () => Buffer]>([
    ['docx', () => docx({ pictures: [`file://${secret}`, `${remote}/docx.png`] })],
    ['odp', () => odp([`file://${secret}`, `${remote}/odp.png`])],
    ['odt', () => odt([`file://${secret}`, `file://${path.dirname(secret)}/secret.txt`, `${remote}/odt.png`])],
  ])('a .%s is shown without the files that it refers to', async (fileExtension, content) => {
    const original = { file: put(stage.folder, 'linked', content()), type: 'document', fileExtension };
    const { file } = await stage.make(original, await stage.blueprint('document-pdf'));
    expect(await run(stage.folder, 'pdftotext', [file, '-'])).toMatch(/^Harbour at dawn(?![\s\S]*TOPSECRET)/);
    expect((await run(stage.folder, 'pdfimages', ['-list', file])).trim().split('\n')).toHaveLength(2); // the head of the list
  });

  it('a bomb of hundreds of megabytes: is refused', async () => {
    expect(await outcomeOf(docxBomb(), DOCUMENT)).toMatchObject({
      code: 'source_unreadable',
      message: expect.stringMatching(/too much memory/),
    });
  });
});
