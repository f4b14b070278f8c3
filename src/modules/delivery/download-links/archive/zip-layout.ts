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

/** A file of an archive, with the object that has its content. */
export interface ArchivedFile<Content> extends ZipEntry {
  readonly content: Content;
}

/** Consecutive files of an archive. */
export interface ZipSection<Content> {
  readonly files: readonly ArchivedFile<Content>[];
  /** The byte behind its last file. */
  readonly filesEnd: number;
  /** The byte behind its headers in the directory, from the beginning of the directory. */
  readonly headersEnd: number;
}

/** What is known of an archive without its files. */
export interface ZipTotals {
  /** The number of files. */
  readonly files: number;
  /** Where the directory begins, which is the end of the last file. */
  readonly directoryAt: number;
  /** Bytes. */
  readonly directoryBytes: number;
}

/** The size of an archive in bytes. */
export const sizeOf = ({ directoryAt, directoryBytes }: Omit<ZipTotals, 'files'>): number => directoryAt + directoryBytes + END_BYTES;

/** The sections of an archive, as they are kept. */
export interface ZipSections<Content> {
  /** The sections with the files of the bytes from `start` to `end`, in their order. */
  withFiles(range: Range): AsyncIterable<ZipSection<Content>>;
  /** The sections with the headers of the bytes from `start` to `end` of the directory, in their order. */
  withHeaders(range: Range): AsyncIterable<ZipSection<Content>>;
}

/** Lays out a ZIP64 file without compression: where everything is, before anything is read. */
export class ZipLayout<Content> {
  private added: ArchivedFile<Content>[] = [];
  private count = 0;
  /** The end of the last file, where the directory begins. */
  private end = 0;
  private directoryBytes = 0;
  /** Whether all checksums are known, so that any range can be sent. */
  isComplete = true;

  get totals(): ZipTotals {
    return { files: this.count, directoryAt: this.end, directoryBytes: this.directoryBytes };
  }

  add(file: Pick<ArchivedFile<Content>, 'name' | 'size' | 'crc32' | 'modifiedAt' | 'content'>): void {
    const entry = { ...file, hasDescriptor: file.crc32 === null, offset: this.end };
    this.added.push(entry);
    this.count += 1;
    this.isComplete &&= !entry.hasDescriptor;
    this.end += localHeaderBytes(entry) + entry.size + descriptorBytes(entry);
    this.directoryBytes += centralHeaderBytes(entry);
  }

  /** The section of the files since the last one. */
  takeSection(): ZipSection<Content> {
    const files = this.added;
    this.added = [];
    return { files, filesEnd: this.end, headersEnd: this.directoryBytes };
  }
}

/** A part of an archive: bytes of one of its files, or records, which are encoded when they are sent; `file` begins with these. */
export type ArchivePart<Content> = ({ readonly file: ArchivedFile<Content> } & Range) | Records<Content>;

interface Records<Content> {
  readonly beginOf?: ArchivedFile<Content>;
  encode(): Buffer;
}

/** What is read of an archive. */
interface Reading<Content> {
  readonly totals: ZipTotals;
  readonly sections: ZipSections<Content>;
  /** The checksums that were computed while files were sent, by the offsets of the files. */
  readonly computed: ReadonlyMap<number, number>;
}

/** The parts of an archive that contain the bytes from `start` to `end`, cut to them. */
export async function* archiveParts<Content>(
  { totals, sections, computed }: Reading<Content>,
  { start, end }: Range,
): AsyncGenerator<ArchivePart<Content>, void> {
  const { files, directoryAt, directoryBytes } = totals;
  const known = (file: ArchivedFile<Content>) => ({ ...file, crc32: file.crc32 ?? computed.get(file.offset) ?? null });
  if (start < directoryAt) {
    for await (const section of sections.withFiles({ start, end: Math.min(end, directoryAt - 1) })) {
      for (const file of section.files) yield* within({ start, end }, file.offset, partsOf(file, known));
    }
  }
  const headers = { start: Math.max(0, start - directoryAt), end: Math.min(end - directoryAt, directoryBytes - 1) };
  if (headers.start <= headers.end) {
    for await (const section of sections.withHeaders(headers)) {
      const bytes = section.files.reduce((sum, file) => sum + centralHeaderBytes(file), 0);
      const encode = () => Buffer.concat(section.files.map((file) => encodeCentralHeader(known(file))));
      yield* within({ start, end }, directoryAt + section.headersEnd - bytes, [[bytes, { encode }]]);
    }
  }
  const encode = () => encodeEnd({ entries: files, offset: directoryAt, bytes: directoryBytes });
  yield* within({ start, end }, directoryAt + directoryBytes, [[END_BYTES, { encode }]]);
}

/** A part and its length. */
type Sized<Content> = readonly [number, ArchivePart<Content>];

function partsOf<Content>(file: ArchivedFile<Content>, known: (file: ArchivedFile<Content>) => ZipEntry): Sized<Content>[] {
  return [
    [localHeaderBytes(file), { beginOf: file, encode: () => encodeLocalHeader(file) }],
    [file.size, { file, start: 0, end: file.size - 1 }],
    [descriptorBytes(file), { encode: () => encodeDescriptor(known(file)) }],
  ];
}

/** Cuts parts, the first of which begins at `offset`, to a range. */
function* within<Content>(range: Range, offset: number, parts: readonly Sized<Content>[]): Generator<ArchivePart<Content>, void> {
  let at = offset;
  for (const [length, part] of parts) {
    const from = Math.max(0, range.start - at);
    const to = Math.min(length, range.end + 1 - at);
    at += length;
    if (from < to) yield cut(part, from, to);
  }
}

/** The bytes of a part from `from` to before `to`. */
function cut<Content>(part: ArchivePart<Content>, from: number, to: number): ArchivePart<Content> {
  if ('file' in part) return { file: part.file, start: from, end: to - 1 };
  return { ...(part.beginOf && from === 0 && { beginOf: part.beginOf }), encode: () => part.encode().subarray(from, to) };
}
