import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { NewObject } from './object-storage.js';

const MEBIBYTE = 1_048_576;
/** The size of a part, and of what is sent at once. */
const PART_BYTES = 16 * MEBIBYTE;
/** S3 takes no more; of an object of 5 TiB, the largest, each then has 525 MiB. */
const MOST_PARTS = 10_000;
const PARTS_AT_ONCE = 3;
/** A stream is read once, so that the SDK cannot try it again. */
const TRIES = 3;
/** A storage that takes less than this in a second hangs. */
const SLOWEST_BYTES = MEBIBYTE / 8;
const PATIENCE_MS = 30_000;
/** Programs that strangers feed may leave links and pipes in place of files: they are neither followed nor waited for. */
const PLAINLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Where in which bucket. */
export interface Target {
  readonly Bucket: string;
  readonly Key: string;
}

/** Bytes of a file: from `start`, so many of them. */
interface Piece {
  readonly start: number;
  readonly size: number;
}

/** Sends a file, in parts when it is large. Answers its version, if the storage names one. Whatever ends it, a multipart upload that was begun is aborted. */
export async function writeObject(
  client: S3Client,
  target: Target,
  { file, contentType: ContentType, signal }: NewObject,
): Promise<string | null> {
  const size = await measure(file);
  if (size > PART_BYTES) return await writeInParts(client, target, { file, size, ContentType, signal });
  let version: string | undefined;
  await send(file, { start: 0, size }, signal, async (content, options) => {
    ({ VersionId: version } = await client.send(new PutObjectCommand({ ...target, ...content, ContentType }), options));
  });
  return version ?? null;
}

/** Throws when it is no file of its own. */
async function measure(name: string): Promise<number> {
  const file = await open(name, PLAINLY);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error('What is to be written is no file.');
    return found.size;
  } finally {
    await file.close();
  }
}

/** The pieces of a file of this size. */
export function cutIntoParts(size: number): readonly Piece[] {
  const most = Math.max(PART_BYTES, Math.ceil(size / MOST_PARTS / MEBIBYTE) * MEBIBYTE);
  return Array.from({ length: Math.ceil(size / most) }, (_, index) => ({ start: index * most, size: Math.min(most, size - index * most) }));
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
    return (await client.send(complete, { requestTimeout: PATIENCE_MS })).VersionId ?? null;
  } catch (error) {
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {}); // the first error is the one to tell
    throw error;
  }
}

type SendPart = (piece: Piece, number: number, ended: AbortSignal) => Promise<CompletedPart>;

/** Some at once. Ends only when nothing is on its way any more: a part that arrives after the end of its upload would stay. */
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
  const results = await Promise.allSettled(Array.from({ length: PARTS_AT_ONCE }, sendNext));
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

/** Reads a piece of the file and hands it over, again when that fails. */
async function send(
  file: string,
  { start, size }: Piece,
  signal: AbortSignal | undefined,
  handOver: (content: Content, options: SendOptions) => Promise<void>,
): Promise<void> {
  const options = { abortSignal: signal, requestTimeout: PATIENCE_MS + (size / SLOWEST_BYTES) * 1_000 };
  for (let tries = 1; ; tries += 1) {
    signal?.throwIfAborted();
    const Body = size === 0 ? new Uint8Array() : (await open(file, PLAINLY)).createReadStream({ start, end: start + size - 1 });
    try {
      return await handOver({ Body, ContentLength: size }, options);
    } catch (error) {
      signal?.throwIfAborted();
      if (tries === TRIES) throw error;
    } finally {
      if ('destroy' in Body) Body.destroy();
    }
  }
}
