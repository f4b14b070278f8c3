import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Range } from '../../../../shared/http/index.js';
import { type ArchivePart, archiveParts, sizeOf, ZipLayout, type ZipSection, type ZipSections } from './zip-layout.js';

const GIBIBYTE = 1_073_741_824;
const AT = new Date('2026-11-27T10:20:31.500Z');

type Part = ArchivePart<Buffer>;
type NewFile = Parameters<ZipLayout<Buffer>['add']>[0];

/** An archive whose sections have two files each. */
class TestArchive implements ZipSections<Buffer> {
  readonly layout = new ZipLayout<Buffer>();
  readonly computed = new Map<number, number>();
  private readonly sections: ZipSection<Buffer>[] = [];

  constructor(files: readonly NewFile[]) {
    for (const [index, file] of files.entries()) {
      this.layout.add(file);
      if (index % 2 === 1 || index === files.length - 1) this.sections.push(this.layout.takeSection());
    }
  }

  get size(): number {
    return sizeOf(this.layout.totals);
  }

  withFiles(range: Range) {
    return this.select('filesEnd', range);
  }

  withHeaders(range: Range) {
    return this.select('headersEnd', range);
  }

  async parts(range: Range = { start: 0, end: this.size - 1 }): Promise<Part[]> {
    const parts: Part[] = [];
    for await (const part of archiveParts({ totals: this.layout.totals, sections: this, computed: this.computed }, range)) parts.push(part);
    return parts;
  }

  async read(range?: Range): Promise<Buffer> {
    return Buffer.concat((await this.parts(range)).map(bytesOf));
  }

  private async *select(end: 'filesEnd' | 'headersEnd', range: Range): AsyncGenerator<ZipSection<Buffer>> {
    let begin = 0;
    for (const section of this.sections) {
      if (begin <= range.end && section[end] > range.start) yield section;
      begin = section[end];
    }
  }
}

const archiveOf = (...contents: (string | Buffer)[]) =>
  new TestArchive(
    contents.map((one, index) => {
      const content = Buffer.from(one);
      return { name: `file ${index + 1}`, size: content.length, crc32: crc32(content), modifiedAt: AT, content };
    }),
  );
/** Files whose content is not there; only their sizes matter. */
const archiveOfSizes = (...sizes: number[]) =>
  new TestArchive(
    sizes.map((size, index) => ({ name: `film ${index + 1}.mp4`, size, crc32: 7, modifiedAt: AT, content: Buffer.alloc(0) })),
  );
const bytesOf = (part: Part): Buffer => ('file' in part ? part.file.content.subarray(part.start, part.end + 1) : part.encode());
const lengthOf = (part: Part): number => ('file' in part ? part.end - part.start + 1 : part.encode().length);
const sum = (parts: readonly Part[]) => parts.map(lengthOf).reduce((total, length) => total + length, 0);

describe('the layout of a ZIP file', () => {
  it('begins with a file, ends with a directory and the records of ZIP64, and has the size that it says', async () => {
    const archive = archiveOf('hello', '', 'world');
    const zip = await archive.read();
    expect(zip.length).toBe(archive.size);
    expect(zip.readUInt32LE(0)).toBe(0x04034b50);
    const end = zip.subarray(-22);
    expect([end.readUInt32LE(0), end.readUInt16LE(10)]).toEqual([0x06054b50, 3]);
    const directory = end.readUInt32LE(16);
    expect(zip.readUInt32LE(directory)).toBe(0x02014b50);
    expect(directory + end.readUInt32LE(12)).toBe(zip.length - 98);
    const [record, locator] = [zip.subarray(-98), zip.subarray(-42)];
    expect([record.readUInt32LE(0), locator.readUInt32LE(0)]).toEqual([0x06064b50, 0x07064b50]);
    expect(Number(locator.readBigUInt64LE(8))).toBe(zip.length - 98);
    expect([Number(record.readBigUInt64LE(32)), Number(record.readBigUInt64LE(48))]).toEqual([3, directory]);
  });

  it('is the same bytes in whatever ranges it is read', async () => {
    const archive = archiveOf('hello', 'a', '', 'world', '', '!');
    const whole = await archive.read();
    const place = fc.integer({ min: 0, max: whole.length - 1 });
    await fc.assert(
      fc.asyncProperty(place, place, async (one, other) => {
        const [start, end] = [Math.min(one, other), Math.max(one, other)];
        expect((await archive.read({ start, end })).equals(whole.subarray(start, end + 1))).toBe(true);
      }),
    );
  });

  it('says sizes and offsets beyond 4 GiB in ZIP64 fields', async () => {
    const archive = archiveOfSizes(5, 5 * GIBIBYTE, 7);
    const parts = await archive.parts();
    expect(sum(parts)).toBe(archive.size);
    const large = bytesOf(parts[2] as Part);
    const directory = Buffer.concat(parts.slice(-3, -1).map(bytesOf));
    expect([large.readUInt16LE(4), large.readUInt32LE(18), large.readUInt32LE(22)]).toEqual([45, 0xffffffff, 0xffffffff]);
    const extra = large.subarray(30 + 'film 2.mp4'.length);
    expect([extra.readUInt16LE(0), extra.readUInt16LE(2)]).toEqual([1, 16]);
    expect([Number(extra.readBigUInt64LE(4)), Number(extra.readBigUInt64LE(12))]).toEqual([5 * GIBIBYTE, 5 * GIBIBYTE]);
    const last = directory.subarray(directory.lastIndexOf('film 3.mp4') - 46); // its size fits, its offset does not
    expect([last.readUInt32LE(24), last.readUInt32LE(42)]).toEqual([7, 0xffffffff]);
    const offset = last.subarray(46 + 'film 3.mp4'.length);
    expect([offset.readUInt16LE(0), offset.readUInt16LE(2)]).toEqual([1, 8]);
    expect(Number(offset.readBigUInt64LE(4))).toBe(5 * GIBIBYTE + 5 + 2 * (30 + 10 + 9) + 20);
    const end = bytesOf(parts.at(-1) as Part);
    expect(end.readUInt32LE(76 + 16)).toBe(0xffffffff);
    expect(Number(end.readBigUInt64LE(48))).toBeGreaterThan(5 * GIBIBYTE);
  });

  it('finds a range inside and behind a file of 5 GiB', async () => {
    const archive = archiveOfSizes(5, 5 * GIBIBYTE, 7);
    const [inside, ...none] = await archive.parts({ start: 4 * GIBIBYTE + 1_000, end: 4 * GIBIBYTE + 1_099 });
    expect(none).toEqual([]);
    expect(inside && 'file' in inside && [inside.file.name, inside.end - inside.start]).toEqual(['film 2.mp4', 99]);
    const header = 30 + 10 + 9;
    expect(inside && 'file' in inside && inside.start).toBe(4 * GIBIBYTE + 1_000 - (header + 5) - (header + 20));
    const rest = await archive.parts({ start: 5 * GIBIBYTE, end: archive.size - 1 });
    expect(rest.map((part) => ('file' in part ? part.file.name : 'records'))).toEqual([
      'film 2.mp4',
      'records',
      'film 3.mp4',
      ...['records', 'records', 'records'],
    ]);
    expect(sum(rest)).toBe(archive.size - 5 * GIBIBYTE);
  });

  it('counts more than 65,535 files in ZIP64', async () => {
    const archive = archiveOfSizes(...Array.from({ length: 70_000 }, () => 0));
    const end = await archive.read({ start: archive.size - 98, end: archive.size - 1 });
    expect([Number(end.readBigUInt64LE(32)), end.readUInt16LE(76 + 10)]).toEqual([70_000, 0xffff]);
  });

  it('has the size that it says also while checksums are missing, and contains those that were computed', async () => {
    const [content, nothing] = [Buffer.from('hello'), Buffer.alloc(0)];
    const archive = new TestArchive([
      { name: 'a', size: 5, crc32: null, modifiedAt: AT, content },
      { name: 'large', size: 5 * GIBIBYTE, crc32: null, modifiedAt: AT, content: nothing },
    ]);
    expect(archive.layout.isComplete).toBe(false);
    const parts = await archive.parts();
    for (const part of parts) if ('file' in part) archive.computed.set(part.file.offset, 0x12345678);
    expect(sum(parts)).toBe(archive.size);
    const [header, , descriptor, , , large] = parts.map(bytesOf) as Buffer[];
    expect([header?.readUInt16LE(6), header?.readUInt32LE(14), header?.readUInt32LE(18)]).toEqual([0x808, 0, 0]);
    expect([descriptor?.readUInt32LE(0), descriptor?.readUInt32LE(4), descriptor?.readUInt32LE(8)]).toEqual([0x08074b50, 0x12345678, 5]);
    expect([large?.length, Number(large?.readBigUInt64LE(8))]).toEqual([24, 5 * GIBIBYTE]);
  });
});
