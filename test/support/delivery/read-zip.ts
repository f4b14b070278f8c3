/** A file in a ZIP file, as its central directory describes it. */
export interface ZippedFile {
  readonly name: string;
  readonly crc32: number;
  readonly content: Buffer;
}

const END_BYTES = 22;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;

/** Reads a ZIP file below 4 GiB without compression, in the order of its central directory. */
export function readZip(zip: Buffer): ZippedFile[] {
  const end = zip.subarray(-END_BYTES);
  const files: ZippedFile[] = [];
  let at = end.readUInt32LE(16);
  for (let left = end.readUInt16LE(10); left > 0; left -= 1) {
    const [crc32, size, nameBytes, extraBytes] = [
      zip.readUInt32LE(at + 16),
      zip.readUInt32LE(at + 24),
      zip.readUInt16LE(at + 28),
      zip.readUInt16LE(at + 30),
    ];
    const header = zip.readUInt32LE(at + 42);
    const start = header + LOCAL_BYTES + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
    const name = zip.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes).toString();
    files.push({ name, crc32, content: zip.subarray(start, start + size) });
    at += CENTRAL_BYTES + nameBytes + extraBytes;
  }
  return files;
}
