import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { contentSecurityPolicy, parseRange, type Range } from '../../../shared/http/index.js';
import { Log } from '../../../shared/logging/index.js';
import { mimeTypeOf } from '../../../shared/mime-type-of.js';
import { contentDisposition, ObjectStorage, type StoredObject, UnsatisfiableRange } from '../../../shared/storage/index.js';
import { type AcceptedObject, AcceptedObjectsService } from '../../media/index.js';
import { BandwidthBudgetsRepository, type Budget } from './bandwidth-budgets.repository.js';
import { throttle } from './throttle.js';

/** The size of the pieces in which a file is fetched: as many bytes as are sent in this time, within the bounds below. */
const PIECE_SECONDS = 2;
const MIN_PIECE_BYTES = 65_536;
const MAX_PIECE_BYTES = 1_048_576;

/** A file, and how to send it. */
export interface StreamedFile {
  readonly item: AcceptedObject;
  readonly fileName: string;
  readonly fileExtension: string;
  readonly disposition: 'inline' | 'attachment';
  readonly budget: Budget;
}

/** Sends files through the service, no faster than a bandwidth budget permits. */
@Injectable()
export class FileStreamService {
  constructor(
    private readonly storage: ObjectStorage,
    private readonly objects: AcceptedObjectsService,
    private readonly budgets: BandwidthBudgetsRepository,
    private readonly log: Log,
  ) {}

  /** Answers HEAD and GET, for the whole file or a range (RFC 9110 section 14). False: the object no longer exists, and no response was sent. */
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
    response.flushHeaders(); // the first bytes may be sent only later
    const disconnected = new AbortController();
    if (response.closed) disconnected.abort();
    response.once('close', () => disconnected.abort());
    const { kbitPerSecond } = budget;
    const reserve = async (bytes: number) => await this.budgets.reserve(budget, bytes);
    const release = async (bytes: number) => await this.budgets.release(budget, bytes);
    const slices = throttle(body, { size, kbitPerSecond, reserve, release, signal: disconnected.signal });
    try {
      await pipeline(Readable.from(slices, { highWaterMark: 1 }), response);
    } catch (err) {
      if (!disconnected.signal.aborted) this.log.warn({ err, operation: 'GetObject' }, 'a file could not be sent completely');
      response.destroy(); // ends the response early, so that a connected viewer notices the error
    }
  }
}

const pieceBytesOf = ({ kbitPerSecond }: Budget): number =>
  Math.min(MAX_PIECE_BYTES, Math.max(MIN_PIECE_BYTES, kbitPerSecond * 125 * PIECE_SECONDS)); // a kbit is 125 bytes

/** Checks If-Range (RFC 9110 section 13.1.5): a part of another version would be useless. */
function isCurrent({ headers }: Request, { etag }: StoredObject): boolean {
  const condition = headers['if-range'];
  return condition === undefined || condition === `"${etag}"`;
}

/**
 * Sets the headers of a file. Its type follows from the extension, because the uploader chose the stored one and the file is sent from the service's
 * own origin.
 */
function setHeaders(response: Response, { fileName, fileExtension, disposition }: StreamedFile, { etag }: StoredObject): void {
  const type = mimeTypeOf(fileExtension);
  response.setHeader('content-type', type);
  response.setHeader('content-disposition', contentDisposition(disposition, fileName));
  response.setHeader('cache-control', 'no-store');
  response.setHeader('accept-ranges', 'bytes');
  response.setHeader('etag', `"${etag}"`);
  response.removeHeader('x-frame-options'); // the player configuration decides which pages may show it
  const policy = contentSecurityPolicy({ frameAncestors: 'any' });
  response.setHeader('content-security-policy', type.endsWith('xml') ? `${policy}; sandbox` : policy); // an SVG may contain scripts
}

function setRange(response: Response, range: Range | null, total: number): void {
  response.status(range ? 206 : 200);
  response.setHeader('content-length', range ? range.end - range.start + 1 : total);
  if (range) response.setHeader('content-range', `bytes ${range.start}-${range.end}/${total}`);
}

/** An object version; in a bucket without versions the entity tag shows that the object has not changed. */
export type PinnedObject = Pick<StoredObject, 'key' | 'version' | 'etag'>;

interface Part extends Range {
  /** The size of each piece except the last, which is the memory that one viewer takes. */
  readonly pieceBytes: number;
}

/**
 * Reads a part of an object in pieces. Each piece is fetched at full speed, so that a slow viewer does not occupy one of the few connections to the
 * storage. Null: the object has been deleted or replaced.
 */
export async function openInPieces(
  storage: ObjectStorage,
  object: PinnedObject,
  { start, end, pieceBytes }: Part,
): Promise<AsyncIterable<Buffer> | null> {
  const pieceAt = async (at: number) => await readPiece(storage, object, { start: at, end: Math.min(end, at + pieceBytes - 1) });
  const first = await pieceAt(start);
  return first && readPieces(first);

  async function* readPieces(piece: Buffer): AsyncGenerator<Buffer> {
    yield piece;
    for (let at = start + piece.length; at <= end; ) {
      const next = await pieceAt(at);
      if (!next) throw new Error('The object was deleted or replaced while it was sent.');
      yield next;
      at += next.length;
    }
  }
}

/** Reads a range of an object; null: it has been deleted or replaced. */
export async function readPiece(storage: ObjectStorage, { key, version, etag }: PinnedObject, range: Range): Promise<Buffer | null> {
  try {
    const found = await storage.read(key, { version, range });
    const bytes = found && (await buffer(found.body));
    return found?.etag === etag && bytes?.length === range.end - range.start + 1 ? bytes : null;
  } catch (error) {
    if (error instanceof UnsatisfiableRange) return null; // the object has been replaced by a shorter one
    throw error;
  }
}

/**
 * Redirects a viewer to the signed URL of an object, at the storage or a CDN. A HEAD request only asks whether the object exists: it does not count
 * as a play, so the response does not contain the URL.
 */
export function redirectToStorage(request: Pick<Request, 'method'>, response: Response, url: string): void {
  if (request.method === 'HEAD') response.status(302).end();
  else response.redirect(302, url);
}
