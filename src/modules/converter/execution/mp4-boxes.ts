/** A file that is read in pieces, so that memory use does not depend on its size. */
export interface ByteSource {
  readonly size: number;
  /** Returns exactly these bytes, which the caller has checked to be within the file. */
  read(position: number, length: number): Promise<Buffer>;
}

/** A box of an MP4 file (ISO/IEC 14496-12 section 4.2): its type, and where its content begins and ends. */
export interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** The file does not have the structure that it should have; the message is the end of a sentence. */
export class MalformedFile extends Error {
  override readonly name = 'MalformedFile';
}

const HEADER_BYTES = 8;
const LARGE_HEADER_BYTES = 16;

/** The box whose header is at the beginning of `head`, which was read from `position`; it ends at `end` at the latest. */
function boxAt(head: Buffer, position: number, end: number): Box {
  if (head.length < HEADER_BYTES) throw new MalformedFile('it ends within a box');
  const short = head.readUInt32BE(0);
  const isLarge = short === 1;
  if (isLarge && head.length < LARGE_HEADER_BYTES) throw new MalformedFile('it ends within a box');
  const size = isLarge ? Number(head.readBigUInt64BE(HEADER_BYTES)) : short;
  const header = isLarge ? LARGE_HEADER_BYTES : HEADER_BYTES;
  if (size < header || size > end - position) throw new MalformedFile('a box is longer than what it is in');
  return { type: head.toString('latin1', 4, HEADER_BYTES), start: position + header, end: position + size };
}

/** The boxes of a file, one after the other; only their headers are read. */
export async function* boxesOfFile(source: ByteSource): AsyncGenerator<Box> {
  for (let position = 0; position < source.size; ) {
    const head = await source.read(position, Math.min(LARGE_HEADER_BYTES, source.size - position));
    const box = boxAt(head, position, source.size);
    yield box;
    position = box.end;
  }
}

/** Reads the content of a box of a file. Throws MalformedFile if it is longer than `limit` bytes. */
export async function contentOf(source: ByteSource, { type, start, end }: Box, limit: number): Promise<Fields> {
  if (end - start > limit) throw new MalformedFile(`its box ${type} is too long`);
  return new Fields(await source.read(start, end - start));
}

/** The content of a box in memory. Reading beyond its end throws MalformedFile. */
export class Fields {
  constructor(private readonly bytes: Buffer) {}

  get length(): number {
    return this.bytes.length;
  }

  /** An unsigned big-endian integer of `length` bytes. Throws MalformedFile above 2^53 - 1, which no real film needs. */
  number(offset: number, length: 1 | 2 | 3 | 4 | 8): number {
    if (offset < 0 || offset + length > this.bytes.length) throw new MalformedFile('a box is shorter than its fields');
    if (length < 8) return this.bytes.readUIntBE(offset, length);
    const value = Number(this.bytes.readBigUInt64BE(offset));
    if (!Number.isSafeInteger(value)) throw new MalformedFile('a number is too large');
    return value;
  }

  text(offset: number, length: number): string {
    if (offset + length > this.bytes.length) throw new MalformedFile('a box is shorter than its fields');
    return this.bytes.toString('latin1', offset, offset + length);
  }

  from(offset: number): Fields {
    if (offset > this.bytes.length) throw new MalformedFile('a box is shorter than its fields');
    return new Fields(this.bytes.subarray(offset));
  }

  /** The boxes from an offset to the end of the content. */
  boxes(offset = 0): readonly (readonly [type: string, content: Fields])[] {
    const found: [string, Fields][] = [];
    for (let position = offset; position < this.bytes.length; ) {
      const box = boxAt(this.bytes.subarray(position), position, this.bytes.length);
      found.push([box.type, new Fields(this.bytes.subarray(box.start, box.end))]);
      position = box.end;
    }
    return found;
  }

  all(type: string, offset = 0): readonly Fields[] {
    return this.boxes(offset).flatMap(([name, content]) => (name === type ? [content] : []));
  }

  /** The content of a box within boxes, the first of each type: `one('mdia', 'minf')`. */
  one(...path: readonly string[]): Fields {
    const [type = '', ...rest] = path;
    const [found] = this.all(type);
    if (!found) throw new MalformedFile(`it has no box ${type}`);
    return rest.length > 0 ? found.one(...rest) : found;
  }
}
