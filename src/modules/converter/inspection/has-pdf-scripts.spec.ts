import { deflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startCpuTimer } from '../../../../test/support/cpu-timer.js';
import { hasPdfScripts } from './has-pdf-scripts.js';

const page = '3 0 obj << /Type /Page /Parent 2 0 R >> endobj\n';
const document = (...objects: (string | Buffer)[]): Buffer =>
  Buffer.concat(['%PDF-1.7\n', page, ...objects, 'trailer << /Root 1 0 R >>\n%%EOF\n'].map((part) => Buffer.from(part)));
const stream = (dictionary: string, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`9 0 obj << ${dictionary} >>\nstream\r\n`), data, Buffer.from('\nendstream endobj\n')]);
const objects = (content: string, dictionary = '/Filter /FlateDecode'): Buffer =>
  stream(`/Type /ObjStm /N 1 /First 4 ${dictionary}`, deflateSync(content));

async function* pieces(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}
const scan = async (content: Buffer, size = 65_536): Promise<boolean> => await hasPdfScripts(pieces(content, size));

/** Of the pieces in which it arrives, at most 5,000. */
const aSize = ({ length }: Buffer) => fc.integer({ min: Math.ceil(length / 5_000), max: length });

const ACTION = '<< /S /JavaScript /JS (app.alert(1)) >>';

describe('a PDF', () => {
  it.each<[string, Buffer]>([
    ['that runs a script when it is opened', document(`1 0 obj << /OpenAction ${ACTION} >> endobj\n`)],
    ['whose names are written by numbers', document('1 0 obj << /OpenAction << /S /J#61vaScript /#4aS (x) >> >> endobj\n')],
    ['with a script among its compressed objects', document(objects(`1 0 ${ACTION}`))],
    ['with a form of scripts', document('1 0 obj << /AcroForm << /XFA 4 0 R >> >> endobj\n')],
    ['whose compressed objects cannot be read', document(stream('/Type /ObjStm /Filter /FlateDecode', Buffer.from('encrypted')))],
    ['whose objects are compressed in an unusual way', document(objects('1 0 << >>', '/Filter [/ASCIIHexDecode /FlateDecode]'))],
    ['with an action behind what looks like a stream', document(`% >> stream\n1 0 obj << /OpenAction ${ACTION} >> endobj\n`)],
    ['with a script behind a picture', document(stream('/Subtype /Image', Buffer.alloc(200_000, 7)), `1 0 obj ${ACTION} endobj\n`)],
  ])('%s is found, however it arrives', async (_, content) => {
    await fc.assert(
      fc.asyncProperty(aSize(content), async (size) => expect(await scan(content, size)).toBe(true)),
      { numRuns: 30 },
    );
  });

  it.each<[string, (size: number) => Buffer]>([
    [
      'with blanks in its dictionaries',
      (size) => Buffer.concat(Array.from({ length: 125 * size }, () => stream(`/Filter${' '.repeat(3_900)}`, Buffer.from('x')))),
    ],
    ['with streams that have no end', (size) => Buffer.from('1 0 obj <<>> stream\n'.repeat(25_000 * size))],
    [
      'with objects that inflate to a thousand times their size',
      (size) => document(...Array.from({ length: size }, () => objects(' '.repeat(10_000_000)))),
    ],
    ['with escaped names', (size) => Buffer.from('#4a#5'.repeat(100_000 * size))],
  ])('%s is searched in linear time', async (_, content) => {
    const timeOf = async (size: number) => {
      const bytes = content(size);
      const elapsed = startCpuTimer();
      await scan(bytes);
      return elapsed();
    };
    const fastestOf = async (size: number) => Math.min(await timeOf(size), await timeOf(size), await timeOf(size));
    // Sixteen times the size takes 16 times as long, and 256 times as long if the search were quadratic.
    expect(await fastestOf(16)).toBeLessThan(128 * Math.max(20, await fastestOf(1)));
  });

  it('that inflates to more than 128 MiB, or has a longer dictionary than any writer makes, counts as scripted', async () => {
    expect(await scan(document(...Array.from({ length: 5 }, () => objects(' '.repeat(30_000_000)))))).toBe(true);
    expect(await scan(document(stream(`/X (${'y'.repeat(5_000)})`, Buffer.from('x'))))).toBe(true);
  });

  it.each<[string, Buffer]>([
    ['with pages alone', document()],
    ['with compressed objects', document(objects('1 0 << /Type /Catalog /Pages 2 0 R >>'))],
    ['with a picture that happens to have such bytes', document(stream('/Subtype /Image', Buffer.from('\x00/JS (x)\x01')))],
    ['with a font of a like name', document('5 0 obj << /F /JSTenzo /JSX 1 >> endobj\n')],
  ])('%s has no scripts', async (_, content) => {
    await fc.assert(
      fc.asyncProperty(aSize(content), async (size) => expect(await scan(content, size)).toBe(false)),
      { numRuns: 30 },
    );
  });
});
