import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { NewObject } from './object-storage.port.js';

const MEBIBYTE = 1_048_576;
/** The size of a part, and the maximum size of a file that is sent in one request. */
const PART_BYTES = 16 * MEBIBYTE;
/** The limit of S3; for its largest object, 5 TiB, each part then has 525 MiB. */
const MAX_PARTS = 10_000;
/** As streams of files read them. */
const SLICE_BYTES = 65_536;
const CONCURRENT_PARTS = 3;
/** A stream can only be read once, so the SDK cannot retry the request itself. */
const MAX_ATTEMPTS = 3;
/** A storage that accepts fewer bytes per second counts as unavailable. */
const MIN_BYTES_PER_SECOND = MEBIBYTE / 8;
const TIMEOUT_MS = 30_000;
/** Programs that process untrusted files may leave links and pipes instead of files: links are not followed, and opening a pipe does not block. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A key in a bucket. */
export interface Target {
  readonly Bucket: string;
  readonly Key: string;
}

/** `size` bytes of a file, beginning at `start`. */
interface Piece {
  readonly start: number;
  readonly size: number;
}

/** Writes a file, in parts if it is large, or a small content, and returns its version if the bucket has versioning. A multipart upload that fails is aborted. */
export async function writeObject(
  client: S3Client,
  target: Target,
  { file, contentType: ContentType, signal }: NewObject,
): Promise<string | null> {
  const size = typeof file === 'string' ? await sizeOf(file) : file.length;
  if (typeof file === 'string' && size > PART_BYTES) return await writeInParts(client, target, { file, size, ContentType, signal });
  let version: string | undefined;
  await send(file, { start: 0, size }, signal, async (content, options) => {
    ({ VersionId: version } = await client.send(new PutObjectCommand({ ...target, ...content, ContentType }), options));
  });
  return version ?? null;
}

/** The size of a regular file; throws for anything else. */
async function sizeOf(name: string): Promise<number> {
  const file = await open(name, OPEN_FLAGS);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error('Only a regular file can be written.');
    return found.size;
  } finally {
    await file.close();
  }
}

/** Divides a file of this size into parts. */
export function cutIntoParts(size: number): readonly Piece[] {
  const partSize = Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS / MEBIBYTE) * MEBIBYTE);
  return Array.from({ length: Math.ceil(size / partSize) }, (_, index) => ({
    start: index * partSize,
    size: Math.min(partSize, size - index * partSize),
  }));
}

interface LargeFile {
  readonly file: string;
  readonly size: number;
  readonly ContentType: string;
  readonly signal: AbortSignal | undefined;
}

async function writeInParts(client: S3Client, target: Target, { file, size, ContentType, signal }: LargeFile): Promise<string | null> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...target, ContentType }), { abortSignal: signal });
  const upload = { ...target, UploadId };
  try {
    const Parts = await sendParts(cutIntoParts(size), signal, async (piece, PartNumber, ended) => {
      let ETag: string | undefined;
      await send(file, piece, ended, async (content, options) => {
        ({ ETag } = await client.send(new UploadPartCommand({ ...upload, ...content, PartNumber }), options));
      });
      return { ETag, PartNumber };
    });
    const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
    return (await client.send(complete, { requestTimeout: TIMEOUT_MS })).VersionId ?? null;
  } catch (error) {
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {}); // the first error is the one to report
    throw error;
  }
}

type SendPart = (piece: Piece, number: number, ended: AbortSignal) => Promise<CompletedPart>;

/** Sends several parts concurrently. Waits until no part is being sent, because a part that arrives after the upload was aborted would remain. */
async function sendParts(pieces: readonly Piece[], signal: AbortSignal | undefined, sendPart: SendPart): Promise<CompletedPart[]> {
  const failed = new AbortController();
  const ended = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const parts: CompletedPart[] = [];
  const waiting = pieces.entries();
  const sendNext = async () => {
    for (const [index, piece] of waiting) {
      try {
        parts[index] = await sendPart(piece, index + 1, ended);
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: CONCURRENT_PARTS }, sendNext));
  if (results.some(({ status }) => status === 'rejected')) throw ended.reason;
  return parts;
}

interface Content {
  readonly Body: Readable | Uint8Array;
  readonly ContentLength: number;
}

interface SendOptions {
  readonly abortSignal: AbortSignal | undefined;
  readonly requestTimeout: number;
}

async function openPiece(file: string | Uint8Array, { start, size }: Piece): Promise<Readable | Uint8Array> {
  if (size === 0) return new Uint8Array();
  if (typeof file !== 'string') return Readable.from(slicesOf(file.subarray(start, start + size)), { objectMode: false });
  return (await open(file, OPEN_FLAGS)).createReadStream({ start, end: start + size - 1 });
}

/** Pieces of a content, so that the checksums of a large one do not delay other requests. */
function* slicesOf(content: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < content.length; at += SLICE_BYTES) yield content.subarray(at, at + SLICE_BYTES);
}

/** Reads a piece of the file and sends it; retries if that fails. */
async function send(
  file: string | Uint8Array,
  { start, size }: Piece,
  signal: AbortSignal | undefined,
  sendContent: (content: Content, options: SendOptions) => Promise<void>,
): Promise<void> {
  const options = { abortSignal: signal, requestTimeout: TIMEOUT_MS + (size / MIN_BYTES_PER_SECOND) * 1_000 };
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    const Body = await openPiece(file, { start, size });
    try {
      return await sendContent({ Body, ContentLength: size }, options);
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt === MAX_ATTEMPTS) throw error;
    } finally {
      if ('destroy' in Body) Body.destroy();
    }
  }
}
