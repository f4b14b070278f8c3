import { type FileHandle, open } from 'node:fs/promises';
import { detectImageType, type PictureHeader, readImageHeader } from '../../../shared/picture-header.js';
import { readRotation, readTiffSize } from '../../../shared/picture-orientation.js';
import type { PictureFile } from '../../../shared/tiff-directories.js';
import { IMAGE_FACTS, type ProbedMedia } from '../../formats/index.js';
import { readAnimationLength } from './read-animation.js';

/** The first bytes of a file, or as many as it has. */
export async function readHead(name: string, bytes = 4_096): Promise<Buffer> {
  const file = await open(name);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** ffmpeg's names of codecs and demuxers, by the type of an image. */
export const IMAGE_CODECS: ReadonlyMap<string, { readonly codec: string; readonly demuxer: string }> = new Map([
  ['jpg', { codec: 'mjpeg', demuxer: 'jpeg_pipe' }],
  ['png', { codec: 'png', demuxer: 'png_pipe' }],
  ['webp', { codec: 'webp', demuxer: 'webp_pipe' }],
  ['avif', { codec: 'av1', demuxer: 'mov' }],
  ['heic', { codec: 'hevc', demuxer: 'mov' }],
  ['gif', { codec: 'gif', demuxer: 'gif' }],
  ['tif', { codec: 'tiff', demuxer: 'tiff_pipe' }],
  ['bmp', { codec: 'bmp', demuxer: 'bmp_pipe' }],
  ['jp2', { codec: 'jpeg2000', demuxer: 'j2k_pipe' }],
  ['j2k', { codec: 'jpeg2000', demuxer: 'j2k_pipe' }],
  ['psd', { codec: 'psd', demuxer: 'psd_pipe' }],
]);
/** Profiles and previews precede the size in a JPEG; if they take more bytes than this, sharp measures the image. */
const HEAD_BYTES = 131_072;

/**
 * Measures an image by its header, with its rotation and the length of its animation, without starting a program. Null: it is of another type, damaged, or its header is longer than
 * usual. `demuxer`: the required type of the image; null accepts every type.
 */
export async function readPictureHeader(name: string, demuxer: string | null): Promise<ProbedMedia | null> {
  const head = await readHead(name, HEAD_BYTES);
  const file = await open(name);
  try {
    const picture = await pictureFileOf(file);
    const header = await readHeader(head, picture);
    const type = IMAGE_CODECS.get(header?.type ?? '');
    if (!header || !type || (demuxer !== null && demuxer !== type.demuxer)) return null;
    const { width, height } = header;
    const duration = await readAnimationLength(picture, header.type);
    return { ...IMAGE_FACTS, width, height, duration, rotation: await readRotation(picture, header.type), videoCodec: type.codec };
  } finally {
    await file.close();
  }
}

/** The directory of a TIFF, which contains its size, may be anywhere in the file. */
async function readHeader(head: Buffer, picture: PictureFile): Promise<Pick<PictureHeader, 'type' | 'width' | 'height'> | null> {
  if (detectImageType(head) !== 'tif') return readImageHeader(head);
  const size = await readTiffSize(picture);
  return size && { type: 'tif', ...size };
}

/** An opened file, which is read in pieces. */
export async function pictureFileOf(file: FileHandle): Promise<PictureFile> {
  const { size } = await file.stat();
  const read = async (position: number, length: number): Promise<Buffer | null> => {
    if (position < 0 || position + length > size) return null;
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
    return bytesRead === length ? buffer : null;
  };
  return { size, read };
}
