import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { contentSecurityPolicy } from '../../../shared/http/index.js';
import { Log } from '../../../shared/logging/index.js';
import { mimeTypeOf } from '../../../shared/media-types/index.js';
import { contentDisposition, ObjectStorage, type StoredObject, UnsatisfiableRange } from '../../../shared/storage/index.js';
import { type AcceptedObject, AcceptedObjects } from '../../media/index.js';
import { BandwidthBudgetsQueries, type Budget } from './bandwidth-budgets.queries.js';
import { throttle } from './throttle.js';

/** What is fetched of a file at a time: as much as flows in this time, within these bounds of bytes. */
const PIECE_SECONDS = 2;
const MIN_PIECE_BYTES = 65_536;
const MAX_PIECE_BYTES = 1_048_576;

/** A file and how it is sent. */
export interface StreamedFile {
  readonly item: AcceptedObject;
  readonly fileName: string;
  readonly fileExtension: string;
  readonly disposition: 'inline' | 'attachment';
  readonly budget: Budget;
}

/** Sends files through the service, no faster than a budget allows. */
@Injectable()
export class FileStreamService {
  constructor(
    private readonly storage: ObjectStorage,
    private readonly objects: AcceptedObjects,
    private readonly budgets: BandwidthBudgetsQueries,
    private readonly log: Log,
  ) {}

  /** Answers HEAD and GET, whole or a range (RFC 9110 section 14). False: the storage has no such object, and nothing was answered. */
  async send(file: StreamedFile, request: Request, response: Response): Promise<boolean> {
    const object = await this.objects.find(file.item);
    if (!object) return false;
    const range = parseRange(isCurrent(request, object) ? request.headers.range : undefined, object.size);
    if (range === 'unsatisfiable') {
      response.status(416).setHeader('content-range', `bytes */${object.size}`).setHeader('content-length', '0').end();
      return true;
    }
    const isEmpty = request.method === 'HEAD' || object.size === 0;
    const { start, end } = range ?? { start: 0, end: object.size - 1 };
    const pieces = isEmpty
      ? null
      : await openInPieces(this.storage, { ...object, version: file.item.version }, { start, end, pieceBytes: pieceBytesOf(file.budget) });
    if (!isEmpty && !pieces) return false;
    setHeaders(response, file, object);
    setRange(response, range, object.size);
    if (pieces) await this.stream(pieces, { size: end - start + 1, budget: file.budget }, response);
    else response.end();
    return true;
  }

  private async stream(
    body: AsyncIterable<Buffer>,
    { size, budget }: { readonly size: number; readonly budget: Budget },
    response: Response,
  ): Promise<void> {
    response.flushHeaders(); // its turn to get bytes may come later
    const gone = new AbortController();
    if (response.closed) gone.abort();
    response.once('close', () => gone.abort());
    const { kbitPerSecond } = budget;
    const reserve = async (bytes: number) => await this.budgets.reserve(budget, bytes);
    const release = async (bytes: number) => await this.budgets.release(budget, bytes);
    const slices = throttle(body, { size, kbitPerSecond, reserve, release, signal: gone.signal });
    try {
      await pipeline(Readable.from(slices, { highWaterMark: 1 }), response);
    } catch (err) {
      if (!gone.signal.aborted) this.log.warn({ err }, 'a file could not be sent to its end');
      response.destroy(); // shorter than it said, which tells a viewer who is still there
    }
  }
}

const pieceBytesOf = ({ kbitPerSecond }: Budget): number =>
  Math.min(MAX_PIECE_BYTES, Math.max(MIN_PIECE_BYTES, kbitPerSecond * 125 * PIECE_SECONDS)); // a kbit is 125 bytes

/** If-Range (RFC 9110 section 13.1.5): a part of something else is of no use. */
function isCurrent({ headers }: Request, { etag }: StoredObject): boolean {
  const condition = headers['if-range'];
  return condition === undefined || condition === `"${etag}"`;
}

/** The type comes from the extension: the one that was stored is a stranger's word, and would count on our own origin. */
function setHeaders(response: Response, { fileName, fileExtension, disposition }: StreamedFile, { etag }: StoredObject): void {
  const type = mimeTypeOf(fileExtension);
  response.setHeader('content-type', type);
  response.setHeader('content-disposition', contentDisposition(disposition, fileName));
  response.setHeader('cache-control', 'no-store');
  response.setHeader('accept-ranges', 'bytes');
  response.setHeader('etag', `"${etag}"`);
  response.removeHeader('x-frame-options'); // who may show it is for the player configuration to say
  const policy = contentSecurityPolicy({ frameAncestors: 'any' });
  response.setHeader('content-security-policy', type.endsWith('xml') ? `${policy}; sandbox` : policy); // an SVG may carry scripts
}

function setRange(response: Response, range: Range | null, total: number): void {
  response.status(range ? 206 : 200);
  response.setHeader('content-length', range ? range.end - range.start + 1 : total);
  if (range) response.setHeader('content-range', `bytes ${range.start}-${range.end}/${total}`);
}

/** Where no versions are kept, the entity tag tells that it is still the same. */
type PinnedObject = Pick<StoredObject, 'key' | 'version' | 'etag'>;

interface Part extends Range {
  /** Of each piece but the last; what one viewer takes of the memory. */
  readonly pieceBytes: number;
}

/**
 * Part of an object, piece by piece. Each is fetched as fast as the storage gives it: a slow viewer holds none of the connections to the
 * storage, which are few, and which everything else needs too. Null: the object has gone, or is another one by now.
 */
export async function openInPieces(
  storage: ObjectStorage,
  object: PinnedObject,
  { start, end, pieceBytes }: Part,
): Promise<AsyncIterable<Buffer> | null> {
  const pieceAt = async (at: number) => await readPiece(storage, object, { start: at, end: Math.min(end, at + pieceBytes - 1) });
  const first = await pieceAt(start);
  return first && follow(first);

  async function* follow(piece: Buffer): AsyncGenerator<Buffer> {
    yield piece;
    for (let at = start + piece.length; at <= end; ) {
      const next = await pieceAt(at);
      if (!next) throw new Error('The object was deleted or replaced while it was sent.');
      yield next;
      at += next.length;
    }
  }
}

async function readPiece(storage: ObjectStorage, { key, version, etag }: PinnedObject, range: Range): Promise<Buffer | null> {
  try {
    const found = await storage.read(key, { version, range });
    const bytes = found && (await buffer(found.body));
    return found?.etag === etag && bytes?.length === range.end - range.start + 1 ? bytes : null;
  } catch (error) {
    if (error instanceof UnsatisfiableRange) return null; // what is there now is shorter
    throw error;
  }
}

/** Bytes from `start` to `end`, both included. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

const ONE_RANGE = /^bytes=\s*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))\s*$/;

/**
 * What a Range header asks for of so many bytes (RFC 9110 section 14): null: all of them, also for what is no range or several, which a
 * server may ignore; `unsatisfiable`: there is nothing at that place.
 */
export function parseRange(header: string | undefined, total: number): Range | 'unsatisfiable' | null {
  const [match, first, last, suffix] = ONE_RANGE.exec(header ?? '') ?? [];
  if (match === undefined) return null;
  if (first === undefined) {
    const length = Math.min(Number(suffix), total);
    return length === 0 ? 'unsatisfiable' : { start: total - length, end: total - 1 };
  }
  const [start, end] = [Number(first), last ? Number(last) : total - 1];
  if (last && end < start) return null; // not valid, so it does not count
  return start >= total ? 'unsatisfiable' : { start, end: Math.min(end, total - 1) };
}
