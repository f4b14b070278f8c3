import { crc32 } from 'node:zlib';

const chunkOf = (type: string, content: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const uint32 = (number: number) => Buffer.from(number.toString(16).padStart(8, '0'), 'hex');
  return Buffer.concat([uint32(content.length), named, uint32(crc32(named))]);
};
const putAt = (png: Buffer, at: number, chunk: Buffer): Buffer => Buffer.concat([png.subarray(0, at), chunk, png.subarray(at)]);

/** Puts a chunk into a PNG, behind its header (PNG, third edition, section 5.3). */
export const insertChunk = (png: Buffer, type: string, content: Buffer): Buffer => putAt(png, 33, chunkOf(type, content));
/** Puts a chunk into a PNG, before its end. */
export const appendChunk = (png: Buffer, type: string, content: Buffer): Buffer => putAt(png, png.length - 12, chunkOf(type, content));

const TENTHS = [1, 5, 10];
/** Writes the times of TENTHS into the control chunks of an APNG; ffmpeg and ImageMagick do not keep those of a GIF exactly. */
export function timePng(png: Buffer): Buffer {
  for (let at = png.indexOf('fcTL'), index = 0; at >= 0; at = png.indexOf('fcTL', at + 4), index += 1) {
    png.writeUInt16BE(TENTHS[index] ?? 0, at + 24);
    png.writeUInt16BE(10, at + 26);
    png.writeUInt32BE(crc32(png.subarray(at, at + 30)), at + 30);
  }
  return png;
}
/** Writes the times of TENTHS and three plays into the chunks of a WebP. */
export function timeWebp(webp: Buffer): Buffer {
  for (let at = webp.indexOf('ANMF'), index = 0; at >= 0; at = webp.indexOf('ANMF', at + 4), index += 1)
    webp.writeUIntLE(100 * (TENTHS[index] ?? 0), at + 20, 3);
  webp.writeUInt16LE(3, webp.indexOf('ANIM') + 12);
  return webp;
}
/** Marks the first page of a TIFF of ImageMagick as a reduced one. */
export function markReduced(tiff: Buffer): Buffer {
  const first = tiff.readUInt32LE(4);
  for (let at = first + 2; at < first + 2 + 12 * tiff.readUInt16LE(first); at += 12) {
    if (tiff.readUInt16LE(at) === 254) tiff.writeUInt32LE(1, at + 8);
  }
  return tiff;
}
