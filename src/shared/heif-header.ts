interface Size {
  readonly width: number;
  readonly height: number;
}

/** The content of a box (ISO/IEC 14496-12 section 4.2). */
interface Box {
  readonly type: string;
  readonly content: Buffer;
}

/** Real files have a few dozen properties per image; more are not read. */
const MAX_PROPERTIES = 1_000;

/**
 * Reads the size of the main image of an HEIC or AVIF file as viewers show it, cut and rotated (ISO/IEC 23008-12 section 6.5). Null: the file has no
 * such image. Throws a RangeError if the header is longer than `head`, or damaged.
 */
export function readHeifSize(head: Buffer): (Size & { readonly orientation: 1 }) | null {
  const meta = find(boxesOf(head, 0), 'meta');
  const boxes = meta && boxesOf(meta, 4);
  const main = boxes && find(boxes, 'pitm');
  const properties = boxes && find(boxes, 'iprp');
  if (!main || !properties) return null;
  const parts = boxesOf(properties, 0);
  const [shared, links] = [find(parts, 'ipco'), find(parts, 'ipma')];
  if (!shared || !links) return null;
  const all = boxesOf(shared, 0);
  const id = main[0] === 0 ? main.readUInt16BE(4) : main.readUInt32BE(4);
  const size = propertiesOf(links, id).reduce((known: Size | null, index) => apply(known, all[index - 1]), null);
  return size && { ...size, orientation: 1 };
}

/** The boxes from an offset to the end; a box that is cut off is left out. */
function boxesOf(bytes: Buffer, start: number): readonly Box[] {
  const boxes: Box[] = [];
  for (let at = start; at + 8 <= bytes.length && boxes.length < MAX_PROPERTIES; ) {
    const size = bytes.readUInt32BE(at);
    if (size < 8 || at + size > bytes.length) break;
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), content: bytes.subarray(at + 8, at + size) });
    at += size;
  }
  return boxes;
}

const find = (boxes: readonly Box[], type: string): Buffer | undefined => boxes.find((box) => box.type === type)?.content;

/** The properties of an image in their order, as numbers from 1 (ISO/IEC 23008-12 section 9.3.1). */
function propertiesOf(links: Buffer, id: number): readonly number[] {
  const idBytes = links.readUInt8(0) === 0 ? 2 : 4;
  const isWide = (links.readUInt8(3) & 1) === 1;
  const images = Math.min(links.readUInt32BE(4), MAX_PROPERTIES);
  for (let image = 0, at = 8; image < images; image += 1) {
    const own = links.readUIntBE(at, idBytes);
    const count = links.readUInt8(at + idBytes);
    const first = at + idBytes + 1;
    const read = (index: number) => (isWide ? links.readUInt16BE(first + 2 * index) & 0x7fff : links.readUInt8(first + index) & 0x7f);
    if (own === id) return Array.from({ length: count }, (_, index) => read(index));
    at = first + count * (isWide ? 2 : 1);
  }
  return [];
}

/** The size after a property: `ispe` states it, `clap` cuts, `irot` rotates by 90 degrees anticlockwise times its value. */
function apply(size: Size | null, property: Box | undefined): Size | null {
  const { type = '', content = Buffer.alloc(0) } = property ?? {};
  if (type === 'ispe') return { width: content.readUInt32BE(4), height: content.readUInt32BE(8) };
  if (size === null) return null;
  if (type === 'clap') {
    const part = (at: number) => Math.round(content.readUInt32BE(at) / content.readUInt32BE(at + 4));
    return { width: Math.min(size.width, part(0)), height: Math.min(size.height, part(8)) };
  }
  const isTurned = type === 'irot' && (content.readUInt8(0) & 1) === 1;
  return isTurned ? { width: size.height, height: size.width } : size;
}
