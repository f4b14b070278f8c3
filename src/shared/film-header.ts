/** The size of a film's picture in pixels as players show it: upright, and with its pixel shape applied. */
export interface FilmSize {
  readonly width: number;
  readonly height: number;
}

/** Browsers show no larger pictures; a header with a larger one is damaged. */
const MAX_SIDE = 65_535;

/** Reads the size of a film from its first bytes: MP4, QuickTime, WebM and Matroska. Null: they do not say it. */
export function readFilmHeader(head: Buffer): FilmSize | null {
  const found = head.readUInt32BE(0) === EBML ? matroskaSize(head) : mp4Size(head);
  if (!found || !(found.width > 0 && found.height > 0) || Math.max(found.width, found.height) > MAX_SIDE) return null;
  return { width: Math.round(found.width), height: Math.round(found.height) };
}

/** A box or element: its name and content. Of one that is cut off by the end of the head, the content is what is there. */
type Part<Name> = readonly [name: Name, content: Buffer];

/** The boxes of an MP4 file, one after the other (ISO/IEC 14496-12 section 4.2). */
function* boxesOf(bytes: Buffer): Generator<Part<string>> {
  for (let at = 0; at + 8 <= bytes.length; ) {
    const short = bytes.readUInt32BE(at);
    const isLarge = short === 1 && at + 16 <= bytes.length;
    const size = isLarge ? Number(bytes.readBigUInt64BE(at + 8)) : short;
    const header = isLarge ? 16 : 8;
    if (size < header) return;
    yield [bytes.toString('latin1', at + 4, at + 8), bytes.subarray(at + header, at + size)];
    at += size;
  }
}

/** Makes pixels square as players do: one side of the stored picture is enlarged, none is reduced. */
function enlarge(shown: FilmSize, stored: FilmSize): FilmSize {
  const factor = Math.max(stored.width / shown.width, stored.height / shown.height);
  return { width: shown.width * factor, height: shown.height * factor };
}

const findBox = (bytes: Buffer, ...[name, ...rest]: string[]): Buffer | null => {
  for (const [type, content] of boxesOf(bytes)) if (type === name) return rest.length > 0 ? findBox(content, ...rest) : content;
  return null;
};

/** The first picture track: its track header (`tkhd`, section 8.3.2) has the size as shown, before the rotation of its matrix. */
function mp4Size(head: Buffer): FilmSize | null {
  const movie = findBox(head, 'moov');
  for (const [type, track] of movie ? boxesOf(movie) : []) {
    if (type !== 'trak' || findBox(track, 'mdia', 'hdlr')?.toString('latin1', 8, 12) !== 'vide') continue;
    const header = findBox(track, 'tkhd');
    const matrix = header?.[0] === 1 ? 52 : 40;
    if (!header || header.length < matrix + 44) return null;
    const shown = { width: header.readUInt32BE(matrix + 36) / 65_536, height: header.readUInt32BE(matrix + 40) / 65_536 };
    const { width, height } = enlarge(shown, storedSize(track) ?? shown);
    const isTurned = header.readInt32BE(matrix) === 0 && header.readInt32BE(matrix + 16) === 0;
    return isTurned ? { width: height, height: width } : { width, height };
  }
  return null;
}

/** The size of the stored picture, in the first sample description of a track (section 12.1.3.2); null: it is cut off. */
function storedSize(track: Buffer): FilmSize | null {
  const descriptions = findBox(track, 'mdia', 'minf', 'stbl', 'stsd');
  if (!descriptions || descriptions.length < 44) return null;
  const [width, height] = [descriptions.readUInt16BE(40), descriptions.readUInt16BE(42)];
  return width > 0 && height > 0 ? { width, height } : null;
}

/** Names of elements of Matroska (RFC 9559 section 5.1). */
const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const TRACKS = 0x1654ae6b;
const TRACK_ENTRY = 0xae;
const VIDEO = 0xe0;
const PIXEL_WIDTH = 0xb0;
const PIXEL_HEIGHT = 0xba;
const DISPLAY_WIDTH = 0x54b0;
const DISPLAY_HEIGHT = 0x54ba;
const DISPLAY_UNIT = 0x54b2;
const UNKNOWN_UNIT = 4;

/** The elements of a Matroska file, one after the other (RFC 8794 section 6). */
function* elementsOf(bytes: Buffer): Generator<Part<number>> {
  for (let at = 0; at < bytes.length; ) {
    const idLength = Math.clz32(bytes[at] ?? 0) - 23;
    const first = bytes[at + idLength] ?? 0;
    const sizeLength = Math.clz32(first) - 23;
    if (idLength > 4 || sizeLength > 8 || at + idLength + sizeLength > bytes.length) return;
    let size = first & (0xff >> sizeLength);
    let isUnknown = size === 0xff >> sizeLength;
    for (let n = 1; n < sizeLength; n += 1) {
      const byte = bytes[at + idLength + n] ?? 0;
      isUnknown &&= byte === 0xff;
      size = size * 256 + byte;
    }
    const start = at + idLength + sizeLength;
    const end = isUnknown ? bytes.length : start + size;
    yield [bytes.readUIntBE(at, idLength), bytes.subarray(start, end)];
    at = end;
  }
}

const findElement = (bytes: Buffer, name: number): Buffer | null => {
  for (const [id, content] of elementsOf(bytes)) if (id === name) return content;
  return null;
};

/** The first picture track. Of its display size only the ratio counts, whose unit may also be centimetres or none (section 5.1.4.1.28). */
function matroskaSize(head: Buffer): FilmSize | null {
  const segment = findElement(head, SEGMENT);
  const tracks = segment && findElement(segment, TRACKS);
  for (const [id, track] of tracks ? elementsOf(tracks) : []) {
    const video = id === TRACK_ENTRY ? findElement(track, VIDEO) : null;
    if (!video) continue;
    const number = (name: number): number => {
      const content = findElement(video, name);
      return content && content.length > 0 && content.length <= 6 ? content.readUIntBE(0, content.length) : 0;
    };
    const stored = { width: number(PIXEL_WIDTH), height: number(PIXEL_HEIGHT) };
    const isKnown = number(DISPLAY_UNIT) < UNKNOWN_UNIT;
    return isKnown
      ? enlarge({ width: number(DISPLAY_WIDTH) || stored.width, height: number(DISPLAY_HEIGHT) || stored.height }, stored)
      : stored;
  }
  return null;
}
