import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { useFormatJobs } from '../support/converter/format-jobs.js';
import { A_DOCUMENT, AN_IMAGE } from '../support/converter/format-requests.js';
import { run } from '../support/converter/run-invocation.js';
import { serveNothing } from '../support/storage/file-server.js';

const jobs = useFormatJobs();

/** A file that is called something else than it is. */
function disguised(name: string, content: string): string {
  const file = path.join(jobs.folder, name);
  writeFileSync(file, content);
  return file;
}

/** A document that shows pictures which it does not hold. LibreOffice goes by the content: one file of XML may be called odt. */
function linkingDocument(urls: readonly string[]): string {
  const oasis = (name: string, part: string) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${part}:1.0"`;
  const names = [oasis('office', 'office'), oasis('text', 'text'), oasis('draw', 'drawing'), oasis('svg', 'svg-compatible')];
  const frame = 'svg:width="2cm" svg:height="2cm" text:anchor-type="as-char"';
  const link = 'xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"';
  const pictures = urls.map((url) => `<draw:frame ${frame}><draw:image xlink:href="${url}" ${link}/></draw:frame>`);
  const type = 'office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"';
  const body = `<office:body><office:text><text:p>Harbour${pictures.join('')}</text:p></office:text></office:body>`;
  return `<?xml version="1.0"?><office:document ${names.join(' ')} xmlns:xlink="http://www.w3.org/1999/xlink" ${type}>${body}</office:document>`;
}

describe('files with a wrong extension', () => {
  it.each([
    ['an HLS playlist', (video: string) => `#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile://${video}\n#EXT-X-ENDLIST\n`],
    ['a list to join', (video: string) => `ffconcat version 1.0\nfile '${path.basename(video)}'\n`],
    ['a session description', () => 'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 96\n'],
    ['subtitles', () => '1\n00:00:00,000 --> 00:00:01,000\nHarbour\n'],
  ])('%s is not a video', async (_, content) => {
    const source = disguised('fake.mp4', content(jobs.media.video));
    await expect(jobs.make('h264-360p', {}, { source })).rejects.toThrow(/ffmpeg ended with 1: .*Format not on whitelist/s);
  });

  it.each([
    ['a drawing that names a file', '<svg xmlns="http://www.w3.org/2000/svg"><image href="/etc/passwd"/></svg>'],
    ['drawing commands', 'push graphic-context\nimage over 0,0 0,0 "/etc/passwd"\npop graphic-context\n'],
    ['PostScript', '%!PS-Adobe-3.0\n(/etc/passwd) (r) file\n'],
  ])('%s is not an image', async (_, content) => {
    await expect(jobs.make('jpeg', { source: AN_IMAGE }, { source: disguised('fake.jpg', content) })).rejects.toThrow(
      /run-sharp.*unsupported image format/s,
    );
  });
});

describe('a document', () => {
  it('is converted to PDF without external references: no request is sent, no other file is read', async () => {
    const server = await serveNothing();
    try {
      const document = disguised('linking.odt', linkingDocument([`${server.url}/pixel.png`, pathToFileURL(jobs.media.mark).href]));
      const pdf = await jobs.make('document-pdf', { source: { ...A_DOCUMENT, fileExtension: 'odt' } }, { source: document });
      expect(await run(jobs.folder, 'pdftotext', [pdf, '-'])).toContain('Harbour');
      expect((await run(jobs.folder, 'pdfimages', ['-list', pdf])).trim().split('\n')).toHaveLength(2);
      expect(server.asked).toEqual([]);
    } finally {
      await server.close();
    }
  });
});
