/** Records of a ZIP file (PKWARE APPNOTE 6.3.10). All numbers are little-endian. Files are stored without compression. */

/** A file in a ZIP file. */
export interface ZipEntry {
  /** UTF-8, without path. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Null: not known before the file has been read. A data descriptor follows the file, also when the checksum has been filled in. */
  crc32: number | null;
  readonly hasDescriptor: boolean;
  readonly modifiedAt: Date;
  /** Where its local header is, in bytes from the beginning of the archive. */
  readonly offset: number;
}

/** A field of 32 or 16 bits with this value says that the number is in a ZIP64 field (4.4.1.4). */
const IN_ZIP64 = 0xffff_ffff;
const IN_ZIP64_SHORT = 0xffff;
/** Version 1.0 for stored files, 4.5 for ZIP64 (4.4.3.2). */
const VERSION_PLAIN = 10;
const VERSION_ZIP64 = 45;
/** Made on Unix, by the newest version of the format that is used (4.4.2), so that the attributes of files are understood. */
const MADE_BY = (3 << 8) | VERSION_ZIP64;
/** A regular file that its owner may write and everyone may read. */
const ATTRIBUTES = 0o100644 * 0x1_0000;
/** General purpose flags (4.4.4): a data descriptor follows; the name is UTF-8. */
const DESCRIPTOR_FLAG = 1 << 3;
const UTF8_FLAG = 1 << 11;
/** Extra fields (4.5.2): ZIP64 sizes and offset, and the time in UTC of Info-ZIP. */
const ZIP64_EXTRA = 0x0001;
const TIME_EXTRA = 0x5455;
const TIME_EXTRA_BYTES = 9;
const MAX_INT32 = 0x7fff_ffff;

const LOCAL_HEADER_BYTES = 30;
const CENTRAL_HEADER_BYTES = 46;
/** ZIP64 end of central directory record, its locator, and the end of central directory record. */
export const END_BYTES = 56 + 20 + 22;

const isLarge = (size: number): boolean => size >= IN_ZIP64;
const isFar = (offset: number): boolean => offset >= IN_ZIP64;

export const localHeaderBytes = ({ name, size }: ZipEntry): number =>
  LOCAL_HEADER_BYTES + Buffer.byteLength(name) + TIME_EXTRA_BYTES + (isLarge(size) ? 20 : 0);

export const descriptorBytes = ({ size, hasDescriptor }: ZipEntry): number => (hasDescriptor ? (isLarge(size) ? 24 : 16) : 0);

export const centralHeaderBytes = ({ name, size, offset }: ZipEntry): number =>
  CENTRAL_HEADER_BYTES + Buffer.byteLength(name) + TIME_EXTRA_BYTES + zip64ExtraBytes(size, offset);

const zip64ExtraBytes = (size: number, offset: number): number =>
  isLarge(size) || isFar(offset) ? 4 + (isLarge(size) ? 16 : 0) + (isFar(offset) ? 8 : 0) : 0;

/** Local file header (4.3.7). With a data descriptor, checksum and sizes are 0 in it (4.4.4). */
export function encodeLocalHeader(entry: ZipEntry): Buffer {
  const { size, hasDescriptor } = entry;
  const [crc32, length] = hasDescriptor ? [0, 0] : [entry.crc32 ?? 0, size];
  const fields = new Fields(localHeaderBytes(entry)).u32(0x0403_4b50).u16(versionOf(entry));
  writeCommon(fields, entry, { crc32, length: isLarge(size) ? IN_ZIP64 : length, extraBytes: TIME_EXTRA_BYTES + (isLarge(size) ? 20 : 0) });
  fields.text(entry.name);
  if (isLarge(size)) fields.u16(ZIP64_EXTRA).u16(16).u64(length).u64(length);
  return writeTime(fields, entry).bytes;
}

/** Data descriptor (4.3.9), with sizes of 8 bytes if the local header has a ZIP64 field (4.3.9.2). */
export function encodeDescriptor(entry: ZipEntry): Buffer {
  const fields = new Fields(descriptorBytes(entry)).u32(0x0807_4b50).u32(entry.crc32 ?? 0);
  return (isLarge(entry.size) ? fields.u64(entry.size).u64(entry.size) : fields.u32(entry.size).u32(entry.size)).bytes;
}

/** Central directory header (4.3.12). Its ZIP64 field (4.5.3) contains only what does not fit in the other fields. */
export function encodeCentralHeader(entry: ZipEntry): Buffer {
  const { name, size, offset } = entry;
  const zip64Bytes = zip64ExtraBytes(size, offset);
  const fields = new Fields(centralHeaderBytes(entry)).u32(0x0201_4b50).u16(MADE_BY).u16(versionOf(entry));
  const length = Math.min(size, IN_ZIP64);
  writeCommon(fields, entry, { crc32: entry.crc32 ?? 0, length, extraBytes: TIME_EXTRA_BYTES + zip64Bytes });
  fields.u16(0).u16(0).u16(0).u32(ATTRIBUTES).u32(Math.min(offset, IN_ZIP64)).text(name); // no comment, disk 0, no text file
  if (zip64Bytes > 0) fields.u16(ZIP64_EXTRA).u16(zip64Bytes - 4);
  if (isLarge(size)) fields.u64(size).u64(size);
  if (isFar(offset)) fields.u64(offset);
  return writeTime(fields, entry).bytes;
}

/** The end of the archive (4.3.14 to 4.3.16). The last record has the true numbers where they fit, for readers that do not know ZIP64. */
export function encodeEnd({
  entries,
  offset,
  bytes,
}: {
  readonly entries: number;
  readonly offset: number;
  readonly bytes: number;
}): Buffer {
  const fields = new Fields(END_BYTES);
  fields.u32(0x0606_4b50).u64(44).u16(MADE_BY).u16(VERSION_ZIP64).u32(0).u32(0).u64(entries).u64(entries).u64(bytes).u64(offset);
  fields
    .u32(0x0706_4b50)
    .u32(0)
    .u64(offset + bytes)
    .u32(1);
  const count = Math.min(entries, IN_ZIP64_SHORT);
  fields.u32(0x0605_4b50).u16(0).u16(0).u16(count).u16(count).u32(Math.min(bytes, IN_ZIP64)).u32(Math.min(offset, IN_ZIP64)).u16(0);
  return fields.bytes;
}

const versionOf = ({ size, offset }: ZipEntry): number => (isLarge(size) || isFar(offset) ? VERSION_ZIP64 : VERSION_PLAIN);

interface Common {
  readonly crc32: number;
  readonly length: number;
  readonly extraBytes: number;
}

/** The fields that both headers have: flags, method 0 (stored), time, checksum, sizes, and the lengths of name and extra fields. */
function writeCommon(fields: Fields, { name, hasDescriptor, modifiedAt }: ZipEntry, { crc32, length, extraBytes }: Common): void {
  fields.u16(UTF8_FLAG | (hasDescriptor ? DESCRIPTOR_FLAG : 0)).u16(0);
  const { time, date } = dosTimeOf(modifiedAt);
  fields.u16(time).u16(date).u32(crc32).u32(length).u32(length).u16(Buffer.byteLength(name)).u16(extraBytes);
}

/** Extended timestamp: the time of modification in seconds since 1970. */
const writeTime = (fields: Fields, { modifiedAt }: ZipEntry): Fields =>
  fields
    .u16(TIME_EXTRA)
    .u16(5)
    .u8(1)
    .u32(Math.min(MAX_INT32, Math.max(0, Math.floor(modifiedAt.getTime() / 1_000))));

/** Date and time of MS-DOS (4.4.6) in UTC, from 1980 to 2107, with a resolution of two seconds. */
function dosTimeOf(at: Date): { time: number; date: number } {
  const year = Math.min(127, Math.max(0, at.getUTCFullYear() - 1980));
  return {
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
    date: (year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  };
}

/** Writes numbers and text one after another. */
class Fields {
  readonly bytes: Buffer;
  private at = 0;

  constructor(size: number) {
    this.bytes = Buffer.alloc(size);
  }

  u8(value: number): this {
    this.at = this.bytes.writeUInt8(value, this.at);
    return this;
  }

  u16(value: number): this {
    this.at = this.bytes.writeUInt16LE(value, this.at);
    return this;
  }

  u32(value: number): this {
    this.at = this.bytes.writeUInt32LE(value, this.at);
    return this;
  }

  u64(value: number): this {
    this.at = this.bytes.writeBigUInt64LE(BigInt(value), this.at);
    return this;
  }

  text(value: string): this {
    this.at += this.bytes.write(value, this.at);
    return this;
  }
}
