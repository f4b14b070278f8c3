import type { Range } from '../../../../shared/http/index.js';
import {
  centralHeaderBytes,
  descriptorBytes,
  END_BYTES,
  encodeCentralHeader,
  encodeDescriptor,
  encodeEnd,
  encodeLocalHeader,
  localHeaderBytes,
  type ZipEntry,
} from './zip-records.js';

/** Headers that are encoded together: some 64 KiB. */
const HEADERS_TOGETHER = 500;

/** A file of an archive, with the object that has its content. */
export interface ArchivedFile<Content> extends ZipEntry {
  readonly content: Content;
}

/** A part of an archive: bytes of one of its files, or records, which are encoded when they are sent. */
export type ArchivePart<Content> = ({ readonly file: ArchivedFile<Content> } & Range) | { encode(): Buffer };

/** The layout of a ZIP64 file without compression: where everything is, before anything is read. */
export class ZipLayout<Content> {
  private readonly files: ArchivedFile<Content>[] = [];
  /** The end of the last file, where the central directory begins. */
  private end = 0;
  private directoryBytes = 0;

  get count(): number {
    return this.files.length;
  }

  /** The size of the archive in bytes. */
  get size(): number {
    return this.end + this.directoryBytes + END_BYTES;
  }

  /** Whether all checksums were known, so that any range can be sent. */
  get isComplete(): boolean {
    return this.files.every(({ hasDescriptor }) => !hasDescriptor);
  }

  add(file: Pick<ArchivedFile<Content>, 'name' | 'size' | 'crc32' | 'modifiedAt' | 'content'>): void {
    const entry = { ...file, hasDescriptor: file.crc32 === null, offset: this.end };
    this.files.push(entry);
    this.end += localHeaderBytes(entry) + entry.size + descriptorBytes(entry);
    this.directoryBytes += centralHeaderBytes(entry);
  }

  /** The parts that contain the bytes from `start` to `end`, cut to them. */
  *parts({ start, end }: Range): Generator<ArchivePart<Content>> {
    let at = 0;
    for (const [length, part] of this.all()) {
      const from = Math.max(0, start - at);
      const to = Math.min(length, end + 1 - at);
      at += length;
      if (from < to) yield cut(part, from, to);
      if (at > end) return;
    }
  }

  /** All parts with their lengths. */
  private *all(): Generator<[number, ArchivePart<Content>]> {
    for (const file of this.files) {
      yield [localHeaderBytes(file), { encode: () => encodeLocalHeader(file) }];
      yield [file.size, { file, start: 0, end: file.size - 1 }];
      yield [descriptorBytes(file), { encode: () => encodeDescriptor(file) }];
    }
    for (let first = 0; first < this.files.length; first += HEADERS_TOGETHER) {
      const together = this.files.slice(first, first + HEADERS_TOGETHER);
      const bytes = together.reduce((sum, file) => sum + centralHeaderBytes(file), 0);
      yield [bytes, { encode: () => Buffer.concat(together.map(encodeCentralHeader)) }];
    }
    const { count: entries, end: offset, directoryBytes: bytes } = this;
    yield [END_BYTES, { encode: () => encodeEnd({ entries, offset, bytes }) }];
  }
}

/** The bytes of a part from `from` to before `to`. */
function cut<Content>(part: ArchivePart<Content>, from: number, to: number): ArchivePart<Content> {
  return 'file' in part ? { file: part.file, start: from, end: to - 1 } : { encode: () => part.encode().subarray(from, to) };
}
