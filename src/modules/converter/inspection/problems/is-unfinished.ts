import type { FileBytes } from './file-bytes.js';

const HEAD_BYTES = 1_024;
/** Boxes of the longest films in fragments of a second. */
const MAX_BOXES = 200_000;

/** How the end of a file type is found. */
interface FileEnd {
  /** Whether a file with these first bytes is of the type. */
  readonly begins: (head: Buffer) => boolean;
  readonly isMissing: (file: FileBytes, head: Buffer) => Promise<boolean> | boolean;
}

const startsWith = (bytes: string) => (head: Buffer) => head.toString('latin1', 0, bytes.length) === bytes;
const boxTypes = new Set(['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'jP  ']);

/**
 * Whether the end of a picture, film, sound or PDF is missing, by what its own header and structure say; false also for a type whose files do not state
 * where they end. Parts of a large file may be zeros, because they were not fetched: where they begin, nothing more is known.
 */
export async function isUnfinished(file: FileBytes): Promise<boolean> {
  const head = await file.read(0, HEAD_BYTES);
  const end = ENDS.find(({ begins }) => begins(head));
  return end ? await end.isMissing(file, head) : false;
}

/** Segments, and entropy-coded data without markers, up to the marker EOI (ITU-T T.81 annex B). */
async function isJpegCut(file: FileBytes): Promise<boolean> {
  for (let position = 2; ; ) {
    const marker = await findMarker(file, position);
    if (marker === null) return true;
    if (marker.code === 0xd9) return false;
    position = marker.end;
    if (marker.code === 0xd8) continue; // a second picture without a header of its own
    const length = await file.read(position, 2);
    if (length.length < 2 || position + length.readUInt16BE(0) > file.size) return true;
    position += length.readUInt16BE(0);
  }
}

/** The next marker other than stuffed bytes and restarts; `end`: the position behind it. */
async function findMarker(file: FileBytes, start: number): Promise<{ code: number; end: number } | null> {
  for (let position = start; ; ) {
    const piece = await file.readPiece(position);
    if (piece.length === 0) return null;
    const at = piece.indexOf(0xff);
    if (at === -1) position += piece.length;
    else {
      const [code] = await file.read(position + at + 1, 1);
      if (code === undefined) return null;
      position += at + (code === 0xff ? 1 : 2);
      if (code !== 0xff && code > 0x01 && (code < 0xd0 || code > 0xd7)) return { code, end: position };
    }
  }
}

/** Chunks up to IEND (PNG, third edition, section 5.3). */
async function isPngCut(file: FileBytes): Promise<boolean> {
  for (let position = 8; ; ) {
    const chunk = await file.read(position, 8);
    if (chunk.length < 8) return true;
    const type = chunk.toString('latin1', 4);
    if (!/^[a-z]{4}$/i.test(type)) return false;
    position += 12 + chunk.readUInt32BE(0);
    if (position > file.size) return true;
    if (type === 'IEND') return false;
  }
}

const GIF_TRAILER = 0x3b;
const GIF_EXTENSION = 0x21;
const GIF_IMAGE = 0x2c;
const tableBytes = (flags = 0): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Blocks up to the trailer (GIF89a, section 27). */
async function isGifCut(file: FileBytes, head: Buffer): Promise<boolean> {
  for (let position = 13 + tableBytes(head[10]); ; ) {
    const [kind, ...block] = await file.read(position, 10);
    if (kind === undefined) return true;
    if (kind === GIF_TRAILER || (kind !== GIF_EXTENSION && kind !== GIF_IMAGE)) return false;
    position += kind === GIF_EXTENSION ? 2 : 11 + tableBytes(block[8]);
    for (let length: number | undefined = -1; length !== 0; position += 1 + (length ?? 0)) {
      [length] = await file.read(position, 1);
      if (length === undefined) return true;
    }
  }
}

/** The header of a RIFF file states its length; a program that cannot go back writes 0 or the largest number. */
function isRiffCut({ size }: FileBytes, head: Buffer): boolean {
  const stated = head.length < 8 ? 0 : head.readUInt32LE(4);
  return stated !== 0xff_ff_ff_ff && stated > size; // some programs count the 8 bytes of the header
}

/** A box is longer than the file, or the film has content but no index (ISO/IEC 14496-12 section 4.2). */
async function isBoxCut(file: FileBytes): Promise<boolean> {
  const types = new Set<string>();
  for (let [position, boxes] = [0, 0]; position < file.size && boxes < MAX_BOXES; boxes += 1) {
    const header = await file.read(position, 16);
    const type = header.toString('latin1', 4, 8);
    if (header.length < 8 || !/^[\x20-\x7e\xa9]{4}$/.test(type)) return false;
    const short = header.readUInt32BE(0);
    if (short === 1 && header.length < 16) return true;
    const length = short === 1 ? Number(header.readBigUInt64BE(8)) : short === 0 ? file.size - position : short;
    if (length < 8) return false;
    types.add(type);
    position += length;
    if (position > file.size) return true;
  }
  return types.has('mdat') && !types.has('moov') && !types.has('moof') && !types.has('meta');
}

const SEGMENT = Buffer.from('18538067', 'hex');

/** A Matroska file states the length of its segment, unless it was written as a stream (RFC 8794 section 6.2). */
function isMatroskaCut({ size }: FileBytes, head: Buffer): boolean {
  const at = head.indexOf(SEGMENT) + SEGMENT.length;
  const first = head[at] ?? 0;
  const bytes = Math.clz32(first) - 23; // the number of leading zeros of a byte is that of the bytes that follow
  if (at < SEGMENT.length || first === 0 || at + bytes > head.length) return false;
  const digits = [first & (0xff >> bytes), ...head.subarray(at + 1, at + bytes)];
  const isUnknown = digits.every((digit, index) => digit === (index === 0 ? 0xff >> bytes : 0xff));
  return !isUnknown && at + bytes + digits.reduce((sum, digit) => sum * 256 + digit, 0) > size;
}

const OGG = Buffer.from('OggS', 'latin1');
const MAX_OGG_PAGE = 65_307; // RFC 3533 section 6

/** The last page of an Ogg file is not whole. */
async function isOggCut(file: FileBytes): Promise<boolean> {
  const start = Math.max(0, file.size - MAX_OGG_PAGE);
  const tail = await file.read(start, MAX_OGG_PAGE);
  const page = tail.subarray(tail.lastIndexOf(OGG));
  const segments = page[26] ?? 0;
  if (!page.subarray(0, 4).equals(OGG)) return false;
  return page.length < 27 + segments + page.subarray(27, 27 + segments).reduce((sum, bytes) => sum + bytes, 0);
}

const KBIT_S: Readonly<Record<string, readonly number[]>> = {
  '1.1': [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1.2': [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1.3': [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2.1': [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2.2': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  '2.3': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const HERTZ = [44_100, 48_000, 32_000];

/** Bytes of the frame with this header (ISO/IEC 11172-3 section 2.4.2.3); 0: it is none. */
function mpegFrameBytes(header: Buffer): number {
  if (header.length < 4 || header.readUInt16BE(0) < 0xff_e0) return 0;
  const [, second = 0, third = 0] = header;
  const version = (second >> 3) & 3; // 3: 1, 2: 2, 0: 2.5
  const layer = 4 - ((second >> 1) & 3);
  const rate = KBIT_S[`${version === 3 ? 1 : 2}.${layer}`]?.[(third >> 4) - 1];
  const hertz = (HERTZ[(third >> 2) & 3] ?? 0) / (version === 3 ? 1 : version === 2 ? 2 : 4);
  if (version === 1 || rate === undefined || hertz === 0) return 0;
  const padding = (third >> 1) & 1;
  if (layer === 1) return 4 * (Math.floor((12_000 * rate) / hertz) + padding);
  return Math.floor(((layer === 3 && version !== 3 ? 72_000 : 144_000) * rate) / hertz) + padding;
}

const ID3_BYTES = 10;
/** What a sound may be shorter than its first frame states: programs count tags and that frame differently. */
const SLACK_BYTES = 4_096;

/** A sound is shorter than its first frame states, or its last frame is not whole. */
async function isMpegAudioCut(file: FileBytes, head: Buffer): Promise<boolean> {
  const tag = head.toString('latin1', 0, 3) === 'ID3' && head.length >= ID3_BYTES ? ID3_BYTES + syncSafe(head) : 0;
  if (tag > file.size) return true;
  const first = await file.read(tag, 1_024);
  const stated = statedBytes(first);
  if (stated !== null) return tag + stated > file.size + SLACK_BYTES;
  for (let position = tag; position < file.size; ) {
    const length = mpegFrameBytes(await file.read(position, 4));
    if (length === 0) return false;
    position += length;
    if (position > file.size) return true;
  }
  return false;
}

const syncSafe = (head: Buffer): number => head.subarray(6, 10).reduce((sum, bits) => sum * 128 + (bits & 0x7f), 0);

/** Bytes of the sound as its first frame states them, as LAME and ffmpeg write it; null: it does not. */
function statedBytes(frame: Buffer): number | null {
  const at = ['Xing', 'Info'].map((name) => frame.indexOf(name, 0, 'latin1')).find((found) => found !== -1);
  if (at === undefined || at + 16 > frame.length) return null;
  const flags = frame.readUInt32BE(at + 4);
  const position = at + 8 + (flags & 1 ? 4 : 0);
  return flags & 2 ? frame.readUInt32BE(position) || null : null;
}

/** PDF readers search the end of the file in its last bytes; programs append blanks to it. */
const PDF_TAIL_BYTES = 8_192;

/** A PDF without its end, or shorter than a linearized one states (ISO 32000-2 section 7.5.5 and annex F). */
async function isPdfCut(file: FileBytes, head: Buffer): Promise<boolean> {
  const stated = /\/Linearized[^>]{0,200}\/L\s+(\d{1,15})/.exec(head.toString('latin1'))?.[1];
  if (stated !== undefined && Number(stated) > file.size) return true;
  const tail = (await file.read(Math.max(0, file.size - PDF_TAIL_BYTES), PDF_TAIL_BYTES)).toString('latin1');
  return !tail.includes('%%EOF') && !tail.includes('startxref');
}

/** The directory of a TIFF is behind its end. */
const isTiffCut = ({ size }: FileBytes, head: Buffer): boolean =>
  head.length < 8 || (head[0] === 0x49 ? head.readUInt32LE(4) : head.readUInt32BE(4)) >= size;

const ENDS: readonly FileEnd[] = [
  { begins: startsWith('\xff\xd8\xff'), isMissing: isJpegCut },
  { begins: startsWith('\x89PNG\r\n\x1a\n'), isMissing: isPngCut },
  { begins: startsWith('GIF8'), isMissing: isGifCut },
  { begins: startsWith('RIFF'), isMissing: isRiffCut },
  { begins: startsWith('\x1a\x45\xdf\xa3'), isMissing: isMatroskaCut },
  { begins: startsWith('OggS'), isMissing: isOggCut },
  { begins: startsWith('II*\0'), isMissing: isTiffCut },
  { begins: startsWith('MM\0*'), isMissing: isTiffCut },
  { begins: (head) => head.includes('%PDF-'), isMissing: isPdfCut },
  { begins: (head) => boxTypes.has(head.toString('latin1', 4, 8)), isMissing: isBoxCut },
  { begins: (head) => startsWith('ID3')(head) || mpegFrameBytes(head) > 0, isMissing: isMpegAudioCut },
];
