import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { contentSecurityPolicy } from '../../../shared/http/index.js';
import { Log } from '../../../shared/logging/index.js';
import { mimeTypeOf } from '../../../shared/media-types/index.js';
import { contentDisposition, ObjectStorage, type StoredObject } from '../../../shared/storage/index.js';
import { type AcceptedObject, AcceptedObjects } from '../../media/index.js';
import { BandwidthBudgets, type Budget } from './bandwidth-budgets.js';
import { openInPieces } from './open-in-pieces.js';
import { parseRange, type Range } from './parse-range.js';
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
export class FileStream {
  constructor(
    private readonly storage: ObjectStorage,
    private readonly objects: AcceptedObjects,
    private readonly budgets: BandwidthBudgets,
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
