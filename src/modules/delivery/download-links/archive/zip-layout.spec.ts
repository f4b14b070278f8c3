import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { type ArchivePart, ZipLayout } from './zip-layout.js';

const GIBIBYTE = 1_073_741_824;
const AT = new Date('2026-11-27T10:20:31.500Z');

type Part = ArchivePart<Buffer>;

const layoutOf = (...contents: (string | Buffer)[]) => {
  const layout = new ZipLayout<Buffer>();
  for (const [index, content] of contents.map((one) => Buffer.from(one)).entries()) {
    layout.add({ name: `file ${index + 1}`, size: content.length, crc32: crc32(content), modifiedAt: AT, content });
  }
  return layout;
};

/** Files whose content is not there; only their sizes matter. */
const layoutOfSizes = (...sizes: number[]) => {
  const layout = new ZipLayout<Buffer>();
  for (const [index, size] of sizes.entries()) {
    layout.add({ name: `film ${index + 1}.mp4`, size, crc32: 7, modifiedAt: AT, content: Buffer.alloc(0) });
  }
  return layout;
};

const bytesOf = (part: Part): Buffer => ('file' in part ? part.file.content.subarray(part.start, part.end + 1) : part.encode());
const read = (layout: ZipLayout<Buffer>, start = 0, end = layout.size - 1): Buffer =>
  Buffer.concat([...layout.parts({ start, end })].map(bytesOf));
const lengthOf = (part: Part): number => ('file' in part ? part.end - part.start + 1 : part.encode().length);

describe('the layout of a ZIP file', () => {
  it('begins with a file, ends with a directory and the records of ZIP64, and has the size that it says', () => {
    const layout = layoutOf('hello', '', 'world');
    const zip = read(layout);
    expect(zip.length).toBe(layout.size);
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

  it('is the same bytes in whatever ranges it is read', () => {
    const whole = read(layoutOf('hello', 'a', '', 'world'));
    const place = fc.integer({ min: 0, max: whole.length - 1 });
    fc.assert(
      fc.property(place, place, (one, other) => {
        const [start, end] = [Math.min(one, other), Math.max(one, other)];
        expect(read(layoutOf('hello', 'a', '', 'world'), start, end).equals(whole.subarray(start, end + 1))).toBe(true);
      }),
    );
  });

  it('says sizes and offsets beyond 4 GiB in ZIP64 fields', () => {
    const layout = layoutOfSizes(5, 5 * GIBIBYTE, 7);
    const parts = [...layout.parts({ start: 0, end: layout.size - 1 })];
    expect(parts.map(lengthOf).reduce((sum, length) => sum + length, 0)).toBe(layout.size);
    const [large, directory] = [parts[2], parts.at(-2)].map((part) => bytesOf(part as Part)) as [Buffer, Buffer];
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

  it('finds a range inside and behind a file of 5 GiB', () => {
    const layout = layoutOfSizes(5, 5 * GIBIBYTE, 7);
    const [inside, ...none] = [...layout.parts({ start: 4 * GIBIBYTE + 1_000, end: 4 * GIBIBYTE + 1_099 })];
    expect(none).toEqual([]);
    expect(inside && 'file' in inside && [inside.file.name, inside.end - inside.start]).toEqual(['film 2.mp4', 99]);
    const header = 30 + 10 + 9;
    expect(inside && 'file' in inside && inside.start).toBe(4 * GIBIBYTE + 1_000 - (header + 5) - (header + 20));
    const rest = [...layout.parts({ start: 5 * GIBIBYTE, end: layout.size - 1 })];
    expect(rest.map((part) => ('file' in part ? part.file.name : 'records'))).toEqual([
      'film 2.mp4',
      'records',
      'film 3.mp4',
      'records',
      'records',
    ]);
    expect(rest.map(lengthOf).reduce((sum, length) => sum + length, 0)).toBe(layout.size - 5 * GIBIBYTE);
  });

  it('counts more than 65,535 files in ZIP64', () => {
    const layout = layoutOfSizes(...Array.from({ length: 70_000 }, () => 0));
    const end = bytesOf([...layout.parts({ start: layout.size - 98, end: layout.size - 1 })][0] as Part);
    expect([Number(end.readBigUInt64LE(32)), end.readUInt16LE(76 + 10)]).toEqual([70_000, 0xffff]);
  });

  it('has the size that it says also while checksums are missing, and contains them once they are filled in', () => {
    const content = Buffer.from('hello');
    const layout = new ZipLayout<Buffer>();
    layout.add({ name: 'a', size: 5, crc32: null, modifiedAt: AT, content });
    layout.add({ name: 'large', size: 5 * GIBIBYTE, crc32: null, modifiedAt: AT, content: Buffer.alloc(0) });
    expect(layout.isComplete).toBe(false);
    const parts = [...layout.parts({ start: 0, end: layout.size - 1 })];
    for (const part of parts) if ('file' in part) part.file.crc32 = 0x12345678;
    expect(parts.map(lengthOf).reduce((sum, length) => sum + length, 0)).toBe(layout.size);
    const [header, , descriptor, , , large] = parts.map(bytesOf) as Buffer[];
    expect([header?.readUInt16LE(6), header?.readUInt32LE(14), header?.readUInt32LE(18)]).toEqual([0x808, 0, 0]);
    expect([descriptor?.readUInt32LE(0), descriptor?.readUInt32LE(4), descriptor?.readUInt32LE(8)]).toEqual([0x08074b50, 0x12345678, 5]);
    expect([large?.length, Number(large?.readBigUInt64LE(8))]).toEqual([24, 5 * GIBIBYTE]);
  });
});
