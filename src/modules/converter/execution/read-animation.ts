import type { PictureFile, ReadBytes } from '../../../shared/tiff-directories.js';
import { type ByteSource, boxesOfFile, contentOf, type Fields, MalformedFile } from './mp4-boxes.js';

/** The blocks of these files are short, so that a file is read in pieces of this many bytes. */
const PIECE_BYTES = 65_536;
/** A GIF of 250 MB has a million blocks. */
const MAX_BLOCKS = 1_000_000;
/** Real files have fewer boxes beside each other. */
const MAX_BOXES = 64;
/** The index of an animation of some hours. */
const MAX_INDEX_BYTES = 16_777_216;

/** Reads the milliseconds for which each picture of an animation is shown, by its type. */
const DELAYS: Readonly<Record<string, (read: ReadBytes) => AsyncGenerator<number>>> = { gif: gifDelays, png: pngDelays, webp: webpDelays };

/**
 * Reads how long an animation takes until it begins again, in seconds: GIF, WebP, PNG, AVIF and HEIC. Null: the picture stands still, is damaged, or of
 * another type. The rest of an animation that was cut off does not count.
 */
export async function readAnimationLength(file: PictureFile, type: string): Promise<number | null> {
  if (type === 'avif' || type === 'heic') return await readSequenceLength(file);
  const delays = DELAYS[type]?.(inPieces(file));
  if (!delays) return null;
  let [pictures, total] = [0, 0];
  for await (const delay of delays) {
    pictures += 1;
    total += shownFor(delay);
  }
  return pictures > 1 ? inSeconds(total) : null;
}

/** Null: a damaged file states less than half a microsecond. */
const inSeconds = (milliseconds: number): number | null => Number((milliseconds / 1_000).toFixed(6)) || null;

/** All browsers show a picture that states at most 10 ms for 100 ms, because such files were made for programs that were slow. */
const shownFor = (milliseconds: number): number => (milliseconds <= 10 ? 100 : milliseconds);

/** Reads short parts of a file that follow each other. */
function inPieces({ size, read }: PictureFile): ReadBytes {
  let start = 0;
  let piece: Buffer = Buffer.alloc(0);
  return async (position, length) => {
    if (position < start || position + length > start + piece.length) {
      const bytes = await read(position, Math.max(0, Math.min(PIECE_BYTES, size - position)));
      if (!bytes || bytes.length < length) return null;
      [start, piece] = [position, bytes];
    }
    return piece.subarray(position - start, position - start + length);
  };
}

/** GIF89a: a graphic control extension (section 23) says how long the image behind it (section 20) is shown, in hundredths of a second. */
async function* gifDelays(read: ReadBytes): AsyncGenerator<number> {
  const colors = (flags = 0): number => (flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0);
  let at = 13 + colors((await read(10, 1))?.[0]);
  let delay = 0;
  for (let blocks = 0; blocks < MAX_BLOCKS; blocks += 1) {
    const block = await read(at, 2);
    if (block?.[0] === 0x21) {
      if (block[1] === 0xf9) delay = 10 * ((await read(at + 4, 2))?.readUInt16LE() ?? 0);
      at += 2;
    } else if (block?.[0] === 0x2c) {
      const flags = await read(at + 9, 1);
      if (!flags) return;
      yield delay;
      delay = 0;
      at += 11 + colors(flags[0]);
    } else {
      return;
    }
    for (let length = 1; length > 0; blocks += 1) {
      const next = await read(at, 1);
      if (!next || blocks > MAX_BLOCKS) return;
      length = next[0] ?? 0;
      at += 1 + length;
    }
  }
}

/** WebP: the chunks of an animation (RFC 9649 section 2.7.1.1). */
async function* webpDelays(read: ReadBytes): AsyncGenerator<number> {
  const header = await read(12, 9);
  const isAnimated = header?.toString('latin1', 0, 4) === 'VP8X' && ((header[8] ?? 0) & 0x02) !== 0;
  let at = isAnimated ? 12 : Number.POSITIVE_INFINITY;
  for (let chunks = 0; isAnimated && chunks < MAX_BLOCKS; chunks += 1) {
    const chunk = await read(at, 8);
    if (!chunk) return;
    const [type, length] = [chunk.toString('latin1', 0, 4), chunk.readUInt32LE(4)];
    const delay = type === 'ANMF' ? await read(at + 20, 3) : null;
    if (delay) yield delay.readUIntLE(0, 3);
    at += 8 + length + (length % 2);
  }
}

/** PNG, third edition, section 11.3.6: the chunk acTL precedes the picture, and a chunk fcTL each picture of the animation. */
async function* pngDelays(read: ReadBytes): AsyncGenerator<number> {
  let isAnimated = false;
  let at = 8;
  for (let chunks = 0; chunks < MAX_BLOCKS; chunks += 1) {
    const chunk = await read(at, 8);
    const type = chunk?.toString('latin1', 4, 8);
    if (!chunk || type === 'IEND' || (type === 'IDAT' && !isAnimated)) return;
    isAnimated ||= type === 'acTL';
    const delay = type === 'fcTL' ? await read(at + 28, 4) : null;
    if (delay) yield (1_000 * delay.readUInt16BE(0)) / (delay.readUInt16BE(2) || 100);
    at += 12 + chunk.readUInt32BE(0);
  }
}

/** The length of a sequence of images (ISO/IEC 23008-12 section 7), which a file states together with its repetitions. */
async function readSequenceLength({ size, read }: PictureFile): Promise<number | null> {
  const source: ByteSource = {
    size,
    read: async (position, length) => {
      const bytes = await read(position, length);
      if (!bytes) throw new MalformedFile('it ends too early');
      return bytes;
    },
  };
  try {
    let boxes = 0;
    for await (const box of boxesOfFile(source)) {
      if (box.type === 'moov') return lengthOfTrack(await contentOf(source, box, MAX_INDEX_BYTES));
      boxes += 1;
      if (boxes > MAX_BOXES) return null;
    }
    return null;
  } catch (error) {
    if (error instanceof MalformedFile) return null;
    throw error;
  }
}

/** The length of the first track of pictures, by the times of its samples (ISO/IEC 14496-12 sections 8.4.2 and 8.6.1.2). */
function lengthOfTrack(movie: Fields): number | null {
  const media = movie.all('trak').map((track) => track.one('mdia'));
  const pictures = media.find((one) => one.one('hdlr').text(8, 4) === 'pict');
  if (!pictures) return null;
  const header = pictures.one('mdhd');
  const scale = header.number(header.number(0, 1) === 1 ? 20 : 12, 4);
  const times = pictures.one('minf', 'stbl', 'stts');
  let [samples, length] = [0, 0];
  for (let entry = 0; entry < times.number(4, 4); entry += 1) {
    const count = times.number(8 + 8 * entry, 4);
    samples += count;
    length += count * times.number(12 + 8 * entry, 4);
  }
  return samples > 1 && scale > 0 ? inSeconds((1_000 * length) / scale) : null;
}
