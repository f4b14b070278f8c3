import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deflateRawSync, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MediaType } from '../../../media/index.js';
import { findProblem } from './find-problem.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'media-delivery-problems-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

async function codeOf(content: Buffer, mediaType: MediaType, fileExtension = ''): Promise<string | null> {
  const name = path.join(folder, 'file');
  await writeFile(name, content);
  return (await findProblem({ name, mediaType, fileExtension }))?.code ?? null;
}

const hex = (digits: string) => Buffer.from(digits.replaceAll(' ', ''), 'hex');
const latin = (text: string) => Buffer.from(text, 'latin1');
const noise = (bytes: number) => Buffer.from(Array.from({ length: bytes }, (_, n) => (n * 151 + (n >> 3) * 7 + 5) % 255));
const uint32 = (value: number, isLittle = false) => {
  const bytes = Buffer.alloc(4);
  if (isLittle) bytes.writeUInt32LE(value);
  else bytes.writeUInt32BE(value);
  return bytes;
};
const uint16le = (value: number) => uint32(value, true).subarray(0, 2);

/** A JPEG with a thumbnail, whose own end does not count, and two scans. */
const jpeg = Buffer.concat([
  hex('ffd8 ffe1 0010 457869660000 ffd8 0102 ffd9 0000'),
  hex('ffda 0008 0101 0000 3f00'),
  Buffer.alloc(70_000, 'a0'),
  hex('ff00 ffd0 11 ffda 0008 0101 0000 3f00'),
  Buffer.alloc(100, 'b1'),
  hex('ffd9'),
]);
const chunk = (type: string, content: Buffer) => Buffer.concat([uint32(content.length), latin(type), content, uint32(0)]);
const png = Buffer.concat([
  hex('89504e470d0a1a0a'),
  chunk('IHDR', Buffer.alloc(13)),
  chunk('IDAT', deflateSync(noise(500))),
  chunk('IEND', Buffer.alloc(0)),
]);
const gif = Buffer.concat([
  latin('GIF89a'),
  hex('01000100 80 00 00 000000 ffffff 21f904 00000000 00 2c 00000000 01000100 00 02 02 4401 00'),
  hex('3b'),
]);
const box = (type: string, content: Buffer) => Buffer.concat([uint32(8 + content.length), latin(type), content]);
const film = Buffer.concat([box('ftyp', latin('isom\0\0\0\0isom')), box('mdat', noise(2_000)), box('moov', Buffer.alloc(300))]);
const riff = (kind: string) => Buffer.concat([latin('RIFF'), uint32(1_004, true), latin(kind), noise(1_000)]);
/** 128 kbit/s, 44.1 kHz: 417 bytes a frame. */
const frame = Buffer.concat([hex('fffb9000'), Buffer.alloc(413)]);
const sound = Buffer.concat([latin('ID3'), hex('0300 00 0000000a'), Buffer.alloc(10), ...Array.from({ length: 40 }, () => frame)]);
const info = Buffer.concat([frame.subarray(0, 36), latin('Info'), uint32(3), uint32(39), uint32(417 * 40)]);
const statedSound = Buffer.concat([info, Buffer.alloc(417 - info.length), ...Array.from({ length: 39 }, () => frame)]);
const matroska = Buffer.concat([hex('1a45dfa3 84 42868101 18538067 0100000000000400'), noise(1_024)]);
const pdf = latin(`%PDF-1.7\n${'1 0 obj <<>> endobj\n'.repeat(1_000)}trailer <<>>\nstartxref\n9\n%%EOF\n`);
const page = Buffer.concat([latin('OggS'), Buffer.alloc(22), hex('02 ff 10'), noise(271)]);

interface Part {
  readonly name: string;
  readonly content: Buffer;
  readonly flags?: number;
}

/** An archive whose parts are compressed. */
function zip(...parts: readonly Part[]): Buffer {
  const locals: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const { name, content, flags = 0 } of parts) {
    const packed = deflateRawSync(content);
    const facts = [
      uint16le(flags),
      uint16le(8),
      Buffer.alloc(8),
      uint32(packed.length, true),
      uint32(content.length, true),
      uint16le(name.length),
      uint16le(0),
    ];
    const local = Buffer.concat([latin('PK\x03\x04'), uint16le(20), ...facts, latin(name), packed]);
    list.push(
      Buffer.concat([latin('PK\x01\x02'), uint16le(20), uint16le(20), ...facts, Buffer.alloc(10), uint32(offset, true), latin(name)]),
    );
    locals.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(list);
  const end = [
    latin('PK\x05\x06'),
    Buffer.alloc(4),
    uint16le(parts.length),
    uint16le(parts.length),
    uint32(listed.length, true),
    uint32(offset, true),
  ];
  return Buffer.concat([...locals, listed, ...end, uint16le(0)]);
}

const docx = zip({ name: '[Content_Types].xml', content: Buffer.alloc(3_000, 'x') }, { name: 'word/document.xml', content: noise(3_000) });

/** A compound file with one sector of directory, which names these streams, and one of content. */
function compound(stream: string, content: Buffer): Buffer {
  const header = Buffer.alloc(512);
  hex('d0cf11e0a1b11ae1').copy(header);
  header.writeUInt16LE(9, 30);
  header.writeUInt32LE(1, 44);
  header.writeUInt32LE(1, 48);
  const table = Buffer.alloc(512, 0xff);
  for (const sector of [0, 1, 2]) table.writeUInt32LE(0xff_ff_ff_fe, sector * 4);
  const entry = Buffer.alloc(512);
  Buffer.from(`${stream}\0`, 'utf16le').copy(entry);
  entry.writeUInt32LE(2, 116);
  return Buffer.concat([header, table, entry, content, Buffer.alloc(512 - content.length)]);
}
const word = (flags: number) => compound('WordDocument', Buffer.concat([Buffer.alloc(10), uint16le(flags), Buffer.alloc(100)]));
const workbook = (second: number) =>
  compound('Workbook', Buffer.concat([hex('0908 0400 00060500'), uint16le(second), uint16le(2), Buffer.alloc(2)]));

const WHOLE: readonly (readonly [name: string, content: Buffer, type: MediaType, extension: string])[] = [
  ['JPEG', jpeg, 'image', ''],
  ['JPEG with bytes behind its end', Buffer.concat([jpeg, noise(300)]), 'image', ''],
  ['PNG', png, 'image', ''],
  ['GIF', gif, 'image', ''],
  ['WebP', riff('WEBP'), 'image', ''],
  ['MP4', film, 'video', ''],
  ['Matroska', matroska, 'video', ''],
  ['WAV', riff('WAVE'), 'audio', ''],
  ['MP3', sound, 'audio', ''],
  ['MP3 that states its length', statedSound, 'audio', ''],
  ['Ogg', page, 'audio', ''],
  ['PDF', pdf, 'document', 'pdf'],
  ['DOCX', docx, 'document', 'docx'],
  ['DOC', word(0), 'document', 'doc'],
];

describe('a file', () => {
  it.each(WHOLE)('that is whole has no problem: %s', async (_, content, type, extension) => {
    expect(await codeOf(content, type, extension)).toBeNull();
  });

  it.each(WHOLE)('of which the second half is missing is cut off: %s', async (_, content, type, extension) => {
    expect(await codeOf(content.subarray(0, Math.floor(content.length / 2)), type, extension)).toBe('cut_off');
  });

  it('without bytes is empty', async () => {
    expect(await codeOf(Buffer.alloc(0), 'image')).toBe('empty');
  });

  it('of another type is not what it says', async () => {
    expect(await codeOf(png, 'video', 'mp4')).toBe('wrong_type');
    expect(await codeOf(jpeg, 'audio', 'mp3')).toBe('wrong_type');
    expect(await codeOf(latin('<!doctype html><html><body>Hello'), 'image', 'jpg')).toBe('wrong_type');
    expect(await codeOf(film, 'image', 'jpg')).toBe('wrong_type');
    expect(await codeOf(jpeg, 'document', 'pdf')).toBe('wrong_type');
    expect(await codeOf(pdf, 'image', 'jpg')).toBe('wrong_type');
  });

  it('that programs take for what it says has no problem', async () => {
    expect(await codeOf(png, 'image', 'jpg')).toBeNull();
    expect(await codeOf(gif, 'video', 'gif')).toBeNull();
    expect(await codeOf(latin('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image', 'svg')).toBeNull();
    expect(await codeOf(noise(5_000), 'document', 'key')).toBeNull();
  });

  it('of random bytes is left to the programs', async () => {
    for (const type of ['image', 'video', 'audio'] as const) expect(await codeOf(noise(5_000), type)).toBeNull();
  });

  it('that needs a password is encrypted', async () => {
    const manifest = latin('<manifest:manifest><manifest:encryption-data manifest:checksum="x"/></manifest:manifest>');
    const odt = zip({ name: 'mimetype', content: noise(40) }, { name: 'META-INF/manifest.xml', content: manifest });
    expect(await codeOf(odt, 'document', 'odt')).toBe('encrypted');
    expect(await codeOf(zip({ name: 'a.txt', content: noise(40), flags: 1 }), 'document', 'zip')).toBe('encrypted');
    expect(await codeOf(compound('EncryptedPackage', noise(100)), 'document', 'docx')).toBe('encrypted');
    expect(await codeOf(word(0x01_00), 'document', 'doc')).toBe('encrypted');
    expect(await codeOf(workbook(0x2f), 'document', 'xls')).toBe('encrypted');
    expect(await codeOf(workbook(0x31), 'document', 'xls')).toBeNull();
  });

  it('is read in bounded steps, whatever its numbers say', async () => {
    const hostile = [
      Buffer.concat([hex('89504e470d0a1a0a'), Buffer.alloc(20_000, 'ABCD')]),
      Buffer.concat(Array.from({ length: 3_000 }, () => hex('0000000866747970'))),
      Buffer.concat([hex('d0cf11e0a1b11ae1'), Buffer.alloc(2_000, 0xff)]),
      Buffer.concat([latin('PK\x03\x04'), Buffer.alloc(500, 0xff), latin('PK\x05\x06'), Buffer.alloc(40, 0xff)]),
      Buffer.concat([hex('ffd8ffe0'), Buffer.alloc(100)]),
      Buffer.concat([latin('GIF89a'), Buffer.alloc(500, 0x21)]),
    ];
    for (const content of hostile)
      for (const type of ['image', 'video', 'document'] as const)
        expect([null, 'cut_off', 'wrong_type']).toContain(await codeOf(content, type, type === 'document' ? 'docx' : ''));
  });
});
